/// A value of a JSON Schema, written as a literal.
enum SchemaNode: Encodable, Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
    case object([String: SchemaNode])
    case array([SchemaNode])
    case text(String)
    case flag(Bool)
    case integer(Int)

    init(dictionaryLiteral elements: (String, SchemaNode)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    init(arrayLiteral elements: SchemaNode...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(integerLiteral value: Int) { self = .integer(value) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let members): try container.encode(members)
        case .array(let elements): try container.encode(elements)
        case .text(let text): try container.encode(text)
        case .flag(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        }
    }
}
