extension SchemaDocument {
    /// The schema of `pins --format json`.
    static let pins = SchemaDocument(
        name: "pins",
        identifier: PinsReport.schema,
        summary: "'pins --format json'",
        text: {
            #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "urn:pincheck:schema:pincheck-pins-1",
              "title": "pincheck-pins/1",
              "description": "The keys of servers and files. Readers ignore keys they do not know.",
              "type": "object",
              "required": ["schema", "evaluated_at", "results", "exit"],
              "properties": {
                "schema": { "const": "pincheck-pins/1" },
                "evaluated_at": { "$ref": "#/$defs/time" },
                "results": { "type": "array", "items": { "$ref": "#/$defs/source" } },
                "exit": {
                  "type": "object",
                  "required": ["code", "name"],
                  "properties": {
                    "code": { "enum": [0, 1, 2] },
                    "name": { "enum": ["PASS", "FAIL", "UNREACHABLE"] }
                  }
                }
              },
              "$defs": {
                "source": {
                  "type": "object",
                  "required": [
                    "target", "host", "port", "rules", "endpoint", "verified", "reason", "warnings", "keys", "also_sent"
                  ],
                  "properties": {
                    "target": { "description": "The target or file as it was named.", "type": "string" },
                    "host": {
                      "description": "The host the keys are for; null when that is not known.",
                      "type": ["string", "null"]
                    },
                    "port": { "type": ["integer", "null"], "minimum": 1, "maximum": 65535 },
                    "rules": {
                      "description": "What a configuration says of the host; null for keys that were in none.",
                      "anyOf": [{ "$ref": "#/$defs/rules" }, { "type": "null" }]
                    },
                    "endpoint": {
                      "description": "What was connected to; null for a file.",
                      "anyOf": [{ "$ref": "#/$defs/endpoint" }, { "type": "null" }]
                    },
                    "verified": {
                      "description": "Whether the chain is trusted and valid for the name; null when nothing was verified.",
                      "type": ["boolean", "null"]
                    },
                    "reason": {
                      "description": "What was found of the server; null for a file.",
                      "anyOf": [{ "$ref": "#/$defs/message" }, { "type": "null" }]
                    },
                    "warnings": { "type": "array", "items": { "$ref": "#/$defs/message" } },
                    "keys": {
                      "description": "The leaf's first.",
                      "type": "array",
                      "items": { "$ref": "#/$defs/key" }
                    },
                    "also_sent": {
                      "description": "The subjects of certificates that were sent and are not on the chain.",
                      "type": "array",
                      "items": { "type": "string" }
                    }
                  }
                },
                "rules": {
                  "type": "object",
                  "required": [
                    "kind", "origin", "subdomains", "position", "enforced", "expires", "excluded", "records",
                    "report_uris"
                  ],
                  "properties": {
                    "kind": { "description": "Whose configuration it is.", "type": ["string", "null"] },
                    "origin": { "description": "Where in the source it stands.", "type": "string" },
                    "subdomains": { "enum": ["none", "one-label", "up-to-one-label", "any-number"] },
                    "position": { "enum": ["anywhere", "leaf", "authority", "both"] },
                    "enforced": {
                      "description": "Whether a mismatch blocks the connection; null where nothing is said.",
                      "type": ["boolean", "null"]
                    },
                    "expires": {
                      "description": "From when on the pins no longer apply.",
                      "type": ["string", "null"]
                    },
                    "excluded": { "type": "boolean" },
                    "records": {
                      "description": "TLSA records, as in a zone file.",
                      "type": "array",
                      "items": { "type": "string" }
                    },
                    "report_uris": { "type": "array", "items": { "type": "string" } }
                  }
                },
                "endpoint": {
                  "type": "object",
                  "required": ["address", "port", "family", "resolved_name", "sni", "verify_name", "host"],
                  "properties": {
                    "address": { "type": ["string", "null"] },
                    "port": { "type": "integer", "minimum": 1, "maximum": 65535 },
                    "family": { "enum": ["ipv4", "ipv6", null] },
                    "resolved_name": {
                      "description": "The name that was looked up; null when an address was given.",
                      "type": ["string", "null"]
                    },
                    "sni": { "type": ["string", "null"] },
                    "verify_name": { "type": ["string", "null"] },
                    "host": { "description": "The name of the HTTP Host header.", "type": "string" }
                  }
                },
                "key": {
                  "type": "object",
                  "required": [
                    "role", "pinned", "source", "key", "subject", "issuer", "serial", "not_before", "not_after",
                    "days_left", "cert_sha256", "pins", "saved_as"
                  ],
                  "properties": {
                    "role": {
                      "enum": [
                        "leaf", "intermediate", "root", "authority", "public-key", "request", "private-key"
                      ]
                    },
                    "pinned": { "description": "Whether a block for a client pins it.", "type": "boolean" },
                    "source": {
                      "description": "presented, system, anchors, or the file and line.",
                      "type": "string"
                    },
                    "key": { "description": "The algorithm and its size.", "type": ["string", "null"] },
                    "subject": { "type": ["string", "null"] },
                    "issuer": { "type": ["string", "null"] },
                    "serial": { "type": ["string", "null"] },
                    "not_before": { "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }] },
                    "not_after": { "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }] },
                    "days_left": {
                      "description": "Whole days to the end of validity, negative after it.",
                      "type": ["integer", "null"]
                    },
                    "cert_sha256": { "type": ["string", "null"], "pattern": "^[0-9a-f]{64}$" },
                    "pins": {
                      "description": "The pin in every notation.",
                      "type": "object",
                      "required": ["okhttp", "curl", "hpkp", "base64", "tlsa"],
                      "properties": {
                        "okhttp": { "type": "string", "pattern": "^sha256/[A-Za-z0-9+/]{43}=$" },
                        "curl": { "type": "string", "pattern": "^sha256//[A-Za-z0-9+/]{43}=$" },
                        "hpkp": { "type": "string" },
                        "base64": { "type": "string", "pattern": "^[A-Za-z0-9+/]{43}=$" },
                        "tlsa": { "type": "string" }
                      }
                    },
                    "saved_as": {
                      "description": "The file the certificate was saved in.",
                      "type": ["string", "null"]
                    }
                  }
                },
                "message": {
                  "type": "object",
                  "required": ["id", "message"],
                  "properties": {
                    "id": { "description": "Stable; compare this, not the message.", "type": "string" },
                    "message": { "type": "string" }
                  }
                },
                "time": {
                  "description": "RFC 3339 in UTC.",
                  "type": "string",
                  "pattern": "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
                }
              }
            }

            """#
        }
    )
}
