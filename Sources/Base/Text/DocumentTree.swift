/// A value of JSON or of a property list.
package struct DocumentTree: Sendable {
    package enum Content: Sendable {
        /// Members in their order; keys are unique.
        case dictionary([(key: String, value: DocumentTree)])
        case array([DocumentTree])
        case text(String)
        case flag(Bool)
        /// A date of a property list, as text: `yyyy-MM-dd`.
        case date(String)
        /// A number of JSON, as it was written.
        case number(String)
        case null
        /// Data and numbers of property lists: nothing that configurations of pins have.
        case other
    }

    package let content: Content
    /// From 1, `nil` in a binary property list.
    package let line: Int?

    /// How many dictionaries and arrays may stand in each other.
    package static let mostDepth = 40
    package static let mostValues = 20_000

    package init(content: Content, line: Int?) { (self.content, self.line) = (content, line) }

    package subscript(key: String) -> DocumentTree? {
        guard case .dictionary(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }

    package var elements: [DocumentTree]? { if case .array(let elements) = content { elements } else { nil } }
    package var text: String? { if case .text(let text) = content { text } else { nil } }
    /// The digits of a number of JSON, `nil` for anything else.
    package var number: String? { if case .number(let digits) = content { digits } else { nil } }
    package var isNull: Bool { if case .null = content { true } else { false } }
}
