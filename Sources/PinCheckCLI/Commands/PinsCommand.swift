import ArgumentParser
import Base
import PinChecking
import PinFormats
import Pinning
import TLSProbe
import X509

/// `pincheck pins`: the pins of a server's chain or of files, in the notation of every client.
struct PinsCommand: RequestingCommand {
    static let name = "pins"
    static let configuration = CommandConfiguration(
        commandName: name, _superCommandName: "pincheck",
        abstract: "Print the pins of a server, a certificate, a key or a configuration.",
        usage: "pincheck pins <target|file> ... [<options>]",
        discussion: """
            Every notation of every pin on the chain:
              pincheck pins api.example.com
            A block ready to paste, with a backup key of your own:
              pincheck pins api.example.com --key backup.key --format trustkit
              pincheck pins api.example.com --position intermediate --format okhttp
            The certificates as files for an app bundle:
              pincheck pins api.example.com --save Pins
            Of what is not installed yet, without a network:
              pincheck pins next.csr backup.pub --host api.example.com --format android

            One client's configuration, an app or a list of pins as another's configuration:
              pincheck pins --from res/xml/network_security_config.xml --format trustkit
              pincheck pins --from App.ipa --format okhttp
            What the other format cannot say is a warning, and a comment in the block.

            Which pins to ship, with the reason and the date of each:
              pincheck pins api.example.com --recommend
              pincheck pins api.example.com --recommend --key backup.key --format android

            A server's chain is verified first. When it is not trusted, or not for the
            name, the pins are printed with a warning and the exit status is 1.
            """)

    @Argument(
        help: ArgumentHelp(
            "A target as for 'check', or a file.",
            discussion: "A file of certificates, requests, keys or pins; '-' is standard input.",
            valueName: "target|file"), completion: .file()) var sources: [String] = []

    @Option(
        help: ArgumentHelp(
            "Pin the public half of this private key.",
            discussion: "For every host; nothing else of it is shown. Repeatable.", valueName: "file"),
        completion: .file()) var key: [String] = []

    @Option(
        help: ArgumentHelp(
            "Pins in any form that 'check --pins' takes.",
            discussion: "A configuration, a directory, an .ipa, a list. Repeatable.", valueName: "source"),
        completion: .file()) var from: [String] = []

    @Option(
        help: ArgumentHelp(
            "Ask the server for each type of key, too.",
            discussion: "Any of rsa, ecdsa and ed25519 with commas, or all. A server can have a certificate for each.",
            valueName: "types")) var keyTypes: String?

    @Flag(
        help: ArgumentHelp(
            "Say which pins to ship, and why.",
            discussion: """
                The server's key and one in reserve, where a --key, a request or a public key is given; else the roots that its CA \
                issues below.
                """)) var recommend = false

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup(title: "Names") var names: NameOptions

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    @OptionGroup(title: "Output") var output: PinsOutputOptions

    func request() throws(CommandError) -> CheckRequest {
        var request = try CheckRequest(names: names, connection: connection, trust: trust)
        if let keyTypes { request.variants.keyTypes = try VariantOptions.keyTypes(keyTypes) }
        return request
    }

    var requestFiles: RequestFiles { RequestFiles(connection: connection) }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let settings = try PinsOutputSettings(output)
        if recommend {
            guard from.isEmpty else { throw .usage("--from is what is converted: leave it out with --recommend") }
            guard settings.positions == nil else {
                throw .usage("--recommend chooses the positions itself: leave out --position")
            }
        }
        guard !sources.isEmpty || !key.isEmpty || !from.isEmpty else {
            throw .usage("nothing is given to pin: name a host or a file, as in 'pincheck pins api.example.com'")
        }
        var roles = FileRoles(in: context)
        roles.reads(sources, as: "what is pinned")
        roles.reads(key, as: "--key")
        roles.reads(from, as: "--from")
        roles.addFiles(namedByPolicies: from, in: context)
        roles.reads(trust.anchors, as: "--anchors")
        roles.add(requestFiles)
        try roles.refuseClashes()
        try CommandError.reading(OpenSSLHealth.require)
        var targets: [String] = []
        var files: [KeySource] = []
        let request = try request().reading(requestFiles, in: context)
        let host = request.names.host?.name.description
        for argument in sources {
            if let found = try PinArguments.file(argument, host: host, in: context) {
                files += found
            } else {
                targets.append(argument)
            }
        }
        for source in from { files += try PinArguments.source(source, host: host, in: context) }
        let keys = try key.map { (path) throws(CommandError) in try PinArguments.keyFile(path) }

