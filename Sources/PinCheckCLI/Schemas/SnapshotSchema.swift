extension SchemaDocument {
    /// The schema of the files that `snapshot` writes and `diff` reads.
    ///
    /// Files that lack a key that may be null are read as if it were null.
    static let snapshot = SchemaDocument(
        name: "snapshot",
        identifier: SnapshotFile.schema,
        summary: "the files of 'snapshot', which 'diff' and 'check --baseline' compare with",
        text: {
            #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "urn:pincheck:schema:pincheck-snapshot-1",
              "title": "pincheck-snapshot/1",
              "description": "What servers served: nothing secret, and nothing that changes while they do not.",
              "type": "object",
              "required": ["schema", "endpoints"],
              "properties": {
                "schema": { "const": "pincheck-snapshot/1" },
                "endpoints": {
                  "description": "Sorted by target, address and names.",
                  "type": "array",
                  "items": { "$ref": "#/$defs/endpoint" }
                }
              },
              "$defs": {
                "endpoint": {
                  "type": "object",
                  "required": ["target", "connect", "sni", "verify_name", "variant", "tls", "chain"],
                  "properties": {
                    "target": { "description": "The target with its port.", "type": "string" },
                    "connect": {
                      "description": "The address and port that were given to connect to; null when the target was looked up.",
                      "type": ["string", "null"]
                    },
                    "sni": { "description": "The server name that was sent.", "type": ["string", "null"] },
                    "verify_name": {
                      "description": "The name the certificate has to be valid for.",
                      "type": ["string", "null"]
                    },
                    "variant": {
                      "description": "The part of the offer that was changed, as in RSA or TLS 1.2; null for ordinary clients.",
                      "type": ["string", "null"]
                    },
                    "tls": {
                      "anyOf": [
                        {
                          "type": "object",
                          "required": ["version", "client_certificate_requested"],
                          "properties": {
                            "version": { "description": "As in TLSv1.3.", "type": "string" },
                            "client_certificate_requested": { "type": "boolean" }
                          }
                        },
                        { "type": "null" }
                      ]
                    },
                    "chain": {
                      "description": "The certificates the server sent, in wire order, at least one.",
                      "type": "array",
                      "items": { "$ref": "#/$defs/certificate" }
                    }
                  }
                },
                "certificate": {
                  "type": "object",
                  "required": [
                    "subject", "issuer", "issuer_key_id", "names", "not_before", "not_after", "key", "spki_sha256",
                    "cert_sha256"
                  ],
                  "properties": {
                    "subject": { "description": "In the order of RFC 2253.", "type": "string" },
                    "issuer": { "type": "string" },
                    "issuer_key_id": {
                      "description": "The authority key identifier in hexadecimal digits.",
                      "type": ["string", "null"]
                    },
                    "names": {
                      "description": "The subject alternative names, sorted.",
                      "type": "array",
                      "items": { "type": "string" }
                    },
                    "not_before": { "$ref": "#/$defs/time" },
                    "not_after": { "$ref": "#/$defs/time" },
                    "key": { "description": "The algorithm and its size, as in EC P-256.", "type": "string" },
                    "spki_sha256": {
                      "description": "The public-key pin in the notation of OkHttp.",
                      "type": "string",
                      "pattern": "^sha256/[A-Za-z0-9+/]{43}=$"
                    },
                    "cert_sha256": { "type": "string", "pattern": "^[0-9a-f]{64}$" }
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
