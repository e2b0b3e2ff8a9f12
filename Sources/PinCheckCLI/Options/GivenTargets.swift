import Base
import PinChecking
import Pinning

/// The targets of a command line: those named, those of lists, and those of policies, with what is asked of each.
struct GivenTargets {
    let targets: [String]
    var lists: [String] = []
    var policies: [String] = []
    let request: CheckRequest
    /// A command line that names one, for whoever names none.
    var example = "pincheck api.example.com"

    /// All targets, with what is asked of each: what its line of a list says, else the flags, else the policy.
    ///
    /// - Throws: ``CommandError`` for no target at all, and for one that cannot be understood.
    func read(in context: Context) throws(CommandError) -> [CheckTarget] {
        var targets: [CheckTarget] = []
        try visit(in: context) { targets.append($0) }
        return targets
    }

    /// Goes through all targets, one after the other.
    func visit(in context: Context, _ take: (CheckTarget) -> Void) throws(CommandError) {
        let stream = try stream(of: policyHosts(in: context), in: context)
        var hasTarget = false
        while let target = try stream.next() {
            hasTarget = true
            take(target)
        }
        guard hasTarget else { throw noTarget }
    }

    /// The targets as they are needed, the first of them at hand.
    ///
    /// Lists in files are read to their end before anything is checked, so that what is wrong in them is refused; what a pipe gives
    /// nobody knows before it comes.
    func supply(
        in context: Context, window: Int, begin: ([CheckTarget]) -> Void, visit: (CheckTarget) -> Void
    ) throws(CommandError) -> TargetSupply {
        let hosts = try policyHosts(in: context)
        let stream = try stream(of: hosts, in: context)
        var first: [CheckTarget] = []
        while first.count < window, let target = try stream.next() { first.append(target) }
        guard !first.isEmpty else { throw noTarget }
        guard first.count == window else { return TargetSupply(first: first, total: first.count, rest: nil) }
        begin(first)
        guard stream.isRepeatable else { return TargetSupply(first: first, total: nil, rest: stream) }
        var total = first.count
        while let target = try stream.next() {
            total += 1
            visit(target)
        }
        let rest = try self.stream(of: hosts, in: context)
        for _ in first { _ = try rest.next() }
        return TargetSupply(first: first, total: total, rest: total == first.count ? nil : rest)
    }

    private var noTarget: CommandError {
        lists.isEmpty
            ? .usage("no target is given: name a host, as in '\(example)'")
            : .noInput("the list of targets is empty: write one target a line")
    }

    private func policyHosts(in context: Context) throws(CommandError) -> PolicyHosts? {
        policies.isEmpty ? nil : try PolicyHosts(policies, in: context)
    }

    private func stream(of hosts: PolicyHosts?, in context: Context) throws(CommandError) -> TargetStream {
        let named = try targets.map { (text) throws(CommandError) in
            try FileArgument.refuse(asTarget: text)
            return try CommandError.reading { () throws(RequestError) in try Target(text) }
        }
        var first: [CheckTarget] = []
        if let hosts {
            if lists.isEmpty || !named.isEmpty { first = try hosts.targets(named: named, request) }
        } else {
            first = named.map { CheckTarget(target: $0, request: request) }
        }
        let opened = try lists.map { (path) throws(CommandError) in try TargetList(path, in: context) }
        return TargetStream(first, lists: opened, hosts: hosts, request: request)
    }
}
