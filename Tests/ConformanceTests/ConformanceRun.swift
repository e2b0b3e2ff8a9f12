import LoopbackLab
import PinCheckCLI
import Pinning
import Testing
import X509

/// Runs a suite in process, and compares by the rules of the suites' own runner.
struct ConformanceRun {
    /// How one case went.
    enum Outcome: Hashable {
        case agree
        /// Disagrees on a matter of taste.
        case soft
        /// Disagrees as the list of known disagreements says.
        case known
        /// Disagrees because a rule of this project says so.
        case deviation
        /// Disagrees, or does not answer at all.
        case unexpected(String)
    }

    /// What is asked.
    enum Way: Hashable {
        /// The path verifier, as every client's procedure asks it.
        case verifier
        /// `pincheck verify`, in process, which reads names as users write them. Much slower in a debug build.
        case commandLine
    }

    let name: String
    private(set) var outcomes: [Outcome] = []
    private(set) var unexpected: [String] = []
    /// Known disagreements that are none any more.
    private(set) var stale: [String] = []

    /// Runs the core cases of the suite `name`.
    init(_ name: String, _ way: Way) async throws {
        self.name = name
        let suite = try await ConformanceData.decode(ConformanceSuite.self, from: name)
        guard suite.format == "pinconf/1" else { throw UnknownFormat(format: suite.format) }
        let known = try ConformanceData.known(name)
        try await run(suite, known: known, way: way)
    }

    private struct UnknownFormat: Error { let format: String }

    private mutating func run(_ suite: ConformanceSuite, known: [String: String], way: Way) async throws {
        for item in suite.coreCases {
            let answer =
                switch way {
                case .verifier: try Self.findsPath(item, of: suite) ? "pass" : "fail"
                case .commandLine: try await Self.verify(item, of: suite)
                }
            let outcome = Self.outcome(of: item, answer, known: known)
            outcomes.append(outcome)
            if case .unexpected(let what) = outcome { unexpected.append("\(item.id): \(what)") }
            if outcome == .agree, known[item.id] != nil || Deviation.all[item.id] != nil { stale.append(item.id) }
            // Tests with deadlines run on the same threads.
            await Task.yield()
        }
    }

    private static func outcome(of item: ConformanceSuite.Case, _ answer: String, known: [String: String]) -> Outcome {
        guard answer != item.expect else { return .agree }
        let kind =
            switch answer {
            case "pass": "false-accept"
            case "fail": "false-reject"
            default: answer
            }
        if item.soft ?? false, kind != answer { return .soft }
        if known[item.id] == kind { return .known }
        return Deviation.all[item.id]?.kind == kind ? .deviation : .unexpected(kind)
    }

    private static func findsPath(_ item: ConformanceSuite.Case, of suite: ConformanceSuite) throws -> Bool {
        let anchors = try AnchorBundle(pemOrDER: Array(suite.pem(item.anchors).utf8))
        let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [anchors]))
        let presented = try CertificateReader.certificates(pemOrDER: Array(suite.pem(item.chain).utf8))
        let question = PathQuestion(
            presented: try #require(PresentedChain(presented)), anchors: .trustStore,
            policy: .sslServer(name: item.host.map { ReferenceName($0) } ?? .unchecked), time: try suite.time(of: item))
        return verifier.evaluate(question).isTrusted
    }

    private static func verify(_ item: ConformanceSuite.Case, of suite: ConformanceSuite) async throws -> String {
        let time = try suite.time(of: item)
        let errors = OutputBuffer()
        let context = Context(
            console: Console(output: OutputBuffer().stream(), errors: errors.stream()),
            environment: ["SSL_CERT_FILE": "/nonexistent", "SSL_CERT_DIR": "/nonexistent"], now: { time },
            readStandardInput: { Array(suite.pem(item.chain).utf8) })
        let status = try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(suite.pem(item.anchors), to: "anchors.pem")
            let arguments =
                ["verify", "-", "--client", "generic", "--anchors", anchors]
                + (item.host.map { ["--verify-name", $0] } ?? [])
            return await PinCheck.run(arguments: arguments, in: context).rawValue
        }
        return switch status {
        case 0: "pass"
        case 1: "fail"
        default: "exit status \(status), \(errors.text)"
        }
    }

    /// How many cases went this way.
    func count(_ outcome: Outcome) -> Int { outcomes.count { $0 == outcome } }

    /// As in `limbo: 122 of 160 agree, 38 known`.
    var summary: String {
        var parts = ["\(name): \(count(.agree)) of \(outcomes.count) agree"]
        if count(.known) > 0 { parts.append("\(count(.known)) known") }
        if count(.deviation) > 0 { parts.append("\(count(.deviation)) decided otherwise") }
        if count(.soft) > 0 { parts.append("\(count(.soft)) soft") }
        if !unexpected.isEmpty { parts.append("\(unexpected.count) disagree") }
        let line = parts.joined(separator: ", ")
        return stale.isEmpty ? line : line + "; known, but now agree: " + stale.joined(separator: " ")
    }
}
