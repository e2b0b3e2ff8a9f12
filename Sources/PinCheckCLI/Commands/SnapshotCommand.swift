import Base
import PinChecking
import PinFormats

extension Command {
    static let snapshot = Command(
        name: "snapshot", abstract: "Record what servers serve, to compare with later.",
        usage: "pincheck snapshot <target> ... [-o <file>] [<options>]",
        discussion: """
            Keep it beside the pins, in version control:
              pincheck snapshot api.example.com -o Pins/api.json
              pincheck diff Pins/api.json
            Each address of a name, and the certificate for each type of key:
              pincheck snapshot api.example.com --all-addresses -o Pins/api.json
              pincheck snapshot api.example.com --key-types rsa,ecdsa -o api.json

            A small JSON document with the chain of each endpoint: hashes, names,
            validity, issuers, key types. It holds nothing secret, and nothing that
            changes while the server does not. Nothing is judged. When an endpoint does
            not answer, it is not recorded, and the exit status is 2.
            """, arguments: [Argument(name: "target", help: "A target as for 'check'.", isRepeatable: true)],
        own: { [.targetsAndOutput] }, shared: { [.names, .connection, .clientCertificate, .variants] },
        run: { try await $0.snapshot() })
}

extension Invocation {
    func snapshot() async throws -> ExitStatus {
        let file = settings.outputs.first { $0 != "-" }
        if let file { try OutputFile.refuseMissingDirectory(of: file) }
        let lock = try OutputFile.lock(replaced: file, "this snapshot")
        defer { withExtendedLifetime(lock) {} }
        let request = try settings.connectingRequest(in: context)
        let targets = try TargetStream(
            settings.arguments, lists: settings.lists, policies: settings.policies, request, in: context
        ).all()
        // Reads pins only to note the files that configurations name: the snapshot must not overwrite them.
        for source in Set(targets.flatMap(\.request.judging.pins)) { _ = source.inspect() }
        try file.map(OutputFile.refuseReadFile) ?? OutputFile.refuseReadFile(behind: context.console.output)
        var policies = context.policies
        let checks = try Check.unpinned(targets, &policies, needsRoots: false)
        var endpoints: [Snapshot.Endpoint] = []
        var told = [[SafeText]](repeating: [], count: checks.count)
        var isWhole = true
        await Checker.run(checks, request, in: context.engine()) { position, target in
            endpoints += target.connections.compactMap { Snapshot.Endpoint($0) }
            for finding in target.connections.compactMap(\.judged?.interception) where finding.level == .warning {
                // `snapshot` lacks the option `--anchors` that the remedy names.
                let warning: SafeText = "Warning: \(targets[position].target.text): \(finding.reason.message)"
                if !told[position].contains(warning) { told[position].append(warning) }
            }
            for result in target.results() where (try? result.connection?.get()) == nil {
                let report = Report(result)
                let title = report.title + (report.variantLabel == nil ? "" : ",")
                told[position].append("Warning: \(title) did not answer: not recorded; \(report.reason.told)")
                isWhole = false
            }
        }
        for line in told.joined() { context.console.report(line) }
        guard !endpoints.isEmpty else {
            context.console.report("Error: nothing was recorded: no endpoint answered")
            return .unreachable
        }
        try OutputFile.deliver(JSONRenderer.document(Snapshot(endpoints)), to: file, in: context)
        return isWhole ? .pass : .unreachable
    }
}
