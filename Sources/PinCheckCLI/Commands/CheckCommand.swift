import ArgumentParser

/// `pincheck check`: connects to servers and judges the chains they send.
struct CheckCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        _superCommandName: "pincheck",
        abstract: "Connect to servers and judge the chains they send.",
        discussion: """
            Is the server trusted, and valid for its name?
              pincheck api.example.com
            Would an app that ships this pin accept it?
              pincheck api.example.com --pins Pins/api.cer
            On one address, and as an app with HTTPDNS connects:
              pincheck api.example.com --connect 203.0.113.7
              pincheck https://203.0.113.7/ --host api.example.com
            With a private CA, and several servers at once, for machines:
              pincheck internal.example.com --anchors ca.pem
              pincheck a.example.com b.example.com:8443 --format json
              pincheck --targets hosts.txt --format jsonl
            With everything said of each host in one file:
              pincheck --policy Pins/pins.json5
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A host, host:port, [v6]:port, https URL or address.",
            valueName: "target"
        )
    )
    var targets: [String] = []

    @Option(
        name: .customLong("targets"),
        help: ArgumentHelp(
            """
            A list of targets, one a line: TARGET [connect=ADDR] [sni=NAME] [host=NAME] [verify-name=NAME] \
            [pins=SOURCE] [client=NAME], with # for comments; - is standard input. Repeatable.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var lists: [String] = []

    @Option(
        help: ArgumentHelp(
            "A policy (JSON5) with hosts and what each is checked by: all of them are, or those that are named as targets.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json5", "json"])
    )
    var policy: String?

    @OptionGroup(title: "Pins and policy")
    var evaluation: EvaluationOptions

    @OptionGroup(title: "Outlook")
    var outlook: OutlookOptions

    @OptionGroup(title: "Names")
    var names: NameOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Client certificate")
    var clientCertificate: ClientCertificateOptions

    @OptionGroup(title: "Variants")
    var variants: VariantOptions

    @OptionGroup(title: "Changes")
    var changes: ChangeOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    var exitConvention: ExitConvention? { (try? OutputSettings(output))?.exitConvention }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let settings = try OutputSettings(output)
        let checkTargets = try checkTargets(in: context)
        var loader = EvaluationLoader(in: context)
        let jobs = try CheckPlan.jobs(checkTargets, &loader)
        let hasVariants = jobs.contains { $0.variants != nil }
        let connections = hasVariants ? TargetVariants.connectionLimit : 1
        let limit = max(1, min(try connection.jobCount(), System.connectionLimit() / connections))
        var watch = try changes.watch(in: context)
        var writer = try ResultWriter(settings, notes: loader.notes, total: jobs.count, in: context)
        var checker = Checker(thread: context.thread, now: context.now)
        if jobs.contains(where: { $0.variants?.settings.service != nil }) {
            checker.objection = ServiceTrust.objection(in: context)
        }
        try await checker.check(jobs, inFlight: limit) { position, reports throws(CommandError) in
            try writer.add(reports, at: position)
            for report in reports { watch?.add(report, at: position) }
        }
        try watch?.finish()
        return try writer.finish()
    }

    /// The targets of the command line and of the lists, with what is said of each.
    private func checkTargets(in context: Context) throws(CommandError) -> [CheckTarget] {
        let names = try names.settings()
        let connection = try ConnectionSettings(connection)
        let evaluation = EvaluationSettings(evaluation, outlook)
        func checkTarget(_ target: Target) -> CheckTarget {
            CheckTarget(target: target, names: names, connection: connection, evaluation: evaluation)
        }
        var result: [CheckTarget] = []
        if let policy {
            let plan = PolicyPlan(
                names: self.names,
                connection: self.connection,
                evaluation: self.evaluation,
                outlook: outlook
            )
            let named = try targets.map { (text) throws(CommandError) in try Target(text) }
            result += try plan.targets(ofPolicyAt: policy, named: named)
        } else {
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
        if let identity = try clientCertificate.identity() {
            for index in result.indices { result[index].connection.clientIdentity = identity }
        }
        return result
    }

    /// Adds what the flags say of variants and of addresses; what a list or policy gives a target goes before them.
    private func addVariants(to targets: inout [CheckTarget], in context: Context) throws(CommandError) {
        let settings = try VariantSettings(variants)
        let addresses = try variants.givenAddresses(in: context)
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
