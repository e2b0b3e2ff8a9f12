internal import Base
package import Pinning

struct DocumentValue: Sendable {
    enum Content {
        /// Members in their order; keys are unique.
        case dictionary([(key: String, value: DocumentValue)])
        case array([DocumentValue])
        case text(String)
        case flag(Bool)
        /// A date of a property list, as text: `yyyy-MM-dd`.
        case date(String)
        /// A number of JSON, as it was written.
        case number(String)
        /// Data, null, numbers of property lists: nothing that configurations of pins have.
        case other
    }

    let content: Content
    /// From 1, `nil` in a binary property list.
    let line: Int?

    /// How many dictionaries and arrays may stand in each other.
    static let mostDepth = 40
    static let mostValues = 20_000
}

/// A value with its place, which messages and origins name.
package struct DocumentNode: Sendable {
    let value: DocumentValue
    package let file: PinFile
    /// The keys that lead to it, as in `TSKPinnedDomains.example.com`.
    package let key: String

    init(root value: DocumentValue, of file: PinFile) {
        self.value = value
        self.file = file
        key = ""
    }

    private init(_ value: DocumentValue, _ key: String, _ file: PinFile) {
        self.value = value
        self.key = key
        self.file = file
    }

    /// The line where the document has lines, else the keys.
    package var place: PinPlace {
        if let line = value.line { return file.place(line: line) }
        return key.isEmpty ? file.place : .key(key, of: shortened(file.path, to: 1024, isPublic: true))
    }

    package var members: [(key: String, node: DocumentNode)]? {
        guard case .dictionary(let members) = value.content else { return nil }
        return members.map { ($0.key, node(of: $0)) }
    }

    private func node(of member: (key: String, value: DocumentValue)) -> DocumentNode {
        let name = shortened(member.key, to: 80)
        return DocumentNode(member.value, key.isEmpty ? name : "\(key).\(name)", file)
    }

    package var elements: [DocumentNode]? {
        guard case .array(let elements) = value.content else { return nil }
        return elements.enumerated().map { DocumentNode($1, "\(key)[\($0)]", file) }
    }

    package subscript(key: String) -> DocumentNode? {
        guard case .dictionary(let members) = value.content, let member = members.first(where: { $0.key == key }) else {
            return nil
        }
        return node(of: member)
    }

    package func text() throws(PinFormatError) -> String {
        guard case .text(let text) = value.content else { throw wrong("a text") }
        return text
    }

    package var string: String? { if case .text(let text) = value.content { text } else { nil } }

    package var isTrue: Bool { if case .flag(true) = value.content { true } else { false } }

    package var truth: Bool? { if case .flag(let flag) = value.content { flag } else { nil } }

    /// The digits of a number of JSON, `nil` for anything else.
    package var number: String? { if case .number(let digits) = value.content { digits } else { nil } }

    func boolean() throws(PinFormatError) -> Bool {
        guard case .flag(let flag) = value.content else { throw wrong("true or false") }
        return flag
    }

    /// Whether it is set; the texts YES and true count too, as Apple's readers have it.
    func flag() throws(PinFormatError) -> Bool {
        switch value.content {
        case .flag(let flag): return flag
        case .text("YES"), .text("true"): return true
        case .text("NO"), .text("false"): return false
        default: throw wrong("true or false")
        }
    }

    /// Midnight in UTC of a date, which is text or a date.
    package func midnight() throws(PinFormatError) -> Timestamp {
        switch value.content {
        case .text(let text), .date(let text): return try DateText.midnight(text, at: place)
        default: throw wrong("a date as in 2027-06-01")
        }
    }

    package func dictionary() throws(PinFormatError) -> [(key: String, node: DocumentNode)] {
        guard let members else { throw wrong("a dictionary") }
        return members
    }

    package func array() throws(PinFormatError) -> [DocumentNode] {
        guard let elements else { throw wrong("an array") }
        return elements
    }

    package func wrong(_ expected: String) -> PinFormatError {
        PinFormatError(.wrongValue, at: place, "\(key.isEmpty ? "the document" : "'\(key)'") is not \(expected)")
    }
}
