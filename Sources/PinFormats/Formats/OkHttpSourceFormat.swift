internal import Pinning

/// Kotlin and Java source with OkHttp's `CertificatePinner.Builder().add("host", "sha256/…", …)`.
///
/// Only what is written out is read: a host or pin that the source computes is an error where it cannot be left out, and
/// constants of the same file are followed.
struct OkHttpSourceFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text, file.bytes.count <= PinListFormat.mostBytes else { return false }
        guard text.utf8.contains(UInt8(ascii: "(")), text[...].holds("add") else { return false }
        guard text[...].holds("CertificatePinner") || text[...].holds("sha256/") || text[...].holds("sha1/") else {
            return false
        }
        return !Self.calls(in: text).isEmpty
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var entries: [HostEntry] = []
        for call in Self.calls(in: file.text ?? "") {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try Self.entry(call, in: file, into: &collector)
            }
            if let entry { entries.append(entry) }
        }
        guard entries.contains(where: { !$0.pins.isEmpty }) || collector.problemCount > 0 else {
            throw .noPin(at: file.place)
        }
        collector.add(PinConfiguration(.okHttp, entries: entries))
    }

    private static func entry(
        _ call: Call,
        in file: PinFile,
        into collector: inout PinCollector
    ) throws(PinFormatError) -> HostEntry {
        let place = file.place(line: call.line)
        guard let host = call.arguments.first?.text else {
            throw PinFormatError(
                .wrongValue,
                at: place,
                "the host of this add(…) is not written out",
                remedy: "put it there in quotation marks, or give a list with lines such as: host sha256/…"
            )
        }
        let hosts = try HostText.okHttpPattern(host, at: place)
        var pins: [Pin] = []
        for argument in call.arguments.dropFirst() {
            let argumentPlace = file.place(line: argument.line)
            guard let text = argument.text else {
                collector.note(
                    .notFollowed,
                    at: argumentPlace,
                    "a pin of \(hosts) is not written out and was passed over"
                )
                collector.markIncomplete(place.description)
                continue
            }
            do throws(PinFormatError) {
                pins.append(try HashText.okHttp(text, at: argumentPlace))
            } catch {
                try collector.skip(error)
            }
        }
        collector.noteIfUnmatchable(hosts, by: "OkHttp", at: place)
        return HostEntry(hosts: hosts, origin: place.description, identities: .anywhere(pins))
    }

    /// The longest host or pin that is put together, in bytes.
    private static let longestText = 4_096

    private struct Argument {
        /// The text, `nil` for an expression that is not followed.
        let text: String?
        let line: Int
    }

    private struct Call {
        let arguments: [Argument]
        let line: Int

        /// Whether it is a pinner's and not a list's.
        var namesPins: Bool {
            arguments.dropFirst().contains { argument in
                argument.text.map { PinNotation.isClaimed(by: $0[...]) || PinNotation.resemblesHash($0[...]) } ?? false
            }
        }
    }

    /// The calls that add pins, in their order.
    private static func calls(in text: String) -> [Call] {
        var source = SourceText(text)
        let tokens = source.tokens()
        let constants = Self.constants(in: tokens)
        var calls: [Call] = []
        var index = 0
        while index < tokens.count {
            if let call = call(in: tokens, at: &index, constants), call.namesPins { calls.append(call) }
        }
        return calls
    }

    /// The call of `add` at `index`, which moves on past it; `nil` for anything else.
    private static func call(
        in tokens: [SourceText.Token],
        at index: inout Int,
        _ constants: [String: String]
    ) -> Call? {
        let start = index
        index += 1
        guard case .name("add") = tokens[start].kind, index < tokens.count, case .mark("(") = tokens[index].kind else {
            return nil
        }
        var arguments: [Argument] = []
        var expression: [SourceText.Token] = []
        var depth = 1
        var position = index + 1
        func finish(_ arguments: inout [Argument], _ expression: inout [SourceText.Token]) {
            if let first = expression.first {
                arguments.append(Argument(text: Self.text(of: expression, constants), line: first.line))
            }
            expression = []
        }
        while position < tokens.count, depth > 0, arguments.count < 1_000 {
            switch tokens[position].kind {
            case .mark("("):
                depth += 1
                expression.append(tokens[position])
            case .name("add") where position + 1 < tokens.count && tokens[position + 1].isMark("("):
                // A call within a call is looked at by itself, so that no source is gone through again and again.
                return nil
            case .mark(")"):
                depth -= 1
                if depth > 0 { expression.append(tokens[position]) }
            case .mark(",") where depth == 1: finish(&arguments, &expression)
            default: expression.append(tokens[position])
            }
            position += 1
        }
        finish(&arguments, &expression)
        return depth == 0 ? Call(arguments: arguments, line: tokens[start].line) : nil
    }

    /// The text that an expression makes, `nil` where it is not followed.
    ///
    /// A long constant that is added again and again could make gigabytes of a small file.
    private static func text(of expression: [SourceText.Token], _ constants: [String: String]) -> String? {
        var text = ""
        for token in expression {
            guard let part = token.value(constants), text.utf8.count + part.utf8.count <= longestText else {
                return nil
            }
            text += part
        }
        return text
    }

    /// What `val NAME = "…"` and `String NAME = "…"` say in the file.
    private static func constants(in tokens: [SourceText.Token]) -> [String: String] {
        var constants: [String: String] = [:]
        for index in tokens.indices.dropLast(2) {
            if case .name(let name) = tokens[index].kind, case .mark("=") = tokens[index + 1].kind,
                case .text(let text) = tokens[index + 2].kind
            {
                constants[name] = text
            }
        }
        return constants
    }
}

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

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    mutating func tokens() -> [Token] {
        var tokens: [Token] = []
        while let byte = rest.first {
            if rest.starts(with: "//".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                skipComment()
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
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) {
            if rest.first == UInt8(ascii: "\n") { line += 1 }
            rest = rest.dropFirst()
        }
        rest = rest.dropFirst(2)
    }

    /// A literal in single quotation marks of its language; escapes other than of a quotation mark stay as they are.
    private mutating func literal() -> String {
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.first, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "\\"), let next = rest.first {
                rest = rest.dropFirst()
                bytes.append(next)
            } else {
                bytes.append(byte)
            }
        }
        if rest.first == UInt8(ascii: "\"") { rest = rest.dropFirst() }
        return String(decoding: bytes, as: UTF8.self)
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
