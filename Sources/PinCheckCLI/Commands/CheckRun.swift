/// What `pincheck check` does, apart from how its command line is parsed.
///
/// The options that few calls have are `nil` or empty where nobody gives them: see ``OrdinaryCheckCommand``.
struct CheckRun {
    let targets: [String]
    var lists: [String] = []
    var policy: String? = nil
    var baseline: String? = nil
    var rotation: RotationOptions? = nil
    let evaluation: EvaluationOptions
    var outlook = OutlookSettings()
    let names: NameOptions
    let connection: ConnectionOptions
    var clientCertificate: ClientCertificateOptions? = nil
    var variants: VariantOptions? = nil
    var changes: ChangeOptions? = nil
    let output: OutputOptions

    /// Checks and reports.
    ///
    /// - Returns: the worst status of all results.
    /// - Throws: ``CommandError`` when there is nothing to check, or no way to say what came of it.
    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let settings = try OutputSettings(output)
        let baseline = try givenBaseline(in: context)
        let given = GivenTargets(
            targets: targets,
            lists: lists,
            policy: policy,
            names: names,
            connection: connection,
            clientCertificate: clientCertificate,
            variants: variants
        )
        let checkTargets = try given.judged(by: evaluation, outlook, in: context)
        var loader = EvaluationLoader(in: context)
        let jobs = try CheckPlan.jobs(checkTargets, &loader)
        var watch = try changes?.watch(in: context)
        var comparison = baseline.map(BaselineWatch.init)
        var writer = try ResultWriter(settings, notes: loader.notes, total: jobs.count, in: context)
        try await Checker.run(jobs, connection, in: context) { position, outcomes throws(CommandError) in
            let reports = comparison?.compared(outcomes) ?? outcomes.map(\.report)
            try writer.add(reports, at: position)
            for report in reports { watch?.add(report, at: position) }
        }
        try watch?.finish()
        let status = try writer.finish()
        if let rotation, rotation.update { try comparison?.update(after: status, in: context) }
        return status
    }

    private func givenBaseline(in context: Context) throws(CommandError) -> Baseline? {
        guard let rotation else { return nil }
        guard let baseline else {
            guard rotation.allow.isEmpty, !rotation.update else {
                throw .usage("--allow and --update are about a baseline: give --baseline FILE")
            }
            return nil
        }
        return try Baseline(baseline, rotation, in: context)
    }
}
