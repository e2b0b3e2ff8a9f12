import PinChecking

/// Counts what a run comes to: its targets, whatever number of connections each takes.
struct RunTotal: Sendable {
    /// One target, or one file that is about to be deployed.
    struct Unit: Sendable {
        let name: String
        let status: ExitStatus
    }

    private(set) var units: [Unit] = []
    /// The statuses of a target whose last connection has not come yet.
    private var open: [ExitStatus] = []
    private var hasFiles = false

    /// So many results are told again by name when they did not pass.
    private static let longest = 10

    /// Counts the next report.
    ///
    /// - Parameters:
    ///   - report: those of one target come one behind the other, and the last says what they have in common.
    ///   - status: what it adds to the status of the run, `nil` for nothing.
    mutating func add(_ report: Report, status: ExitStatus?) {
        if report.next != nil { hasFiles = true }
        if let status { open.append(status) }
        guard report.variant == nil || report.consistency != nil else { return }
        let name = report.variant == nil ? report.title : report.target
        units.append(Unit(name: name, status: open.isEmpty ? .pass : .worst(open)))
        open = []
    }

    /// Counts a target whose end is known.
    mutating func add(_ name: String, _ status: ExitStatus) { units.append(Unit(name: name, status: status)) }

    /// How many there are.
    var count: Int { units.count }

    /// How many did not pass.
    var problems: Int { units.count { $0.status != .pass } }

    /// As in `5 targets: 1 FAIL, 1 UNREACHABLE, 3 PASS`: the worst first, which is the status of the run.
    func sentence(_ shown: (ExitStatus) -> String = { $0.name }) -> String {
        let counts = Self.order.compactMap { status -> String? in
            let count = units.count { $0.status == status }
            return count == 0 ? nil : "\(count) \(shown(status))"
        }
        return "\(count) \(hasFiles ? "results" : "targets"): " + counts.joined(separator: ", ")
    }

    /// Those that did not pass, the worst first; none where all can be seen at once.
    var troubled: [Unit] {
        guard count > Self.longest else { return [] }
        return Self.order.filter { $0 != .pass }.flatMap { status in units.filter { $0.status == status } }
    }

    private static let order =
        ExitStatus.allCases.filter { $0 != .pass }.sorted {
            $0 != $1 && ExitStatus.worst([$0, $1]) == $0
        } + [.pass]
}
