import PinFormats
import Text

/// A table in GitHub's Markdown, as for the summary of a job.
struct MarkdownRenderer: ResultRenderer {
    /// GitHub refuses a summary of more than 1 MiB as a whole.
    private static let limit = 900 * 1_024

    private var written = 0
    private var leftOut = 0

    init() {}

    mutating func text(for report: Report) -> String {
        var text = ""
        if written == 0 { text = "### pincheck\n\n| result | target | reason | ends |\n|---|---|---|---|\n" }
        let end = report.built.first.map { Self.code(String($0.certificate.notAfter.prefix(10))) } ?? ""
        text +=
            "| \(Self.sign(report.status)) \(report.status.name) | \(Self.code(report.title, length: 150))"
            + " | \(Self.code(report.withAnswer(report.sentence), length: 600)) | \(end) |\n"
        for warning in report.attention.prefix(20) {
            text += "| ⚠️ | \(Self.code(report.title, length: 150)) | \(Self.code(warning.message)) | |\n"
        }
        guard written + text.utf8.count < Self.limit else {
            leftOut += 1
            return ""
        }
        written += text.utf8.count
        return text
    }

    mutating func ending(exit: ExitStatus) -> String {
        let more = leftOut == 0 ? "" : "\n\(leftOut) more targets are left out: the summary would be too long.\n"
        return more + "\nExit status \(exit.rawValue) (\(exit.name))\n\n"
    }

    private static func sign(_ status: ExitStatus) -> String {
        switch status {
        case .pass: "✅"
        case .warn: "⚠️"
        case .unreachable: "❔"
        default: "❌"
        }
    }

    /// Text as code, in which nothing is markup, a mention or a link, and which ends neither itself nor the cell.
    private static func code(_ text: String, length: Int = 400) -> String {
        let text = TerminalText.shown(text, to: length)
            .replacingBytes(["|": "\\u{7C}", "`": "\\u{60}"])
        return text.allSatisfy { $0 == " " } ? "" : "`" + text + "`"
    }
}
