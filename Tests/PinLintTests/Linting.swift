import LoopbackLab
import PinFormats
import PinLint
import Pinning

/// Hashes no key has.
enum Hashes {
    static let a = base64(0)
    static let b = base64(32)
    static let c = base64(64)

    private static func base64(_ start: UInt8) -> String { SHA256Digest(bytes: (0..<32).map { start &+ $0 })!.base64 }
}

/// Files for a linter, which finds them in a directory of their own.
struct Files {
    private let contents: [(name: String, bytes: [UInt8])]

    init(_ contents: (String, String)...) { self.contents = contents.map { ($0.0, Array($0.1.utf8)) } }

    init(_ contents: [(String, [UInt8])]) { self.contents = contents.map { ($0.0, $0.1) } }

    /// The findings in each file as a source of its own, or in the directory as one.
    func findings(
        asDirectory: Bool = false, at time: Int64 = LabClock.now, warningDays: Int64 = 30, clients: Set<String> = []
    ) throws -> [LintFinding] {
        try scoped(asDirectory: asDirectory) { inspections, _ in
            Linter(
                now: Timestamp(secondsSinceEpoch: time), warnBefore: .seconds(warningDays * LabClock.day),
                clients: clients
            ).findings(in: inspections)
        }
    }

    /// The findings as `severity id place`, with places relative to the directory.
    func lint(
        asDirectory: Bool = false, at time: Int64 = LabClock.now, warningDays: Int64 = 30, clients: Set<String> = []
    ) throws -> [String] {
        try scoped(asDirectory: asDirectory) { inspections, directory in
            let linter = Linter(
                now: Timestamp(secondsSinceEpoch: time), warnBefore: .seconds(warningDays * LabClock.day),
                clients: clients)
            return linter.findings(in: inspections).map { finding in
                let place = finding.place.description.replacing(directory + "/", with: "").replacing(
                    directory, with: ".")
                return "\(finding.severity) \(finding.id) \(place)"
            }
        }
    }

    private func scoped<Value>(asDirectory: Bool, _ body: ([PinReading], String) throws -> Value) throws -> Value {
        try TemporaryDirectory.scoped { directory in
            let paths = try contents.map { try directory.write($0.bytes, to: $0.name) }
            let sources = asDirectory ? [directory.path] : paths
            return try body(sources.map { PinSource($0).inspect() }, directory.path)
        }
    }
}

extension LabCertificate {
    /// The hash of the key in base64.
    var hash: String { SHA256Digest(bytes: publicKeySHA256)!.base64 }
}
