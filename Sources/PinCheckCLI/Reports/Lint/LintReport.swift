import PinFormats
import PinLint
import Pinning

/// The findings of one run, apart from the types of the linter, so that keys stay what they are when those change;
/// what the keys mean is in `schemas/lint.json`.
struct LintReport: Encodable {
    let schema = "pincheck-lint/1"
    /// The moment of the judgement, RFC 3339.
    var evaluatedAt: String
    var sources: [String]
    /// The findings, in the order of the sources and rules.
    var findings: [Finding]
    var summary: Summary
    var exit: ExitStatus

    struct Finding: Encodable {
        var id: String
        /// `error`, `warning` or `note`.
        var severity: String
        /// The file or directory, `nil` for pins given as arguments.
        var file: String?
        /// From 1, `nil` for a file without lines or as a whole.
        var line: Int?
        /// The keys that lead to the value in a file without lines.
        var key: String?
        var place: String
        /// The host or pattern, `nil` for all or none.
        var host: String?
        var message: String
        var remedy: String?
        /// Whether the source cannot be used because of it.
        var isMalformed: Bool
    }

    struct Summary: Encodable {
        var errors: Int
        var warnings: Int
        var notes: Int
        var malformed: Int
    }

    /// Reports findings; `failOn` is the least bad that counts, `nil` for none.
    init(_ findings: [LintFinding], sources: [String], time: Timestamp, failOn: LintSeverity?) {
        evaluatedAt = time.description
        self.sources = sources
        self.findings = findings.map(Finding.init)
        func count(_ severity: LintSeverity) -> Int { findings.count { $0.severity == severity } }
        summary = Summary(
            errors: count(.error), warnings: count(.warning), notes: count(.note),
            malformed: findings.count { $0.obstacle != nil })
        exit = Self.status(findings, failOn)
    }

    private static func status(_ findings: [LintFinding], _ failOn: LintSeverity?) -> ExitStatus {
        if findings.contains(where: { $0.obstacle == .malformed }) { return .data }
        if findings.contains(where: { $0.obstacle == .missing }) { return .noInput }
        guard let failOn, findings.contains(where: { $0.severity >= failOn }) else { return .pass }
        return .fail
    }
}

extension LintReport.Finding {
    fileprivate init(_ finding: LintFinding) {
        self.init(
            id: finding.id, severity: finding.severity.rawValue, file: finding.place.file, line: finding.place.line,
            key: finding.place.key, place: finding.place.description, host: finding.host, message: finding.message,
            remedy: finding.remedy, isMalformed: finding.obstacle != nil)
    }

    var sentence: String { message + (remedy.map { "; \($0)" } ?? "") }
}
