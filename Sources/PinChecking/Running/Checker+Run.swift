extension Checker {
    /// Checks jobs as ``check(_:inFlight:each:)`` does, within the descriptors of the process.
    ///
    /// - Throws: what `each` throws.
    package static func run<Failure>(
        _ jobs: [CheckJob],
        _ request: CheckRequest,
        in surroundings: Surroundings,
        each: (Int, CheckedTarget) throws(Failure) -> Void
    ) async throws(Failure) {
        let descriptors = surroundings.connectionLimit
        let connections = jobs.reduce(1) { max($0, $1.variants?.mostConnections ?? 1) }
        let limit = max(1, min(request.connection.jobs ?? RequestDefaults.jobs, descriptors / connections))
        var checker = Checker(
            thread: surroundings.thread,
            network: surroundings.network,
            expecting: jobs.count,
            judgingProxiesBy: ServiceTrust.proxyObjection(for: jobs.lazy.map(\.endpoint), in: surroundings),
            loops: request.connection.loops,
            now: surroundings.now
        )
        checker.connectionsToTarget = min(TargetVariants.connectionLimit, descriptors)
        if jobs.contains(where: { $0.variants?.settings.service != nil }) {
            checker.objection = ServiceTrust.objection(in: surroundings)
        }
        try await checker.check(jobs, inFlight: limit, each: each)
    }
}
