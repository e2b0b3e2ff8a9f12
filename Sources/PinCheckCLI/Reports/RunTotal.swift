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
    /// The statuses of a target whose last connection has not come yet.
    private var open: [ExitStatus] = []
    private var hasFiles = false

    /// So many results are told again by name when they did not pass.
    private static let longest = 10

    mutating func add(_ report: Report, status: ExitStatus?) {
        if report.next != nil { hasFiles = true }
        if let status { open.append(status) }
        guard report.variant == nil || report.consistency != nil else { return }
        let name = report.variant == nil ? report.title : report.target
        add(name, open.isEmpty ? .pass : .worst(open))
        open = []
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

    private static let order =
        ExitStatus.allCases.filter { $0 != .pass }.sorted { $0 != $1 && ExitStatus.worst([$0, $1]) == $0 } + [.pass]
}
