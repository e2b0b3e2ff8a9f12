extension SchemaDocument {
    /// The schema of `--format json` and of each line of `--format jsonl`.
    ///
    /// It says which keys are always there and what they hold. It allows keys it does not know, because a later pincheck may
    /// add some without a new version; the tests of pincheck do not.
    static let report = SchemaDocument(
        name: "report",
        identifier: Report.schema,
        summary: "the documents of 'check' and 'verify' with --format json, and the lines of jsonl",
        text: {
            #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "urn:pincheck:schema:pincheck-1",
              "title": "pincheck/1",
              "description": "What pincheck found of one endpoint or chain, or of several.",
              "anyOf": [{ "$ref": "#/$defs/report" }, { "$ref": "#/$defs/reports" }],
              "$defs": {
                "reports": {
                  "description": "Several reports, in the order of their targets.",
                  "type": "object",
                  "required": ["schema", "results", "exit"],
                  "properties": {
                    "schema": { "const": "pincheck/1" },
                    "results": { "type": "array", "items": { "$ref": "#/$defs/report" } },
                    "exit": { "$ref": "#/$defs/exit" }
                  }
                },
                "report": {
                  "type": "object",
                  "required": [
                    "schema", "target", "endpoint", "tls", "verify_name", "variant", "consistency", "evaluated_at",
                    "presented", "built", "built_is_valid", "other_paths", "pins", "transparency", "revocation",
                    "devices", "checks", "clients", "warnings", "notes", "outlook",
                    "next", "change", "http", "verdict", "reason", "exit"
                  ],
                  "properties": {
                    "schema": { "const": "pincheck/1" },
                    "target": { "description": "The target with its port, or the chain file.", "type": "string" },
                    "endpoint": { "anyOf": [{ "$ref": "#/$defs/endpoint" }, { "type": "null" }] },
                    "tls": { "anyOf": [{ "$ref": "#/$defs/tls" }, { "type": "null" }] },
                    "verify_name": {
                      "description": "The name the certificate had to be valid for; null when none was checked.",
                      "type": ["string", "null"]
                    },
                    "variant": {
                      "description": "Which variant of the target this is; null when it was checked in one way only.",
                      "anyOf": [{ "$ref": "#/$defs/variant" }, { "type": "null" }]
                    },
                    "consistency": {
                      "description": "What the variants have in common, in the last report of a target; null in others.",
                      "anyOf": [{ "$ref": "#/$defs/consistency" }, { "type": "null" }]
                    },
                    "evaluated_at": { "$ref": "#/$defs/time" },
                    "presented": {
                      "description": "The certificates the server sent, in wire order.",
                      "type": "array",
                      "items": { "$ref": "#/$defs/certificate" }
                    },
                    "built": {
                      "description": "The chain the verdict rests on, leaf first.",
                      "type": "array",
                      "items": { "$ref": "#/$defs/link" }
                    },
                    "built_is_valid": { "description": "Whether built is a valid path.", "type": "boolean" },
                    "other_paths": {
                      "description": "The other valid paths without which a client would not accept; empty for most.",
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["clients", "chain"],
                        "properties": {
                          "clients": {
                            "description": "Those that need it.",
                            "type": "array",
                            "items": { "type": "string" }
                          },
                          "chain": {
                            "description": "The path, leaf first.",
                            "type": "array",
                            "items": { "$ref": "#/$defs/link" }
                          }
                        }
                      }
                    },
                    "pins": { "$ref": "#/$defs/pins" },
                    "transparency": {
                      "description": "The SCTs of the leaf; null where nobody looked.",
                      "anyOf": [{ "$ref": "#/$defs/transparency" }, { "type": "null" }]
                    },
                    "revocation": {
                      "description": "What the server's OCSP staple says; null where nobody looked.",
                      "anyOf": [{ "$ref": "#/$defs/revocation" }, { "type": "null" }]
                    },
                    "devices": {
                      "description": "The devices that were judged for (--device); null where none was named.",
                      "anyOf": [{ "$ref": "#/$defs/devices" }, { "type": "null" }]
                    },
                    "checks": {
                      "description": "The phases of the connection, the steps of each client, then the request, in order.",
                      "type": "array",
                      "items": { "$ref": "#/$defs/check" }
                    },
                    "clients": { "type": "array", "items": { "$ref": "#/$defs/client" } },
                    "warnings": { "type": "array", "items": { "$ref": "#/$defs/message" } },
                    "notes": {
                      "description": "What is good to know of the result, then what is never checked here although a client may check it.",
                      "type": "array",
                      "items": { "$ref": "#/$defs/message" }
                    },
                    "outlook": { "anyOf": [{ "$ref": "#/$defs/outlook" }, { "type": "null" }] },
                    "next": { "anyOf": [{ "$ref": "#/$defs/next" }, { "type": "null" }] },
                    "change": { "anyOf": [{ "$ref": "#/$defs/change" }, { "type": "null" }] },
                    "http": {
                      "description": "The request that follows an acceptance (--request); null without one.",
                      "anyOf": [{ "$ref": "#/$defs/http" }, { "type": "null" }]
                    },
                    "verdict": { "$ref": "#/$defs/verdict" },
                    "reason": { "$ref": "#/$defs/message" },
                    "exit": { "$ref": "#/$defs/exit" }
                  }
                },
                "devices": {
                  "type": "object",
                  "required": ["file", "source", "date", "age_days", "is_stale", "judged"],
                  "properties": {
                    "file": {
                      "description": "The file of --device-data; null for the data that is part of the program.",
                      "type": ["string", "null"]
                    },
                    "source": { "description": "Where the lists of roots are from.", "type": "string" },
                    "date": {
                      "description": "The day on which the newest list was read.",
                      "type": "string",
                      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
                    },
                    "age_days": { "type": "integer", "minimum": 0 },
                    "is_stale": { "description": "Whether the data is older than 180 days.", "type": "boolean" },
                    "judged": {
                      "description": "The devices; what each client decides on them is in clients.",
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["name", "platform", "release", "read", "verdict"],
                        "properties": {
                          "name": { "type": "string" },
                          "platform": { "enum": ["ios", "android", "mozilla", null] },
                          "release": { "description": "The versions in words.", "type": ["string", "null"] },
                          "read": { "description": "The day on which its list was read.", "type": ["string", "null"] },
                          "verdict": {
                            "description": "reject where one of its clients rejects; none where none can be set up.",
                            "$ref": "#/$defs/verdict"
                          }
                        }
                      }
                    }
                  }
                },
                "transparency": {
                  "type": "object",
                  "required": ["timestamps", "logs", "unreadable"],
                  "properties": {
                    "timestamps": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["log_id", "log", "time", "source", "signature_is_valid"],
                        "properties": {
                          "log_id": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
                          "log": {
                            "description": "The name in --ct-logs; null without one.",
                            "type": ["string", "null"]
                          },
                          "time": { "$ref": "#/$defs/time" },
                          "source": { "enum": ["certificate", "handshake", "staple"] },
                          "signature_is_valid": {
                            "description": "Whether the log's key made it; null where the key is not known.",
                            "type": ["boolean", "null"]
                          }
                        }
                      }
                    },
                    "logs": { "description": "How many logs they are from.", "type": "integer", "minimum": 0 },
                    "unreadable": { "type": "integer", "minimum": 0 }
                  }
                },
                "revocation": {
                  "type": "object",
                  "required": ["staple", "this_update", "next_update", "revoked_at", "problem"],
                  "properties": {
                    "staple": { "enum": ["none", "good", "revoked", "unknown", "outdated", "unusable"] },
                    "this_update": { "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }] },
                    "next_update": { "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }] },
                    "revoked_at": { "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }] },
                    "problem": {
                      "description": "Why it says nothing about the certificate.",
                      "type": ["string", "null"]
                    }
                  }
                },
                "http": {
                  "type": "object",
                  "required": [
                    "method", "path", "host", "expected", "asked", "status", "status_line", "time_ms", "as_expected",
                    "problem"
                  ],
                  "properties": {
                    "method": { "enum": ["GET", "HEAD"] },
                    "path": { "type": "string", "pattern": "^/" },
                    "host": { "description": "The Host header.", "type": "string" },
                    "expected": {
                      "description": "The statuses the answer may have (--expect-status); empty for any.",
                      "type": "array",
                      "items": { "type": "string" }
                    },
                    "asked": { "description": "False for a server that is not accepted.", "type": "boolean" },
                    "status": { "type": ["integer", "null"], "minimum": 101, "maximum": 999 },
                    "status_line": { "description": "In the server's words.", "type": ["string", "null"] },
                    "time_ms": {
                      "description": "From the request to the end of the answer's head.",
                      "type": ["number", "null"],
                      "minimum": 0
                    },
                    "as_expected": { "description": "Null where it was not asked.", "type": ["boolean", "null"] },
                    "problem": { "description": "Why there is no answer.", "type": ["string", "null"] }
                  }
                },
                "variant": {
                  "type": "object",
                  "required": ["label", "key_type", "tls_version", "counts"],
                  "properties": {
                    "label": { "description": "As in ordinary, RSA, TLS 1.2, no SNI and with SNI.", "type": "string" },
                    "key_type": {
                      "description": "The only type of key asked for; null for any.",
                      "enum": ["rsa", "ecdsa", "ed25519", null]
                    },
                    "tls_version": {
                      "description": "The only TLS version offered; null for those of the target.",
                      "type": ["string", "null"]
                    },
                    "counts": { "description": "Whether the verdict counts for the target.", "type": "boolean" }
                  }
                },
                "consistency": {
                  "type": "object",
                  "required": [
                    "consistent", "addresses", "accepted", "rejected", "unreachable", "findings", "exit"
                  ],
                  "properties": {
                    "consistent": {
                      "description": "Whether no finding is a warning and the verdicts agree; null when nothing was compared.",
                      "type": ["boolean", "null"]
                    },
                    "addresses": { "description": "How many addresses were tried.", "type": "integer", "minimum": 0 },
                    "accepted": { "type": "integer", "minimum": 0 },
                    "rejected": { "type": "integer", "minimum": 0 },
                    "unreachable": { "type": "integer", "minimum": 0 },
                    "findings": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["id", "level", "message"],
                        "properties": {
                          "id": {
                            "enum": [
                              "addresses-differ", "addresses-incomplete", "key-types-differ", "versions-differ",
                              "no-sni-differs", "sni-differs", "not-offered", "hung-up", "no-time"
                            ]
                          },
                          "level": { "enum": ["info", "warning"] },
                          "message": { "type": "string" }
                        }
                      }
                    },
                    "exit": { "$ref": "#/$defs/exit" }
                  }
                },
                "endpoint": {
                  "type": "object",
                  "required": ["address", "port", "family", "resolved_name", "sni", "verify_name", "host"],
                  "properties": {
                    "address": {
                      "description": "The address connected to; null when none could be.",
                      "type": ["string", "null"]
                    },
                    "port": { "type": "integer", "minimum": 0, "maximum": 65535 },
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
                "tls": {
                  "type": "object",
                  "required": [
                    "version", "cipher", "group", "alpn", "client_certificate_requested", "client_certificate_sent",
                    "timings_ms"
                  ],
                  "properties": {
                    "version": { "type": "string" },
                    "cipher": { "type": "string" },
                    "group": { "type": ["string", "null"] },
                    "alpn": { "type": ["string", "null"] },
                    "client_certificate_requested": { "type": "boolean" },
                    "client_certificate_sent": { "type": "boolean" },
                    "timings_ms": {
                      "type": "object",
                      "required": ["resolve", "connect", "handshake"],
                      "properties": {
                        "resolve": { "type": ["number", "null"], "minimum": 0 },
                        "connect": { "type": ["number", "null"], "minimum": 0 },
                        "handshake": { "type": ["number", "null"], "minimum": 0 }
                      }
                    }
                  }
                },
                "certificate": {
                  "type": "object",
                  "required": [
                    "index", "role", "subject", "issuer", "serial", "not_before", "not_after", "days_left",
                    "days_until_valid", "key", "spki_sha256", "cert_sha256", "names"
                  ],
                  "properties": {
                    "index": { "type": "integer", "minimum": 0 },
                    "role": { "enum": ["leaf", "intermediate", "root"] },
                    "subject": { "type": "string" },
                    "issuer": { "type": "string" },
                    "serial": { "type": "string" },
                    "not_before": { "$ref": "#/$defs/time" },
                    "not_after": { "$ref": "#/$defs/time" },
                    "days_left": {
                      "description": "Whole days from the evaluation to the end of validity, negative after it.",
                      "type": "integer"
                    },
                    "days_until_valid": { "type": "integer", "minimum": 0 },
                    "key": { "description": "The algorithm and its size, as in EC P-256.", "type": "string" },
                    "spki_sha256": { "$ref": "#/$defs/pinText" },
                    "cert_sha256": { "type": "string" },
                    "names": { "type": "array", "items": { "type": "string" } }
                  }
                },
                "link": {
                  "description": "A certificate of the chain, where it came from, and the pins that match it.",
                  "allOf": [{ "$ref": "#/$defs/certificate" }],
                  "type": "object",
                  "required": ["source", "pins"],
                  "properties": {
                    "source": {
                      "enum": [
                        "presented", "pin", "intermediate", "system", "anchors", "anchors and system", "device",
                        "anchors and device"
                      ]
                    },
                    "pins": {
                      "description": "Positions in pins.configured, from 0.",
                      "type": "array",
                      "items": { "type": "integer", "minimum": 0 }
                    }
                  }
                },
                "pins": {
                  "type": "object",
                  "required": ["mode", "configured", "matched", "entries", "applied"],
                  "properties": {
                    "mode": { "enum": ["none", "public-key", "certificate"] },
                    "configured": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["pin", "kind", "origin", "subject"],
                        "properties": {
                          "pin": { "anyOf": [{ "$ref": "#/$defs/pinText" }, { "$ref": "#/$defs/recordText" }] },
                          "kind": { "enum": ["certificate", "public-key", "tlsa-record"] },
                          "origin": { "description": "Where the pin was read.", "type": "string" },
                          "subject": { "type": ["string", "null"] }
                        }
                      }
                    },
                    "matched": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["pin", "depth"],
                        "properties": {
                          "pin": { "description": "A position in configured.", "type": "integer", "minimum": 0 },
                          "depth": { "description": "A position in built.", "type": "integer", "minimum": 0 }
                        }
                      }
                    },
                    "entries": {
                      "description": "The entries of client configurations that are for the host.",
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["kind", "hosts", "origin", "enforces_pinning", "expires"],
                        "properties": {
                          "kind": { "type": "string" },
                          "hosts": { "type": ["string", "null"] },
                          "origin": { "type": "string" },
                          "enforces_pinning": { "type": ["boolean", "null"] },
                          "expires": { "type": ["string", "null"] }
                        }
                      }
                    },
                    "applied": {
                      "description": "What an app's configuration has the device decide by, beside the pins.",
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["kind", "clients", "hosts", "origin", "settings"],
                        "properties": {
                          "kind": { "enum": ["network-security-config", "app-transport-security"] },
                          "clients": { "type": "array", "items": { "type": "string" } },
                          "hosts": {
                            "description": "The hosts it is for; null for all without an entry of their own.",
                            "type": ["string", "null"]
                          },
                          "origin": { "type": "string" },
                          "settings": { "type": "array", "items": { "type": "string" } }
                        }
                      }
                    }
                  }
                },
                "check": {
                  "type": "object",
                  "required": ["client", "device", "id", "status", "detail"],
                  "properties": {
                    "device": {
                      "description": "The device it decides on; null where none was named.",
                      "type": ["string", "null"]
                    },
                    "client": {
                      "description": "Whose step it is; null for the connection.",
                      "type": ["string", "null"]
                    },
                    "id": { "type": "string" },
                    "status": { "enum": ["pass", "fail", "skip"] },
                    "detail": { "type": "string" }
                  }
                },
                "client": {
                  "type": "object",
                  "required": ["name", "device", "verdict", "reason", "disposition", "settings", "outlook"],
                  "properties": {
                    "name": { "type": "string" },
                    "device": {
                      "description": "The device it decides on; null where none was named.",
                      "type": ["string", "null"]
                    },
                    "verdict": { "$ref": "#/$defs/verdict" },
                    "reason": { "$ref": "#/$defs/message" },
                    "disposition": {
                      "description": "How an NSURLSession client answers; null for clients that are none.",
                      "type": ["string", "null"]
                    },
                    "settings": {
                      "description": "What the client was set to, by the client's own names.",
                      "type": "object",
                      "additionalProperties": { "type": ["boolean", "string"] }
                    },
                    "outlook": {
                      "description": "How long its own verdict will last; null without one.",
                      "anyOf": [{ "$ref": "#/$defs/outlook" }, { "type": "null" }]
                    }
                  }
                },
                "outlook": {
                  "description": "How long a verdict will last, as far as can be told: one client's, or the worst of all.",
                  "type": "object",
                  "required": [
                    "level", "valid_until", "renewal_point", "pins_match_until", "pins_end", "no_pin_after",
                    "pins_expire", "has_backup", "pins", "findings"
                  ],
                  "properties": {
                    "level": { "$ref": "#/$defs/level" },
                    "valid_until": {
                      "description": "When the first certificate expires that a client needs; null where none minds.",
                      "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }]
                    },
                    "renewal_point": {
                      "description": "When servers with a certificate of this lifetime have usually renewed it.",
                      "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }]
                    },
                    "pins_match_until": {
                      "description": "Until when the pins that match now are sure to; a key that is kept may go on. Null when they do not match.",
                      "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }]
                    },
                    "pins_end": { "enum": ["leaf-renewal", "intermediate-expiry", "root-expiry", null] },
                    "no_pin_after": {
                      "description": "After when no configured pin is sure to match; null also where a backup has no end.",
                      "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }]
                    },
                    "pins_expire": {
                      "description": "From when on a client ignores its pins and takes any trusted chain.",
                      "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }]
                    },
                    "has_backup": {
                      "description": "Whether everything that has to match has a pin in reserve, for a key that is not in use.",
                      "type": "boolean"
                    },
                    "pins": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["pin", "depth", "until", "compared", "backup"],
                        "properties": {
                          "pin": { "description": "A position in pins.configured.", "type": "integer", "minimum": 0 },
                          "depth": { "description": "A position in built.", "type": ["integer", "null"] },
                          "until": { "anyOf": [{ "$ref": "#/$defs/time" }, { "type": "null" }] },
                          "compared": { "description": "Whether the client compares it.", "type": "boolean" },
                          "backup": {
                            "description": "Whether it is for a key that is not in use and can match one day.",
                            "type": "boolean"
                          }
                        }
                      }
                    },
                    "findings": {
                      "description": "Worst first.",
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["id", "level", "message"],
                        "properties": {
                          "id": { "description": "Stable; compare this, not the message.", "type": "string" },
                          "level": { "$ref": "#/$defs/level" },
                          "message": { "type": "string" }
                        }
                      }
                    }
                  }
                },
                "level": { "enum": ["info", "warn", "fail"] },
                "next": {
                  "description": "What is about to be deployed (--next); null in a report on a server of today.",
                  "type": "object",
                  "required": ["kind", "pin", "assumed", "issuers"],
                  "properties": {
                    "kind": { "enum": ["chain", "certificate", "request", "public-key"] },
                    "pin": { "$ref": "#/$defs/pinText" },
                    "assumed": {
                      "description": "Whether its certificate is assumed to be trusted and valid for the name.",
                      "type": "boolean"
                    },
                    "issuers": {
                      "description": "The authorities of today that are assumed to issue it, nearest first.",
                      "type": "array",
                      "items": { "type": "string" }
                    }
                  }
                },
                "change": {
                  "description": "What changed since a baseline; null without one.",
                  "type": "object",
                  "required": ["baseline", "status", "compared_with", "classes"],
                  "properties": {
                    "baseline": { "description": "The file with the baseline.", "type": "string" },
                    "status": { "enum": ["unchanged", "allowed", "changed"] },
                    "compared_with": {
                      "description": "The recorded address it was compared with; null where its own is recorded.",
                      "type": ["string", "null"]
                    },
                    "classes": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": ["id", "old", "new", "old_certificate", "new_certificate", "allowed"],
                        "properties": {
                          "id": {
                            "enum": [
                              "unchanged", "renewed", "rekeyed", "key-type-changed", "issuer-changed", "root-changed",
                              "names-added", "names-removed", "order-changed", "intermediate-missing",
                              "intermediate-extra", "intermediate-dropped", "root-sent", "root-omitted",
                              "expires-earlier", "tls-changed", "endpoints-differ", "target-added", "target-missing"
                            ]
                          },
                          "old": { "description": "What was, in words.", "type": ["string", "null"] },
                          "new": { "description": "What is, in words.", "type": ["string", "null"] },
                          "old_certificate": {
                            "description": "The certificate that was; null where the change is about none.",
                            "anyOf": [{ "$ref": "#/$defs/changedCertificate" }, { "type": "null" }]
                          },
                          "new_certificate": {
                            "anyOf": [{ "$ref": "#/$defs/changedCertificate" }, { "type": "null" }]
                          },
                          "allowed": { "type": "boolean" }
                        }
                      }
                    }
                  }
                },
                "changedCertificate": {
                  "type": "object",
                  "required": [
                    "subject", "issuer", "key", "spki_sha256", "cert_sha256", "not_before", "not_after", "names"
                  ],
                  "properties": {
                    "subject": { "type": "string" },
                    "issuer": { "type": "string" },
                    "key": { "description": "As in EC P-256.", "type": "string" },
                    "spki_sha256": { "$ref": "#/$defs/pinText" },
                    "cert_sha256": { "type": "string" },
                    "not_before": { "$ref": "#/$defs/time" },
                    "not_after": { "$ref": "#/$defs/time" },
                    "names": { "type": "array", "items": { "type": "string" } }
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
                "exit": {
                  "type": "object",
                  "required": ["code", "name"],
                  "properties": {
                    "code": { "enum": [0, 1, 2, 3, 4, 65] },
                    "name": { "enum": ["PASS", "FAIL", "UNREACHABLE", "WARN", "CHANGED", "DATA"] }
                  }
                },
                "verdict": { "enum": ["accept", "reject", "none"] },
                "time": {
                  "description": "RFC 3339 in UTC.",
                  "type": "string",
                  "pattern": "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
                },
                "recordText": {
                  "description": "A TLSA record that is no hash of a key, as in a zone file.",
                  "type": "string",
                  "pattern": "^[0-3] [01] [0-2] [0-9a-f]+$"
                },
                "pinText": {
                  "description": "A SHA-256 in the notation of OkHttp.",
                  "type": "string",
                  "pattern": "^sha256/[A-Za-z0-9+/]{43}=$"
                }
              }
            }

            """#
        }
    )
}
