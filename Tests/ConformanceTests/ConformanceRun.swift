import Foundation
import Pinning
import Testing
import X509

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

    /// What the suites cannot be run without, in the words of the comment on the skipped tests.
    static let missing: String? =
        if !FileManager.default.fileExists(atPath: folder.appendingPathComponent("data").path) {
            "there are no conformance suites at \(folder.path): set PINCHECK_CONFORMANCE to their folder"
        } else if decompressor == nil { "the conformance suites are compressed: install xz or python3" } else { nil }

    static func decode<Value: Decodable & Sendable>(_ type: Value.Type, from name: String) async throws -> Value {
        let file = folder.appendingPathComponent("data/\(name).json.xz").path
        let outcome = try await Program.run("\(#require(decompressor)) '\(file)'")
        try #require(outcome.status == 0, "\(file) cannot be read")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(outcome.output))
    }

    /// The disagreements of the `known` folder, by the case's id; none when there is no such list.
    static func known(_ name: String) throws -> [String: String] {
        let file = folder.appendingPathComponent("known/\(name).json")
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }

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
    let certs: [Data]
    let cases: [Case]

    var coreCases: [Case] { cases.filter { $0.scope ?? "core" == "core" } }

    func time(of item: Case) throws -> Timestamp {
        let text = try #require(item.at ?? defaultAt).replacing(/\.[0-9]+/, with: "")
        let date = try #require(ISO8601DateFormatter().date(from: text))
        return Timestamp(secondsSinceEpoch: Int64(date.timeIntervalSince1970))
    }
}

/// Asks the path verifier, as every client's procedure does, and compares by the rules of the suites' own runner.
struct ConformanceRun {
    let name: String
    /// How many cases went each way: `agree`, `known` as a list says, `soft` on a matter of taste, `disagree`.
    private(set) var counts: [String: Int] = [:]
    private(set) var unexpected: [String] = []
    private(set) var stale: [String] = []

    init(_ name: String) async throws {
        self.name = name
        let suite = try await ConformanceData.decode(ConformanceSuite.self, from: name)
        try #require(suite.format == "pinconf/1")
        let known = try ConformanceData.known(name)
        for item in suite.coreCases {
            let isAccepted = try Self.findsPath(item, of: suite)
            let kind = isAccepted ? "false-accept" : "false-reject"
            let outcome =
                switch kind {
                case _ where (isAccepted ? "pass" : "fail") == item.expect: "agree"
                case _ where item.soft ?? false: "soft"
                case known[item.id]: "known"
                default: "disagree"
                }
            counts[outcome, default: 0] += 1
            if outcome == "disagree" { unexpected.append("\(item.id): \(kind)") }
            if outcome == "agree", known[item.id] != nil { stale.append(item.id) }
            // Tests with deadlines run on the same threads.
            await Task.yield()
        }
    }

    private static func findsPath(_ item: ConformanceSuite.Case, of suite: ConformanceSuite) throws -> Bool {
        func certificates(_ positions: [Int]) throws -> [Certificate] {
            try positions.map { try CertificateReader.certificate(der: Array(suite.certs[$0])) }
        }
        let anchors = AnchorBundle(try certificates(item.anchors))
        let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [anchors]))
        let question = PathQuestion(
            presented: try #require(PresentedChain(try certificates(item.chain))), anchors: .trustStore,
            policy: .sslServer(name: item.host.map { ReferenceName($0) } ?? .unchecked), time: try suite.time(of: item))
        return verifier.evaluate(question).isTrusted
    }

    /// As in `limbo: 122 agree, 38 known`.
    var summary: String {
        let parts = counts.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        return "\(name): " + parts.joined(separator: ", ")
            + (stale.isEmpty ? "" : "; known, but now agree: " + stale.joined(separator: " "))
    }
}
