import Foundation
import Testing

/// Compares what a program printed with what a text says it prints.
///
/// A hash stands for the hash that the program printed in its place, the same one in all of the text. Dates, days, times that were
/// measured, digests and serial numbers are alike. A line `…` stands for any lines, and `…` in a line for anything.
struct SampleMatch {
    private var meanings: [Substring: Substring] = [:]

    // A public-key pin is 43 digits of base64 and a sign of equality.
    nonisolated(unsafe) private static let hash = /[A-Za-z0-9+\/]{43}=/
    nonisolated(unsafe) private static let shortHash = /(sha256\/)?[A-Za-z0-9+\/]{8}…([A-Za-z0-9+\/]{4}=)?/
    nonisolated(unsafe) private static let hexadecimal = /[0-9a-f]{64}|[0-9A-F]{32}/
    nonisolated(unsafe) private static let date = /[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?/
    nonisolated(unsafe) private static let days = /\b([0-9]+)( d\b|;)/
    nonisolated(unsafe) private static let seconds = /time=[0-9.]+s/

    func command(_ text: String) -> String { text.replacing(Self.hash) { meanings[$0.output] ?? $0.output } }

    /// Whether the program printed what the text says; what the text's hashes stand for is learnt.
    mutating func accepts(_ printed: [String], for said: [String]) -> Bool {
        var learnt = self
        guard learnt.align(printed[...], said[...]) else { return false }
        self = learnt
        return true
    }

    mutating func adopting(_ printed: [String]) -> [String] {
        let words = Dictionary(meanings.map { ($0.value, $0.key) }) { first, _ in first }
        for hash in printed.flatMap({ $0.matches(of: Self.hash) }).map(\.output) where words[hash] == nil {
            meanings[hash] = hash
        }
        return printed.map { $0.replacing(Self.hash) { words[$0.output] ?? $0.output } }
    }

    private mutating func align(_ printed: ArraySlice<String>, _ said: ArraySlice<String>) -> Bool {
        var (printed, said) = (printed, said)
        while let line = said.popFirst() {
            if line == "…" {
                for start in printed.startIndex...printed.endIndex {
                    var attempt = self
                    guard attempt.align(printed[start...], said) else { continue }
                    self = attempt
                    return true
                }
                return false
            }
            guard let other = printed.popFirst(), isAlike(other, line) else { return false }
        }
        return printed.isEmpty
    }

    private mutating func isAlike(_ printed: String, _ said: String) -> Bool {
        guard Self.fits(Self.masked(printed), Self.masked(said).split(separator: "…", omittingEmptySubsequences: false))
        else { return false }
        // Where the text leaves something out, it does not say which hash is which.
        guard !Self.masked(said).contains("…") else { return true }
        for (hash, meaning) in zip(said.matches(of: Self.hash), printed.matches(of: Self.hash)) {
            if let known = meanings[hash.output] {
                guard known == meaning.output else { return false }
            } else {
                guard !meanings.values.contains(meaning.output) else { return false }
                meanings[hash.output] = meaning.output
            }
        }
        return true
    }

    /// Whether a line consists of these parts in their order, with anything between them.
    private static func fits(_ line: String, _ parts: [Substring]) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return [line[...]] == parts }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// A line without what differs from run to run; what is as wide as before keeps columns comparable.
    static func masked(_ line: String) -> String {
        line.replacing(hash, with: "HASH").replacing(hexadecimal, with: "HEX").replacing(shortHash, with: "HASH")
            .replacing(date, with: "DATE").replacing(seconds, with: "time=TIME").replacing(days) {
                String(repeating: "#", count: $0.output.1.count) + $0.output.2
            }
    }
}

/// What `ArticleTests` does not take for the same output; what it does, the articles show.
@Suite struct SampleMatchTests {
    /// Lines, parted by `|`, in which `$A`, `$B` and `$C` are hashes.
    @Test(arguments: [
        ("breaks on 2027-02-20", "breaks in 2027"), ("EC P-256   89 d", "EC P-256  189 d"), ("EC P-256", "EC P-384"),
        ("PASS  a", "PASS  a "), ("one, two, three", "one,…four"), ("one, two, three", "…three…two…"),
        ("one|two", "…|three"), ("one|two", "one"), ("one", "one|two"), ("$A|$B", "$C|$C"), ("$A|$A", "$B|$C"),
    ]) func anotherOutputIsNotThatOfTheText(printed: String, said: String) {
        var match = SampleMatch()
        let lines = [printed, said].map { text in
            text.replacing(/\$([ABC])/) { String(repeating: "\($0.1)", count: 43) + "=" }.split(separator: "|").map(
                String.init)
        }
        let isAccepted = match.accepts(lines[0], for: lines[1])
        #expect(!isAccepted)
    }
}
