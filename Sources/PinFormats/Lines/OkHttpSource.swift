internal import Base
internal import Pinning

/// Kotlin and Java with OkHttp's pinner in one form: a chain of calls in which every host and pin is written out.
///
///     CertificatePinner.Builder().add("host", "sha256/…", …).add(…).build()
///
/// A name may stand for a text where the file declares it once, as one plain literal, and does nothing else with it than give it to the
/// chain. Whatever else speaks of a pinner or a pin is an error: nothing is left out, and nothing is put together that the program may
/// keep apart.
struct OkHttpSource {
    private struct Call {
        let host: String
        let pins: [String]
        let line: Int
    }

    private struct Declaration {
        let name: Int
        let text: Int
    }

    private static let name = "CertificatePinner"
    /// How many of the lines that were understood are shown.
    private static let mostLines = 50

    private let tokens: [SourceToken]
    /// The names that the file declares as one plain text.
    private var declarations: [String: Declaration] = [:]
    /// The texts that the chain has taken.
    private var taken: Set<Int> = []
    /// Where each name of the chain stands in the file, as far as that is known to mean its text.
    private var uses: [String: Set<Int>] = [:]

    /// Whether a file is a source with a pinner: a list has the word in its comments alone.
    static func isFound(in file: PinFile) -> Bool {
        guard let text = file.text, text[...].holds("CertificatePinner") else { return false }
        return text.utf8.split(separator: UInt8(ascii: "\n")).contains { line in
            let line = Substring(line.drop { $0 == 0x20 || $0 == 0x09 })
            return line.first != "#" && line.holds("CertificatePinner")
        }
    }

