/// A value of a JSON Schema, written as a literal.
enum SchemaNode: Encodable, Hashable, Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
    case object([String: SchemaNode])
    case array([SchemaNode])
    case text(String)
    case flag(Bool)
    case integer(Int)
    case null

    init(dictionaryLiteral elements: (String, SchemaNode)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    init(arrayLiteral elements: SchemaNode...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(integerLiteral value: Int) { self = .integer(value) }

    /// An object with another member, or with another value for one.
    func adding(_ key: String, _ value: SchemaNode) -> SchemaNode {
        guard case .object(var members) = self else { return self }
        members[key] = value
        return .object(members)
    }

    /// The schema of the same values and of `null`.
    var orNull: SchemaNode {
        guard case .object(let members) = self else { return self }
        if case .array(let words) = members["enum"] { return adding("enum", .array(words + [.null])) }
        if case .text(let type) = members["type"], members["properties"] == nil, members["items"] == nil {
            return adding("type", [.text(type), "null"])
        }
        return ["anyOf": [self, ["type": "null"]]]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let members): try container.encode(members)
        case .array(let elements): try container.encode(elements)
        case .text(let text): try container.encode(text)
        case .flag(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .null: try container.encodeNil()
        }
    }
}
