import ArgumentParser
import Text

/// The targets of a command line: those named, those of lists, and those of a policy, with how to connect to them.
struct GivenTargets {
    /// The targets that are named.
    let targets: [String]
    /// The lists of targets.
    let lists: [String]
    /// The policies that name hosts.
    let policies: [String]
    /// What the flags say of all of them.
    let names: NameOptions
    let connection: ConnectionOptions
    let clientCertificate: ClientCertificateOptions?
    let variants: VariantOptions?

    /// All targets, with what is said of each and nothing to judge them by.
    ///
    /// - Throws: ``CommandError`` for no target at all, and for one that cannot be understood.
    func unjudged(in context: Context) throws(CommandError) -> [CheckTarget] {
        guard !policies.isEmpty, let evaluation = try? EvaluationOptions.parse([]) else {
            return try checkTargets(EvaluationSettings(), ofPolicies: nil, in: context)
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
        let plan = PolicyPlan(names: names, connection: connection, evaluation: evaluation, outlook: outlook)
        return try checkTargets(
            EvaluationSettings(evaluation, outlook),
            ofPolicies: policies.isEmpty ? nil : try PolicyHosts(policies, plan, in: context),
            in: context
        )
    }

    private func checkTargets(
        _ evaluation: EvaluationSettings,
        ofPolicies policyHosts: PolicyHosts?,
        in context: Context
    ) throws(CommandError) -> [CheckTarget] {
        let names = try names.settings()
        let connection = try ConnectionSettings(connection)
        func checkTarget(_ target: Target) -> CheckTarget {
            CheckTarget(target: target, names: names, connection: connection, evaluation: evaluation)
        }
        var result: [CheckTarget] = []
        let named = try targets.map { (text) throws(CommandError) in try Target(text) }
        if let policyHosts {
            if lists.isEmpty || !named.isEmpty { result = try policyHosts.targets(named: named) }
        } else {
            result = named.map(checkTarget)
        }
        for path in lists {
            for line in try TargetList(path, in: context).lines {
                guard let policyHosts else {
                    result.append(line.applied(to: checkTarget(line.target)))
                    continue
                }
                do throws(CommandError) {
                    result += try policyHosts.targets(named: [line.target]).map(line.applied)
                } catch {
                    throw error.at(line.place)
                }
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
        let descriptors = System.connectionLimit()
        let connections = jobs.reduce(1) { max($0, $1.variants?.mostConnections ?? 1) }
        let limit = max(1, min(try connection.jobCount(), descriptors / connections))
        var checker = Checker(thread: context.thread, expecting: jobs.count, now: context.now)
        checker.connectionsToTarget = min(TargetVariants.connectionLimit, descriptors)
        if jobs.contains(where: { $0.variants?.settings.service != nil }) {
            checker.objection = ServiceTrust.objection(in: context)
        }
        try await checker.check(jobs, inFlight: limit, each: each)
    }
}
