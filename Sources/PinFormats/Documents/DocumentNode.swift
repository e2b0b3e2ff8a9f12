package import Base
package import Pinning

package struct DocumentNode {
    let value: DocumentTree
    package let file: PinFile
    /// The keys that lead to this node, as in `TSKPinnedDomains.example.com`.
    package let key: String

    init(root value: DocumentTree, of file: PinFile) { self.init(value, "", file) }

    private init(_ value: DocumentTree, _ key: String, _ file: PinFile) {
        (self.value, self.key, self.file) = (value, key, file)
    }

    package var place: PinPlace {
        if let line = value.line { return file.place(line: line) }
        return key.isEmpty ? file.place : .key(key, of: shortened(file.path, to: 1024, isPublic: true))
    }

    var members: [(key: String, node: DocumentNode)]? {
        guard case .dictionary(let members) = value.content else { return nil }
        return members.map { ($0.key, node(of: $0)) }
    }

    private func node(of member: (key: String, value: DocumentTree)) -> DocumentNode {
        let name = shortened(member.key, to: 80)
        return DocumentNode(member.value, key.isEmpty ? name : "\(key).\(name)", file)
    }

    package var elements: [DocumentNode]? {
        value.elements?.enumerated().map { DocumentNode($1, "\(key)[\($0)]", file) }
    }

    package subscript(key: String) -> DocumentNode? { value[key].map { node(of: (key, $0)) } }

    package func require(_ key: String) throws(Problem) -> DocumentNode {
        if let member = self[key] { return member }
        _ = try dictionary()
        throw problem(.missingValue, "\(subject) has no '\(key)'")
    }

    func checkVersion(_ known: Int, remedy: String) throws(Problem) {
        guard number != "\(known)" else { return }
        let reason = "'version' is \(number ?? "no number"), and this pincheck reads version \(known)"
        throw problem(.wrongValue, reason, remedy)
    }

    package func text() throws(Problem) -> String { try expect(value.text, "a text") }

    func dictionary() throws(Problem) -> [(key: String, node: DocumentNode)] {
        try expect(members, "a dictionary")
    }

    package func array() throws(Problem) -> [DocumentNode] { try expect(elements, "an array") }

    private func expect<Value>(_ value: Value?, _ what: String) throws(Problem) -> Value {
        guard let value else { throw wrong(what) }
        return value
    }

    package var string: String? { value.text }
    package var isNull: Bool { value.isNull }
    package var truth: Bool? { if case .flag(let flag) = value.content { flag } else { nil } }
    package var number: String? { value.number }
    /// The day of a property list's `<date>`; `nil` if the value is not one.
    var dateElement: String? { if case .date(let day) = value.content { day } else { nil } }

    /// A boolean; Apple's system takes every other value for NO (SecPolicy.c, `kCFBooleanTrue`).
    func boolean() throws(Problem) -> Bool {
        if let truth { return truth }
        throw wrong("true or false, and Apple's system takes it for NO").advising("write <true/> or <false/>")
    }

    /// A boolean, also as the texts YES, true, NO and false, which Apple's readers accept.
    func flag() throws(Problem) -> Bool {
        switch value.content {
        case .flag(let flag): return flag
        case .text("YES"), .text("true"): return true
        case .text("NO"), .text("false"): return false
        default: throw wrong("true or false")
        }
    }

    /// A boolean, also as the numbers 0 and 1, like NSNumber's boolValue.
    func boolValue() throws(Problem) -> Bool {
        switch value.content {
        case .number("0"): false
        case .number("1"): true
        default: try flag()
        }
    }

    func midnight() throws(Problem) -> Timestamp {
        switch value.content {
        case .text(let text), .date(let text): return try TimeText.midnight(text, at: place)
        default: throw wrong("a date as in 2027-06-01")
        }
    }

    func hasKey(among words: Set<String>) -> Bool {
        members?.contains { words.contains($0.key) || $0.node.hasKey(among: words) }
            ?? elements?.contains { $0.hasKey(among: words) } ?? false
    }

    package func problem(_ id: FindingID, _ reason: String, _ remedy: String? = nil) -> Problem {
        Problem(id, at: place, reason, remedy)
    }

    package func wrong(_ expected: String) -> Problem { problem(.wrongValue, "\(subject) is not \(expected)") }

    private var subject: String { key.isEmpty ? "the document" : "'\(key)'" }
}

extension JSONReader {
    package static func root(
        of file: PinFile, mostValues: Int = DocumentTree.mostValues
    ) throws(Problem) -> DocumentNode {
        do { return DocumentNode(root: try tree(of: file.bytes, mostValues: mostValues), of: file) } catch {
            let problem: FindingID =
                switch error.problem {
                case .broken: .brokenDocument
                case .tooLarge: .unreasonableDocument
                case .duplicate: .duplicate
                }
            throw file.problem(problem, line: error.line, error.reason)
        }
    }
}
