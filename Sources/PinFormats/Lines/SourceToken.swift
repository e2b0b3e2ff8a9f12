/// What keeps a source from being read.
struct SourceMistake: Error {
    let line: Int
    let reason: String
}

/// A word, a mark or a text of Kotlin or Java; comments are left out.
///
/// Where the two languages see the end of a text or comment in different places, both could be right, and the source is refused.
struct SourceToken {
    enum Kind: Equatable {
        /// A name, a number or one mark.
        case word(String)
        /// What stands between quotation marks, where it is all that the text is.
        case text(String)
        /// A text with escapes, templates or several lines.
        case unreadable
    }

    let kind: Kind
    let line: Int
    /// Whether it is a text with a pin in it.
    let holdsPin: Bool

    func isWord(_ word: String) -> Bool { kind == .word(word) }

    /// Whether it begins as a name does.
    var isName: Bool {
        guard case .word(let word) = kind else { return false }
        return word.first.map { $0.isLetter || $0 == "_" } == true
    }

    /// The tokens, those before what cannot be told apart where there is that.
    static func all(in bytes: [UInt8]) -> (tokens: [SourceToken], mistake: SourceMistake?) {
        var lexer = SourceLexer(bytes)
        do throws(SourceMistake) {
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
        if starts("//") {
            _ = try take(until: "\n", nil)
        } else if starts("/*") {
            skip(2)
            let comment = try take(until: "*/", "a comment")
            skip(2)
            guard !(comment + "*").contains("/*") else {
                throw mistake(start, "a comment stands within a comment here")
            }
        } else if starts("\"\"\"") {
            skip(3)
            let content = try take(until: "\"\"\"", "a text")
            skip(3)
            guard !starts("\""), !content.hasSuffix("\\") else { throw mistake(start, Self.twoEnds) }
            try add(text: content, isPlain: false, at: start)
        } else if byte == UInt8(ascii: "\"") {
            skip(1)
            let content = try take(until: "\"", "a text")
            skip(1)
            try add(text: content, isPlain: !content.contains { $0 == "\\" || $0 == "$" }, at: start)
        } else if byte == UInt8(ascii: "`") {
            // A name of Kotlin's with whatever in it.
            skip(1)
            let name = try take(until: "`", "a name")
            skip(1)
            tokens.append(SourceToken(kind: .word(name), line: start, holdsPin: false))
        } else if byte == UInt8(ascii: "'"), let count = characterLength {
            skip(count)
        } else if Self.isNamePart(byte) {
            let name = rest.prefix(while: Self.isNamePart)
            skip(name.count)
            tokens.append(SourceToken(kind: .word(String(decoding: name, as: UTF8.self)), line: start, holdsPin: false))
        } else {
            try refuseUnsure()
            skip(1)
            if byte > 0x20 {
                let mark = String(Unicode.Scalar(byte))
                tokens.append(SourceToken(kind: .word(mark), line: start, holdsPin: false))
            }
        }
        return true
    }

    private static let twoEnds = "a text whose end Kotlin and Java see in different places"

    private func mistake(_ line: Int, _ reason: String) -> SourceMistake { SourceMistake(line: line, reason: reason) }

    private mutating func add(text: String, isPlain: Bool, at line: Int) throws(SourceMistake) {
        // In a template Kotlin sees further texts, and Java the end of this one.
        var depth = 0
        var previous: Character = " "
        for character in text {
            if character == "{", depth > 0 || previous == "$" { depth += 1 }
            if character == "}", depth > 0 { depth -= 1 }
            previous = character
        }
        guard depth == 0 else { throw mistake(line, Self.twoEnds) }
        let holdsPin = text.contains("sha256/") || text.contains("sha1/")
        tokens.append(SourceToken(kind: isPlain ? .text(text) : .unreadable, line: line, holdsPin: holdsPin))
    }

    /// Takes what stands before `end`, which has to be there where `what` is to end.
    private mutating func take(until end: String, _ what: String?) throws(SourceMistake) -> String {
        let start = line
        var taken: [UInt8] = []
        while !starts(end) {
            guard let byte = rest.first, end.utf8.count > 1 || byte != UInt8(ascii: "\n") else {
                guard let what else { break }
                throw mistake(start, "\(what) begins here and does not end")
            }
            try refuseUnsure()
            // What is escaped ends nothing.
            let count = end == "\"" && byte == UInt8(ascii: "\\") ? 2 : 1
            taken += rest.prefix(count)
            skip(count)
        }
        return String(decoding: taken, as: UTF8.self)
    }

    /// Java takes `\u0022` for a quotation mark wherever it stands, and a carriage return for the end of a line.
    private func refuseUnsure() throws(SourceMistake) {
        if rest.first == UInt8(ascii: "\r"), !starts("\r\n") {
            throw mistake(line, "a carriage return stands here without a line feed")
        }
        guard starts("\\u") else { return }
        let digits = rest.dropFirst().drop { $0 == UInt8(ascii: "u") }.prefix(4)
        guard let value = UInt16(String(decoding: digits, as: UTF8.self), radix: 16), value > 0x7F else {
            throw mistake(line, "an escape stands here that Java reads as a part of the code")
        }
    }

    /// How long the character between single quotation marks is with them, `nil` for none.
    private var characterLength: Int? {
        let text = Array(rest.prefix(4))
        if text.count == 4, text[1] == UInt8(ascii: "\\"), text[3] == UInt8(ascii: "'") { return 4 }
        if text.count > 2, text[1] > 0x20, text[1] != UInt8(ascii: "\\"), text[2] == UInt8(ascii: "'") { return 3 }
        return nil
    }

    private func starts(_ text: String) -> Bool { rest.starts(with: text.utf8) }

    private mutating func skip(_ count: Int) {
        line += rest.prefix(count).count { $0 == UInt8(ascii: "\n") }
        rest = rest.dropFirst(count)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