    /// The hosts and pins of the chain.
    static func configuration(
        in file: PinFile, into collector: inout PinCollector
    ) throws(PinFormatError) -> PinConfiguration {
        guard file.bytes.count <= PinLines.mostBytes else {
            throw PinFormatError(
                .tooLarge, at: file.place, "is a source of more than \(PinLines.mostBytes >> 20) MiB",
                remedy: "give a list with lines such as: host sha256/…")
        }
        var source = OkHttpSource([])
        let calls: [Call]
        do throws(SourceMistake) {
            let (tokens, mistake) = SourceToken.all(in: file.bytes)
            source = OkHttpSource(tokens)
            if let mistake { throw mistake }
            calls = try source.calls()
        } catch {
            let lines = source.lines(at: file.place)
            let how =
                "write all of it out in one CertificatePinner.Builder().add(\"host\", \"sha256/…\").build(), or give a list with "
                + "lines such as: host sha256/…"
            throw PinFormatError(
                .wrongValue, at: file.place(line: error.line), error.reason,
                remedy: lines.isEmpty ? how : how + "; these were understood:", lines: lines)
        }
        var entries: [HostEntry] = []
        for call in calls {
            let place = file.place(line: call.line)
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                let hosts = try HostText.okHttpPattern(call.host, at: place)
                collector.noteIfUnmatchable(hosts, by: "OkHttp", at: place)
                var pins: [Pin] = []
                for pin in call.pins { pins.append(try HashText.okHttp(pin, at: place)) }
                return HostEntry(hosts: hosts, origin: place.description, identities: .anywhere(pins))
            }
            if let entry { entries.append(entry) }
        }
        return PinConfiguration(.okHttp, entries: entries, isSource: true)
    }

    private init(_ tokens: [SourceToken]) {
        self.tokens = tokens
        for index in tokens.indices {
            guard case .word(let name) = tokens[index].kind, let text = text(ofDeclaration: index) else { continue }
            declarations[name] = Declaration(name: index, text: text)
        }
    }

    // MARK: The chain

    private mutating func calls() throws(SourceMistake) -> [Call] {
        var start: Int?
        for index in tokens.indices where tokens[index].isWord(Self.name) {
            let isBuilder = spells([".", "Builder", "(", ")"], at: index + 1)
            // One that is built at once pins nothing, as apps have it for their debug builds.
            if isBuilder, spells([".", "build", "(", ")"], at: index + 5) { continue }
            if isBuilder, start == nil {
                start = index
            } else if isBuilder {
                throw mistake(at: index, "a second pinner begins here, and nothing says which of them counts")
            } else if spells(["as"], at: index + 1)
                || [["Builder"], ["*"]].contains(where: { spells([".", $0[0]], at: index + 1) })
                || spells([":", ":"], at: index + 1)
            {
                throw mistake(at: index, "this lets a pinner be built where nobody sees it")
            }
        }
        guard let start else {
            let index = tokens.firstIndex { $0.isWord(Self.name) } ?? 0
            throw mistake(at: index, "speaks of \(Self.name), and no \(Self.name).Builder().add(…) is in the file")
        }
        let open = tokens.count { $0.isWord("{") } - tokens.count { $0.isWord("}") }
        guard open == 0 else {
            throw mistake(at: tokens.count, "the source ends within a block, or has a brace too many")
        }
        let calls = try chain(from: start + 5)
        try refuseUnseen(from: start)
        try refuseOtherUses()
        try refuseOtherPins()
        return calls
    }

    private mutating func chain(from start: Int) throws(SourceMistake) -> [Call] {
        var calls: [Call] = []
        var index = start
        while spells([".", "add", "("], at: index) {
            let line = line(of: index + 1)
            var arguments: [String] = []
            index += 3
            while !spells([")"], at: index) {
                arguments.append(try argument(at: index))
                index += spells([","], at: index + 1) ? 2 : 1
            }
            index += 1
            guard arguments.count > 1 else { throw SourceMistake(line: line, reason: "this add(…) has no pin") }
            calls.append(Call(host: arguments[0], pins: Array(arguments.dropFirst()), line: line))
        }
        guard spells([".", "build", "(", ")"], at: index), !calls.isEmpty else {
            throw mistake(at: index, "the pinner does not go on with .add(…) or .build() here")
        }
        return calls
    }

    /// The text of one argument: a literal, or a name that stands for one.
    private mutating func argument(at index: Int) throws(SourceMistake) -> String {
        guard let text = text(ofArgument: index) else {
            throw mistake(at: index, "an argument of this add(…) is not written out")
        }
        taken.insert(index)
        if case .word(let name) = tokens[index].kind, let declaration = declarations[name] {
            taken.insert(declaration.text)
            uses[name, default: [declaration.name]].insert(index)
        }
        return text
    }

    private func text(ofArgument index: Int) -> String? {
        guard index < tokens.count, spells([","], at: index + 1) || spells([")"], at: index + 1) else { return nil }
        if case .text(let text) = tokens[index].kind { return text }
        guard case .word(let name) = tokens[index].kind, let declaration = declarations[name],
            case .text(let text) = tokens[declaration.text].kind
        else { return nil }
        return text
    }

    /// The lines of a list that the calls come to which can be read, in comments: nobody knows what they lack.
    private func lines(at place: PinPlace) -> [String] {
        var lines: [String] = []
        for start in tokens.indices where lines.count < Self.mostLines && spells(["add", "("], at: start) {
            let arguments = (start + 2..<tokens.count).prefix(100).prefix { !tokens[$0].isWord(")") }
            let texts = arguments.compactMap { text(ofArgument: $0) }
            let pins = texts.dropFirst().filter { (try? HashText.okHttp($0, at: place)) != nil }
            guard let host = texts.first, !pins.isEmpty, (try? HostText.okHttpPattern(host, at: place)) != nil else {
                continue
            }
            lines.append("# \(host) \(pins.joined(separator: " "))")
        }
        return lines
    }

    // MARK: Names

    /// The text that a name is declared as: `val NAME = "…"`, `val NAME: String = "…"` or `final String NAME = "…"`.
    private func text(ofDeclaration index: Int) -> Int? {
        func isBefore(_ words: [String], within count: Int) -> Bool {
            tokens[max(0, index - count)..<index].contains { token in words.contains(where: token.isWord) }
        }
        // Kotlin has `it` and `field` without a declaration.
        guard tokens[index].isName, !["it", "field"].contains(where: tokens[index].isWord) else { return nil }
        let isKotlins = spells(["val"], at: index - 1) && !isBefore(["open", "override", "abstract"], within: 8)
        let isJavas = spells(["String"], at: index - 1) && isBefore(["final", "private"], within: 4)
        let text = index + (spells([":", "String", "="], at: index + 1) ? 4 : 2)
        guard isKotlins || isJavas, spells(["="], at: text - 1), text < tokens.count, case .text = tokens[text].kind,
            endsDeclaration(text)
        else { return nil }
        return text
    }

    /// Whether nothing follows a text that could make another value of it.
    private func endsDeclaration(_ text: Int) -> Bool {
        var next = text + 1
        guard next < tokens.count else { return true }
        if spells([";"], at: next) {
            next += 1
        } else if !spells(["}"], at: next) {
            guard tokens[next].line > tokens[text].line, tokens[next].isName || tokens[next].isWord("@") else {
                return false
            }
        }
        // An accessor may have annotations and words before it.
        let accessor = tokens[min(next, tokens.count)...].prefix(12).prefix { token in
            !["val", "var", "fun", "class", "object", "}", "{", "="].contains(where: token.isWord)
        }
        return !accessor.contains { token in ["get", "set", "by"].contains(where: token.isWord) }
    }

    /// Refuses a name that is declared neither in a block around the chain nor in the companion of one.
    private func refuseUnseen(from chain: Int) throws(SourceMistake) {
        var blocks: [(parent: Int?, isCompanion: Bool)] = [(nil, false)]
        var block = 0
        let own = tokens.indices.map { index in
            if tokens[index].isWord("}") { block = blocks[block].parent ?? 0 }
            defer {
                if tokens[index].isWord("{") {
                    let isCompanion = [index - 2, index - 3].contains { spells(["companion", "object"], at: $0) }
                    blocks.append((block, isCompanion))
                    block = blocks.count - 1
                }
            }
            return block
        }
        var seen: Set<Int> = []
        var next: Int? = own[chain]
        while let around = next {
            seen.insert(around)
            next = blocks[around].parent
        }
        for name in uses.keys.sorted() {
            guard let declaration = declarations[name] else { continue }
            let (parent, isCompanion) = blocks[own[declaration.name]]
            let isSeen = seen.contains(own[declaration.name]) || isCompanion && parent.map(seen.contains) == true
            guard !isSeen else { continue }
            throw mistake(at: declaration.name, "'\(shortened(name))' is another one's name here than the pinner's")
        }
    }

    /// Refuses a name that occurs anywhere but in its declaration and the chain: it may be set, or be another one of that name.
    private func refuseOtherUses() throws(SourceMistake) {
        for index in tokens.indices {
            guard case .word(let name) = tokens[index].kind, let known = uses[name], !known.contains(index) else {
                continue
            }
            throw mistake(at: index, "'\(shortened(name))' is more in this file than a name for one text of the pinner")
        }
    }

    private func refuseOtherPins() throws(SourceMistake) {
        for (index, token) in tokens.enumerated() where !taken.contains(index) && token.holdsPin {
            throw mistake(at: index, "a pin stands here that is none of the pinner's")
        }
    }

    // MARK: Tokens

    private func spells(_ words: [String], at index: Int) -> Bool {
        guard index >= 0, index + words.count <= tokens.count else { return false }
        return zip(words, tokens[index...]).allSatisfy { $1.isWord($0) }
    }

    private func line(of index: Int) -> Int { tokens.isEmpty ? 1 : tokens[min(index, tokens.count - 1)].line }

    private func mistake(at index: Int, _ reason: String) -> SourceMistake {
        SourceMistake(line: line(of: index), reason: reason)
    }
}
