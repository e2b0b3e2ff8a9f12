package import Pinning
import X509

/// What a target is known by where results of several runs are put together.
package struct TargetEntry: Hashable, Sendable {
    /// The target as it is written where it is listed.
    package let target: String
    /// The hash of the words that name it and say what is asked of it.
    package let digest: SHA256Digest

    /// - Parameters:
    ///   - target: the target as it is written.
    ///   - words: this and the others that stand with it.
    package init(_ target: String, words: [String]) {
        self.target = target
        digest = Self.digest(words)
    }

    /// The hash of words, none of which can be taken for a part of another.
    package static func digest(_ words: [String]) -> SHA256Digest {
        Hashing.sha256(words.flatMap { Array("\($0.utf8.count) \($0)".utf8) })
    }
}
