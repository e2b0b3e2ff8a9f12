/// Source text as far as calls and their arguments go: names, string literals and single marks, without comments.
///
/// A literal with templates becomes what it stands for: `"a$B"` is `("a" + B + "")`.
struct SourceText {
    enum Language {
        case kotlin
        case java
        /// What nothing says: read as Kotlin, and as Java where that makes a difference to names.
        case either

        init(fileExtension: String) {
            self =
                switch fileExtension {
                case "java": .java
                case "kt", "kts": .kotlin
                default: .either
                }
        }
    }

    struct Token {
        enum Kind: Equatable {
            case name(String)
            case text(String)
            case mark(Character)
        }

        let kind: Kind
        let line: Int
    }

    /// What is no code.
    struct Hidden {
        let range: Range<Int>
        /// The token that a literal is; `nil` for comments.
        let token: Int?
    }

    /// A literal that is being read.
    private struct Literal {
        let line: Int
        /// Between three quotation marks.
        let isRaw: Bool
        /// How many `$` a template begins with (`$$"…"`).
        let dollars: Int
        var hasTemplates = false
        /// How many braces are open in the template that is being read.
        var depth = 0
    }

    private let bytes: [UInt8]
    private var rest: ArraySlice<UInt8>
    private var line = 1
    private let isJava: Bool
    /// The literals whose templates the next byte is in.
    private var templates: [Literal] = []
    private(set) var tokens: [Token] = []
    /// Comments and literals, as bytes of the text.
    private(set) var hidden: [Hidden] = []
    /// Where a literal or comment begins that does not end: what is behind it was not understood.
    private(set) var unclosedLine: Int?

    init(_ text: String, _ language: Language) {
        var bytes = Array(text.utf8)
        // A carriage return by itself ends a line, and so a comment, as well.
        for index in bytes.indices where bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
        { bytes[index] = UInt8(ascii: "\n") }
        self.bytes = bytes
        rest = bytes[...]
        isJava = language == .java
        readTokens()
    }

    private mutating func add(_ kind: Token.Kind) { tokens.append(Token(kind: kind, line: line)) }

