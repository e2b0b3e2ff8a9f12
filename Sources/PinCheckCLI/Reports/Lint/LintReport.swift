import PinFormats
import PinLint
import Pinning

/// The findings of one run, apart from the types of the linter, so that keys stay what they are when those change.
struct LintReport: DocumentObject {
    /// The name and version of the document's form.
    static let schema = "pincheck-lint/1"

    /// The moment of the judgement, RFC 3339.
    var evaluatedAt: String
    var sources: [String]
    /// The findings, in the order of the sources and rules.
    var findings: [Finding]
    var summary: Summary
    var exit: Report.Exit
    let status: ExitStatus

    struct Finding: DocumentObject {
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

    struct Summary: DocumentObject {
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
        status = Self.status(findings, failOn)
        exit = Report.Exit(status)
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

// The keys of the document.

extension LintReport {
    static let fields: DocumentFields<LintReport> = [
        DocumentField("schema", { _ in LintReport.schema }, as: .constant(LintReport.schema)),
        DocumentField("evaluated_at", \.evaluatedAt, as: .time),
        DocumentField("sources", \.sources, "The sources as they were named."),
        DocumentField("findings", \.findings, "In the order of the sources and rules."),
        DocumentField("summary", \.summary),
        DocumentField("exit", \.exit, as: .exits([.pass, .fail, .data, .noInput])),
    ]
}

extension LintReport.Finding {
    static let definition: String? = "finding"

    static let fields: DocumentFields<LintReport.Finding> = [
        DocumentField("id", \.id, "The rule or problem; compare this, not the message."),
        DocumentField("severity", \.severity, as: .words(["error", "warning", "note"])),
        DocumentField("file", \.file, "The file or directory; null for pins given as arguments."),
        DocumentField("line", \.line, "From 1; null for a file without lines or as a whole.", as: .atLeast(1)),
        DocumentField("key", \.key, "The keys that lead to the value in a file without lines."),
        DocumentField("place", \.place, "The place as people write it."),
        DocumentField("host", \.host, "The host or pattern; null for all or none."),
        DocumentField("message", \.message), DocumentField("remedy", \.remedy, "What to do about it."),
        DocumentField("is_malformed", \.isMalformed, "Whether the source cannot be used because of it."),
    ]
}

extension LintReport.Summary {
    static let fields: DocumentFields<LintReport.Summary> = [
        DocumentField("errors", \.errors, as: .atLeast(0)), DocumentField("warnings", \.warnings, as: .atLeast(0)),
        DocumentField("notes", \.notes, as: .atLeast(0)),
        DocumentField("malformed", \.malformed, "How many of the errors are malformed places.", as: .atLeast(0)),
    ]
}
