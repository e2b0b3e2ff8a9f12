import Base
import PinChecking
import PinFormats
import X509

extension Command {
    static let pins = Command(
        name: "pins", abstract: "Print the pins of a server, a file or a configuration.",
        usage: "pincheck pins <target|file> ... [<options>]",
        discussion: """
            The pin of each certificate on the chain:
              pincheck pins api.example.com
            A block ready to paste, with a backup key of your own:
              pincheck pins api.example.com --key backup.key --format trustkit
              pincheck pins api.example.com --position intermediate --format okhttp
            The certificates as files for an app bundle:
              pincheck pins api.example.com --save Pins
            Of what is not installed yet, without a network:
              pincheck pins next.csr backup.pub --host api.example.com -f android

            One client's configuration, an app or a list of pins as another's configuration:
              pincheck pins --from res/xml/network_security_config.xml -f trustkit
              pincheck pins --from App.ipa --format okhttp
            A rule that decides and the other format cannot say is an error.

            Which pins to ship, with the reason and the date of each:
              pincheck pins api.example.com --recommend
              pincheck pins api.example.com --recommend --key backup.key -f android

            A server is judged first, with its staple. When it is rejected, the pins are
            printed with a warning, nothing is saved, and the exit status is 1.
            """,
        arguments: [
            Argument(
                name: "target|file", help: "A target as for 'check', or a file.",
                detail: "A file of certificates, requests, keys or pins; '-' is standard input.", isRepeatable: true,
                values: .file)
        ], own: { [.pins, .trust, .pinsOutput] }, shared: { [.names, .connection] }, run: { try await $0.pins() })
}

extension Invocation {
    func pins() async throws -> ExitStatus {
        let sources = settings.arguments
        guard !sources.isEmpty || !settings.keyFiles.isEmpty || !settings.pinSources.isEmpty else {
            throw Problem.usage("nothing is given to pin: name a host or a file, as in 'pincheck pins api.example.com'")
        }
        PolicyHosts.noteFiles(namedIn: settings.pinSources, in: context)
        try Hashing.require()
        var targets: [String] = []
        var files: [KeySource] = []
        let request = try settings.connectingRequest(in: context)
        let host = request.names.host?.host.description
        for argument in sources {
            if let found = try file(argument, host: host) { files += found } else { targets.append(argument) }
        }
        for source in settings.pinSources {
            let reading = try PinInput.pinning(try PinSource(source).read(), at: .at(source))
            files += self.sources(source, .reading(reading), host: host)
        }
        let keys = try settings.keyFiles.map { KeySource(file: $0, items: [try KeyFile.publicHalf(ofKeyFile: $0)]) }

        var policies = context.policies
        let policy = try policies.policy(request.judging.unpinned, for: .unchecked)
        var all = try await servers(targets, request, by: &policies) + files
        var spares = keys
        if settings.recommends {
            spares += all.filter { $0.endpoint == nil && $0.presented == nil }
            all.removeAll { $0.endpoint == nil && $0.presented == nil }
            guard !all.isEmpty else {
                throw Problem.noInput("--recommend is about a server: name a host, or a file with its chain")
            }
            if let authority = spares.lazy.flatMap(\.items).first(where: \.role.isAuthority) {
                throw Problem.usage(
                    "\(quoted(authority.source)) is a CA's certificate, and no key in reserve: give the roots of your CA as "
                        + "--anchors")
            }
        }
        let reserves = spares.map { $0.asReserve(beside: all) }
        for unfit in reserves.flatMap(\.unfit) { console.report("Warning: \(unfit)") }
        if settings.recommends {
            // Curl compares only the server's own key.
            let recommender = PinRecommender(
                by: context.caRoots ?? CARoot.published, reserve: reserves.flatMap(\.source.items),
                comparesServerKeyOnly: settings.pinForm == PinBlockFormat.curl.rawValue, judgingBy: policy,
                at: context.now())
            all = all.map(recommender.recommending)
        } else if targets.isEmpty || all.contains(where: { !$0.items.isEmpty }) {
            all += reserves.map(\.source).filter { !$0.items.isEmpty }
        } else if !reserves.isEmpty {
            // A block with only the backup would lock out every app for as long as the server keeps its key.
            console.report("Warning: no pin is written for --key alone: the pins of the server are missing")
        }
        if let positions = settings.positions {
            for index in all.indices { all[index].items.removeAll { !positions.contains($0.role) } }
        }
        let status = ExitStatus.worst(all.map(ExitStatus.init))
        guard
            all.contains(where: {
                $0.hasNoVerdict || !$0.items.isEmpty || $0.group != nil && settings.positions == nil
            })
        else {
            throw Problem.noInput(
                settings.positions.map {
                    "no certificate stands at --position \(quoted($0.map(\.rawValue).sorted().joined(separator: ","))): leave "
                        + "it out to see all"
                } ?? "nothing was found that can be pinned: name a server, or a file of certificates, keys or pins")
        }
        let pinsAll = settings.positions != nil || all.allSatisfy { $0.items.allSatisfy(\.role.isAuthority) }
        let result = PinsResult(sources: all, host: host, pinsAll: pinsAll, time: context.now(), exit: status)
        try result.write(settings, in: context)
        return status
    }

    private func servers(
        _ targets: [String], _ request: CheckRequest, by policies: inout Policies
    ) async throws -> [KeySource] {
        let targets = try targets.map { CheckTarget(try Target($0), request) }
        let checks = try Check.unpinned(targets, &policies)
        var found = [[KeySource]](repeating: [], count: checks.count)
        await Checker.run(checks, request, in: context.engine()) { position, target in
            found[position] = KeySource.all(of: target, keyTypes: request.variants.keyTypes)
        }
        let sources = found.flatMap(\.self)
        if let missing = sources.lazy.compactMap(\.missingRoots).first {
            console.report("Warning: \(missing.reason.told)")
        }
        return sources
    }

    /// The keys of a file; `nil` if `argument` is a target; pins without a host of their own are for `host`.
    private func file(_ argument: String, host: String?) throws -> [KeySource]? {
        if argument == "-" {
            let (bytes, name) = (try context.contents(of: argument), "standard input")
            return sources(name, try PinInput.read(PinFile(path: name, bytes: bytes)), host: host)
        }
        if PinFile.isThere(argument) { return sources(argument, try PinInput.read(argument), host: host) }
        guard !PinFile.isMeant(by: argument) else {
            throw Problem.noInput("\(quoted(argument)): there is no such file")
        }
        return nil
    }

    private func sources(_ name: String, _ input: PinInput, host: String?) -> [KeySource] {
        switch input {
        case .items(let items): return [KeySource(file: name, items: items)]
        case .reading(let reading):
            for note in reading.notes { console.report("Note: \(note)") }
            // Remarks on pins in code are comments in any list; a terminal shows them below the configuration.
            for line in reading.code.flatMap({ $0.lines($0.new) }) { console.report("\(line)") }
            return PinGroup.groups(of: reading, host: host).map(KeySource.init)
        }
    }
}
