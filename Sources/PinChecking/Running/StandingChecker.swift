internal import Synchronization

/// Checks targets as they are asked for, for as long as the process lives.
///
/// Its threads, with an OpenSSL each, serve all checks; they are made with the first.
package final class StandingChecker: Sendable {
    private let checker: Checker
    private let count = Atomic<Int>(0)
    /// How many connections there can be at the same time.
    package let connectionLimit: Int

    package init(in surroundings: Surroundings) {
        var checker = Checker(
            thread: nil, network: surroundings.network, expecting: .max, within: surroundings.connectionLimit,
            judgingProxiesBy: ServiceTrust.objection(in: surroundings), loops: nil, now: surroundings.now)
        connectionLimit = max(1, surroundings.connectionLimit - checker.descriptors)
        checker.connectionsToTarget = min(TargetVariants.connectionLimit, connectionLimit)
        checker.objection = ServiceTrust.objection(in: surroundings)
        self.checker = checker
    }

    package func check(_ job: CheckJob) async -> CheckedTarget {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue & .max
        return await withTaskExecutorPreference(globalConcurrentExecutor) { await checker.job(number).target(job) }
    }

    /// Ends the checks under way, and lets go of the threads.
    package func shutdown() async { await checker.shutdown() }
}
