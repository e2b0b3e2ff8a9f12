import Foundation
import Pinning
import Testing

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

    /// Whether the suites can be run here.
    static var isAvailable: Bool { missing == nil }

    /// What the suites cannot be run without, in the words of the comment on the skipped tests.
    static let missing: String? =
        if !FileManager.default.fileExists(atPath: folder.appendingPathComponent("data").path) {
            "there are no conformance suites at \(folder.path): set PINCHECK_CONFORMANCE to their folder"
        } else if decompressor == nil { "the conformance suites are compressed: install xz or python3" } else { nil }

    /// Decodes a file of the `data` folder.
    static func decode<Value: Decodable & Sendable>(_ type: Value.Type, from name: String) async throws -> Value {
        guard let decompressor else { throw Unreadable(what: "no program for \(name).json.xz") }
        let file = folder.appendingPathComponent("data/\(name).json.xz").path
        let outcome = try await Program.run(decompressor.path, decompressor.arguments + [file])
        guard outcome.status == 0 else { throw Unreadable(what: "\(name).json.xz: \(outcome.text)") }
        return try JSONDecoder().decode(type, from: Data(outcome.output))
    }

    /// The disagreements of the `known` folder, by the case's id; none when there is no such list.
    static func known(_ name: String) throws -> [String: String] {
        let file = folder.appendingPathComponent("known/\(name).json")
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }

    private struct Unreadable: Error { let what: String }

    private static let decompressor: (path: String, arguments: [String])? = {
        if let path = Program.path(of: "xz") { return (path, ["-dc"]) }
        guard let path = Program.path(of: "python3") else { return nil }
        let script = "import lzma,sys;sys.stdout.buffer.write(lzma.open(sys.argv[1]).read())"
        return (path, ["-c", script])
    }()
}

/// A file of the format `pinconf/1`.
struct ConformanceSuite: Decodable, Sendable {
    /// One chain, and what a verifier is to say to it.
    struct Case: Decodable, Sendable {
        let id: String
        /// Positions in ``ConformanceSuite/certs``, the leaf's first.
        let chain: [Int]
        let anchors: [Int]
        let host: String?
        let at: String?
        /// `pass` or `fail`.
        let expect: String
        /// Whether the case is a matter of taste.
        let soft: Bool?
        let scope: String?
    }

    let format: String
    let defaultAt: String?
    /// Base64 of DER.
    let certs: [String]
    let cases: [Case]

    private enum CodingKeys: String, CodingKey {
        case format, certs, cases
        case defaultAt = "default_at"
    }

    /// The cases every verifier of server certificates is held to.
    var coreCases: [Case] { cases.filter { $0.scope ?? "core" == "core" } }

    /// The moment of a case's question, in whole seconds.
    func time(of item: Case) throws -> Timestamp {
        let text = try #require(item.at ?? defaultAt).replacing(/\.[0-9]+/, with: "")
        let date = try #require(ISO8601DateFormatter().date(from: text))
        return Timestamp(secondsSinceEpoch: Int64(date.timeIntervalSince1970))
    }

    /// PEM text of the certificates at these positions.
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
