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
        return !Self.calls(in: text, of: file).isEmpty
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var entries: [HostEntry] = []
        var pinners: [HostPattern?: (pinner: Int, pins: Set<SHA256Digest>)] = [:]
        for call in Self.calls(in: file.text ?? "", of: file) {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try Self.entry(call, in: file, into: &collector)
            }
            guard let entry else { continue }
            entries.append(entry)
            let pins = Set(entry.pins.map(\.spkiSHA256))
            let other = pinners.updateValue((call.pinner, pins), forKey: entry.hosts)
            if let other, let hosts = entry.hosts, other.pinner != call.pinner, other.pins != pins {
                collector.note(
                    .notFollowed,
                    at: file.place(line: call.line),
                    "another pinner has other pins for \(hosts): they are put together here, though each client has one pinner"
                )
            }
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
        var unwritten = 0
        for argument in call.arguments.dropFirst() {
            let argumentPlace = file.place(line: argument.line)
            guard let text = argument.text else {
                collector.note(
                    .notFollowed,
                    at: argumentPlace,
                    "a pin of \(hosts) is not written out and was passed over"
                )
                collector.markIncomplete(place.description)
                unwritten += 1
                continue
            }
            do throws(PinFormatError) {
                pins.append(try HashText.okHttp(text, at: argumentPlace))
            } catch {
                try collector.skip(error)
            }
        }
        // A host without pins would be accepted with any key.
        guard !pins.isEmpty || unwritten == 0 else {
            throw PinFormatError(
                .wrongValue,
                at: place,
                "no pin of \(hosts) is written out",
                remedy: "put them there in quotation marks, or give a list with lines such as: host sha256/…"
            )
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
        /// Which of the file's pinners it is added to.
        let pinner: Int

        /// Whether it is a pinner's and not a list's: of pins that are written out or, for a host that is, of others.
        var namesPins: Bool {
            let rest = arguments.dropFirst()
            return rest.contains { argument in
                argument.text.map { PinNotation.isClaimed(by: $0[...]) || PinNotation.resemblesHash($0[...]) } ?? false
            } || pinner > 0 && rest.contains { $0.text == nil } && arguments.first?.text?.contains(".") == true
        }
    }

    /// The calls that add pins, in their order.
    private static func calls(in text: String, of file: PinFile) -> [Call] {
        // Where nothing says that it is Java: a comment within a comment ends there with the first.
        var source = SourceText(text, nestsComments: file.fileExtension != "java")
        let tokens = source.tokens()
        let constants = Self.constants(in: tokens)
        var calls: [Call] = []
        var index = 0
        var pinner = 0
        while index < tokens.count {
            if case .name("Builder") = tokens[index].kind { pinner += 1 }
            if let call = call(in: tokens, at: &index, constants, of: pinner), call.namesPins { calls.append(call) }
        }
        return calls
    }

    /// The call of `add` at `index`, which moves on past it; `nil` for anything else.
    private static func call(
        in tokens: [SourceText.Token],
        at index: inout Int,
        _ constants: [String: String],
        of pinner: Int
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
                guard let host = arguments.first, host.text != nil else { return nil }
                let line = tokens[position].line
                return Call(
                    arguments: [host, Argument(text: nil, line: line)],
                    line: tokens[start].line,
                    pinner: pinner
                )
            case .mark(")"):
                depth -= 1
                if depth > 0 { expression.append(tokens[position]) }
            case .mark(",") where depth == 1: finish(&arguments, &expression)
            default: expression.append(tokens[position])
            }
            position += 1
        }
        finish(&arguments, &expression)
        return depth == 0 ? Call(arguments: arguments, line: tokens[start].line, pinner: pinner) : nil
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

    /// What `val NAME = "…"` and `String NAME = "…"` say in the file; a name that stands for several texts is not followed.
    private static func constants(in tokens: [SourceText.Token]) -> [String: String] {
        var constants: [String: String] = [:]
        var ambiguous: Set<String> = []
        for index in tokens.indices {
            guard case .name(let name) = tokens[index].kind, let (start, text) = value(in: tokens, after: index) else {
                continue
            }
            // What goes on behind the text makes another one of it.
            let goesOn = start + 1 < tokens.count && ["+", "."].contains { tokens[start + 1].isMark($0) }
            if let other = constants.updateValue(text, forKey: name), other != text { ambiguous.insert(name) }
            if goesOn { ambiguous.insert(name) }
        }
        return constants.filter { !ambiguous.contains($0.key) }
    }

    /// The text that a name is given with `=`, perhaps behind a type as in `PIN: String =`, and where it stands.
    private static func value(in tokens: [SourceText.Token], after index: Int) -> (index: Int, text: String)? {
        var next = index + 1
        if next + 1 < tokens.count, tokens[next].isMark(":"), case .name = tokens[next + 1].kind {
            next += next + 2 < tokens.count && tokens[next + 2].isMark("?") ? 3 : 2
        }
        guard next + 1 < tokens.count, tokens[next].isMark("="), case .text(let text) = tokens[next + 1].kind else {
            return nil
        }
        return (next + 1, text)
    }
}
