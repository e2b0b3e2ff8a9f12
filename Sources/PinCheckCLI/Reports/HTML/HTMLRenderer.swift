import Base
import PinChecking
import Pinning

/// Results as one page that needs nothing else: a section for each as it comes, and the summary at the end.
///
/// The page is HTML and well-formed XML.
struct HTMLRenderer: ResultRenderer {
    private let explains: Bool
    private var total = RunTotal()
    private var count = 0
    private var lines: [Line] = []

    /// What the summary says of a result.
    private struct Line {
        let number: Int
        let title: String
        let status: ExitStatus
        /// Until when the pins of what is accepted are sure to match.
        let until: Timestamp?

        func goes(before other: Line) -> Bool {
            guard status == other.status else { return status > other.status }
            let never = Timestamp(secondsSinceEpoch: .max)
            return (until ?? never, number) < (other.until ?? never, other.number)
        }
    }

    /// Of more results the summary names the worst, so that a long run takes no more memory than a short one.
    private static let mostLines = 200

    init(explains: Bool) { self.explains = explains }

    mutating func text(for reports: [Report]) -> String {
        var text = count == 0 ? Self.start(reports.first) : ""
        total.add(reports)
        for (index, report) in reports.enumerated() {
            count += 1
            lines.append(
                Line(
                    number: count, title: TerminalText.shortened(report.title, to: 200), status: report.status,
                    until: report.verdict == .accept ? report.outlook?.pinsMatchUntil : nil))
            if lines.count > 2 * Self.mostLines { keepWorst() }
            let twin = reports[..<index].first { $0.isServed(like: report) }
            text += HTMLSection(report: report, number: count, explains: explains).markup(shownBy: twin).text
        }
        return text + (VariantSummary(reports).map { HTMLSection.conclusion($0).text } ?? "")
    }

    mutating func ending(exit: ExitStatus) -> String {
        keepWorst()
        let start = count == 0 ? Self.start(nil) : ""
        let rows = lines.map { line -> Markup in
            """
            <tr><td>\(HTMLSection.badge(line.status))</td><td><a href="#h\(line.number)">\(line.title)</a></td>\
            <td>\(HTMLSection.day(line.until))</td></tr>

            """
        }
        let table: Markup =
            count < 2
            ? ""
            : """
            <table><thead><tr><th>result</th><th>target</th><th>pins sure until</th></tr></thead><tbody>
            \(rows)</tbody></table>

            """
        let more: Markup = count > lines.count ? "<p>The \(lines.count) worst of \(count) results.</p>\n" : ""
        let notes = Report.notEmulated.map { note -> Markup in "<li>\(note.message)</li>" }
        let end: Markup = """
            <footer id="summary"><h2>Summary</h2><p class="k">\(total.sentence())</p>
            \(table)\(more)<p class="m">What is not judged:</p><ul class="m">\(notes)</ul>
            <p class="m">pincheck \(ProgramVersion.number)</p></footer></body></html>

            """
        return start + end.text
    }

    private mutating func keepWorst() {
        lines.sort { $0.goes(before: $1) }
        lines.removeLast(max(0, lines.count - Self.mostLines))
    }

    private static func start(_ first: Report?) -> String {
        let day = first?.evaluatedAt.date ?? ""
        let start: Markup = """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="\(HTMLSheet.policy)"/>
            <meta name="viewport" content="width=device-width,initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <title>Certificate pins \(day)</title><style>\(Markup(stringLiteral: HTMLSheet.page))</style></head><body>
            <h1>Certificate pins <time>\(day)</time></h1><p><a href="#summary">Summary</a></p>

            """
        return start.text
    }
}

extension Report {
    /// Whether another connection shows the same chain and comes to the same.
    fileprivate func isServed(like other: Report) -> Bool {
        !presented.isEmpty && presented.map(\.certSha256) == other.presented.map(\.certSha256) && reason == other.reason
            && warnings == other.warnings && status == other.status
    }
}
