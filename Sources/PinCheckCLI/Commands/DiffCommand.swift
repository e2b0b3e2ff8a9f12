import ArgumentParser
import Base
import PinChecking
import PinFormats
import Pinning

/// `pincheck diff`: says what changed since a snapshot.
struct DiffCommand: RequestingCommand {
    static let name = "diff"
    static let configuration = CommandConfiguration(
        commandName: name, _superCommandName: "pincheck", abstract: "Say what changed since a snapshot.",
        usage: "pincheck diff <file> [<target|file> ...] [<options>]",
        discussion: """
            All endpoints of a snapshot, where and by the names they were recorded:
              pincheck diff Pins/api.json
            A renewal is fine and becomes the new baseline:
              pincheck diff Pins/api.json --allow renewed --update
            Do the pins hold as well?
              pincheck diff Pins/api.json --pins Pins
            Some targets; two files without a network:
              pincheck diff Pins/api.json api.example.com
              pincheck diff old.json new.json

            Changes, as --allow takes them:
            \(Change.Kind.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))

            Exit status: 0 nothing changed but what is allowed, 4 something else did,
            2 no answer. With --pins, --anchors or --client each chain is judged as
            'check' does, and 1 says that a client rejects one.
            """)

    @Argument(
        help: ArgumentHelp("A file of 'pincheck snapshot'; - is standard input.", valueName: "file"),
        completion: .file()) var baseline: String

    @Argument(
        help: ArgumentHelp("Targets (default: those of the file), or a newer file.", valueName: "target|file"),
        completion: .file()) var others: [String] = []

    @Option(
        help: ArgumentHelp(
            "A policy (JSON5) with the hosts, as for 'check'.", discussion: "'-' is standard input. Repeatable.",
            valueName: "file"), completion: .file()) var policy: [String] = []

    @OptionGroup(title: "Changes") var rotation: RotationOptions

    @OptionGroup(title: "Pins and clients") var evaluation: EvaluationOptions

    @OptionGroup(title: "Devices") var devices: DeviceOptions

    @OptionGroup(title: "Outlook") var outlook: OutlookOptions

    @OptionGroup(title: "Names") var names: NameOptions

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    @OptionGroup(title: "Client certificate") var clientCertificate: ClientCertificateOptions

    @OptionGroup(title: "Variants") var variants: VariantOptions

    @OptionGroup(title: "Output") var output: OutputOptions

    func request() throws(CommandError) -> CheckRequest {
        try CheckRequest(
            names: names, connection: connection, evaluation: evaluation, devices: devices, outlook: outlook,
            variants: variants)
    }

