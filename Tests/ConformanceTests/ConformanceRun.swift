import Foundation
import LoopbackLab
import Pinning
import Testing
import X509

@testable import PinCheckCLI

/// The conformance suites beside the project, which are data of others and no part of it.
enum ConformanceData {
    /// `PINCHECK_CONFORMANCE`, or `../shared/conformance` seen from the package.
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["PINCHECK_CONFORMANCE"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/conformance", isDirectory: true)
    }()

    static var isAvailable: Bool { missing == nil }

    /// What the suites cannot be run without, in the words of the comment on the skipped tests.
    static let missing: String? =
        if !FileManager.default.fileExists(atPath: folder.appendingPathComponent("data").path) {
            "there are no conformance suites at \(folder.path): set PINCHECK_CONFORMANCE to their folder"
        } else if decompressor == nil { "the conformance suites are compressed: install xz or python3" } else { nil }

    static func decode<Value: Decodable & Sendable>(_ type: Value.Type, from name: String) async throws -> Value {
        guard let decompressor else { throw Unreadable(what: "no program for \(name).json.xz") }
        let file = folder.appendingPathComponent("data/\(name).json.xz").path
        let outcome = try await Program.run("\(decompressor) '\(file)'")
        guard outcome.status == 0 else { throw Unreadable(what: "\(name).json.xz") }
        return try JSONDecoder().decode(type, from: Data(outcome.output))
    }

    /// The disagreements of the `known` folder, by the case's id; none when there is no such list.
    static func known(_ name: String) throws -> [String: String] {
        let file = folder.appendingPathComponent("known/\(name).json")
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }

    private struct Unreadable: Error { let what: String }

    private static let decompressor: String? =
        Program.path(of: "xz").map { "'\($0)' -dc" }
        ?? Program.path(of: "python3").map {
            "'\($0)' -c 'import lzma,sys;sys.stdout.buffer.write(lzma.open(sys.argv[1]).read())'"
        }
}

/// A file of the format `pinconf/1`.
struct ConformanceSuite: Decodable, Sendable {
    struct Case: Decodable, Sendable {
        let id: String
        /// Positions in ``ConformanceSuite/certs``, the leaf's first.
        let chain: [Int]
        let anchors: [Int]
        let host: String?
        let at: String?
        let expect: String
        let soft: Bool?
        let scope: String?
    }

    let format: String
    let defaultAt: String?
    let certs: [String]
    let cases: [Case]

    private enum CodingKeys: String, CodingKey {
        case format, certs, cases
        case defaultAt = "default_at"
    }

    var coreCases: [Case] { cases.filter { $0.scope ?? "core" == "core" } }

    func time(of item: Case) throws -> Timestamp {
        let text = try #require(item.at ?? defaultAt).replacing(/\.[0-9]+/, with: "")
        let date = try #require(ISO8601DateFormatter().date(from: text))
        return Timestamp(secondsSinceEpoch: Int64(date.timeIntervalSince1970))
    }

    func pem(_ positions: [Int]) -> String {
        positions.map { position in
            let text = Array(certs[position].utf8)
            let lines = stride(from: 0, to: text.count, by: 64).map { start in
                String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self) + "\n"
            }
            return "-----BEGIN CERTIFICATE-----\n" + lines.joined() + "-----END CERTIFICATE-----\n"
        }.joined()
    }
}

/// Runs a suite in process, and compares by the rules of the suites' own runner.
struct ConformanceRun {
    enum Way: Hashable {
        /// The path verifier, as every client's procedure asks it.
        case verifier
        /// `pincheck verify`, in process, which reads names as users write them. Much slower in a debug build.
        case commandLine
    }

    let name: String
    /// How many cases went each way: `agree`, `known` and `decided otherwise` as lists say, `soft` on a matter of taste, `disagree`.
    private(set) var counts: [String: Int] = [:]
    private(set) var unexpected: [String] = []
    private(set) var stale: [String] = []

    init(_ name: String, _ way: Way) async throws {
        self.name = name
        let suite = try await ConformanceData.decode(ConformanceSuite.self, from: name)
        try #require(suite.format == "pinconf/1")
        let known = try ConformanceData.known(name)
        for item in suite.coreCases {
            let answer =
                switch way {
                case .verifier: try Self.findsPath(item, of: suite) ? "pass" : "fail"
                case .commandLine: try await Self.verify(item, of: suite)
                }
            let kind = answer == "pass" ? "false-accept" : answer == "fail" ? "false-reject" : answer
            let outcome =
                switch kind {
                case _ where answer == item.expect: "agree"
                case answer: "disagree"
                case _ where item.soft ?? false: "soft"
                case known[item.id]: "known"
                case Self.deviations[item.id]: "decided otherwise"
                default: "disagree"
                }
            counts[outcome, default: 0] += 1
            if outcome == "disagree" { unexpected.append("\(item.id): \(kind)") }
            if outcome == "agree", known[item.id] != nil || Self.deviations[item.id] != nil { stale.append(item.id) }
            // Tests with deadlines run on the same threads.
            await Task.yield()
        }
    }

    /// Cases that are decided otherwise on purpose, and how: a wildcard directly above a registry's suffix (*.co.uk, *.com.br) matches
    /// nothing. The suite's tables know no public suffixes; Apple's server policy and Chrome do.
    private static let deviations = ["names::webpki::082": "false-reject", "names::webpki::088": "false-reject"]

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
        let files = try TemporaryDirectory()
        let anchors = try files.write(suite.pem(item.anchors), to: "anchors.pem")
        let arguments =
            ["verify", "-", "--client", "generic", "--anchors", anchors]
            + (item.host.map { ["--verify-name", $0] } ?? [])
        let status = await PinCheck.run(arguments: arguments, in: context).rawValue
        return switch status {
        case 0: "pass"
        case 1: "fail"
        default: "exit status \(status), \(errors.text)"
        }
    }

    /// As in `limbo: 122 agree, 38 known`.
    var summary: String {
        let parts = counts.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        return "\(name): " + parts.joined(separator: ", ")
            + (stale.isEmpty ? "" : "; known, but now agree: " + stale.joined(separator: " "))
    }
}
