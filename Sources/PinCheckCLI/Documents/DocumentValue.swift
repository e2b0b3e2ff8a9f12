/// A value that documents hold, and what its schema says of it.
protocol DocumentValue: Encodable, Sendable {
    /// The schema of such values, or of those of them that have a form; what it refers to is added to the definitions.
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode
}

/// Which values of a type there are.
enum ValueForm: Sendable {
    /// A time in UTC, RFC 3339.
    case time
    /// A date.
    case day
    /// A SHA-256 of a public key in the notation of OkHttp.
    case pin
    /// The same, or a TLSA record that is no hash of a key.
    case pinOrRecord
    /// Text that this regular expression matches.
    case matching(String)
    /// Always this text.
    case constant(String)
    /// One of these words.
    case words([String])
    /// A number of at least this.
    case atLeast(Int)
    /// A number in this range.
    case within(ClosedRange<Int>)
    /// How a run or a check can end.
    case exits([ExitStatus])

    /// 32 bytes in hexadecimal digits.
    static let sha256 = ValueForm.matching("^[0-9a-f]{64}$")

    /// What a schema says of values of a type that have the form.
    fileprivate func schema(_ type: String, in definitions: inout SchemaDefinitions) -> SchemaNode {
        switch self {
        case .time:
            return definitions.reference(to: "time") { _ in
                [
                    "description": "RFC 3339 in UTC.", "type": "string",
                    "pattern": "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
                ]
            }
        case .day:
            return definitions.reference(to: "day") { _ in
                ["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"]
            }
        case .pin:
            return definitions.reference(to: "pinText") { _ in
                [
                    "description": "A SHA-256 in the notation of OkHttp.", "type": "string",
                    "pattern": "^sha256/[A-Za-z0-9+/]{43}=$",
                ]
            }
        case .pinOrRecord:
            let record = definitions.reference(to: "recordText") { _ in
                [
                    "description": "A TLSA record that is no hash of a key, as in a zone file.", "type": "string",
                    "pattern": "^[0-3] [01] [0-2] [0-9a-f]+$",
                ]
            }
            return ["anyOf": [ValueForm.pin.schema(type, in: &definitions), record]]
        case .matching(let pattern): return ["type": .text(type), "pattern": .text(pattern)]
        case .constant(let text): return ["const": .text(text)]
        case .words(let words): return ["enum": .array(words.map(SchemaNode.text))]
        case .atLeast(let number): return ["type": .text(type), "minimum": .integer(number)]
        case .within(let range):
            return [
                "type": .text(type), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
            ]
        case .exits: return ["type": .text(type)]
        }
    }
}

extension String: DocumentValue {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        form?.schema("string", in: &definitions) ?? ["type": "string"]
    }
}

extension Int: DocumentValue {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        form?.schema("integer", in: &definitions) ?? ["type": "integer"]
    }
}

extension Double: DocumentValue {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        form?.schema("number", in: &definitions) ?? ["type": "number"]
    }
}

extension Bool: DocumentValue {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        ["type": "boolean"]
    }
}

extension Optional: DocumentValue where Wrapped: DocumentValue {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        Wrapped.schema(as: form, in: &definitions).orNull
    }
}

extension Array: DocumentValue where Element: DocumentValue {
    /// The form is that of the elements.
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        ["type": "array", "items": Element.schema(as: form, in: &definitions)]
    }
}

/// A word of a list: those of the type are all that are written.
protocol DocumentWord: DocumentValue, RawRepresentable, CaseIterable where RawValue == String {}

extension DocumentWord {
    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        ["enum": .array(allCases.map { .text($0.rawValue) })]
    }
}
