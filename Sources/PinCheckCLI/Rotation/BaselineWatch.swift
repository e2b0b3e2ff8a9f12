import Rotation
import Text

/// Compares outcomes with a baseline as they come, and remembers what was seen.
struct BaselineWatch {
    private let baseline: Baseline
    /// Whether differences between addresses that the baseline has as well go without a warning.
    private let isAboutChangesAlone: Bool
    private var seen: [Snapshot.Endpoint] = []
    /// The recorded endpoints that were asked, whether or not they answered.
    private var asked: Set<Snapshot.Key> = []

    /// A watch that has seen nothing yet.
    init(_ baseline: Baseline, isAboutChangesAlone: Bool = false) {
        self.baseline = baseline
        self.isAboutChangesAlone = isAboutChangesAlone
    }

    /// The reports on all outcomes of one target, with what changed.
    ///
    /// - Parameters:
    ///   - outcomes: the outcomes.
    ///   - evaluation: what the target was judged by, `nil` for nothing.
    /// - Returns: the reports, in the order of the outcomes.
    mutating func compared(_ outcomes: [CheckOutcome], judgedBy evaluation: Evaluation?) -> [Report] {
        var reports = outcomes.map(\.report)
        let reached = outcomes.indices.filter { outcomes[$0].served != nil }
        let endpoints = reached.compactMap { Snapshot.Endpoint(outcomes[$0]) }
        for ((index, endpoint), changes) in zip(zip(reached, endpoints), baseline.changes(at: endpoints)) {
            reports[index].add(changes, since: baseline, comparedWith: baseline.placeElsewhere(for: endpoint))
            guard let evaluation, let recorded = baseline.recorded(for: endpoint) else { continue }
            reports[index].warnOfLastPins(since: recorded)
            reports[index].applyWarnings(evaluation.outlook)
        }
        seen += endpoints.map { endpoint in
            var endpoint = endpoint
            endpoint.key = baseline.recorded(for: endpoint)?.key ?? endpoint.key
            asked.insert(endpoint.key)
            return endpoint
        }
        for outcome in outcomes where outcome.served == nil {
            asked.insert(Snapshot.Key(outcome.endpoint, outcome.variant))
        }
        settle(&reports)
        return reports
    }

    /// Brings what is said of the whole target in line with what changed.
    private func settle(_ reports: inout [Report]) {
        guard let last = reports.indices.last, var consistency = reports[last].consistency else { return }
        if isAboutChangesAlone, reports.allSatisfy({ $0.change.map { $0.status == "unchanged" } ?? false }) {
            let unknown: Set = ["addresses-incomplete", "hung-up", "no-time"]
            let known = consistency.findings.filter { $0.level == .warning && !unknown.contains($0.id) }
            reports[last].warnings.removeAll { warning in
                known.contains { $0.id == warning.id && $0.message == warning.message }
            }
            for index in consistency.findings.indices
            where known.contains(where: { $0.id == consistency.findings[index].id }) {
                consistency.findings[index].level = .info
            }
            consistency.consistent = !consistency.findings.contains { $0.level == .warning }
        }
        consistency.exit = Report.Exit(.worst(reports.filter(\.counts).map(\.status)))
        reports[last].consistency = consistency
    }

    /// Says which recorded endpoints were not among those that were asked.
    func reportUnasked(in context: Context) {
        let missing = baseline.snapshot.endpoints.map(\.key).filter { !asked.contains($0) }
        guard let first = missing.first else { return }
        let others = missing.count == 1 ? "" : " and \(missing.count - 1) more"
        let place = first.connect.map { "\(first.target) at \($0)" } ?? first.target
        context.console.report(
            "Note: \(quoted(baseline.path)) also records \(place)\(others), which "
                + "\(missing.count == 1 ? "was" : "were") not compared: 'pincheck diff' without targets asks all"
        )
    }

    /// Rewrites the baseline with what was seen, after a run that ended well; says so where it did not.
    func update(after status: ExitStatus, in context: Context) throws(CommandError) {
        try baseline.update(to: baseline.snapshot.replacing(seen), after: status, in: context)
    }
}

extension Report {
    /// Warns when pins that matched what is recorded match no longer, and those that do now are the last ones.
    fileprivate mutating func warnOfLastPins(since recorded: Snapshot.Endpoint) {
        let before = Set(recorded.chain.map(\.spkiSHA256))
        let matched = Set(pins.matched.map(\.pin))
        let others = pins.configured.indices.filter { !matched.contains($0) }
        guard verdict == .accept, !matched.isEmpty, !others.isEmpty,
            others.allSatisfy({ before.contains(pins.configured[$0].pin) })
        else { return }
        func numbers(_ indices: some Sequence<Int>) -> String {
            indices.sorted().map { String($0 + 1) }.joined(separator: ", ")
        }
        warnings.append(
            Message(
                id: "only-backup-left",
                message:
                    "the server has moved on to its backup: pin \(numbers(others)) matched before and does no longer, "
                    + "only pin \(numbers(matched)) is left; ship a new backup"
            )
        )
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
