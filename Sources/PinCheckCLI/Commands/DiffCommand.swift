import Base
import PinChecking
import PinFormats
import X509

extension Command {
    static let diff = Command(
        name: "diff", abstract: "Say what changed since a snapshot.",
        usage: "pincheck diff <file> [<target|file> ...] [<options>]",
        discussion: """
            All endpoints of a snapshot, where and by the names they were recorded:
              pincheck diff Pins/api.json
            A renewal is fine and becomes the new baseline:
              pincheck diff Pins/api.json --allow renewed --update
            Do the pins hold as well?
              pincheck diff Pins/api.json --pins Pins
            Is the chain that was renewed the one that is served?
              pincheck diff new.pem api.example.com
            Some targets; two files without a network:
              pincheck diff Pins/api.json api.example.com
              pincheck diff old.json new.json

            Changes, as --allow takes them:
            \(Change.Kind.allCases.map { "  \($0.id): \($0.summary)" }.joined(separator: "\n"))

            Exit status: 0 nothing changed but what is allowed, 4 something else did,
            2 no answer. With --pins, --anchors or --client each chain is judged as
            'check' does, and 1 says that a client rejects one.
            """,
        arguments: [
            Argument(
                name: "file", help: "A file of 'pincheck snapshot', or a chain; - is standard input.", isRequired: true,
                values: .file),
            Argument(
                name: "target|file", help: "Targets (default: those of the file), or a newer file.", isRepeatable: true,
                values: .file),
        ], own: { [.policyAndChanges, .output] },
        shared: { [.judging, .devices, .outlook, .names, .connection, .clientCertificate, .variants] },
        run: { try await $0.diff() })
}

extension Invocation {
    func diff() async throws -> ExitStatus {
        let outputs = try settings.outputs(in: context)
        let others = Array(settings.arguments.dropFirst())
        let request = try settings.connectingRequest(in: context)
        let path = settings.arguments[0]
        let lock = try settings.updatesBaseline ? OutputFile.lock(replaced: path, "this baseline") : nil
        defer { withExtendedLifetime(lock) {} }
        let bytes = try context.contents(of: path)
        var policies = context.policies
        if PEM.looksLikePEM(bytes) || bytes.first == 0x30 {
            guard !(others.isEmpty && settings.policies.isEmpty), !settings.updatesBaseline else {
                throw Problem.usage(
                    "a chain is what targets should serve: name them behind it, without --update, which rewrites snapshots"
                )
            }
            let chain = try Self.chain(in: bytes, called: path)
            let checks = try checks(of: others, request, &policies)
            let baseline = Baseline(path, standing: chain, for: checks, allowing: settings.allowed)
            return try await run((checks, nil, checks.count), request, since: baseline, outputs, notes: policies.notes)
        }
        let baseline = try Baseline(path, bytes, settings)
        if others.count == 1, settings.policies.isEmpty, let newer = others.first,
            newer == "-" || PinFile.isThere(newer)
        {
            return try compare(baseline, with: newer, isJudged: isJudged(request), outputs)
        }
        if let missing = others.first(where: { PinFile.isMeant(by: $0) && !PinFile.isThere($0) }) {
            throw Problem.noInput(
                "\(quoted(missing)): there is no such file: name a snapshot, or a target as host or https URL")
        }
        let checks =
            try others.isEmpty && settings.policies.isEmpty
            ? recordedChecks(of: baseline, request, &policies) : checks(of: others, request, &policies)
        return try await run((checks, nil, checks.count), request, since: baseline, outputs, notes: policies.notes)
    }

    private func checks(
        of targets: [String], _ request: CheckRequest, _ policies: inout Policies
    ) throws(Problem) -> [Check] {
        let targets = try TargetStream(targets, policies: settings.policies, request, in: context)
        return try isJudged(request) ? targets.plan(&policies).checks : Check.unjudged(targets.all())
    }

    private func isJudged(_ request: CheckRequest) -> Bool {
        var judging = request.judging
        // Options that set only the outlook or another day do not ask for verdicts.
        (judging.outlook, judging.time) = (OutlookRules(), nil)
        return !settings.policies.isEmpty || judging != CheckRequest.Judging()
    }

    private func recordedChecks(
        of baseline: Baseline, _ request: CheckRequest, _ policies: inout Policies
    ) throws -> [Check] {
        guard request.connection.addresses.all.isEmpty, request.connection.serverName == nil,
            request.names == CheckRequest.Names(), request.variants.isEmpty
        else {
            throw Problem.usage(
                "the snapshot says where to connect, how and by which names: name the targets to say otherwise")
        }
        guard !baseline.snapshot.endpoints.isEmpty else {
            throw Problem.noInput("\(quoted(baseline.path)) holds no endpoint: name the targets")
        }
        let isJudged = isJudged(request)
        return try baseline.checks(request.connection) { endpoint throws(Problem) in
            isJudged ? try policies.policy(request.judging, for: endpoint.referenceName, url: endpoint.urlHost) : nil
        }
    }

    private func compare(
        _ baseline: Baseline, with path: String, isJudged: Bool, _ outputs: [FormOutput<OutputForm>]
    ) throws -> ExitStatus {
        guard !isJudged else {
            throw Problem.usage(
                "snapshots hold hashes of certificates, which nothing can be verified by: name targets to judge")
        }
        let newer = try Snapshot.snapshot(in: context.contents(of: path), at: path)
        var writer = try ResultWriter(settings, outputs, notes: [], in: context)
        let changes = newer.endpoints.map { ($0, baseline.changes(at: $0)) } + baseline.missing(from: newer.endpoints)
        for (position, change) in changes.enumerated() {
            let result = CheckResult(of: change.0, changes: change.1, time: context.now())
            try writer.add([result], at: position)
        }
        guard !changes.isEmpty else {
            throw Problem.noInput("neither snapshot holds an endpoint: there is nothing to compare")
        }
        let status = try writer.finish()
        if settings.updatesBaseline { try baseline.update(to: newer, after: status, in: context) }
        return status
    }
}

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
        try file.map(OutputFile.refuseReadFile) ?? OutputFile.refuseReadFile(behind: console.output)
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
        for line in told.joined() { console.report(line) }
        guard !endpoints.isEmpty else {
            console.report("Error: nothing was recorded: no endpoint answered")
            return .unreachable
        }
        try OutputFile.deliver(JSONRenderer.document(Snapshot(endpoints)), to: file, in: context)
        return isWhole ? .pass : .unreachable
    }
}
