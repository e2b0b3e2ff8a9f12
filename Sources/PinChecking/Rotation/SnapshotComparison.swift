/// Compares what servers serve with what is recorded of them.
package struct SnapshotComparison: Sendable {
    private let baseline: Snapshot
    private let byKey: [Snapshot.Key: Snapshot.Endpoint]

    /// A comparison with `baseline`.
    package init(with baseline: Snapshot) {
        self.baseline = baseline
        byKey = Dictionary(baseline.endpoints.map { ($0.key, $0) }) { first, _ in first }
    }

    /// What is recorded of an endpoint, `nil` for nothing.
    ///
    /// An address of a target that was recorded by its name, or one that a look-up led to, is taken for the same endpoint where
    /// there is no closer match.
    package func recorded(for endpoint: Snapshot.Endpoint) -> Snapshot.Endpoint? {
        var key = endpoint.key
        if let exact = byKey[key] { return exact }
        if key.connect == nil {
            key.connect = endpoint.peer
            return endpoint.peer == nil ? nil : byKey[key]
        }
        key.connect = nil
        return byKey[key]
    }

    /// What an endpoint is compared with: what is recorded of it, else what the target served at other addresses.
    ///
    /// Where those differ it is the one with the same chain, or one of those that serve what most do.
    package func counterpart(for endpoint: Snapshot.Endpoint) -> (endpoint: Snapshot.Endpoint, isElsewhere: Bool)? {
        if let recorded = recorded(for: endpoint) { return (recorded, false) }
        let target = endpoint.key.isSameTarget
        let others = baseline.endpoints.filter { $0.key.isSameTarget == target }
        if let same = others.first(where: { $0.chain == endpoint.chain }) { return (same, true) }
        let groups = Dictionary(grouping: others.indices) { others[$0].leaf.certificateSHA256 }
        return groups.values.max(by: Self.isRarer).map { (others[$0[0]], true) }
    }

    package func changes(at endpoint: Snapshot.Endpoint) -> [Change] {
        guard let (old, _) = counterpart(for: endpoint) else {
            return [Change(.targetAdded, old: nil, new: endpoint.key.words)]
        }
        return ChainComparison.changes(from: old.chain, to: endpoint.chain)
    }

    /// The endpoints of the baseline that are not among `endpoints`.
    package func missing(from endpoints: [Snapshot.Endpoint]) -> [(endpoint: Snapshot.Endpoint, change: Change)] {
        let seen = Set(endpoints.compactMap { recorded(for: $0)?.key })
        return baseline.endpoints.filter { !seen.contains($0.key) }.map { endpoint in
            (endpoint, Change(.targetMissing, old: endpoint.key.words, new: nil))
        }
    }

    private static func isRarer(_ left: [Int], _ right: [Int]) -> Bool {
        left.count != right.count ? left.count < right.count : (left.first ?? 0) > (right.first ?? 0)
    }
}

extension Snapshot.Key {
    /// The target, where it was connected to, and the names that are not the target's.
    var words: String {
        var words = target
        if let connect { words += " → \(connect)" }
        words += sni.map { " (SNI \($0)" } ?? " (no SNI"
        if let verifyName, verifyName != sni { words += ", name \(verifyName)" }
        return words + (variant.map { ", \($0))" } ?? ")")
    }
}

extension Snapshot.Endpoint { package var place: String { key.connect ?? peer ?? key.target } }
