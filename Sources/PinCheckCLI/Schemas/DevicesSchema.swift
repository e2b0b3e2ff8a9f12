extension SchemaDocument {
    /// The schema of `devices --format json`.
    static let devices = SchemaDocument(
        name: "devices",
        identifier: DevicesReport.schema,
        summary: "'devices --format json'",
        text: {
            #"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "urn:pincheck:schema:pincheck-devices-1",
              "title": "pincheck-devices/1",
              "description": "Devices and their roots. Readers ignore keys they do not know.",
              "type": "object",
              "required": ["schema", "data", "devices"],
              "properties": {
                "schema": { "const": "pincheck-devices/1" },
                "data": {
                  "type": "object",
                  "required": ["file", "source", "licence", "date", "age_days", "is_stale", "certificate_count"],
                  "properties": {
                    "file": {
                      "description": "The file of --device-data; null for the data that is part of the program.",
                      "type": ["string", "null"]
                    },
                    "source": { "description": "Where the lists are from.", "type": "string" },
                    "licence": { "description": "The licence of the lists.", "type": "string" },
                    "date": { "description": "The day on which the newest list was read.", "$ref": "#/$defs/day" },
                    "age_days": { "type": "integer", "minimum": 0 },
                    "is_stale": { "description": "Whether the data is older than 180 days.", "type": "boolean" },
                    "certificate_count": { "type": "integer", "minimum": 1 }
                  }
                },
                "devices": { "type": "array", "items": { "$ref": "#/$defs/device" } }
              },
              "$defs": {
                "device": {
                  "type": "object",
                  "required": [
                    "name", "alias", "platform", "version", "release", "url", "read", "root_count", "rules", "roots"
                  ],
                  "properties": {
                    "name": { "type": "string" },
                    "alias": { "description": "Another name of the same list.", "type": ["string", "null"] },
                    "platform": { "enum": ["ios", "android", "mozilla", null] },
                    "version": { "type": ["string", "null"] },
                    "release": { "description": "The versions in words.", "type": ["string", "null"] },
                    "url": { "description": "Where the list is published.", "type": ["string", "null"] },
                    "read": {
                      "description": "The day on which the list was read.",
                      "anyOf": [{ "$ref": "#/$defs/day" }, { "type": "null" }]
                    },
                    "root_count": { "type": ["integer", "null"], "minimum": 1 },
                    "rules": {
                      "description": "What its system asks for, in words.",
                      "type": "array",
                      "items": { "type": "string" }
                    },
                    "roots": {
                      "description": "The roots, by name; null in the list of all devices.",
                      "anyOf": [{ "type": "array", "items": { "$ref": "#/$defs/root" } }, { "type": "null" }]
                    }
                  }
                },
                "root": {
                  "type": "object",
                  "required": [
                    "name", "cert_sha256", "spki_sha256", "key", "not_before", "not_after", "availability"
                  ],
                  "properties": {
                    "name": { "description": "The common name, or the whole subject.", "type": "string" },
                    "cert_sha256": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
                    "spki_sha256": { "type": "string", "pattern": "^sha256/[A-Za-z0-9+/]{43}=$" },
                    "key": { "description": "The algorithm and its size.", "type": "string" },
                    "not_before": { "$ref": "#/$defs/time" },
                    "not_after": { "$ref": "#/$defs/time" },
                    "availability": {
                      "description": "Which devices of the platform have it, in words.",
                      "type": "string"
                    }
                  }
                },
                "day": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
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
