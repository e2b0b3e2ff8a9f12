import Pinning

/// Hashes by position, each from when it is known until it is asked for: as many as are under way, however many there are in all.
struct PendingDigests {
    private var digests: [Int: SHA256Digest] = [:]
    /// The position of the next.
    private var next = 0

    /// Adds the hash of the next position.
    mutating func append(_ digest: SHA256Digest) {
        digests[next] = digest
        next += 1
    }

    /// Hands out the hash of a position, once.
    mutating func take(at position: Int) -> SHA256Digest {
        guard let digest = digests.removeValue(forKey: position) else {
            preconditionFailure("each position has a hash, which is asked for once")
        }
        return digest
    }
}
