import Base
import PinFormats

/// The JSON Schema (draft 2020-12) of policy files, made from the table that the reader goes by.
enum PolicySchema {
    static func document() throws(CommandError) -> String { try JSONRenderer.document(schema) }

    private static var schema: JSONNode {
        let settings: JSONNode = ["$ref": "#/$defs/settings"]
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "pincheck policy",
            "description":
                "Hosts, and what each of them is checked by. Files are JSON5: comments and trailing commas are fine.",
            "type": "object", "additionalProperties": false, "required": ["hosts"],
            "properties": [
                "$schema": ["type": "string"], "version": ["const": .integer(PolicyReader.version)],
                "defaults": [
                    "$ref": "#/$defs/settings", "description": "What goes for every host that says nothing else.",
                ],
                "hosts": [
                    "type": "object",
                    "description": "The hosts by name, as in api.example.com or api.example.com:8443.",
                    "minProperties": 1, "additionalProperties": settings,
                ],
            ],
            "$defs": [
                "settings": [
                    "type": "object", "additionalProperties": false,
                    "properties": .object(
                        Dictionary(uniqueKeysWithValues: PolicyKey.allCases.map { ($0.rawValue, node(for: $0)) })),
                ]
            ],
        ]
    }

    private static func node(for key: PolicyKey) -> JSONNode {
        var node = values(of: key.kind)
        if case .object(var members) = node {
            members["description"] = .text(key.meaning)
            node = .object(members)
        }
        return node
    }

    private static func values(of kind: PolicyKey.Kind) -> JSONNode {
        let text: JSONNode = ["type": "string", "minLength": 1]
        func integer(_ range: ClosedRange<Int>) -> JSONNode {
            ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
        }
        func oneOrMore(_ node: JSONNode) -> JSONNode {
            ["anyOf": [node, ["type": "array", "minItems": 1, "items": node]]]
        }
        switch kind {
        case .text: return text
        case .choice(let choices): return ["enum": .array(choices.map(JSONNode.text))]
        case .texts: return oneOrMore(text)
        case .textsOrNumbers: return oneOrMore(["anyOf": [text, ["type": "integer"]]])
        case .textOrFalse: return ["anyOf": [text, ["const": false]]]
        case .flag: return ["type": "boolean"]
        case .number: return ["type": "number", "exclusiveMinimum": 0]
        case .integer(let range): return integer(range)
        case .numbers(let range): return oneOrMore(integer(range))
        }
    }
}
