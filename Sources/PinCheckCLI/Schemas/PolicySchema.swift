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
                        Dictionary(grouping: PolicySettings.options) { $0.key ?? "" }.mapValues(node)),
                ]
            ],
        ]
    }

    /// The values of a key; `false` too, where one of its rows says the opposite of the other.
    private static func node(for options: [Option]) -> JSONNode {
        guard let option = options.first(where: { !$0.isSwitch }) ?? options.first else { return [:] }
        var node = value(of: option)
        if options.count > 1 { node = ["anyOf": [node, ["const": false]]] }
        if option.takesSeveral { node = ["anyOf": [node, ["type": "array", "minItems": 1, "items": node]]] }
        if case .object(var members) = node {
            members["description"] = .text(option.help)
            node = .object(members)
        }
        return node
    }

    private static func value(of option: Option) -> JSONNode {
        let text: JSONNode = ["type": "string", "minLength": 1]
        switch option.values {
        case .none: return ["type": "boolean"]
        case .seconds: return ["type": "number", "exclusiveMinimum": 0]
        case .statuses: return ["anyOf": [text, ["type": "integer"]]]
        case .whole(let range):
            return ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
        case .words(let words) where words.kind == .one: return ["enum": .array(words.all().map { .text($0.text) })]
        default: return text
        }
    }
}