    var requestFiles: RequestFiles {
        RequestFiles(clientCertificate: clientCertificate, variants: variants, connects: true)
    }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let settings = try OutputSettings(output, in: context)
        let flags = try request()
        var roles = roles(flags, settings, in: context)
        try roles.refuseClashes()
        let request = try flags.reading(requestFiles, in: context)
        let baseline = try Baseline(reading: baseline, rotation, in: context)
        if others.count == 1, policy.isEmpty, let newer = others.first, newer == "-" || PinFile.isThere(newer) {
            return try compare(baseline, with: newer, isJudged: isJudged(request), settings, in: context)
        }
        if let missing = others.first(where: Self.looksLikeFile) {
            throw .noInput(
                "\(quoted(missing)): there is no such file: name a snapshot, or a target as host or https URL")
        }
        var loader = context.loader
        let jobs =
            try others.isEmpty && policy.isEmpty
            ? recordedJobs(of: baseline, request, &loader) : namedJobs(request, &loader, &roles, in: context)
        var writer = try ResultWriter(settings, notes: loader.notes, total: jobs.count, in: context)
        var comparison = BaselineComparison(with: baseline)
        try await Checker.run(jobs, request, in: context.surroundings) { position, target throws(CommandError) in
            let states = comparison.states(of: target)
            try writer.add(target.results(since: states), at: position)
        }
        let status = try writer.finish()
        baseline.reportUnasked(comparison.unasked, in: context)
        if rotation.update { try baseline.update(to: comparison.updated, after: status, in: context) }
        return status
    }

    private func roles(_ request: CheckRequest, _ settings: OutputSettings, in context: Context) -> FileRoles {
        var roles = FileRoles(in: context, writesStandardOutput: settings.usesStandardOutput)
        roles.add(settings.outputs)
        if rotation.update {
            roles.writes(baseline, as: "the snapshot")
        } else {
            roles.reads(baseline, as: "the snapshot")
        }
        roles.reads(others, as: "the newer snapshot")
        roles.reads(policy, as: "--policy")
        roles.add(request.judging)
        roles.add(requestFiles)
        return roles
    }

    /// Whether the chains are judged beside being compared.
    private func isJudged(_ request: CheckRequest) -> Bool {
        !policy.isEmpty || request.judging != CheckRequest.Judging()
    }

    /// Whether an argument that is no file can only have been meant as one.
    private static func looksLikeFile(_ argument: String) -> Bool {
        guard !argument.contains("://"), !PinFile.isThere(argument) else { return false }
        return argument.hasSuffix(".json") || argument.contains("/")
    }

    // MARK: Servers

    private func namedJobs(
        _ request: CheckRequest, _ loader: inout EvaluationLoader, _ roles: inout FileRoles, in context: Context
    ) throws(CommandError) -> [CheckJob] {
        let targets = try GivenTargets(targets: others, policies: policy, request: request).read(in: context)
        roles.add(targets)
        try roles.refuseClashes()
        return try CommandError.reading { () throws(CheckError) in
            try isJudged(request) ? CheckPlan.jobs(targets, &loader) : CheckPlan.unjudgedJobs(targets)
        }
    }

    private func recordedJobs(
        of baseline: Baseline, _ request: CheckRequest, _ loader: inout EvaluationLoader
    ) throws(CommandError) -> [CheckJob] {
        guard request.connection.addresses.all.isEmpty, request.connection.serverName == nil,
            request.names == CheckRequest.Names(), request.variants.isEmpty
        else {
            throw .usage(
                "the snapshot says where to connect, how and by which names: name the targets to say otherwise")
        }
        guard !baseline.snapshot.endpoints.isEmpty else {
            throw .noInput("\(quoted(baseline.path)) holds no endpoint: name the targets")
        }
        let isJudged = isJudged(request)
        return try CommandError.reading { () throws(CheckError) in
            try baseline.jobs(request.connection) { endpoint throws(CheckError) in
                isJudged ? try loader.evaluation(request.judging, for: endpoint) : nil
            }
        }
    }

    // MARK: Files

    private func compare(
        _ baseline: Baseline, with path: String, isJudged: Bool, _ settings: OutputSettings, in context: Context
    ) throws(CommandError) -> ExitStatus {
        guard !isJudged else {
            throw .usage(
                "snapshots hold hashes of certificates, which nothing can be verified by: name targets to judge")
        }
        let newer = try SnapshotFile.read(path, in: context)
        var writer = try ResultWriter(settings, notes: [], in: context)
        let changes =
            newer.endpoints.map { ($0, baseline.changes(at: $0)) }
            + baseline.missing(from: newer.endpoints).map {
                ($0.endpoint, baseline.described([$0.change], at: $0.endpoint))
            }
        for (position, change) in changes.enumerated() {
            let result = CheckResult(of: change.0, changes: change.1, time: context.now())
            try writer.add([result], at: position)
        }
        guard !changes.isEmpty else {
            throw .noInput("neither snapshot holds an endpoint: there is nothing to compare")
        }
        let status = try writer.finish()
        if rotation.update { try baseline.update(to: newer, after: status, in: context) }
        return status
    }
}
