/// A JSON document without its places, for what the program itself has written.
package indirect enum JSONTree: Sendable {
    /// Members in their order.
    case object([(key: String, value: JSONTree)])
    case array([JSONTree])
    case text(String)
    case flag(Bool)
    /// A number, `null`.
    case other

    /// Reads a document.
    ///
    /// - Throws: ``PinFormatError`` for what is not JSON.
    package init(_ text: String) throws(PinFormatError) {
        self.init(try JSONReader.root(of: PinFile(path: "JSON", bytes: Array(text.utf8))).value)
    }

    private init(_ value: DocumentValue) {
        self =
            switch value.content {
            case .dictionary(let members): .object(members.map { ($0.key, JSONTree($0.value)) })
            case .array(let elements): .array(elements.map { JSONTree($0) })
            case .text(let text): .text(text)
            case .flag(let flag): .flag(flag)
            case .date, .number, .other: .other
            }
    }

    /// The member of an object.
    package subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The elements of an array, none for anything else.
    package var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    /// The text, `nil` for anything else.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Whether it is `true`.
    package var isTrue: Bool { if case .flag(true) = self { true } else { false } }
}
