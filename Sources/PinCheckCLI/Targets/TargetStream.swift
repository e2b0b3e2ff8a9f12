import Base
import PinChecking
import PinFormats
import Pinning

/// Those that are named, those of policies, and the lines of lists, one after the other.
///
/// A copy begins anew where it was made: so a run looks at all lines before it checks any, and holds none.
struct TargetStream: Sendable {
    private var ready: ArraySlice<CheckTarget> = []
    private var lists: ArraySlice<TargetList>
    private let hosts: PolicyHosts?
    private let request: CheckRequest

    /// Opens the lists and the policies; `request` is asked of each target whose line and policy say nothing else.
    init(
        _ targets: [String], lists: [String] = [], policies: [String] = [], _ request: CheckRequest, in context: Context
    ) throws(Problem) {
        self.request = request
        hosts = policies.isEmpty ? nil : try PolicyHosts(policies, in: context)
        let named = try targets.map { (text) throws(Problem) in
            try Mistake.refuse(asTarget: text)
            return try Target(text)
        }
        if let hosts {
            if lists.isEmpty || !named.isEmpty { ready = try hosts.targets(named: named, request)[...] }
        } else {
            ready = named.map { CheckTarget(target: $0, request: request) }[...]
        }
        self.lists = try lists.map { (path) throws(Problem) in try TargetList(path, in: context) }[...]
    }

    /// The next target, with what is asked of it: what its line says, else the flags, else the policy; `nil` after the last.
    mutating func next() throws(Problem) -> CheckTarget? {
        while true {
            if let target = ready.popFirst() { return target }
            guard let index = lists.indices.first else { return nil }
            guard let line = try lists[index].next() else {
                lists.removeFirst()
                continue
            }
            guard let place = line.place else { return line }
            do throws(Problem) {
                try Self.refuse(line.request.judging, beside: request.judging)
                let request = line.request.merged(over: request)
                let found =
                    try hosts?.targets(named: [line.target], request) ?? [
                        CheckTarget(target: line.target, request: request)
                    ]
                ready = found[...]
                for index in ready.indices { ready[index].place = place }
            } catch { throw error.at(place) }
        }
    }

    /// Refuses pins and clients of a line beside those of the command line, which they would replace without a word.
    private static func refuse(_ line: CheckRequest.Judging, beside flags: CheckRequest.Judging) throws(Problem) {
        if !line.pins.isEmpty, !flags.pins.isEmpty {
            throw .data("pins= stands here, and pins are given for all targets: leave one of the two out")
        }
        if line.clients != nil, flags.clients != nil {
            throw .data("client= stands here, and --client is given for all targets: leave one of the two out")
        }
    }

    func all() throws(Problem) -> [CheckTarget] { try split(after: .max) { _ in }.first }

    /// Goes through all of them: the first `window` are kept, at least one, and those behind can be read again.
    func split(
        after window: Int, _ visit: (CheckTarget) -> Void
    ) throws(Problem) -> (first: [CheckTarget], total: Int, rest: TargetStream) {
        var first: [CheckTarget] = []
        var all = self
        while first.count < window, let target = try all.next() { first.append(target) }
        guard !first.isEmpty else {
            throw lists.isEmpty
                ? .usage("no target is given: name a host, as in 'pincheck api.example.com'")
                : .noInput("the list of targets is empty: write one target a line")
        }
        let rest = all
        var total = first.count
        first.forEach(visit)
        while let target = try all.next() {
            total += 1
            visit(target)
        }
        return (first, total, rest)
    }

    private static let batch = 256

    mutating func nextChecks(_ policies: inout Policies) throws(Problem) -> [Check] {
        var targets: [CheckTarget] = []
        while targets.count < Self.batch, let target = try next() { targets.append(target) }
        return try Check.plan(targets, &policies, areAll: false)
    }
}
