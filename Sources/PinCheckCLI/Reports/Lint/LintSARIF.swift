import PinLint
import Pinning
import TLSProbe
import X509

extension LintReport {
    /// The findings as a log in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS).
    var sarif: JSONObject {
        let entries = LintKind.all
        let indices = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.id, $0) })
        var occurrences: [String: Int] = [:]
        let results = findings.map { finding -> JSONObject in
            [
                "ruleId": finding.id, "ruleIndex": indices[finding.id] ?? -1, "level": finding.severity.rawValue,
                "message": Self.text(finding.sentence), "locations": [Self.location(of: finding)],
                "partialFingerprints": ["pincheckFinding/v1": Self.fingerprint(of: finding, &occurrences)]
                    as JSONObject,
            ]
        }
        let rules = entries.map { entry -> JSONObject in
            [
                "id": entry.id, "shortDescription": Self.text(entry.explanation),
                "defaultConfiguration": ["level": entry.severity.rawValue] as JSONObject,
            ]
        }
        let driver: JSONObject = ["name": "pincheck", "version": ProgramVersion.number, "rules": rules]
        let invocation: JSONObject = ["executionSuccessful": exit == .pass || exit == .fail, "exitCode": exit.rawValue]
        let run: JSONObject = [
            "tool": ["driver": driver] as JSONObject, "invocations": [invocation], "results": results,
            "columnKind": "unicodeCodePoints",
        ]
        return ["$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]]
    }

    /// A hash that a finding keeps when lines above it come and go: of its kind, its file, its host, and its place among those
    /// with the same.
    private static func fingerprint(of finding: LintFinding, _ occurrences: inout [String: Int]) -> String {
        let text = [finding.id, finding.place.file ?? "", finding.place.key ?? "", finding.host ?? ""].joined(
            separator: "\n")
        let occurrence = occurrences[text, default: 0]
        occurrences[text] = occurrence + 1
        return Hashing.sha256(Array("\(text)\n\(occurrence)".utf8)).hexadecimal
    }

    /// The place of a finding: pins given as arguments have a name and no file, and what is in an archive has that as its file.
    private static func location(of finding: LintFinding) -> JSONObject {
        guard let file = finding.place.file else {
            return ["logicalLocations": [logicalLocation(finding.place.description)]]
        }
        let (archive, entry) = Self.archive(in: file)
        var physical: JSONObject = ["artifactLocation": artifactLocation(path: archive ?? file)]
        if archive == nil, let line = finding.place.line {
            physical.members.append(("region", ["startLine": line] as JSONObject))
        }
        let line = entry == nil ? nil : finding.place.line.map(String.init)
        let names = [entry, line, finding.place.key].compactMap { $0 }
        guard !names.isEmpty else { return ["physicalLocation": physical] }
        return ["physicalLocation": physical, "logicalLocations": [logicalLocation(names.joined(separator: ":"))]]
    }

    private static func text(_ text: String) -> JSONObject { ["text": text] }

    private static func logicalLocation(_ name: String) -> JSONObject { ["fullyQualifiedName": name] }

    /// The archive that a path goes through and the path within it, as in `App.ipa:Payload/App.app/Info.plist`.
    private static func archive(in path: String) -> (archive: String?, entry: String?) {
        for ending in [".ipa:", ".zip:", ".apk:"] {
            guard let range = path.firstRange(of: ending) else { continue }
            return (String(path[..<path.index(before: range.upperBound)]), String(path[range.upperBound...]))
        }
        return (nil, nil)
    }

    /// The URI of a path: relative to the root of the sources, or with the scheme `file` (RFC 3986, 8089).
    private static func artifactLocation(path: String) -> JSONObject {
        var relative = path[...]
        while relative.hasPrefix("./") { relative = relative.dropFirst(2) }
        let encoded = relative.split(separator: "/", omittingEmptySubsequences: false).map {
            HTTPLocation.percentEncoded(String($0))
        }.joined(separator: "/")
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        guard isAbsolute else { return ["uri": encoded, "uriBaseId": "%SRCROOT%"] }
        return ["uri": "file://" + encoded]
    }
}
