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
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A host, host:port, [v6]:port, https URL or address.",
            valueName: "target"
        )
    )
    var targets: [String] = []

    @OptionGroup(title: "Pins and policy")
    var evaluation: EvaluationOptions

    @OptionGroup(title: "Names")
    var names: NameOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let settings = try OutputSettings(output)
        guard !targets.isEmpty else {
            throw .usage("no target is given: name a host, as in 'pincheck api.example.com'")
        }
        let jobs = try CheckPlan.jobs(targets: targets, names: names, connection: connection)
        let checker = Checker(
            evaluation: try evaluation.evaluation(for: jobs.map(\.referenceName), in: context),
            retries: try connection.retryCount(),
            thread: context.thread,
            now: context.now
        )
        let limit = min(try connection.jobCount(), System.connectionLimit())
        var writer = ResultWriter(settings, notes: checker.evaluation.notes, in: context)
        let status = try await checker.check(jobs, inFlight: limit) { report throws(CommandError) in
            try writer.add(report)
        }
        try writer.finish(exit: status)
        return status
    }
}
