import PinChecking

/// Counts what a run comes to: its targets, whatever number of connections each takes.
struct RunTotal: Sendable {
    /// One target, or one file that is about to be deployed.
    struct Unit: Sendable {
        let name: String
        let status: ExitStatus
    }

    private var counts: [ExitStatus: Int] = [:]
    /// Those that did not pass, in their order: of millions that pass nothing is kept.
    private var unaccepted: [Unit] = []
    private var hasFiles = false

    /// So many results are told again by name when they did not pass.
    private static let longest = 10

    /// Counts the target that the reports are on, by the statuses of those that have one.
    mutating func add(_ reports: [Report], status: (Report) -> ExitStatus? = { $0.counts ? $0.status : nil }) {
        guard let first = reports.first else { return }
        if first.next != nil { hasFiles = true }
        let statuses = reports.compactMap(status)
        add(first.variant == nil ? first.title : first.target, statuses.isEmpty ? .pass : .worst(statuses))
    }

    /// Counts a target whose end is known.
    mutating func add(_ name: String, _ status: ExitStatus) {
        counts[status, default: 0] += 1
        if status != .pass { unaccepted.append(Unit(name: name, status: status)) }
    }

    var count: Int { counts.values.reduce(0, +) }

    var problems: Int { count - counts[.pass, default: 0] }

    /// As in `5 targets: 1 FAIL, 1 UNREACHABLE, 3 PASS`: the worst first, which is the status of the run.
    func sentence(_ shown: (ExitStatus) -> String = { $0.name }) -> String {
        let shares = Self.order.compactMap { status in counts[status].map { "\($0) \(shown(status))" } }
        let what = hasFiles ? "result" : "target"
        return "\(count) \(what)\(count == 1 ? "" : "s"): " + shares.joined(separator: ", ")
    }

    /// Those that did not pass, the worst first; none where all can be seen at once.
    var troubled: [Unit] {
        guard count > Self.longest else { return [] }
        return Self.order.flatMap { status in unaccepted.filter { $0.status == status } }
    }

    private static let order = ExitStatus.allCases.sorted(by: >)
}
