/// The recorded state that servers are compared with.
package struct Baseline: Sendable {
    package let path: String
    package let snapshot: Snapshot
    package let policy: RotationPolicy
    private let comparison: SnapshotComparison

    package init(_ path: String, _ snapshot: Snapshot, allowing policy: RotationPolicy) {
        self.path = path
        self.snapshot = snapshot
        self.policy = policy
        comparison = SnapshotComparison(with: snapshot)
    }

    package func changes(at endpoint: Snapshot.Endpoint) -> BaselineChanges {
        described(comparison.changes(at: endpoint), at: endpoint)
    }

    package func described(_ changes: [Change], at endpoint: Snapshot.Endpoint) -> BaselineChanges {
        let counterpart = comparison.counterpart(for: endpoint)
        return BaselineChanges(
            changes, since: path, by: policy,
            comparedWith: counterpart.flatMap { $0.isElsewhere ? $0.endpoint.place : nil })
    }

    /// What is recorded of an endpoint, `nil` for nothing.
    package func recorded(for endpoint: Snapshot.Endpoint) -> Snapshot.Endpoint? { comparison.recorded(for: endpoint) }

    /// What is recorded and not among `endpoints`.
    package func missing(from endpoints: [Snapshot.Endpoint]) -> [(endpoint: Snapshot.Endpoint, change: Change)] {
        comparison.missing(from: endpoints)
    }
}
