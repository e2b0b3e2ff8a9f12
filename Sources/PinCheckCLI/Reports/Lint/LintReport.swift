import Base
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
        /// What another source pins and this one does not, and where.
        var drift: (what: String, file: String, line: Int?)?

        private enum CodingKeys: CodingKey {
            case id, severity, file, line, key, place, host, message, remedy, isMalformed
        }
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
            remedy: finding.remedy, isMalformed: finding.obstacle != nil,
            drift: finding.drift.map { ($0.what, $0.place.file ?? $0.place.source, $0.place.line) })
    }

    var sentence: String { message + (remedy.map { "; \($0)" } ?? "") }
}

/// Writes findings as text: a line each that begins with its place, as compilers write them, and the summary last.
struct LintTextRenderer: Sendable {
    let style: TextStyle
    var layout = TextLayout()

    func text(_ report: LintReport) -> String {
        var lines: [String] = []
        for finding in report.findings where finding.drift == nil {
            lines.append(
                "\(safe(finding.place, length: 300)): \(severity(finding)): \(safe(finding.message, length: 800))" + " "
                    + style.faint("[\(finding.id)]"))
            if let remedy = finding.remedy { lines.append("    " + safe(remedy, length: 800)) }
        }
        lines += drift(report.findings.filter { $0.drift != nil })
        lines.append("\(style.token(report.exit))  \(summary(report))")
        return layout.folded(lines.joined(separator: "\n")) + "\n"
    }

    /// What some sources pin and others do not: a row for each difference, a numbered column for each source.
    private func drift(_ findings: [LintReport.Finding]) -> [String] {
        var files: [String] = []
        func column(_ file: String) -> Int {
            if let index = files.firstIndex(of: file) { return index + 2 }
            files.append(file)
            return files.count + 1
        }
        let rows = findings.map { finding -> [Int: String] in
            var cells = [0: safe(finding.host ?? "every host", length: 80), 1: finding.drift?.what ?? ""]
            if let drift = finding.drift { cells[column(drift.file)] = drift.line.map { "line \($0)" } ?? "yes" }
            cells[column(finding.file ?? finding.place)] = "no"
            cells[-1] = style.faint("[\(finding.id)]")
            return cells
        }
        guard let worst = findings.first(where: { $0.severity == LintSeverity.warning.rawValue }) ?? findings.first
        else { return [] }
        let columns = Array(0..<files.count + 2) + [-1]
        let heading = columns.map { $0 < 2 ? "" : "(\($0 - 1))" }
        let table = Table(rows: [heading] + rows.map { cells in columns.map { cells[$0] ?? "" } })
        return ["\(severity(worst)): the sources differ in what they pin"] + table.lines
            + files.enumerated().map { "  (\($0.offset + 1)) \(safe($0.element, length: 300))" } + [
                "    pin the same hosts, names below them and keys in all of these, unless a difference is meant"
            ]
    }

    private func severity(_ finding: LintReport.Finding) -> String {
        switch finding.severity {
        case LintSeverity.error.rawValue: style.bad(finding.severity)
        case LintSeverity.warning.rawValue: style.doubtful(finding.severity)
        default: finding.severity
        }
    }

    private func summary(_ report: LintReport) -> String {
        let count = report.sources.count
        let name = count == 1 ? safe(report.sources[0], length: 120) : "\(count) sources"
        let summary = report.summary
        let parts = [
            plural(summary.errors, "error"), plural(summary.warnings, "warning"), plural(summary.notes, "note"),
        ].compactMap { $0 }
        return name + ": " + (parts.isEmpty ? "nothing found" : parts.joined(separator: ", "))
            + (summary.malformed > 0 ? " (\(summary.malformed) malformed or missing)" : "")
    }

    private func plural(_ count: Int, _ word: String) -> String? {
        count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
    }

    /// Every kind of finding, a line each where there is room.
    static func catalogue(_ layout: TextLayout) -> String {
        let rows = LintKind.all.map { entry in
            [entry.id, entry.isObstacle ? "malformed" : entry.severity.rawValue, entry.explanation]
        }
        return Table(rows: rows, indent: 0).lines(foldedIn: layout).map { $0 + "\n" }.joined()
    }

    private func safe(_ text: String, length: Int) -> String { TerminalText.shown(text, to: length) }
}

extension LintReport {
    /// A suite for each file, and a case for each finding in it: a failure where it fails the run.
    func junit(failOn: LintSeverity?) -> String {
        var document = JUnitDocument()
        let files = findings.map { $0.file ?? $0.place }
        let groups = Dictionary(grouping: zip(files, findings), by: \.0)
        for file in files.isEmpty ? sources : files.reduce(into: [], { if $0.last != $1 { $0.append($1) } }) {
            let cases = (groups[file] ?? []).map { _, finding -> (name: String, outcome: JUnitDocument.Outcome) in
                let place = finding.line.map { " in line \($0)" } ?? finding.key.map { " at \($0)" } ?? ""
                let severity = LintSeverity(rawValue: finding.severity) ?? .error
                let outcome: JUnitDocument.Outcome =
                    if finding.isMalformed {
                        .error(type: finding.id, message: finding.sentence)
                    } else if let failOn, severity >= failOn {
                        .failed(type: finding.id, message: finding.sentence, details: "")
                    } else { .passed("\(finding.severity): \(finding.sentence)") }
                return (finding.id + place, outcome)
            }
            document.add(file, of: file, cases.isEmpty ? [("nothing found", .passed(nil))] : cases, at: evaluatedAt)
        }
        return document.text
    }

    /// An annotation for each finding, beside its line where it has one.
    var workflowCommands: String {
        findings.map { finding in
            var properties: [(name: String, value: String)] = []
            if let file = finding.file { properties.append(("file", file)) }
            if let line = finding.line { properties.append(("line", String(line))) }
            properties.append(("title", finding.id))
            // Without a line the annotation stands at the top of the file, where only the message tells the place.
            let place = finding.line == nil ? finding.place + ": " : ""
            let command = finding.severity == LintSeverity.note.rawValue ? "notice" : finding.severity
            return WorkflowCommand.line(command, properties, place + finding.sentence, length: 4_000) + "\n"
        }.joined()
    }
}
