import PinLint
import Pinning
import X509

/// The findings as a log in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS).
struct LintSARIF: Encodable, Sendable {
    let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    struct Run: Encodable, Sendable {
        let tool: Tool
        let invocations: [Invocation]
        let results: [Result]
        let columnKind = "unicodeCodePoints"
    }

    struct Tool: Encodable, Sendable {
        let driver: Driver
    }

    struct Driver: Encodable, Sendable {
        let name = "pincheck"
        let version = ProgramVersion.number
        let rules: [Rule]
    }

    struct Rule: Encodable, Sendable {
        let id: String
        let shortDescription: Message
        let defaultConfiguration: Configuration
    }

    struct Configuration: Encodable, Sendable {
        let level: String
    }

    struct Invocation: Encodable, Sendable {
        let executionSuccessful: Bool
        let exitCode: Int32
    }

    struct Message: Encodable, Sendable {
        let text: String
    }

    struct Result: Encodable, Sendable {
        let ruleId: String
        let ruleIndex: Int
        let level: String
        let message: Message
        let locations: [Location]
        let partialFingerprints: [String: String]
    }

    struct Location: Encodable, Sendable {
        let physicalLocation: PhysicalLocation?
        let logicalLocations: [LogicalLocation]?
    }

    struct PhysicalLocation: Encodable, Sendable {
        let artifactLocation: ArtifactLocation
        let region: Region?
    }

    struct ArtifactLocation: Encodable, Sendable {
        let uri: String
        let uriBaseId: String?
    }

    struct Region: Encodable, Sendable {
        let startLine: Int
    }

    struct LogicalLocation: Encodable, Sendable {
        let fullyQualifiedName: String
    }

    /// The log of one run.
    init(_ report: LintReport) {
        let entries = LintCatalogue.entries
        let indices = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.id, $0) })
        var occurrences: [String: Int] = [:]
        let results = report.findings.map { finding in
            Result(
                ruleId: finding.id,
                ruleIndex: indices[finding.id] ?? -1,
                level: finding.severity,
                message: Message(text: finding.sentence),
                locations: [Location(finding)],
                partialFingerprints: ["pincheckFinding/v1": Self.fingerprint(of: finding, &occurrences)]
            )
        }
        let rules = entries.map {
            Rule(
                id: $0.id,
                shortDescription: Message(text: $0.explanation),
                defaultConfiguration: Configuration(level: $0.severity.rawValue)
            )
        }
        let invocation = Invocation(
            executionSuccessful: report.status == .pass || report.status == .fail,
            exitCode: report.status.rawValue
        )
        runs = [Run(tool: Tool(driver: Driver(rules: rules)), invocations: [invocation], results: results)]
    }

    /// A hash that a finding keeps when lines above it come and go: of its kind, its file, its host, and its place among those
    /// with the same.
    private static func fingerprint(of finding: LintReport.Finding, _ occurrences: inout [String: Int]) -> String {
        let text = [finding.id, finding.file ?? "", finding.key ?? "", finding.host ?? ""].joined(separator: "\n")
        let occurrence = occurrences[text, default: 0]
        occurrences[text] = occurrence + 1
        return Hashing.sha256(Array("\(text)\n\(occurrence)".utf8)).hexadecimal
    }
}

extension LintSARIF.Location {
    /// The place of a finding: pins given as arguments have a name and no file, and what is in an archive has that as its file.
    fileprivate init(_ finding: LintReport.Finding) {
        guard let file = finding.file else {
            self.init(
                physicalLocation: nil,
                logicalLocations: [LintSARIF.LogicalLocation(fullyQualifiedName: finding.place)]
            )
            return
        }
        let (archive, entry) = Self.archive(in: file)
        self.init(
            physicalLocation: LintSARIF.PhysicalLocation(
                artifactLocation: LintSARIF.ArtifactLocation(path: archive ?? file),
                region: archive == nil ? finding.line.map { LintSARIF.Region(startLine: $0) } : nil
            ),
            logicalLocations: Self.names(entry, finding)
        )
    }

    private static func names(_ entry: String?, _ finding: LintReport.Finding) -> [LintSARIF.LogicalLocation]? {
        let line = entry == nil ? nil : finding.line.map(String.init)
        let parts = [entry, line, finding.key].compactMap { $0 }
        return parts.isEmpty
            ? nil : [LintSARIF.LogicalLocation(fullyQualifiedName: parts.joined(separator: ":"))]
    }

    /// The archive that a path goes through and the path within it, as in `App.ipa:Payload/App.app/Info.plist`.
    private static func archive(in path: String) -> (archive: String?, entry: String?) {
        for ending in [".ipa:", ".zip:", ".apk:"] {
            guard let range = path.firstRange(of: ending) else { continue }
            return (String(path[..<path.index(before: range.upperBound)]), String(path[range.upperBound...]))
        }
        return (nil, nil)
    }
}

extension LintSARIF.ArtifactLocation {
    /// The URI of a path: relative to the root of the sources, or with the scheme `file` (RFC 3986, 8089).
    fileprivate init(path: String) {
        var relative = path[...]
        while relative.hasPrefix("./") { relative = relative.dropFirst(2) }
        let encoded = relative.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                String(Unicode.Scalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        self.init(uri: isAbsolute ? "file://" + encoded : encoded, uriBaseId: isAbsolute ? nil : "%SRCROOT%")
    }
}
