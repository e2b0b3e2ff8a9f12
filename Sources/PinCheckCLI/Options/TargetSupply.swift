import PinChecking

/// The targets of one run: those at hand, and where there are many, the others as they are needed.
struct TargetSupply {
    /// The first, at least one; all of them where there is no rest.
    let first: [CheckTarget]
    /// How many there are, `nil` where nobody knows before the end.
    let total: Int?
    let rest: TargetStream?
}

/// Targets one after the other: those that are named, then the lines of lists.
///
/// Sendable because one thread at a time asks for targets: whoever has it hands it on.
final class TargetStream: @unchecked Sendable {
    private var ready: ArraySlice<CheckTarget>
    private var lists: ArraySlice<TargetList>
    private let hosts: PolicyHosts?
    private let request: CheckRequest

    let isRepeatable: Bool

    init(_ first: [CheckTarget], lists: [TargetList], hosts: PolicyHosts?, request: CheckRequest) {
        self.lists = lists[...]
        self.hosts = hosts
        self.request = request
        isRepeatable = lists.allSatisfy(\.isRepeatable)
        ready = first[...]
    }

    /// The next target, `nil` after the last.
    func next() throws(CommandError) -> CheckTarget? {
        while true {
            if let target = ready.popFirst() { return target }
            guard let list = lists.first else { return nil }
            guard let line = try list.next() else {
                lists.removeFirst()
                continue
            }
            do throws(CommandError) {
                try line.refuseBeside(request.judging)
                let found =
                    try hosts?.targets(named: [line.target], request) ?? [
                        CheckTarget(target: line.target, request: request)
                    ]
                ready =
                    found.map { target in
                        let request = line.request.merged(over: target.request)
                        var own = CheckTarget(target: target.target, request: request, place: line.place)
                        own.lacksPins = target.lacksPins && request.judging.pins.isEmpty
                        return own
                    }[...]
            } catch { throw error.at(line.place) }
        }
    }
}

/// Makes jobs of targets as they are needed.
///
/// Sendable because one thread at a time asks for jobs.
final class JobStream: @unchecked Sendable {
    private static let batch = 256

    private let targets: TargetStream
    private var loader: EvaluationLoader

    init(_ targets: TargetStream, _ loader: EvaluationLoader) {
        self.targets = targets
        self.loader = loader
    }

    /// The next jobs, none after the last.
    func next() throws(CommandError) -> [CheckJob] {
        var jobs: [CheckJob] = []
        while jobs.count < Self.batch, let target = try targets.next() {
            jobs += try CommandError.reading { () throws(CheckError) in
                try CheckPlan.jobs([target], &loader, areAll: false)
            }
        }
        return jobs
    }
}
