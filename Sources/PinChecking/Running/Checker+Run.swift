extension Checker {
    /// Checks jobs as ``check(_:inFlight:each:)`` does, within the descriptors of the process.
    ///
    /// - Throws: what `each` throws.
    package static func run<Failure>(
        _ jobs: [CheckJob], _ request: CheckRequest, in surroundings: Surroundings,
        each: (Int, CheckedTarget) throws(Failure) -> Void
    ) async throws(Failure) { try await run(JobSupply(jobs), request, in: surroundings, each: each) }

    /// Checks jobs, and others as they come, within the descriptors of the process.
    ///
    /// - Parameters:
    ///   - supply: the jobs.
    ///   - request: how many are checked at the same time.
    ///   - surroundings: what there is of the world.
    ///   - span: how many positions a target may be ahead of one that is not done, `nil` where nobody needs their order.
    ///   - each: takes each target as it comes, with the position of its job.
    /// - Throws: what `each` throws, or what makes jobs.
    package static func run<Failure>(
        _ supply: JobSupply<Failure>, _ request: CheckRequest, in surroundings: Surroundings, within span: Int? = nil,
        each: (Int, CheckedTarget) throws(Failure) -> Void
    ) async throws(Failure) {
        var checker = Checker(
            thread: surroundings.thread, network: surroundings.network,
            expecting: supply.more == nil ? supply.first.count : .max, within: surroundings.connectionLimit,
            // Of those that are still to come nobody knows which have a proxy.
            judgingProxiesBy: supply.more == nil
                ? ServiceTrust.proxyObjection(for: supply.first.lazy.map(\.endpoint), in: surroundings)
                : ServiceTrust.objection(in: surroundings), loops: nil, now: surroundings.now)
        let limits = Limits(
            jobs: max(1, request.connection.jobs ?? RequestDefaults.jobs),
            connections: max(1, surroundings.connectionLimit - checker.descriptors), span: span)
        checker.connectionsToTarget = min(TargetVariants.connectionLimit, limits.connections)
        if supply.more != nil || supply.first.contains(where: { $0.variants?.settings.service != nil }) {
            checker.objection = ServiceTrust.objection(in: surroundings)
        }
        try await checker.check(supply, within: limits, each: each)
    }

    /// How much is under way at the same time.
    struct Limits {
        let jobs: Int
        let connections: Int
        /// How many positions a target may be ahead of one that is not done, `nil` for any number.
        var span: Int? = nil
    }
}
