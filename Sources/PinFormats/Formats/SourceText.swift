/// Source text as far as calls and their arguments go: names, string literals and single marks, without comments.
struct SourceText {
    struct Token {
        enum Kind {
            case name(String)
            case text(String)
            case mark(Character)
        }

        let kind: Kind
        let line: Int

        /// Whether it is this mark.
        func isMark(_ mark: Character) -> Bool {
            if case .mark(mark) = kind { true } else { false }
        }

        /// The text it stands for: its own, that of a constant, nothing for the `+` between texts; else `nil`.
        func value(_ constants: [String: String]) -> String? {
            switch kind {
            case .text(let text): text
            case .name(let name): constants[name]
            case .mark(let mark): mark == "+" ? "" : nil
            }
        }
    }

    private var rest: ArraySlice<UInt8>
    private var line = 1
    private let nestsComments: Bool
    /// How many templates the next byte is in.
    private var templates = 0
    /// More than anybody writes, and less than a stack holds.
    private static let mostTemplates = 20

    init(_ text: String, nestsComments: Bool) {
        rest = Array(text.utf8)[...]
        self.nestsComments = nestsComments
    }

    mutating func tokens() -> [Token] {
        var tokens: [Token] = []
        while let byte = rest.first {
            if rest.starts(with: "//".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                skipComment()
            } else if rest.starts(with: "\"\"\"".utf8) {
                let start = line
                tokens.append(Token(kind: .text(rawLiteral()), line: start))
            } else if byte == UInt8(ascii: "'"), let end = endOfCharacter {
                rest = rest[end...]
            } else if byte == UInt8(ascii: "\"") {
                tokens.append(Token(kind: .text(literal()), line: line))
            } else if Self.isNamePart(byte) {
                let name = rest.prefix(while: Self.isNamePart)
                rest = rest[name.endIndex...]
                tokens.append(Token(kind: .name(String(decoding: name, as: UTF8.self)), line: line))
            } else {
                if byte == UInt8(ascii: "\n") { line += 1 }
                rest = rest.dropFirst()
                if byte > 0x20, byte < 0x7F {
                    tokens.append(Token(kind: .mark(Character(Unicode.Scalar(byte))), line: line))
                }
            }
        }
        return tokens
    }

    private mutating func skipComment() {
        rest = rest.dropFirst(2)
        var depth = 1
        while !rest.isEmpty {
            if rest.starts(with: "*/".utf8) {
                rest = rest.dropFirst(2)
                depth -= 1
                if depth == 0 { return }
            } else if nestsComments, rest.starts(with: "/*".utf8) {
                rest = rest.dropFirst(2)
                depth += 1
            } else {
                if rest.first == UInt8(ascii: "\n") { line += 1 }
                rest = rest.dropFirst()
            }
        }
    }

    /// A literal between three quotation marks, which may have several lines; more than three end it as three do.
    private mutating func rawLiteral() -> String {
        rest = rest.dropFirst(3)
        var bytes: [UInt8] = []
        while !rest.isEmpty, !rest.starts(with: "\"\"\"".utf8) {
            if rest.first == UInt8(ascii: "\n") { line += 1 }
            bytes.append(rest.removeFirst())
        }
        rest = rest.dropFirst(3).drop { $0 == UInt8(ascii: "\"") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where the literal of one character ends that begins here, `nil` where none does.
    private var endOfCharacter: Int? {
        let start = rest.startIndex + 1
        let isEscaped = start < rest.endIndex && rest[start] == UInt8(ascii: "\\")
        // The longest are as '\u0041', or four bytes of UTF-8.
        let content = rest[min(start + (isEscaped ? 2 : 1), rest.endIndex)...].prefix(6)
        guard let end = content.firstIndex(of: UInt8(ascii: "'")), !rest[start..<end].contains(UInt8(ascii: "\n"))
        else {
            return nil
        }
        return end + 1
    }

    /// A literal in single quotation marks of its language; escapes other than of a quotation mark stay as they are.
    private mutating func literal() -> String {
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.first, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
            rest = rest.dropFirst()
            bytes.append(byte)
            if byte == UInt8(ascii: "\\"), let next = rest.first {
                rest = rest.dropFirst()
                bytes[bytes.count - 1] = next
            } else if byte == UInt8(ascii: "$"), nestsComments, rest.first == UInt8(ascii: "{") {
                skipTemplate()
            }
        }
        if rest.first == UInt8(ascii: "\"") { rest = rest.dropFirst() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Passes over `{…}` in a literal of Kotlin, in which literals may stand.
    private mutating func skipTemplate() {
        guard templates < Self.mostTemplates else { return }
        templates += 1
        defer { templates -= 1 }
        var depth = 0
        while let byte = rest.first, byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\"") {
                _ = literal()
                continue
            }
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return }
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
