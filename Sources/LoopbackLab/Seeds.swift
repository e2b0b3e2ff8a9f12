/// The seeds of a property test: a few that are the same in every run, and fresh ones, so that runs differ.
///
/// Each seed is a test case of half a second at most. The parameter must be called `seed`, because `make fuzz` finds
/// these tests by that name and runs them longer.
///
/// Environment variables:
/// - `PINCHECK_ROUNDS`, 1 or more: multiplies the number of seeds; the additional ones are fresh.
/// - `PINCHECK_SEED`: the first fresh seed, to repeat a failure; without it a random one is chosen and printed.
package enum Seeds {
    package static func sample(_ count: Int) -> [UInt64] {
        let added = (count + 1) * rounds - count
        return (0..<count).map { UInt64($0) + 1 } + (0..<added).map { fresh &+ UInt64($0) }
    }

    private static let rounds = max(1, number(of: "PINCHECK_ROUNDS").map { Int(clamping: $0) } ?? 1)

    /// The first fresh seed of this process: one for all tests, so that one variable repeats them all.
    private static let fresh: UInt64 = {
        if let given = number(of: "PINCHECK_SEED") { return given }
        // The range keeps the seed short enough to copy by hand, and apart from the fixed ones.
        let chosen = UInt64.random(in: 1_000_000..<1_000_000_000)
        let line = "property tests: fresh seed \(chosen); PINCHECK_SEED=\(chosen) repeats it\n"
        _ = line.withCString { write(STDERR_FILENO, $0, line.utf8.count) }
        return chosen
    }()

    /// The number in an environment variable; other text ends the process, because the wanted test would not run.
    private static func number(of variable: String) -> UInt64? {
        guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        guard let number = UInt64(text) else { fatalError("\(variable) is '\(text)' and no whole number") }
        return number
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014), repeatable by a seed.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension [UInt8] {
    /// A copy with up to `most` changes: pieces deleted, doubled, replaced by or put after `texts`, or bits flipped.
    package func damaged(
        most: Int = 4, length: Int = 40, texts: [String] = ["\0"], using random: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = self
        for _ in 0..<Int.random(in: 1...most, using: &random) where !bytes.isEmpty {
            let start = Int.random(in: bytes.indices, using: &random)
            let longest = Int.random(in: 0..<4, using: &random) == 0 ? bytes.count : length
            let piece = bytes[start...].prefix(Int.random(in: 1...longest, using: &random))
            let bit = piece[start] ^ 1 << UInt8.random(in: 0..<8, using: &random)
            let text = Array(texts[Int.random(in: texts.indices, using: &random)].utf8)
            let changed: [[UInt8]] = [[], Array(piece + piece), text + piece, text, [bit] + piece.dropFirst()]
            bytes.replaceSubrange(piece.indices, with: changed[Int.random(in: changed.indices, using: &random)])
        }
        return bytes
    }
}

/// The fields of each line of a text, separated by ` | `; `⏎` means a line break, and `//` begins a comment line.
package func table(_ text: String, columns: Int = .max) -> [[String]] {
    text.split(separator: "\n").filter { !$0.hasPrefix("//") }.map { row in
        row.split(separator: " | ", maxSplits: columns - 1, omittingEmptySubsequences: false).map {
            String($0.replacing("⏎", with: "\n"))
        }
    }
}
