/// The recorded state that servers are compared with.
package struct Baseline: Sendable {
    /// The file as the user named it.
    package let path: String
    /// What is recorded.
    package let snapshot: Snapshot
    /// Which changes are fine.
    package let policy: RotationPolicy
    private let comparison: SnapshotComparison

    /// A baseline.
    ///
    /// - Parameters:
    ///   - path: the file as messages name it.
    ///   - snapshot: what is recorded.
    ///   - policy: which changes are fine.
    package init(_ path: String, _ snapshot: Snapshot, allowing policy: RotationPolicy) {
        self.path = path
        self.snapshot = snapshot
        self.policy = policy
        comparison = SnapshotComparison(with: snapshot)
    }

    /// What changed at endpoints of one target, position by position.
    package func changes(at endpoints: [Snapshot.Endpoint]) -> [[Change]] {
        let differences = comparison.differences(among: endpoints)
        return endpoints.enumerated().map { index, endpoint in
            let changes = comparison.changes(at: endpoint)
            guard let difference = differences[index] else { return changes }
            return changes.filter { $0.kind != .unchanged } + [difference]
        }
    }

    /// What is recorded of an endpoint, `nil` for nothing.
    package func recorded(for endpoint: Snapshot.Endpoint) -> Snapshot.Endpoint? { comparison.recorded(for: endpoint) }

    /// The address that an endpoint is compared with where its own is not recorded.
    package func placeElsewhere(for endpoint: Snapshot.Endpoint) -> String? {
        guard let (other, isElsewhere) = comparison.counterpart(for: endpoint), isElsewhere else { return nil }
        return other.place
    }

    /// What is recorded and not among `endpoints`.
    package func missing(from endpoints: [Snapshot.Endpoint]) -> [(endpoint: Snapshot.Endpoint, change: Change)] {
        comparison.missing(from: endpoints)
    }
}
