extension SchemaDocument {
    /// The schema of `lint --format json`.
    static let lint = SchemaDocument(
        name: "lint",
        identifier: LintReport.schema,
        summary: "'lint --format json'",
        text: {
            #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "urn:pincheck:schema:pincheck-lint-1",
              "title": "pincheck-lint/1",
              "description": "What is to be said against pins and configurations. Readers ignore keys they do not know.",
              "type": "object",
              "required": ["schema", "evaluated_at", "sources", "findings", "summary", "exit"],
              "properties": {
                "schema": { "const": "pincheck-lint/1" },
                "evaluated_at": {
                  "description": "RFC 3339 in UTC.",
                  "type": "string",
                  "pattern": "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
                },
                "sources": {
                  "description": "The sources as they were named.",
                  "type": "array",
                  "items": { "type": "string" }
                },
                "findings": {
                  "description": "In the order of the sources and rules.",
                  "type": "array",
                  "items": { "$ref": "#/$defs/finding" }
                },
                "summary": {
                  "type": "object",
                  "required": ["errors", "warnings", "notes", "malformed"],
                  "properties": {
                    "errors": { "type": "integer", "minimum": 0 },
                    "warnings": { "type": "integer", "minimum": 0 },
                    "notes": { "type": "integer", "minimum": 0 },
                    "malformed": {
                      "description": "How many of the errors are malformed places.",
                      "type": "integer",
                      "minimum": 0
                    }
                  }
                },
                "exit": {
                  "type": "object",
                  "required": ["code", "name"],
                  "properties": {
                    "code": { "enum": [0, 1, 65, 66] },
                    "name": { "enum": ["PASS", "FAIL", "DATA", "NOINPUT"] }
                  }
                }
              },
              "$defs": {
                "finding": {
                  "type": "object",
                  "required": [
                    "id", "severity", "file", "line", "key", "place", "host", "message", "remedy", "is_malformed"
                  ],
                  "properties": {
                    "id": { "description": "The rule or problem; compare this, not the message.", "type": "string" },
                    "severity": { "enum": ["error", "warning", "note"] },
                    "file": {
                      "description": "The file or directory; null for pins given as arguments.",
                      "type": ["string", "null"]
                    },
                    "line": {
                      "description": "From 1; null for a file without lines or as a whole.",
                      "type": ["integer", "null"],
                      "minimum": 1
                    },
                    "key": {
                      "description": "The keys that lead to the value in a file without lines.",
                      "type": ["string", "null"]
                    },
                    "place": { "description": "The place as people write it.", "type": "string" },
                    "host": {
                      "description": "The host or pattern; null for all or none.",
                      "type": ["string", "null"]
                    },
                    "message": { "type": "string" },
                    "remedy": { "description": "What to do about it.", "type": ["string", "null"] },
                    "is_malformed": {
                      "description": "Whether the source cannot be used because of it.",
                      "type": "boolean"
                    }
                  }
                }
              }
            }

            """#
        }
    )
}
