/// A value that is written as JSON.
protocol JSONWritable: Sendable {
    /// Writes the value.
    ///
    /// - Throws: where it holds a number that JSON cannot express.
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber)
}

/// A value that documents hold, and what its schema says of it.
protocol DocumentValue: JSONWritable {
    /// The schema of such values, or of those of them that have a form; what it refers to is added to the definitions.
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode

    /// Where a value that was read breaks its schema, as in `[0].role`, empty for the value itself; `nil` where it holds to it.
    func breach(of form: ValueForm?) -> String?
}

extension DocumentValue { func breach(of form: ValueForm?) -> String? { nil } }

/// Which values of a type there are.
enum ValueForm: Sendable {
    /// A time in UTC, RFC 3339.
    case time
    /// A date.
    case day
    /// A SHA-256 of a public key in the notation of OkHttp.
    case pin
    /// Text that looks like this.
    case matching(TextPattern)
    /// Always this text.
    case constant(String)
    /// One of these words.
    case words([String])
    /// A number of at least this.
    case atLeast(Int)
    /// A number in this range.
    case within(ClosedRange<Int>)
    /// How a run or a check can end; statuses that a schema has beside others go by a name of their own there.
    case exits([ExitStatus], definition: String = "exit")

    /// 32 bytes in hexadecimal digits.
    static let sha256 = ValueForm.matching(.sha256)

    /// What a schema says of values of a type that have the form.
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

    /// Whether a text is one of these.
    fileprivate func allows(_ text: String) -> Bool {
        switch self {
        case .time: TextPattern.time.matches(text)
        case .day: TextPattern.day.matches(text)
        case .pin: TextPattern.pin.matches(text)
        case .matching(let pattern): pattern.matches(text)
        case .constant(let constant): text == constant
        case .words(let words): words.contains(text)
        case .atLeast, .within, .exits: true
        }
    }

    /// Whether a number is one of these.
    fileprivate func allows(_ number: Double) -> Bool {
        switch self {
        case .atLeast(let least): number >= Double(least)
        case .within(let range): (Double(range.lowerBound)...Double(range.upperBound)).contains(number)
        default: true
        }
    }
}

extension String: DocumentValue {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { output.write(self) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        form?.schema("string", in: &definitions) ?? ["type": "string"]
    }

    func breach(of form: ValueForm?) -> String? { form?.allows(self) ?? true ? nil : "" }
}

extension Int: DocumentValue {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { output.write(self) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        form?.schema("integer", in: &definitions) ?? ["type": "integer"]
    }

    /// No program of ours writes what readers of JSON do not agree on (RFC 8259, section 6).
    func breach(of form: ValueForm?) -> String? { magnitude < 1 << 53 && form?.allows(Double(self)) ?? true ? nil : "" }
}

extension Double: DocumentValue {
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) { try output.write(self) }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        form?.schema("number", in: &definitions) ?? ["type": "number"]
    }

    func breach(of form: ValueForm?) -> String? { form?.allows(self) ?? true ? nil : "" }
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

    func breach(of form: ValueForm?) -> String? { self?.breach(of: form) }
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
    /// The form is that of the elements.
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        ["type": "array", "items": Element.schema(as: form, in: &definitions)]
    }

    func breach(of form: ValueForm?) -> String? {
        for (index, element) in enumerated() {
            if let place = element.breach(of: form) { return DocumentPlace.path("[\(index)]", place) }
        }
        return nil
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

/// Where something stands in a document, in words: `built[0].role`.
enum DocumentPlace {
    /// The place that is `inner` within `outer`, which may each be empty.
    static func path(_ outer: String, _ inner: String) -> String {
        outer.isEmpty || inner.isEmpty || inner.hasPrefix("[") ? outer + inner : "\(outer).\(inner)"
    }
}
