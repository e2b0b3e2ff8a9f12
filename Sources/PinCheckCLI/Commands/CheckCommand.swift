import Base
import PinChecking
import PinFormats
import TLSProbe
import X509

extension Command {
    static let check = Command(
        name: "check", abstract: "Connect to servers and judge the chains they send.",
        usage: "pincheck [check] <target> ... [--pins <source>] [<options>]",
        discussion: """
            Is the server trusted, and valid for its name?
              pincheck api.example.com
            Would an app that ships this pin accept it?
              pincheck api.example.com --pins Pins/api.cer
            With HTTPDNS, as OkHttp and curl connect, which send the name:
              pincheck api.example.com --connect 203.0.113.7
            As an app on NSURLSession does, with the address in the URL and no SNI:
              pincheck https://203.0.113.7/ --host api.example.com
            Does it answer as well? One request, once its certificate is accepted:
              pincheck api.example.com --request /health --expect-status 2xx
            On every address, with every certificate, and where HTTPDNS leads:
              pincheck api.example.com --thorough
              pincheck api.example.com --httpdns tencent --key-types rsa,ecdsa
            With a private CA, and several servers at once, for machines:
              pincheck internal.example.com --anchors ca.pem
              pincheck a.example.com b.example.com:8443 --format json
              pincheck --targets hosts.txt --format jsonl
            Would apps on these phones accept it, by their roots and rules?
              pincheck api.example.com --device ios-12,ios-26,android-9,android-17
            Has the server changed since its snapshot, other than by a renewal?
              pincheck api.example.com --baseline api.json --allow renewed
            Will the apps in use accept the next certificate, request or key?
              pincheck --next api.csr --pins Pins --host api.example.com
              pincheck api.example.com --next api.pem --pins Pins --client all
            With everything said of each host in one file:
              pincheck --policy Pins/pins.json5
            """,
        arguments: [
            Argument(name: "target", help: "A host, host:port, [v6]:port, https URL or address.", isRepeatable: true)
        ], own: { [.targets, .plan, .judging, .outlook, .watching, .output] },
        shared: { [.devices, .names, .connection, .clientCertificate, .variants, .request] },
        run: { invocation in
            let watch = invocation.settings.isVerbose ? ProbeWatch { invocation.console.report("* \($0)") } : nil
            return try await ProbeWatch.$current.withValue(watch) { try await invocation.check() }
        })
}

extension Invocation {
    func check() async throws -> ExitStatus {
        let outputs = try settings.outputs(in: context)
        try refuseLimitWithoutPins()
        let request = try settings.connectingRequest(in: context)
        let lock = try settings.updatesBaseline ? OutputFile.lock(replaced: settings.baseline, "this baseline") : nil
        defer { withExtendedLifetime(lock) {} }
        let baseline = try settings.baseline.map { try Baseline($0, context.contents(of: $0), settings) }
        guard baseline != nil || settings.allowed.isEmpty && !settings.updatesBaseline else {
            throw Problem.usage("--allow and --update are about a baseline: give --baseline FILE")
        }
        let items = try NextItem.read(settings.next)
        var policies = context.policies
        let supply = try supply(request, &policies)
        let questions = items.isEmpty ? [] : try nextQuestions(about: supply.checks, items, &policies)
        let state = try StateFile(settings, outputs, at: context.now())
        return try await run(
            supply, request, since: baseline, outputs, notes: policies.notes, state, questions, on: items)
    }

    /// Refuses `--min-pin-life` if no pins are compared; lists and policies may give pins later.
    private func refuseLimitWithoutPins() throws(Problem) {
        let judging = settings.request.judging
        guard judging.outlook.minPinLife != nil, settings.policies.isEmpty, settings.lists.isEmpty,
            judging.pins.isEmpty || judging.mode == AFSecurityPolicy.PinningMode.none
        else { return }
        throw .usage("--min-pin-life is about pins, and none are compared", .givePins)
    }

    typealias Supply = (checks: [Check], more: (() throws(Problem) -> [Check])?, total: Int)

    func run(
        _ supply: Supply, _ request: CheckRequest, since baseline: Baseline?, _ outputs: [FormOutput<OutputForm>],
        notes: [Finding], _ state: StateFile? = nil, _ questions: [NextQuestion] = [], on items: [NextItem] = []
    ) async throws -> ExitStatus {
        let checks = baseline.map { supply.checks.map($0.extending) } ?? supply.checks
        var comparison = baseline.map { BaselineComparison(with: $0) }
        let total = supply.total + questions.count * items.count
        var writer = try ResultWriter(settings, outputs, notes: notes, total: total, state: state, in: context)
        var served: [Int: PresentedChain] = [:]
        try await Checker.run(
            checks, request, in: context.engine(), within: writer.needsOrder ? context.targetWindow : nil,
            more: supply.more
        ) { position, target throws(Problem) in
            let states = comparison?.states(of: target)
            try writer.add(target.results(since: states), at: position)
            if !items.isEmpty { served[position] = target.connections.lazy.compactMap(\.served?.presented).first }
        }
        let answers = questions.lazy.flatMap { question in
            question.results(on: items, served: question.job.flatMap { served[$0] }, at: context.now())
        }
        for (position, answer) in zip(supply.checks.count..., answers) { try writer.add([answer], at: position) }
        let status = try writer.finish()
        if let baseline, let comparison { try baseline.finish(comparison, settings, after: status, in: context) }
        return status
    }

