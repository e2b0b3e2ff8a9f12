import Base
import PinChecking
import Pinning
import X509

extension OutputForm {
    static let html = OutputForm(rawValue: "html") { settings, _, _ in HTMLRenderer(explains: settings.explains) }
}

/// One page that needs nothing else, in HTML that is well-formed XML; the summary is at its end.
struct HTMLRenderer: ResultRenderer {
    private let explains: Bool
    private var total = RunTotal()
    private var count = 0
    /// What the summary says of each result: until when the pins of what is accepted are sure to match.
    private var lines: [(number: Int, title: String, status: ExitStatus, until: Timestamp?)] = []

    /// Of more results the summary names the worst, so that a long run takes no more memory than a short one.
    private static let mostLines = 200

    init(explains: Bool) { self.explains = explains }

    mutating func text(for reports: [Report]) -> String {
        var text = count == 0 ? Self.start(reports.first) : ""
        total.add(reports)
        for (index, report) in reports.enumerated() {
            count += 1
            let until = report.verdict == .accept ? report.outlook?.pinsMatchUntil : nil
            lines.append((count, TerminalText.shortened(report.title, to: 200), report.status, until))
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
        let end: Markup = """
            <footer id="summary"><h2>Summary</h2><p class="k">\(total.sentence())</p>
            \(table)\(more)<p class="m">pincheck \(ProgramVersion.number)</p></footer></body></html>

            """
        return start + end.text
    }

    private mutating func keepWorst() {
        let never = Timestamp(secondsSinceEpoch: .max)
        lines.sort { one, other in
            guard one.status == other.status else { return one.status > other.status }
            return (one.until ?? never, one.number) < (other.until ?? never, other.number)
        }
        lines.removeLast(max(0, lines.count - Self.mostLines))
    }

    private static func start(_ first: Report?) -> String {
        let day = first?.evaluatedAt.date ?? ""
        let start: Markup = """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)"/>
            <meta name="viewport" content="width=device-width,initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <title>Certificate pins \(day)</title><style>\(Markup(stringLiteral: Self.sheet))</style></head><body>
            <h1>Certificate pins <time>\(day)</time></h1><p><a href="#summary">Summary</a></p>

            """
        return start.text
    }
}

extension Report {
    fileprivate func isServed(like other: Report) -> Bool {
        !presented.isEmpty && presented.map(\.fingerprint) == other.presented.map(\.fingerprint)
            && reason == other.reason && warnings == other.warnings && status == other.status
    }
}

// The looks of a page: light, dark and printed; a narrow window has no more than it is wide.

extension HTMLRenderer {
    static let timeline = String(decoding: PackageResources.timeline_css, as: UTF8.self)

    static let sheet = timeline + String(decoding: PackageResources.page_css, as: UTF8.self)

    /// The sheet is all that a browser may follow: it loads nothing, runs nothing and sends nothing.
    static let policy =
        "default-src 'none'; style-src 'sha256-\(Hashing.sha256(Array(sheet.utf8)).base64)'; base-uri 'none'; "
        + "form-action 'none'"
}

/// Markup in which the literals are the program's own, and every value between them is text.
struct Markup: ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    init(_ parts: [Markup]) { text = parts.map(\.text).joined() }

    static func += (left: inout Markup, right: Markup) { left.text += right.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

        mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }

        mutating func appendInterpolation(_ value: some Any) {
            text += xmlEscaped(String(describing: value), length: 1_000)
        }
    }
}
