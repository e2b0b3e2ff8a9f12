import PinChecking

/// The targets of one run: those at hand, and where there are many, the others as they are needed.
struct TargetSupply {
    /// The first, at least one but in a shard that has none; all of them where there is no rest.
    let first: [CheckTarget]
    /// How many there are, `nil` where nobody knows before the end.
    let total: Int?
    /// The others.
    let rest: TargetStream?
    /// How many are of other shards, `nil` where nobody knows before the end.
    let passed: Int?
}

/// Targets one after the other: those that are named, then the lines of lists.
///
/// Sendable because one thread at a time asks for targets: whoever has it hands it on.
final class TargetStream: @unchecked Sendable {
    private var ready: ArraySlice<CheckTarget>
    private var lists: ArraySlice<TargetList>
    private let hosts: PolicyHosts?
    private let request: CheckRequest
    private let shard: ShardChoice?

    /// Whether the same targets can be read again.
    let isRepeatable: Bool

    /// - Parameters:
    ///   - first: those that are named.
    ///   - lists: the lists behind them.
    ///   - hosts: the policies that have the hosts of the lists, `nil` for none.
    ///   - request: what the flags say of all.
    ///   - shard: the part of them that is asked for, `nil` for all.
    init(
        _ first: [CheckTarget], lists: [TargetList], hosts: PolicyHosts?, request: CheckRequest,
        shard: ShardChoice? = nil
    ) {
        self.lists = lists[...]
        self.hosts = hosts
        self.request = request
        self.shard = shard
        isRepeatable = lists.allSatisfy(\.isRepeatable)
        ready = []
        ready = entered(first, by: [])[...]
    }

    /// The next target of the shard.
    ///
    /// - Parameter pass: is told of those in between that are of other shards.
    /// - Returns: the target, `nil` after the last.
    /// - Throws: ``CommandError`` with the place of what cannot be understood.
    func next(passing pass: (CheckTarget) -> Void = { _ in }) throws(CommandError) -> CheckTarget? {
        while true {
            while let target = ready.popFirst() {
                guard let shard, let entry = target.entry, !shard.holds(entry.target) else { return target }
                pass(target)
            }
            guard let list = lists.first else { return nil }
            guard let line = try list.next() else {
                lists.removeFirst()
                continue
            }
            do throws(CommandError) {
                let found =
                    try hosts?.targets(named: [line.target], request) ?? [
                        CheckTarget(target: line.target, request: request)
                    ]
                let targets = found.map { target in
                    CheckTarget(
                        target: target.target, request: line.request.merged(over: target.request), place: line.place)
                }
                ready = entered(targets, by: line.words)[...]
            } catch { throw error.at(line.place) }
        }
    }

    /// Targets with what their results are known by, where results of several runs are put together.
    ///
    /// What a policy says of a host may change; which of its entries for the same port it is counts.
    private func entered(_ targets: [CheckTarget], by words: [String]) -> [CheckTarget] {
        guard shard != nil else { return targets }
        var counts: [[String]: Int] = [:]
        return targets.map { target in
            var target = target
            let written = words.first ?? target.target.text
            var words = words.isEmpty ? [written] : words
            if hosts != nil {
                let entry = [target.target.text, String(target.port)]
                words += entry + [String(counts[entry, default: 0])]
                counts[entry, default: 0] += 1
            }
            target.entry = TargetEntry(written, words: words)
            return target
        }
    }
}

/// Makes jobs of targets as they are needed.
///
/// Sendable because one thread at a time asks for jobs.
final class JobStream: @unchecked Sendable {
    /// How many are made at a time.
    private static let batch = 256

    private let targets: TargetStream
    private var loader: EvaluationLoader
    private let isWanted: @Sendable (CheckJob) -> Bool

    /// - Parameters:
    ///   - targets: what is checked.
    ///   - loader: reads what it is judged by.
    ///   - isWanted: whether a job is not done yet.
    init(_ targets: TargetStream, _ loader: EvaluationLoader, where isWanted: @escaping @Sendable (CheckJob) -> Bool) {
        self.targets = targets
        self.loader = loader
        self.isWanted = isWanted
    }

    /// The next jobs, none after the last.
    func next() throws(CommandError) -> [CheckJob] {
        var jobs: [CheckJob] = []
        while jobs.count < Self.batch, let target = try targets.next() {
            jobs += try CommandError.reading { () throws(CheckError) in
                try CheckPlan.jobs([target], &loader, areAll: false)
            }.filter(isWanted)
        }
        return jobs
    }
}
