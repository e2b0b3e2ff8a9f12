import ArgumentParser

/// The targets of a command line: those named, those of lists, and those of a policy, with how to connect to them.
struct GivenTargets {
    /// The targets that are named.
    let targets: [String]
    /// The lists of targets.
    let lists: [String]
    /// The policy that names hosts.
    let policy: String?
    /// What the flags say of all of them.
    let names: NameOptions
    let connection: ConnectionOptions
    let clientCertificate: ClientCertificateOptions?
    let variants: VariantOptions?

    /// All targets, with what is said of each and nothing to judge them by.
    ///
    /// - Throws: ``CommandError`` for no target at all, and for one that cannot be understood.
    func unjudged(in context: Context) throws(CommandError) -> [CheckTarget] {
        guard policy != nil, let evaluation = try? EvaluationOptions.parse([]) else {
            return try checkTargets(EvaluationSettings(), in: context) { () throws(CommandError) in [] }
        }
        var targets = try judged(by: evaluation, OutlookSettings(), in: context)
        for index in targets.indices { targets[index].evaluation = EvaluationSettings() }
        return targets
    }

    /// All targets, with what is said of each and what they are judged by.
    ///
    /// - Throws: ``CommandError`` for no target at all, and for one that cannot be understood.
    func judged(
        by evaluation: EvaluationOptions,
        _ outlook: OutlookSettings,
        in context: Context
    ) throws(CommandError) -> [CheckTarget] {
        try checkTargets(EvaluationSettings(evaluation, outlook), in: context) { () throws(CommandError) in
            guard let policy else { return [] }
            let plan = PolicyPlan(names: names, connection: connection, evaluation: evaluation, outlook: outlook)
            let named = try targets.map { (text) throws(CommandError) in try Target(text) }
            return try plan.targets(ofPolicyAt: policy, named: named, in: context)
        }
    }

    private func checkTargets(
        _ evaluation: EvaluationSettings,
        in context: Context,
        ofPolicy: () throws(CommandError) -> [CheckTarget]
    ) throws(CommandError) -> [CheckTarget] {
        let names = try names.settings()
        let connection = try ConnectionSettings(connection)
        func checkTarget(_ target: Target) -> CheckTarget {
            CheckTarget(target: target, names: names, connection: connection, evaluation: evaluation)
        }
        var result = try ofPolicy()
        if policy == nil {
            for text in targets { result.append(checkTarget(try Target(text))) }
        }
        for path in lists {
            for line in try TargetList(path, in: context).lines {
                result.append(try line.checkTarget(checkTarget))
            }
        }
        guard !result.isEmpty else {
            guard lists.isEmpty else { throw .noInput("the list of targets is empty: write one target a line") }
            throw .usage("no target is given: name a host, as in 'pincheck api.example.com'")
        }
        try addVariants(to: &result, in: context)
        if let identity = try clientCertificate?.identity() {
            for index in result.indices { result[index].connection.clientIdentity = identity }
        }
        return result
    }

    /// Adds what the flags say of variants and of addresses; what a list or policy gives a target goes before them.
    private func addVariants(to targets: inout [CheckTarget], in context: Context) throws(CommandError) {
        guard let variants else { return }
        let settings = try VariantSettings(variants)
        let addresses = try variants.givenAddresses(of: try connection.addressFamily(), in: context)
        guard !settings.isEmpty || !addresses.isEmpty else { return }
        let given = try connection.addresses()
        guard settings.service == nil || given.isEmpty && addresses.isEmpty else {
            throw .usage("addresses are given and a service is to be asked for them: leave out one of the two")
        }
        for index in targets.indices {
            targets[index].variants = settings
            if !targets[index].hasOwnAddresses { targets[index].connection.addresses += addresses }
        }
    }
}

extension Checker {
    /// Checks jobs as ``check(_:inFlight:each:)`` does, within the descriptors of the process.
    ///
    /// - Throws: ``CommandError`` for a number of jobs that is none, and what `each` throws.
    static func run(
        _ jobs: [CheckJob],
        _ connection: ConnectionOptions,
        in context: Context,
        each: (Int, [CheckOutcome]) throws(CommandError) -> Void
    ) async throws(CommandError) {
        let connections = jobs.reduce(1) { max($0, $1.variants?.mostConnections ?? 1) }
        let limit = max(1, min(try connection.jobCount(), System.connectionLimit() / connections))
        var checker = Checker(thread: context.thread, expecting: jobs.count, now: context.now)
        if jobs.contains(where: { $0.variants?.settings.service != nil }) {
            checker.objection = ServiceTrust.objection(in: context)
        }
        try await checker.check(jobs, inFlight: limit, each: each)
    }
}
