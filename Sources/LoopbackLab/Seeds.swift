/// The seeds a property test runs with: always the same few, so that a run means the same everywhere, and fresh ones, so that the
/// runs of a year are not one run.
///
/// ```swift
/// @Test(arguments: Seeds.sample(4))
/// func whateverIsDamagedIsReadOrRefused(seed: UInt64) throws {
///     var generator = SeededGenerator(seed: seed)
/// ```
///
/// Each seed is a test case of its own, whose failure names it; let it take no more than half a second. The parameter is called
/// `seed`: by that name `make fuzz` finds these tests and runs them longer.
///
/// Two variables of the environment change what is run:
/// - `PINCHECK_ROUNDS`, 1 or more: how many times as many seeds. All that are added are fresh.
/// - `PINCHECK_SEED`: the first fresh seed, to repeat a failure. It is printed when it is chosen.
package enum Seeds {
    /// The seeds 1 to `count`, and a fresh one; with `PINCHECK_ROUNDS` that many times, all others fresh.
    package static func sample(_ count: Int) -> [UInt64] {
        let added = (count + 1) * rounds - count
        return (0..<count).map { UInt64($0) + 1 } + (0..<added).map { fresh &+ UInt64($0) }
    }

    /// How many times as many seeds were asked for.
    private static let rounds = max(1, number(of: "PINCHECK_ROUNDS").map { Int(clamping: $0) } ?? 1)

    /// The first fresh seed of this process: one for all tests, so that one variable repeats them all.
    private static let fresh: UInt64 = {
        if let given = number(of: "PINCHECK_SEED") { return given }
        // Short enough to be copied by hand, and none of the fixed ones.
        let chosen = UInt64.random(in: 1_000_000..<1_000_000_000)
        let line = "property tests: fresh seed \(chosen); PINCHECK_SEED=\(chosen) repeats it\n"
        _ = line.withCString { write(STDERR_FILENO, $0, line.utf8.count) }
        return chosen
    }()

    /// The number in a variable of the environment; one that is there and holds something else ends the process, since a test
    /// that was asked for would not be run.
    private static func number(of variable: String) -> UInt64? {
        guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        guard let number = UInt64(text) else { fatalError("\(variable) is '\(text)' and no whole number") }
        return number
    }
}

/// A random number generator that gives the same numbers for the same seed, so that a failure can be seen again.
///
/// The steps are those of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
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
