import Base

struct SourceMistake: Error {
    let line: Int
    let reason: String
}

/// A token of Kotlin or Java: a word, a mark or a text; comments are left out.
///
/// Source code is refused if a text or comment ends at different places in the two languages.
struct SourceToken {
    enum Kind: Equatable {
        /// A name, a number or one punctuation mark.
        case word(String)
        case text(String)
        /// A text with escapes, templates or several lines.
        case unreadable(String)
    }

    let kind: Kind
    let line: Int

    var text: String {
        switch kind {
        case .word(let text), .text(let text), .unreadable(let text): text
        }
    }

    func isWord(_ word: String) -> Bool { kind == .word(word) }

    var isName: Bool {
        if case .word(let word) = kind { word.first.map { $0.isLetter || $0 == "_" } == true } else { false }
    }

    var holdsPin: Bool {
        if case .word = kind { false } else { text.holds("sha256/") || text.holds("sha1/") }
    }

    static func all(in bytes: [UInt8]) -> (tokens: [SourceToken], mistake: SourceMistake?) {
        var lexer = SourceLexer(bytes)
        do {
            while try lexer.readNext() {}
            return (lexer.tokens, nil)
        } catch { return (lexer.tokens, error) }
    }
}

private struct SourceLexer {
    private(set) var tokens: [SourceToken] = []
    private var rest: ArraySlice<UInt8>
    private var line = 1

    init(_ bytes: [UInt8]) { rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...] }

    /// Reads one token, a comment or white space; returns false at the end.
    mutating func readNext() throws(SourceMistake) -> Bool {
        guard let byte = rest.first else { return false }
        let start = line
        func add(_ kind: SourceToken.Kind) { tokens.append(SourceToken(kind: kind, line: start)) }
        if starts("//") {
            _ = try take("//", until: "\n", nil)
        } else if starts("/*") {
            let comment = try take("/*", until: "*/", "a comment")
            guard !(comment + "*").contains("/*") else {
                throw SourceMistake(line: start, reason: "a comment stands within a comment here")
            }
        } else if starts("\"\"\"") {
            let text = try take("\"\"\"", until: "\"\"\"", "a text")
            guard !starts("\""), !text.hasSuffix("\\"), hasOneEnd(text) else { throw twoEnds(start) }
            add(.unreadable(text))
        } else if starts("\"") {
            let text = try take("\"", until: "\"", "a text")
            guard hasOneEnd(text) else { throw twoEnds(start) }
            add(text.contains { $0 == "\\" || $0 == "$" } ? .unreadable(text) : .text(text))
        } else if starts("`") {
            // In Kotlin a name in backticks may contain any character.
            add(.word(try take("`", until: "`", "a name")))
        } else if byte == "'", let count = characterLength {
            skip(count)
        } else if Self.isNamePart(byte) {
            let name = rest.prefix(while: Self.isNamePart)
            skip(name.count)
            add(.word(String(utf8: name)))
        } else {
            try refuseUnsure()
            skip(1)
            if byte > 0x20 { add(.word(String(Unicode.Scalar(byte)))) }
        }
        return true
    }

    private func twoEnds(_ line: Int) -> SourceMistake {
        SourceMistake(line: line, reason: "a text whose end Kotlin and Java see in different places")
    }

    /// `true` if no template of Kotlin is still open at the end of the text, where Kotlin would see further texts.
    private func hasOneEnd(_ text: String) -> Bool {
        var depth = 0
        var previous: Character = " "
        for character in text {
            if character == "{", depth > 0 || previous == "$" { depth += 1 }
            if character == "}", depth > 0 { depth -= 1 }
            previous = character
        }
        return depth == 0
    }

    /// Takes the text between `begin` and `end`; throws if a `what` has no end.
    private mutating func take(_ begin: String, until end: String, _ what: String?) throws(SourceMistake) -> String {
        let start = line
        var taken: [UInt8] = []
        skip(begin.utf8.count)
        while !starts(end) {
            guard let byte = rest.first, end.utf8.count > 1 || byte != "\n" else {
                guard let what else { break }
                throw SourceMistake(line: start, reason: "\(what) begins here and does not end")
            }
            try refuseUnsure()
            // An escaped character does not end a text.
            let count = end == "\"" && byte == "\\" ? 2 : 1
            taken += rest.prefix(count)
            skip(count)
        }
        skip(end.utf8.count)
        return String(utf8: taken)
    }

    /// Refuses `\u0022`, which Java takes for a quotation mark anywhere, and a carriage return, Java's end of a line.
    private func refuseUnsure() throws(SourceMistake) {
        if starts("\r"), !starts("\r\n") {
            throw SourceMistake(line: line, reason: "a carriage return stands here without a line feed")
        }
        guard starts("\\u") else { return }
        let digits = rest.dropFirst().drop { $0 == "u" }.prefix(4)
        guard let value = UInt16(String(utf8: digits), radix: 16), value > 0x7F else {
            throw SourceMistake(line: line, reason: "an escape stands here that Java reads as a part of the code")
        }
    }

    /// The length of a character literal with its quotation marks; `nil` if there is none.
    private var characterLength: Int? {
        let text = Array(rest.prefix(4))
        if text.count == 4, text[1] == "\\", text[3] == "'" { return 4 }
        if text.count > 2, text[1] > 0x20, text[1] != "\\", text[2] == "'" { return 3 }
        return nil
    }

    private func starts(_ text: String) -> Bool { rest.starts(with: text.utf8) }

    private mutating func skip(_ count: Int) {
        line += rest.prefix(count).count { $0 == "\n" }
        rest = rest.dropFirst(count)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == "_" || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
