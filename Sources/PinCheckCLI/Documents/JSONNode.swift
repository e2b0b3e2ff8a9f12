/// A value of JSON, written as a literal: a schema, or what has no table of keys.
enum JSONNode: JSONWritable, Hashable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
    case object([String: JSONNode])
    case array([JSONNode])
    case text(String)
    case flag(Bool)
    case integer(Int)
    case null

    init(dictionaryLiteral elements: (String, JSONNode)...) { self = .object(Dictionary(elements) { $1 }) }

    init(arrayLiteral elements: JSONNode...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(integerLiteral value: Int) { self = .integer(value) }

    /// An object with another member, or with another value for one.
    func adding(_ key: String, _ value: JSONNode) -> JSONNode {
        guard case .object(var members) = self else { return self }
        members[key] = value
        return .object(members)
    }

    /// The schema of the same values and of `null`.
    var orNull: JSONNode {
        guard case .object(let members) = self else { return self }
        if case .array(let words) = members["enum"] { return adding("enum", .array(words + [.null])) }
        if case .text(let type) = members["type"], members["properties"] == nil, members["items"] == nil {
            return adding("type", [.text(type), "null"])
        }
        return ["anyOf": [self, ["type": "null"]]]
    }

    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) {
        switch self {
        case .object(let members):
            output.beginObject()
            for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                output.beginMember(key)
                try value.write(to: &output)
            }
            output.endObject()
        case .array(let elements):
            output.beginList()
            for element in elements {
                output.beginElement()
                try element.write(to: &output)
            }
            output.endList()
        case .text(let text): output.write(text)
        case .flag(let flag): output.write(flag)
        case .integer(let number): output.write(number)
        case .null: output.writeNull()
        }
    }
}
