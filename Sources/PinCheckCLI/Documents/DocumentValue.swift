protocol JSONWritable: Sendable { func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) }

/// A value that documents hold, and what its schema says of it.
protocol DocumentValue: JSONWritable {
    /// The schema of such values, or of those of them that have a form; what it refers to is added to the definitions.
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode
}

/// Which values of a type there are.
enum ValueForm: Sendable {
    /// A time in UTC, RFC 3339.
    case time
    case day
    /// A SHA-256 of a public key in the notation of OkHttp.
    case pin
    /// Text that looks like this.
    case matching(TextPattern)
    /// Always this text.
    case constant(String)
    case words([String])
    case atLeast(Int)
    case within(ClosedRange<Int>)
    /// How a run or a check can end; statuses that a schema has beside others go by a name of their own there.
    case exits([ExitStatus], definition: String = "exit")

    /// 32 bytes in hexadecimal digits.
    static let sha256 = ValueForm.matching(.sha256)

    fileprivate func schema(_ type: String, in definitions: inout SchemaDefinitions) -> JSONNode {
        switch self {
        case .time:
            return definitions.reference(to: "time") { _ in
                ["description": "RFC 3339 in UTC.", "type": "string", "pattern": .text(TextPattern.time.expression)]
            }
        case .day:
            return definitions.reference(to: "day") { _ in
                ["type": "string", "pattern": .text(TextPattern.day.expression)]
            }
        case .pin:
            return definitions.reference(to: "pinText") { _ in
                [
                    "description": "A SHA-256 in the notation of OkHttp.", "type": "string",
                    "pattern": .text(TextPattern.pin.expression),
                ]
            }
        case .matching(let pattern): return ["type": .text(type), "pattern": .text(pattern.expression)]
        case .constant(let text): return ["const": .text(text)]
        case .words(let words): return ["enum": .array(words.map(JSONNode.text))]
        case .atLeast(let number): return ["type": .text(type), "minimum": .integer(number)]
        case .within(let range):
            return ["type": .text(type), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
        case .exits: return ["type": .text(type)]
        }
    }
}

extension String: DocumentValue {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { output.write(self) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        form?.schema("string", in: &definitions) ?? ["type": "string"]
    }
}

extension Int: DocumentValue {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { output.write(self) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        form?.schema("integer", in: &definitions) ?? ["type": "integer"]
    }
}

extension Double: DocumentValue {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { try output.write(self) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        form?.schema("number", in: &definitions) ?? ["type": "number"]
    }
}

extension Bool: DocumentValue {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { output.write(self) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode { ["type": "boolean"] }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) {
        guard let value = self else { return output.writeNull() }
        try value.write(to: &output)
    }
}

extension Optional: DocumentValue where Wrapped: DocumentValue {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        Wrapped.schema(as: form, in: &definitions).orNull
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) {
        output.beginList()
        for element in self {
            output.beginElement()
            try element.write(to: &output)
        }
        output.endList()
    }
}

extension Array: DocumentValue where Element: DocumentValue {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        ["type": "array", "items": Element.schema(as: form, in: &definitions)]
    }
}

/// A word of a list: those of the type are all that are written.
protocol DocumentWord: DocumentValue, RawRepresentable, CaseIterable where RawValue == String {}

extension DocumentWord {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { output.write(rawValue) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        ["enum": .array(allCases.map { .text($0.rawValue) })]
    }
}