    private func supply(_ request: CheckRequest, _ policies: inout Policies) throws -> Supply {
        if !settings.next.isEmpty, (settings.arguments + settings.lists + settings.policies).isEmpty {
            guard request.http == CheckRequest.HTTP() else {
                throw Problem.usage("a file answers no request: name a target beside --next, or leave out --request")
            }
            return ([], nil, 0)
        }
        let targets = try TargetStream(
            settings.arguments, lists: settings.lists, policies: settings.policies, request, in: context)
        var judgings: Set<CheckRequest.Judging> = []
        var named: [CheckTarget] = []
        var bad = BadEntries()
        var unused = UnusedAddresses()
        unused.add(request.connection.addresses)
        // `--next` and a baseline need all targets of a run at once.
        let needsAll = !settings.next.isEmpty || settings.baseline != nil
        let (first, total, rest) = try targets.split(after: needsAll ? .max : context.targetWindow) { entry in
            switch entry {
            case .failure(let entry): bad.add(entry)
            case .success(let target):
                if judgings.insert(target.request.judging).inserted { named.append(target) }
                unused.take(target)
            }
        }
        try unused.refuse(defaultPort: request.connection.port)
        let isWhole = total == first.count
        let checks = try Check.plan(first, &policies)
        var unread = zip(first, checks).compactMap { (try? $0.get()) == nil ? nil : $1.bad }
        // An unreadable file is reported before the first connection, even if the last target names it.
        for target in isWhole ? [] : named {
            do { try policies.read(target.request.judging) } catch {
                guard let place = target.place else { throw error }
                unread.append(BadEntry(target.title, error.at(place)))
            }
        }
        // An unreadable file of the command line ends the run: it is not a mistake of an entry.
        if !unread.isEmpty { try policies.read(request.judging) }
        for entry in unread { bad.add(entry) }
        // With `--state` the rows of bad entries are told like any other fault, not in each run.
        if settings.state == nil { bad.report(in: console) }
        guard !isWhole else { return (checks, nil, total) }
        var (stream, policies) = (rest, policies)
        return (checks, { () throws(Problem) in try stream.nextChecks(&policies) }, total)
    }

    private func nextQuestions(
        about jobs: [Check], _ items: [NextItem], _ policies: inout Policies
    ) throws -> [NextQuestion] {
        try Hashing.require()
        guard jobs.isEmpty else { return try NextQuestion.questions(about: jobs, for: items) }
        let names = settings.request.names
        let name = names.referenceName(of: nil)
        let policy = try policies.policy(settings.request.judging, for: name, writtenAs: names.writtenName(of: nil))
        return [try NextQuestion(name: name, policy: policy, job: nil, about: items)]
    }
}

extension Command {
    static let verify = Command(
        name: "verify", abstract: "Judge a chain from a file, without a network.",
        usage: "pincheck verify <chain> [--host <name>] [--pins <source>] [<options>]",
        discussion: """
            The first certificate is the server's; the others may stand in any order.
            Without --host or --verify-name no name is checked.

              pincheck verify chain.pem --host api.example.com --pins Pins/api.cer
              pincheck verify chain.pem --anchors ca.pem --at 2027-01-01
              openssl s_client -connect api.example.com:443 -showcerts </dev/null |
                pincheck verify - --host api.example.com
            """,
        arguments: [
            Argument(
                name: "chain", help: "A file with PEM certificates or one in DER.", detail: "'-' is standard input.",
                isRequired: true, values: .file)
        ], own: { [.output] }, shared: { [.judging, .devices, .outlook, .names] }, run: { try $0.verify() })
}

extension Invocation {
    func verify() throws -> ExitStatus {
        let outputs = try settings.outputs(in: context)
        try refuseLimitWithoutPins()
        let (request, chain) = (settings.request, settings.arguments[0])
        let referenceName = request.names.referenceName(of: nil)
        try Hashing.require()
        var policies = context.policies
        let policy = try policies.policy(
            request.judging, for: referenceName, writtenAs: request.names.writtenName(of: nil))
        let result = CheckResult(
            of: try Self.chain(in: context.contents(of: chain), called: chain), named: chain, for: referenceName,
            by: policy, at: context.now())
        var writer = try ResultWriter(settings, outputs, notes: policies.notes, in: context)
        try writer.add([result])
        return try writer.finish()
    }

    static func chain(in bytes: [UInt8], called path: String) throws(Problem) -> PresentedChain {
        let name: SafeText = path == "-" ? "standard input" : "\(quoted(path))"
        guard !KeyFile.isBundle(bytes) else {
            throw .data(
                "\(name) is a PKCS #7 bundle, whose certificates are in no order: give PEM certificates, the server's first, as "
                    + "'openssl pkcs7 -print_certs' writes them (with -inform DER for bytes)")
        }
        let certificates: [Certificate]
        do { certificates = try CertificateReader.certificates(pemOrDER: bytes) } catch {
            throw .data("\(name) holds no readable chain: \(error)")
        }
        guard let presented = PresentedChain(certificates) else {
            throw .data("\(name) holds no certificate: give PEM certificates, the server's first, or one in DER")
        }
        return presented
    }
}
