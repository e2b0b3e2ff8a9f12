import ArgumentParser
import Base
import PinChecking
import PinFormats
import TLSProbe

/// `pincheck snapshot`: records what servers serve.
struct SnapshotCommand: RequestingCommand {
    static let name = "snapshot"
    static let configuration = CommandConfiguration(
        commandName: name, _superCommandName: "pincheck", abstract: "Record what servers serve, to compare with later.",
        usage: "pincheck snapshot <target> ... [-o <file>] [<options>]",
        discussion: """
            Keep it beside the pins, in version control:
              pincheck snapshot api.example.com -o Pins/api.json
              pincheck diff Pins/api.json
            Each address of a name, and the certificate for each type of key:
              pincheck snapshot api.example.com --all-addresses -o Pins/api.json
              pincheck snapshot api.example.com --key-types rsa,ecdsa -o Pins/api.json

            A small JSON document (its schema: 'pincheck schema snapshot') with the chain
            of each endpoint: hashes, names, validity, issuers, key types. It holds
            nothing secret, and nothing that changes while the server does not. Nothing
            is judged. When an endpoint does not answer, the exit status is 2 and no
            file is written, unless --partial is given.
            """)

    @Argument(help: ArgumentHelp("A target as for 'check'.", valueName: "target")) var targets: [String] = []

    @Option(
        name: .customLong("targets"),
        help: ArgumentHelp(
            "A list of targets, as for 'check'.", discussion: "'-' is standard input. Repeatable.", valueName: "file"),
        completion: .file()) var lists: [String] = []

    @Option(
        help: ArgumentHelp(
            "A policy (JSON5) with the hosts, as for 'check'.", discussion: "'-' is standard input. Repeatable.",
            valueName: "file"), completion: .file()) var policy: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file (default: standard output).", discussion: "It is written whole or not at all.",
            valueName: "file"), completion: .file()) var output: String?

    @Flag(help: "Write what answered, even if not all did.") var partial = false

    @OptionGroup(title: "Names") var names: NameOptions

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    @OptionGroup(title: "Client certificate") var clientCertificate: ClientCertificateOptions

    @OptionGroup(title: "Variants") var variants: VariantOptions

    func request() throws(CommandError) -> CheckRequest {
        try CheckRequest(names: names, connection: connection, variants: variants)
    }

    var requestFiles: RequestFiles {
        RequestFiles(
            clientCertificate: clientCertificate, variants: variants, connection: connection,
            readsTargets: !(lists.isEmpty && policy.isEmpty))
    }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let flags = try request()
        var roles = FileRoles(in: context, writesStandardOutput: output == nil || output == "-")
        roles.writes(output, as: "--output")
        roles.reads(lists, as: "--targets")
        roles.reads(policy, as: "--policy")
        roles.add(requestFiles)
        try roles.refuseClashes()
        if let output, output != "-" { try OutputFile.refuseMissingDirectory(of: output) }
        let request = try flags.reading(requestFiles, in: context)
        let given = GivenTargets(
            targets: targets, lists: lists, policies: policy, request: request,
            example: "pincheck snapshot api.example.com -o api.json")
        let targets = try given.read(in: context)
        // Their pins are not read here, and would be gone all the same.
        roles.add(targets)
        try roles.refuseClashes()
        try refuseOutput(readBy: targets, in: context)
        let jobs = try CommandError.reading { () throws(CheckError) in try CheckPlan.unjudgedJobs(targets) }
        var endpoints: [Snapshot.Endpoint] = []
        var silent: [(position: Int, report: Report)] = []
        var watch = StrangerWatch(environment: context.environment, at: context.now())
        var warnings: [(position: Int, finding: Finding)] = []
        await Checker.run(jobs, request, in: context.surroundings) { position, target in
            endpoints += target.connections.compactMap { Snapshot.Endpoint($0) }
            for presented in Set(target.connections.compactMap(\.served?.presented)) {
                let finding = watch.finding(on: presented, targets[position].request.judging.trust)
                guard let finding, finding.level == .warning else { continue }
                if !warnings.contains(where: { $0 == (position, finding) }) { warnings.append((position, finding)) }
            }
            let reports = target.results().filter { (try? $0.connection?.get()) == nil }.map(Report.init)
            silent += reports.map { (position, $0) }
        }
        for (_, report) in silent.sorted(by: { $0.position < $1.position }) {
            context.console.report("Error: \(report.title): \(report.reason.message)")
        }
        for (position, finding) in warnings.sorted(by: { $0.position < $1.position }) {
            // There is no --anchors here for the remedy to name.
            context.console.report("Warning: \(targets[position].target.text): \(finding.reason.message)")
        }
        guard silent.isEmpty || partial && !endpoints.isEmpty else {
            context.console.report(
                "Error: nothing was recorded: not every endpoint answered (--partial records the others)")
            return .unreachable
        }
        let document = try SnapshotFile.document(Snapshot(endpoints))
        if let output, output != "-" {
            try OutputFile.write(Array(document.utf8), to: output)
        } else {
            var writer = LineWriter(context.console.output)
            try writer.write(text: document)
        }
        return silent.isEmpty ? .pass : .unreachable
    }

    /// Throws when the output is a file that a configuration among the pins of the targets names.
    ///
    /// Their pins are read for that and for nothing else: whether they are good is no matter of a snapshot.
    private func refuseOutput(readBy targets: [CheckTarget], in context: Context) throws(CommandError) {
        let file = output == "-" ? nil : output
        guard file != nil || context.console.output.isFile else { return }
        for source in Set(targets.flatMap(\.request.judging.pins)) { _ = source.inspect() }
        if let file {
            try OutputFile.refuseReadFile(file)
        } else {
            try OutputFile.refuseReadFile(behind: context.console.output)
        }
    }
}
