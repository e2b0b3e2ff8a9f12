extension Checker {
    /// Checks jobs as ``check(_:inFlight:each:)`` does, within the descriptors of the process.
    ///
    /// - Throws: what `each` throws.
    static func run(
        _ jobs: [CheckJob],
        _ request: CheckRequest,
        in context: Context,
        each: (Int, [CheckOutcome]) throws(CommandError) -> Void
    ) async throws(CommandError) {
        let descriptors = System.connectionLimit()
        let connections = jobs.reduce(1) { max($0, $1.variants?.mostConnections ?? 1) }
        let limit = max(1, min(request.connection.jobs ?? RequestDefaults.jobs, descriptors / connections))
        var checker = Checker(thread: context.thread, expecting: jobs.count, now: context.now)
        checker.connectionsToTarget = min(TargetVariants.connectionLimit, descriptors)
        if jobs.contains(where: { $0.variants?.settings.service != nil }) {
            checker.objection = ServiceTrust.objection(in: context)
        }
        try await checker.check(jobs, inFlight: limit, each: each)
    }
}
