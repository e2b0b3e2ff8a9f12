internal import Pinning

/// A path that was looked at and rejected, to be ranked among others.
struct RejectedPath {
    let nodes: [PathNode]
    let isAnchored: Bool

    func score(at time: Timestamp, byPoints: Bool) -> Int {
        byPoints ? points(at: time) : isAnchored ? 10_000 : nodes.count
    }

    /// Anchored before all, then one that ends at a self-signed certificate and is short, then a long one; dates and strength count
    /// for little.
    private func points(at time: Timestamp) -> Int {
        let certificates = nodes.map(\.certificate)
        var points = isAnchored ? 10_000 : 0
        points += certificates.last?.isSelfIssued == true ? 1_000 - nodes.count : nodes.count
        if certificates.allSatisfy({ $0.notBefore <= time && time <= $0.notAfter }) { points += 100 }
        let failures = Platform.apple().failures(
            of: PlatformPath(certificates, endingAt: .system), under: .sslServer(name: .unchecked))
        if !failures.contains(where: { $0.reason == .weakSignature }) { points += 10 }
        if !failures.contains(where: { $0.reason == .weakKey }) { points += 10 }
        return points
    }
}