    private mutating func readTokens() {
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "/") where rest.starts(with: "//".utf8):
                let start = rest.startIndex
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
                // Elsewhere it may be a URL, or a pin of curl's.
                let isBehindBlank = start == bytes.startIndex || " \t\n;,(){}".utf8.contains(bytes[start - 1])
                if isBehindBlank { hidden.append(Hidden(range: start..<rest.startIndex, token: nil)) }
            case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
                let start = rest.startIndex
                skipComment()
                hidden.append(Hidden(range: start..<rest.startIndex, token: nil))
            case UInt8(ascii: "\""): beginLiteral(dollars: 1)
            case UInt8(ascii: "$") where !isJava: readDollars()
            case UInt8(ascii: "'"):
                rest = rest[(endOfCharacter ?? rest.startIndex + 1)...]
                add(.mark("'"))
            case UInt8(ascii: "`") where !isJava: readQuotedName()
            case UInt8(ascii: "}") where templates.last?.depth == 0:
                rest = rest.dropFirst()
                add(.mark(")"))
                add(.mark("+"))
                readOn(in: templates.removeLast())
            case _ where isNamePart(byte):
                let name = rest.prefix(while: isNamePart)
                rest = rest[name.endIndex...]
                add(.name(String(decoding: name, as: UTF8.self)))
            default: readMark(byte)
            }
        }
        if let open = templates.first { unclosedLine = min(unclosedLine ?? open.line, open.line) }
    }

    private mutating func readMark(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") { line += 1 }
        if !templates.isEmpty, byte == UInt8(ascii: "{") { templates[templates.count - 1].depth += 1 }
        if !templates.isEmpty, byte == UInt8(ascii: "}") { templates[templates.count - 1].depth -= 1 }
        rest = rest.dropFirst()
        if byte > 0x20, byte < 0x7F { add(.mark(Character(Unicode.Scalar(byte)))) }
    }

    /// A comment within a comment ends in Kotlin by itself, in Java with the outer one.
    private mutating func skipComment() {
        let start = line
        rest = rest.dropFirst(2)
        var depth = 1
        while let byte = rest.first {
            if byte == UInt8(ascii: "*"), rest.starts(with: "*/".utf8) {
                rest = rest.dropFirst(2)
                depth -= 1
                if depth == 0 { return }
            } else if byte == UInt8(ascii: "/"), !isJava, rest.starts(with: "/*".utf8) {
                rest = rest.dropFirst(2)
                depth += 1
            } else {
                if byte == UInt8(ascii: "\n") { line += 1 }
                rest = rest.dropFirst()
            }
        }
        unclosedLine = unclosedLine ?? start
    }

    /// Where the literal of one character ends that begins here, `nil` where none does.
    private var endOfCharacter: Int? {
        let start = rest.startIndex + 1
        let isEscaped = start < rest.endIndex && rest[start] == UInt8(ascii: "\\")
        // The longest are as '\u0041', or four bytes of UTF-8.
        let content = rest[min(start + (isEscaped ? 2 : 1), rest.endIndex)...].prefix(6)
        guard let end = content.firstIndex(of: UInt8(ascii: "'")), !rest[start..<end].contains(UInt8(ascii: "\n"))
        else { return nil }
        return end + 1
    }

    /// A name of Kotlin's in which anything may stand.
    private mutating func readQuotedName() {
        let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "`") && $0 != UInt8(ascii: "\n") }
        guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "`") else {
            return readMark(UInt8(ascii: "`"))
        }
        rest = rest[(name.endIndex + 1)...]
        add(.name(String(decoding: name, as: UTF8.self)))
    }

    // MARK: Literals

    private mutating func readDollars() {
        let dollars = rest.prefix { $0 == UInt8(ascii: "$") }.count
        rest = rest.dropFirst(dollars)
        if rest.first == UInt8(ascii: "\"") { beginLiteral(dollars: dollars) } else { add(.mark("$")) }
    }

    private mutating func beginLiteral(dollars: Int) {
        let isRaw = rest.starts(with: "\"\"\"".utf8)
        let start = rest.startIndex
        let token = tokens.count
        rest = rest.dropFirst(isRaw ? 3 : 1)
        readOn(in: Literal(line: line, isRaw: isRaw, dollars: dollars))
        hidden.append(Hidden(range: start..<rest.startIndex, token: token))
    }

    /// Reads a literal to its end, or to a template of it, behind which it is read on.
    private mutating func readOn(in literal: Literal) {
        var literal = literal
        var part: [UInt8] = []
        // The indentation of Java's text blocks is not undone, nor are escapes that no host or pin has.
        var isReadable = !(isJava && literal.isRaw)
        func kind() -> Token.Kind { isReadable ? .text(String(decoding: part, as: UTF8.self)) : .mark("\\") }
        while let byte = rest.first {
            if byte == UInt8(ascii: "\""), let extra = endOfLiteral(literal) {
                part += Array(repeating: byte, count: extra)
                add(kind())
                if literal.hasTemplates { add(.mark(")")) }
                return
            }
            if byte == UInt8(ascii: "\n") {
                guard literal.isRaw else { break }
                line += 1
            }
            if byte == UInt8(ascii: "\\"), isJava || !literal.isRaw {
                rest = rest.dropFirst()
                guard let next = rest.first, "\"'\\$".utf8.contains(next) else {
                    isReadable = false
                    continue
                }
                rest = rest.dropFirst()
                part.append(next)
            } else if byte == UInt8(ascii: "$"), !isJava {
                let dollars = rest.prefix { $0 == byte }.count
                rest = rest.dropFirst(dollars)
                let isTemplate = dollars >= literal.dollars && (rest.first == UInt8(ascii: "{") || beginsName)
                part += Array(repeating: byte, count: isTemplate ? dollars - literal.dollars : dollars)
                guard isTemplate else { continue }
                if !literal.hasTemplates { add(.mark("(")) }
                literal.hasTemplates = true
                add(kind())
                add(.mark("+"))
                guard beginsName else {
                    rest = rest.dropFirst()
                    add(.mark("("))
                    literal.depth = 0
                    return templates.append(literal)
                }
                let name = rest.prefix(while: isNamePart)
                rest = rest[name.endIndex...]
                add(.name(String(decoding: name, as: UTF8.self)))
                add(.mark("+"))
                part = []
            } else {
                part.append(byte)
                rest = rest.dropFirst()
            }
        }
        add(.mark("\\"))
        if literal.hasTemplates { add(.mark(")")) }
        // One quotation mark too many in a line of no importance is that of a text around the source.
        let start = bytes[..<rest.startIndex].lastIndex(of: UInt8(ascii: "\n")) ?? bytes.startIndex
        guard literal.isRaw || String(decoding: bytes[start..<rest.startIndex], as: UTF8.self).holds("add") else {
            return
        }
        unclosedLine = unclosedLine ?? literal.line
    }

    /// Passes over the end of a literal if it is here; how many quotation marks before it are part of the text.
    private mutating func endOfLiteral(_ literal: Literal) -> Int? {
        guard literal.isRaw else {
            rest = rest.dropFirst()
            return 0
        }
        let marks = rest.prefix { $0 == UInt8(ascii: "\"") }.count
        guard marks >= 3 else { return nil }
        rest = rest.dropFirst(isJava ? 3 : marks)
        return isJava ? 0 : marks - 3
    }

    private var beginsName: Bool { rest.first.map { isNamePart($0) && !(0x30...0x39).contains($0) } ?? false }

    private func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        case UInt8(ascii: "$"): isJava
        default: false
        }
    }
}
