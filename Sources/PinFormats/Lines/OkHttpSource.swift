import Base
import Pinning

/// Kotlin or Java with one chain of calls that builds OkHttp's pinner, in which every host and pin is written out.
///
///     CertificatePinner.Builder().add("host", "sha256/…", …).add(…).build()
///
/// A name may replace a text if the file declares it once, as a plain literal, and uses it only in the chain. Any other
/// mention of a pinner or pin is an error: no pin is overlooked, and pins of two pinners are not mixed.
struct OkHttpSource {
    private typealias Call = (host: String, pins: [String], line: Int)

    private static let name = "CertificatePinner"
    private static let remedy =
        "write all of it out in one CertificatePinner.Builder().add(\"host\", \"sha256/…\").build(), "
        + "or give a list with lines such as: host sha256/…"
    /// The limit of lines in a problem's proposed list, and of names that are looked up.
    private static let most = 50

    private let tokens: [SourceToken]
    /// The number of braces that are open before each token.
    private let depths: [Int]
    /// The tokens of names declared as one plain literal, and of that literal.
    private var declarations: [String: (name: Int, text: Int)] = [:]
    /// The tokens of literals that the chain uses, and of names that are known to mean such a literal.
    private var taken: Set<Int> = []
    private var uses: [String: Set<Int>] = [:]

    /// `true` if a file is source code with a pinner; a list contains the word only in comments.
    static func isFound(in file: PinFile) -> Bool {
        guard let text = file.text, text.holds("CertificatePinner") else { return false }
        return text.utf8.split { $0 == "\n" }.contains { line in
            let line = Substring(line.drop { $0 == 0x20 || $0 == 0x09 })
            return line.first != "#" && line.holds("CertificatePinner")
        }
    }

    static func read(_ file: PinFile, into reading: inout PinReading) throws(Problem) {
        guard file.bytes.count <= PinLines.mostBytes else {
            throw file.problem(.tooLarge, "is a source of more than \(PinLines.mostBytes >> 20) MiB", remedy)
        }
        let (tokens, obstacle) = SourceToken.all(in: file.bytes)
        var source = OkHttpSource(tokens)
        let calls: [Call]
        do throws(SourceMistake) {
            if let obstacle { throw obstacle }
            calls = try source.calls()
        } catch {
            let lines = source.lines(at: file.place)
            let rest = CodePins.lines(in: file).filter { hash in !lines.contains { $0.contains(hash.dropFirst(7)) } }
            throw file.problem(.wrongValue, line: error.line, error.reason, remedy, lines: lines + rest.prefix(most))
        }
        let entries = calls.compactMap { call in
            reading.entry { (reading) throws(Problem) in
                let place = file.place(line: call.line)
                let hosts = try HostText.okHttpPattern(call.host, at: place)
                reading.noteIfUnmatchable(hosts, by: "OkHttp", at: place)
                var pins: [Pin] = []
                for pin in call.pins { pins.append(try HashText.okHttp(pin, at: place)) }
                return HostEntry(hosts: hosts, origin: place, identities: .anywhere(pins))
            }
        }
        reading.add(.okHttp, entries, isSource: true)
    }

    private init(_ tokens: [SourceToken]) {
        self.tokens = tokens
        var depth = 0
        depths = tokens.map { token in
            if token.isWord("}") { depth -= 1 }
            defer { if token.isWord("{") { depth += 1 } }
            return depth
        }
        for index in tokens.indices where tokens[index].isName {
            if let text = text(ofDeclaration: index) { declarations[tokens[index].text] = (index, text) }
        }
    }

    private mutating func calls() throws(SourceMistake) -> [Call] {
        var starts: [Int] = []
        for index in tokens.indices where tokens[index].isWord(Self.name) {
            if spells([".", "Builder", "(", ")"], at: index + 1) {
                // A pinner that is built at once pins nothing; apps use it in debug builds.
                if !spells([".", "build", "(", ")"], at: index + 5) { starts.append(index) }
            } else if [["as"], [".", "Builder"], [".", "*"], [":", ":"]].contains(where: { spells($0, at: index + 1) })
            {
                throw mistake(at: index, "this can build a pinner out of sight")
            }
        }
        guard let start = starts.first else {
            let index = tokens.firstIndex { $0.isWord(Self.name) } ?? 0
            throw mistake(at: index, "speaks of \(Self.name), and no \(Self.name).Builder().add(…) is in the file")
        }
        guard starts.count == 1 else {
            throw mistake(at: starts[1], "a second pinner begins here, and nothing says which of them counts")
        }
        guard tokens.count(where: { $0.isWord("{") }) == tokens.count(where: { $0.isWord("}") }) else {
            throw mistake(at: tokens.count, "the source ends within a block, or has a brace too many")
        }
        let calls = try chain(from: start + 5)
        try refuseOthers(than: start)
        return calls
    }

    private mutating func chain(from start: Int) throws(SourceMistake) -> [Call] {
        var calls: [Call] = []
        var index = start
        while spells([".", "add", "("], at: index) {
            let place = index + 1
            var arguments: [String] = []
            index += 3
            while !spells([")"], at: index) {
                guard let text = text(ofArgument: index) else {
                    throw mistake(at: index, "an argument of this add(…) is not a literal text")
                }
                arguments.append(text)
                taken.insert(index)
                if case .word(let name) = tokens[index].kind, let declaration = declarations[name] {
                    taken.insert(declaration.text)
                    uses[name, default: [declaration.name]].insert(index)
                }
                index += spells([","], at: index + 1) ? 2 : 1
            }
            index += 1
            guard arguments.count > 1 else { throw mistake(at: place, "this add(…) has no pin") }
            calls.append((arguments[0], Array(arguments.dropFirst()), tokens[place].line))
        }
        guard spells([".", "build", "(", ")"], at: index), !calls.isEmpty else {
            throw mistake(at: index, "the pinner does not go on with .add(…) or .build() here")
        }
        return calls
    }

