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

/// Compares targets with a baseline as they come, and remembers what was seen.
package struct BaselineComparison {
    private let baseline: Baseline
    private var seen: [Snapshot.Endpoint] = []
    /// The recorded endpoints that were asked, whether or not they answered.
    private var asked: Set<Snapshot.Key> = []

    /// A comparison that has seen nothing yet.
    package init(with baseline: Baseline) { self.baseline = baseline }

    /// What the baseline has of each connection to a target, in their order.
    package mutating func states(of target: CheckedTarget) -> [RecordedState?] {
        var states = [RecordedState?](repeating: nil, count: target.connections.count)
        let reached = target.connections.indices.filter { target.connections[$0].served != nil }
        let endpoints = reached.compactMap { Snapshot.Endpoint(target.connections[$0]) }
        for (index, endpoint) in zip(reached, endpoints) {
            var endpoint = endpoint
            let state = baseline.recorded(for: endpoint)
            states[index] = RecordedState(changes: baseline.changes(at: endpoint), recorded: state)
            let recorded = state?.key
            asked.insert(recorded ?? endpoint.key)
            // What an address serves that was given says nothing of where a look-up leads: it is recorded beside that.
            let isLookedUp = endpoint.key.connect == nil || target.connections[index].endpoint.lookedUpName != nil
            if isLookedUp { endpoint.key = recorded ?? endpoint.key }
            seen.append(endpoint)
        }
        for connection in target.connections where connection.served == nil {
            asked.insert(Snapshot.Key(connection.endpoint, connection.variant))
        }
        return states
    }

    /// The recorded endpoints that were not among those that were asked.
    package var unasked: [Snapshot.Key] { baseline.snapshot.endpoints.map(\.key).filter { !asked.contains($0) } }

    package var updated: Snapshot { baseline.snapshot.replacing(seen) }
}
