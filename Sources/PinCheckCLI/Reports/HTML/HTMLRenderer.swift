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
            lines.append(
                (
                    count, TerminalText.shortened(report.title, to: 200), report.status,
                    report.verdict == .accept ? report.outlook?.pinsMatchUntil : nil
                ))
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
        !presented.isEmpty && presented.map(\.certSha256) == other.presented.map(\.certSha256) && reason == other.reason
            && warnings == other.warnings && status == other.status
    }
}

// The looks of a page: light, dark and printed; a narrow window has no more than it is wide.

extension HTMLRenderer {
    static let timeline = """
        :root{--bg:#fff;--fg:#1b1f24;--soft:#59636e;--line:#d1d9e0;--fill:#e3eaf1;--edge:#5b7083;--pin:#0b57b7;\
        --good:#116329;--bad:#b42318;--warn:#855700}
        @media screen and (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--soft:#9aa4ae;--line:#3d444d;\
        --fill:#24303c;--edge:#8ba3ba;--pin:#6cb0ff;--good:#57d364;--bad:#ff8b80;--warn:#e3b341}}
        svg text{font:12px system-ui,sans-serif;fill:var(--fg);paint-order:stroke;stroke:var(--bg);stroke-width:6px;\
        stroke-linejoin:round}
        svg .bg{fill:var(--bg)}
        svg text.h{font-weight:600}
        svg text.d{text-anchor:end;font-variant-numeric:tabular-nums}
        svg text.l{text-anchor:middle;fill:var(--soft);font-size:11px}
        svg line.t{stroke:var(--line)}
        svg line.now{stroke:var(--fg);stroke-width:2}
        svg line.n{stroke:var(--bad);stroke-width:2;stroke-dasharray:2 3}
        svg .z{fill:var(--bad);fill-opacity:.12}
        svg rect.c{fill:var(--fill);stroke:var(--edge)}
        svg rect.p{fill:var(--pin);stroke:var(--pin)}
        svg rect.b{fill:var(--bg);stroke:var(--pin);stroke-width:2;stroke-dasharray:6 4}
        svg rect.e{fill:var(--warn);stroke:var(--warn);fill-opacity:.25;stroke-dasharray:1 3}
        svg line.r{stroke:var(--fg);stroke-dasharray:2 2}
        svg circle{fill:var(--bg);stroke:var(--fg);stroke-width:2}
        svg text.a{text-anchor:end;font-weight:600;stroke:none}
        svg text.p{fill:var(--bg)}

        """

    static let sheet =
        timeline + """
            body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:60rem;margin:0 auto;\
            padding:1rem;overflow-wrap:break-word}
            h1{font-size:1.4rem;margin:0}
            h2{font-size:1.2rem;margin:0 0 .3rem}
            section,footer{border-top:1px solid var(--line);padding:1.2rem 0}
            p,ul,pre{margin:.4rem 0}
            ul{padding-left:1.2rem}
            a{color:var(--pin)}
            th,.m{color:var(--soft);font-weight:400;font-size:.875rem}
            .k{font-size:1.15rem;font-weight:600}
            .s{border:2px solid;border-radius:.3rem;padding:0 .35rem;font-weight:700;font-size:.875rem;color:var(--bad)}
            .PASS{color:var(--good)}
            .WARN,.CHANGED{color:var(--warn)}
            .UNREACHABLE{color:var(--soft)}
            svg{display:block;margin:.8rem 0}
            table{border-collapse:collapse;width:100%;margin:.8rem 0;font-size:.875rem}
            caption{text-align:left;font-weight:600}
            tr{border-bottom:1px solid var(--line)}
            td,th{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0}
            code,pre{font:.8125rem ui-monospace,monospace;color:var(--soft)}
            td:nth-child(2){overflow-wrap:anywhere}
            td code{display:block;word-break:break-all}
            time{white-space:nowrap}
            pre{white-space:pre-wrap}
            @media (max-width:40rem){thead{display:none}tr{display:flex;flex-wrap:wrap}\
            td:nth-child(2){order:1;flex:0 0 100%;padding-top:0}}
            @media print{body{font-size:11pt;max-width:none;padding:0}section{break-inside:avoid}}

            """

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