    private func text(ofArgument index: Int) -> String? {
        guard spells([","], at: index + 1) || spells([")"], at: index + 1) else { return nil }
        switch tokens[index].kind {
        case .text(let text): return text
        case .word(let name): return declarations[name].map { tokens[$0.text].text }
        case .unreadable: return nil
        }
    }

    /// The lines of a list for the calls that can be read, as comments, because they may be incomplete.
    private func lines(at place: PinPlace) -> [String] {
        tokens.indices.lazy.filter { spells(["add", "("], at: $0) }.prefix(20 * Self.most).compactMap { start in
            let arguments = stride(from: start + 2, to: tokens.count, by: 2).prefix(50).map { text(ofArgument: $0) }
            let texts = arguments.prefix { $0 != nil }.compactMap(\.self)
            let pins = texts.dropFirst().filter { (try? HashText.okHttp($0, at: place)) != nil }
            guard let host = texts.first, !pins.isEmpty, (try? HostText.okHttpPattern(host, at: place)) != nil else {
                return nil
            }
            return "# \(host) \(pins.joined(separator: " "))"
        }.prefix(Self.most).map(\.self)
    }

    /// The token of a declaration's literal: `val NAME = "…"`, `val NAME: String = "…"` or `final String NAME = "…"`.
    private func text(ofDeclaration index: Int) -> Int? {
        func isBefore(_ words: [String], within count: Int) -> Bool {
            tokens[max(0, index - count)..<index].contains { token in words.contains(where: token.isWord) }
        }
        let isKotlins = spells(["val"], at: index - 1) && !isBefore(["open", "override", "abstract"], within: 8)
        let isJavas = spells(["String"], at: index - 1) && isBefore(["final", "private"], within: 4)
        let text = index + (spells([":", "String", "="], at: index + 1) ? 4 : 2)
        // In Kotlin `it` and `field` exist without a declaration.
        guard isKotlins || isJavas, !["it", "field"].contains(tokens[index].text), spells(["="], at: text - 1),
            text < tokens.count, case .text = tokens[text].kind
        else { return nil }
        var next = text + 1
        guard next < tokens.count else { return text }
        if spells([";"], at: next) {
            next += 1
        } else if !spells(["}"], at: next) {
            // In Kotlin a line break may end the declaration.
            guard tokens[next].line > tokens[text].line, tokens[next].isName || tokens[next].isWord("@") else {
                return nil
            }
        }
        // An accessor, which may have annotations and modifiers before it, may return another value.
        let following = tokens[min(next, tokens.count)...].prefix(12).prefix { token in
            !["val", "var", "fun", "class", "object", "}", "{", "="].contains(where: token.isWord)
        }
        return following.contains { ["get", "set", "by"].contains(where: $0.isWord) } ? nil : text
    }

    /// Refuses names that may mean another text than in the chain, and pins outside of it.
    private func refuseOthers(than chain: Int) throws(SourceMistake) {
        guard uses.count <= Self.most else { throw mistake(at: chain, "more names than a pinner has") }
        for name in uses.keys.sorted() {
            guard let index = declarations[name]?.name, !isSeen(index, from: chain) else { continue }
            throw mistake(at: index, "'\(shortened(name))' is declared here, where the pinner cannot see it")
        }
        for (index, token) in tokens.enumerated() {
            if case .word(let name) = token.kind, let known = uses[name], !known.contains(index), !isConcatenated(index)
            {
                // The name may be assigned, or be another variable of that name.
                throw mistake(
                    at: index, "'\(shortened(name))' is also used outside the pinner")
            }
            // A pin outside of a literal means that quotation marks were not paired as in the program.
            let isBare = spells(["sha256", "/"], at: index) || spells(["sha1", "/"], at: index)
            guard isBare || !taken.contains(index) && token.holdsPin else { continue }
            throw mistake(at: index, "a pin here does not belong to the pinner")
        }
    }

    /// `true` if a name is concatenated with a literal, which does not assign it.
    private func isConcatenated(_ index: Int) -> Bool {
        [1, -1].contains { side in
            let other = index + 2 * side
            guard spells(["+"], at: index + side), tokens.indices.contains(other) else { return false }
            if case .text = tokens[other].kind { return true } else { return false }
        }
    }

    private func isSeen(_ declaration: Int, from chain: Int) -> Bool {
        func isAround(_ index: Int) -> Bool {
            depths[min(index, chain)...max(index, chain)].allSatisfy { $0 >= depths[index] }
        }
        if isAround(declaration) { return true }
        let brace = tokens[..<declaration].indices.last { tokens[$0].isWord("{") && depths[$0] < depths[declaration] }
        guard let brace, [2, 3].contains(where: { spells(["companion", "object"], at: brace - $0) }) else {
            return false
        }
        return isAround(brace)
    }

    private func spells(_ words: [String], at index: Int) -> Bool {
        guard index >= 0, index + words.count <= tokens.count else { return false }
        return zip(words, tokens[index...]).allSatisfy { $1.isWord($0) }
    }

    private func mistake(at index: Int, _ reason: String) -> SourceMistake {
        SourceMistake(line: tokens.isEmpty ? 1 : tokens[min(index, tokens.count - 1)].line, reason: reason)
    }
}
