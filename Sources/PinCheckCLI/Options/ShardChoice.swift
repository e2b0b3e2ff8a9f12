import Base
import Pinning
import X509

/// One of several parts of the targets, each of which a machine of its own may check (`--shard`).
struct ShardChoice: Hashable, Sendable, CustomStringConvertible {
    /// Which part it is, from 1.
    let index: Int
    /// How many parts there are.
    let count: Int

    /// The most parts: more machines than anybody has.
    static let mostParts = 1_000_000

    /// Reads `I/N`, `nil` for an option that is not given.
    static func read(_ text: String?) throws(CommandError) -> ShardChoice? {
        guard let text else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = number(parts[0]), let count = number(parts[1]) else {
            throw .usage("--shard \(quoted(text)) is no I/N: the third of eight parts is --shard 3/8")
        }
        guard (1...mostParts).contains(count) else {
            throw .usage("--shard \(quoted(text)): the number of parts is 1 to \(mostParts), as in --shard 3/8")
        }
        guard (1...count).contains(index) else {
            throw .usage(
                "--shard \(quoted(text)) is none of \(count) parts: the first is 1/\(count) and the last \(count)/\(count)"
            )
        }
        return ShardChoice(index: index, count: count)
    }

    /// A number in decimal digits; one that is too large is larger than there may be.
    private static func number(_ digits: Substring) -> Int? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits) ?? .max
    }

    /// Whether a target is in the part, by its text alone: what else changes in a list moves it nowhere.
    ///
    func holds(_ target: String) -> Bool { Self.part(of: target, among: count) == index }

    /// The part that a target is in: the number that the first 15 hexadecimal digits of its SHA-256 make, modulo `count`, and 1 more.
    static func part(of target: String, among count: Int) -> Int {
        let start = Hashing.sha256(Array(target.utf8)).bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int((start >> 4) % UInt64(count)) + 1
    }

    var description: String { "\(index)/\(count)" }
}
