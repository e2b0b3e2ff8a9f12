import Base
import PinFormats

/// A table in GitHub's Markdown, as for the summary of a job.
struct MarkdownRenderer: ResultRenderer {
    /// GitHub refuses a summary of more than 1 MiB as a whole.
    private static let limit = 900 * 1_024

    private var written = 0
    private var leftOut = 0
    private var total = RunTotal()
    /// What clients decide on devices, which goes behind the table of targets.
    private var matrices: [String] = []

    init() {}

    mutating func text(for report: Report) -> String {
        total.add(report, status: report.counts ? report.status : nil)
        var text = ""
        if written == 0 { text = "### pincheck\n\n| result | target | reason | ends |\n|---|---|---|---|\n" }
        let end = report.built.first.map { Self.code(String($0.certificate.notAfter.prefix(10))) } ?? ""
        text +=
            "| \(Self.sign(report.status)) \(report.status.name) | \(Self.code(report.title, length: 150))"
            + " | \(Self.code(report.withAnswer(report.sentence), length: 600)) | \(end) |\n"
        for warning in report.attention.prefix(20) {
            text += "| ⚠️ | \(Self.code(report.title, length: 150)) | \(Self.code(warning.message)) | |\n"
        }
        let matrix = Self.matrix(of: report)
        guard written + text.utf8.count + matrix.utf8.count < Self.limit else {
            leftOut += 1
            return ""
        }
        written += text.utf8.count + matrix.utf8.count
        if !matrix.isEmpty { matrices.append(matrix) }
        return text
    }

    mutating func ending(exit: ExitStatus) -> String {
        let more = leftOut == 0 ? "" : "\n\(leftOut) more targets are left out: the summary would be too long.\n"
        let counts = total.count > 1 ? "\n" + total.sentence() + "\n" : ""
        return matrices.joined() + more + counts + "\nExit status \(exit.rawValue) (\(exit.name))\n\n"
    }

    /// What each client decides on each device, a table for those that run the same; empty where no devices were named.
    private static func matrix(of report: Report) -> String {
        guard let matrix = DeviceMatrix(report), let devices = report.devices else { return "" }
        let roots = devices.useGivenAnchorsAlone ? "by the anchors given" : "roots as read up to \(code(devices.date))"
        var text = "\n#### \(code(report.title, length: 150)), \(roots)\n"
        for table in matrix.tables {
            func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
            text += "\n" + row([code(table.title)] + table.clients.map { code($0) })
            text += "|---" + String(repeating: "|---", count: table.clients.count) + "|\n"
            for (device, cells) in table.rows {
                text += row([code(device)] + cells.map { sign($0.verdict) + " " + $0.text })
            }
        }
        let reasons = matrix.reasons.enumerated().map { "\($0 + 1). \(code($1.message))\n" }
        return text + (reasons.isEmpty ? "" : "\n" + reasons.joined())
    }

    private static func sign(_ verdict: Report.VerdictWord) -> String {
        switch verdict {
        case .accept: "✅"
        case .reject: "❌"
        case .none: "❔"
        }
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
        let text = TerminalText.shown(text, to: length).replacingBytes(["|": "\\u{7C}", "`": "\\u{60}"])
        return text.allSatisfy { $0 == " " } ? "" : "`" + text + "`"
    }
}
