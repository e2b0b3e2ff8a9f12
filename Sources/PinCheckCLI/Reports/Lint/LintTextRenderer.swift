import Base
import PinLint

/// Writes findings as text: a line each that begins with its place, as compilers write them, and the summary last.
struct LintTextRenderer: Sendable {
    let style: TextStyle
    var layout = TextLayout()

    func text(_ report: LintReport) -> String {
        var lines: [String] = []
        for finding in report.findings {
            lines.append(
                "\(safe(finding.place, length: 300)): \(severity(finding)): \(safe(finding.message, length: 800))" + " "
                    + style.faint("[\(finding.id)]"))
            if let remedy = finding.remedy { lines.append("    " + safe(remedy, length: 800)) }
        }
        lines.append("\(style.token(report.exit))  \(summary(report))")
        return layout.folded(lines.joined(separator: "\n")) + "\n"
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
        let entries = LintKind.all
        let width = entries.map(\.id.count).max() ?? 0
        return entries.map { entry in
            let severity = entry.isObstacle ? "malformed" : entry.severity.rawValue
            let start = TerminalText.padded(entry.id, toCells: width + 2) + TerminalText.padded(severity, toCells: 11)
            return layout.folded(start + entry.explanation, indent: start.utf8.count) + "\n"
        }.joined()
    }

    private func safe(_ text: String, length: Int) -> String { TerminalText.shown(text, to: length) }
}
