import Base
import Pinning
package import TLSProbe

/// Connects to targets and judges their chains, many at a time, each within its own deadline.
package struct Checker {
    let now: @Sendable () -> Timestamp
    package let connectionLimit: Int
    private let probers: Probers
    /// Makes the connections of one target, on a thread that the judging of other chains does not delay.
    private(set) var prober: Prober
    /// Judges `https` proxies and services for addresses over TLS.
    let objection: ServiceObjection
    /// The processor time for judging a target's chains, by its remaining time; at least a second, for busy machines.
    var judgingLimit: @Sendable (_ left: Duration) -> Duration = { max($0, .seconds(1)) }

    /// A checker of about `count` targets, on shared threads, or on as many own ones as are worth an OpenSSL each.
    package init(in environment: Environment, sharing shared: Probers? = nil, expecting count: Int = .max) {
        now = environment.now
        objection = environment.serviceObjection
        probers =
            shared
            ?? Probers(
                on: environment.thread, in: environment.network, expecting: count, within: environment.connectionLimit,
                judgingProxiesBy: objection)
        prober = probers.next()
        connectionLimit = max(1, environment.connectionLimit - probers.descriptors)
    }

    package func shutdown() async { await probers.shutdown() }

    /// Runs as many checks at a time as `request` and the descriptors allow, none `span` or more positions after an
    /// unfinished one; `more` makes further checks, none after the last.
    package static func run<Failure>(
        _ checks: [Check], _ request: CheckRequest, in environment: Environment, within span: Int? = nil,
        more: (() throws(Failure) -> [Check])? = nil, each: (Int, CheckedTarget) throws(Failure) -> Void
    ) async throws(Failure) {
        let checker = Checker(in: environment, expecting: more == nil ? checks.count : .max)
        let result: Result<Void, Failure>
        if more == nil, checks.count == 1, checks[0].isOne {
            let target = await checker.checkOne(checks[0])
            result = Result { () throws(Failure) in try each(0, target) }
        } else {
            let most = max(1, request.connection.jobs ?? RequestDefaults.jobs)
            // Judging a chain or writing to a slow reader must not delay the other targets.
            result = await withTaskExecutorPreference(globalConcurrentExecutor) {
                await checker.run(checks, most: most, within: span ?? .max, more: more, each: each)
            }
        }
        await checker.shutdown()
        try result.get()
    }

    private static let fewestWaiting = 256

    private func run<Failure>(
        _ checks: [Check], most: Int, within span: Int, more: (() throws(Failure) -> [Check])?,
        each: (Int, CheckedTarget) throws(Failure) -> Void
    ) async -> Result<Void, Failure> {
        await withTaskGroup(of: (Int, Check, CheckedTarget).self) { group in
            var (waiting, more) = (checks[...], more)
            var (position, underWay, connections) = (0, 0, 0)
            // The first unfinished position, and the finished ones after it.
            var firstUndone = 0
            var done: Set<Int> = []
            func size(of check: Check) -> Int { min(check.mostConnections, connectionLimit) }
            func mayStart(_ check: Check) -> Bool {
                underWay == 0
                    || underWay < most && connections + size(of: check) <= connectionLimit
                        && position - firstUndone < span
            }
            func start() throws(Failure) {
                while true {
                    while let check = waiting.first, mayStart(check) {
                        waiting.removeFirst()
                        underWay += 1
                        connections += size(of: check)
                        group.addTask { [position] in (position, check, await target(check)) }
                        position += 1
                    }
                    guard waiting.count < Self.fewestWaiting, let makeMore = more else { return }
                    let checks = try makeMore()
                    if checks.isEmpty { more = nil }
                    waiting += checks
                }
            }
            do throws(Failure) {
                try start()
                for await (position, check, target) in group {
                    underWay -= 1
                    connections -= size(of: check)
                    if span < .max { done.insert(position) }
                    while done.remove(firstUndone) != nil { firstUndone += 1 }
                    try start()
                    try each(position, target)
                }
            } catch {
                group.cancelAll()
                return .failure(error)
            }
            return .success(())
        }
    }

    package func check(_ check: Check) async -> CheckedTarget {
        await withTaskExecutorPreference(globalConcurrentExecutor) { await target(check) }
    }

    private func target(_ check: Check) async -> CheckedTarget {
        if let bad = check.bad { return CheckedTarget(connections: [], policy: nil, bad: (bad, now())) }
        var checker = self
        checker.prober = probers.next()
        if check.isOne { return await checker.checkOne(check) }
        return await TargetWork.$current.withValue(TargetWork()) { await checker.checkedVariants(of: check) }
    }

    private func checkOne(_ check: Check) async -> CheckedTarget {
        let connection = await connection(of: (check.endpoint, .ordinary), check, until: Deadline(in: check.timeout)) {
            judge($0, by: check.policy)
        }
        return CheckedTarget(connections: [connection], policy: check.policy)
    }

    func judge(_ connection: CheckedConnection, by policy: HostPolicy?, isOutOfTime: Bool = false) -> CheckedConnection
    {
        var connection = connection
        connection.time = policy?.time ?? connection.time
        connection.isOutOfTime = isOutOfTime
        guard let policy, let handshake = connection.served, !isOutOfTime else { return connection }
        let endpoint = connection.endpoint
        ProbeWatch.current?("\(endpoint.target): judging the chain")
        connection.judged = policy.judge(
            handshake.presented, for: endpoint.referenceName, at: connection.time, on: handshake, connection.answers,
            asked: (endpoint, connection.variant))
        return connection
    }
}

/// The threads and connections that all checks of a process share, so that the host program keeps most descriptors.
actor SharedConnections {
    static let process = SharedConnections(atOnce: max(1, DescriptorLimit.current / 2))
    private let count: Int
    /// The turns that are left; below zero, the number of checks that wait for one.
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var probers: Probers?

    init(atOnce count: Int) { (self.count, free) = (count, count) }

    /// Makes a check in the order of arrival; throws if the task is cancelled, or no descriptors are left for threads.
    func check(_ check: Check, in environment: Environment) async throws -> CheckedTarget {
        // The threads are made once: an event loop that cannot be made would end the process.
        probers = probers ?? Probers(sharedWithin: count)
        guard let probers else {
            throw Problem.software(
                "no descriptors are left to connect with: close some, or raise the limit with ulimit -n")
        }
        free -= 1
        if free < 0 { await withCheckedContinuation { waiting.append($0) } }
        let target = await Checker(in: environment, sharing: probers).check(check)
        free += 1
        if free <= 0 { waiting.removeFirst().resume() }
        // A cancelled connection looks like an unreachable server.
        try Task.checkCancellation()
        return target
    }
}
