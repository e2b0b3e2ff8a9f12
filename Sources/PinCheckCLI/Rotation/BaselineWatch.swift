import Rotation

/// Compares outcomes with a baseline as they come, and remembers what was seen.
struct BaselineWatch {
    private let baseline: Baseline
    private var seen: [Snapshot.Endpoint] = []

    /// A watch that has seen nothing yet.
    init(_ baseline: Baseline) {
        self.baseline = baseline
    }

    /// The reports on all outcomes of one target, with what changed.
    mutating func compared(_ outcomes: [CheckOutcome]) -> [Report] {
        var reports = outcomes.map(\.report)
        let reached = outcomes.indices.filter { outcomes[$0].served != nil }
        let endpoints = reached.compactMap { Snapshot.Endpoint(outcomes[$0]) }
        for (index, changes) in zip(reached, baseline.changes(at: endpoints)) {
            reports[index].add(changes, since: baseline)
        }
        seen += endpoints.map { endpoint in
            var endpoint = endpoint
            endpoint.key = baseline.key(for: endpoint)
            return endpoint
        }
        return reports
    }

    /// Rewrites the baseline with what was seen, after a run that ended well; says so where it did not.
    func update(after status: ExitStatus, in context: Context) throws(CommandError) {
        try baseline.update(to: baseline.snapshot.replacing(seen), after: status, in: context)
    }
}

extension Baseline {
    /// Rewrites the baseline after a run that ended well; says so where it did not.
    func update(to snapshot: Snapshot, after status: ExitStatus, in context: Context) throws(CommandError) {
        guard status == .pass || status == .warn else {
            context.console.report("Warning: \(quoted(path)) was not updated: the run ended with \(status.name)")
            return
        }
        guard snapshot != self.snapshot else { return }
        try AtomicFile.write(Array(try SnapshotFile.document(snapshot).utf8), to: path)
    }
}
