import Base
import PinFormats
import PinLint

/// Writes findings as workflow commands, from which GitHub makes annotations beside the lines.
///
/// The commands are `::error file=…,line=…,title=…::message`; in messages `%`, CR and LF are escaped, in properties also `:`
/// and `,`.
enum LintGitHubRenderer {
    /// A line for each finding, nothing when there is none.
    static func text(_ report: LintReport) -> String { report.findings.map { line($0) + "\n" }.joined() }

    private static func line(_ finding: LintReport.Finding) -> String {
        var properties: [(name: String, value: String)] = []
        if let file = finding.file { properties.append(("file", file)) }
        if let line = finding.line { properties.append(("line", String(line))) }
        properties.append(("title", finding.id))
        let list = properties.map { "\($0.name)=\(escapedProperty($0.value))" }.joined(separator: ",")
        // Without a line the annotation stands at the top of the file, where only the message tells the place.
        let place = finding.line == nil ? finding.place + ": " : ""
        return "::\(command(finding)) \(list)::\(escaped(place + finding.sentence))"
    }

    private static func command(_ finding: LintReport.Finding) -> String {
        finding.severity == LintSeverity.note.rawValue ? "notice" : finding.severity
    }

    private static func escaped(_ text: String) -> String {
        TerminalText.escaped(text).replacingBytes(["%": "%25", "\r": "%0D", "\n": "%0A", "##[": "## ["])
    }

    private static func escapedProperty(_ text: String) -> String {
        escaped(text).replacingBytes([":": "%3A", ",": "%2C"])
    }
}