        let roots = try CommandError.reading { () throws(CheckError) in
            try TrustAnchors.read(request.judging.trust, environment: context.environment)
        }
        var all = try await servers(targets, request, by: roots, in: context) + files
        var spares = keys
        if recommend {
            spares += all.filter { $0.endpoint == nil && $0.presented == nil }
            all.removeAll { $0.endpoint == nil && $0.presented == nil }
            guard !all.isEmpty else {
                throw .noInput("--recommend is about a server: name a host, or a file with its chain")
            }
            if let authority = spares.lazy.flatMap(\.items).first(where: \.role.isAuthority) {
                throw .usage(
                    "\(quoted(authority.source)) is a CA's certificate, and no key in reserve: give the roots of your CA as "
                        + "--anchors")
            }
        }
        let reserves = spares.map { $0.asReserve(beside: all) }
        for unfit in reserves.flatMap(\.unfit) { context.console.report("Warning: \(unfit)") }
        if recommend {
            let recommender = PinRecommender(
                by: context.authorities(), reserve: reserves.flatMap(\.source.items),
                comparesServerKeyOnly: settings.comparesServerKeyOnly, trusting: roots.store, given: roots.given,
                at: context.now())
            all = all.map(recommender.recommending)
        } else if targets.isEmpty || all.contains(where: { !$0.items.isEmpty }) {
            all += reserves.map(\.source).filter { !$0.items.isEmpty }
        } else {
            // A block of the reserve alone would lock everybody out for as long as the server keeps its key.
            context.console.report("Warning: no pin is written for --key alone: the pins of the server are missing")
        }
        if let positions = settings.positions {
            for index in all.indices { all[index].items.removeAll { !positions.contains($0.role) } }
        }
        let status = ExitStatus.worst(all.map(ExitStatus.init))
        guard
            status == .unreachable
                || all.contains(where: { !$0.items.isEmpty || $0.group != nil && settings.positions == nil })
        else {
            throw .noInput(
                output.position.map { "no certificate stands at --position \(quoted($0)): leave it out to see all" }
                    ?? "nothing was found that can be pinned: name a server, or a file of certificates, keys or pins")
        }
        var writer = try PinsWriter(settings, host: host, in: context)
        try writer.write(all, exit: status)
        return status
    }

    /// Connects to targets and verifies what they send.
    private func servers(
        _ targets: [String], _ request: CheckRequest,
        by roots: (store: TrustStore, name: Evaluation.Trust, given: TrustStore?), in context: Context
    ) async throws(CommandError) -> [KeySource] {
        let endpoints = try CommandError.reading { () throws(RequestError) in
            let checkTargets = try targets.map { (text) throws(RequestError) in
                CheckTarget(target: try Target(text), request: request)
            }
            let endpoints = try checkTargets.map { (target) throws(RequestError) in try target.endpoints() }
            try CheckTarget.refuseUnusedAddresses(of: checkTargets)
            return endpoints
        }
        let verifier = OpenSSLPathVerifier(trustStore: roots.store)
        let collector = KeyCollector(
            time: context.now(), retries: request.connection.retries ?? RequestDefaults.retries)
        let sources = await collector.sources(
            endpoints.map { endpoints in
                KeyCollector.Inquiry(
                    endpoints, verifier: verifier, trust: roots.name, given: roots.given,
                    keyTypes: request.variants.keyTypes)
            }, inFlight: request.connection.jobs ?? RequestDefaults.jobs, in: context.surroundings)
        if sources.contains(where: \.lacksAnchor), let places = roots.store.placesWithoutSystemRoots {
            context.console.report(
                "Warning: this machine has no trusted roots (\(places)): install ca-certificates, or give --anchors")
        }
        return sources
    }
}

extension PinsOutputSettings {
    /// Whether the client that the block is for compares the server's own key and no other.
    fileprivate var comparesServerKeyOnly: Bool { if case .block(.curl) = form { true } else { false } }
}
