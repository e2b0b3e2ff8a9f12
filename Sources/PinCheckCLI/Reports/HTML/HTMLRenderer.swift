import Base
import PinChecking
import TLSProbe
import X509

/// One page in HTML that is well-formed XML and loads nothing.
struct HTMLRenderer: ResultRenderer {
    private let explains: Bool
    /// `true` if the page is written at the end of the run, so that its title can say how the run ended.
    private let isWhole: Bool
    private var total = RunTotal()
    private var day = ""
    private var count = 0
    /// The sections that wait for the title: all of a whole page, else those of the first target.
    private var waiting = ""
    private var isStarted = false
    /// The rows of the summary; the pins of an accepted result are sure to match until `until`.
    private var lines: [(number: Int, title: String, status: ExitStatus, until: Timestamp?)] = []
    /// The most rows of the summary, the worst results: a long run takes no more memory than a short one.
    private static let mostLines = 200

    init(explains: Bool, isWhole: Bool = false) { (self.explains, self.isWhole) = (explains, isWhole) }

    /// Writes sections as targets finish; the style sheet shows them behind the summary, the worst first.
    mutating func text(for reports: [Report]) -> String {
        if total.count == 0 { day = reports[0].evaluatedAt.date }
        total.add(reports)
        if reports.comparison != nil { waiting += HTMLSection.conclusion(reports).description }
        for (_, alike) in reports.grouped(by: \.likeness) {
            count += 1
            let section = HTMLSection(report: alike[0], title: alike.title, number: count, explains: explains)
            let until = alike[0].verdict == .accept ? alike[0].outlook?.pinsMatchUntil : nil
            lines.append((count, TerminalText.shortened(section.title, to: 200), alike[0].status, until))
            if lines.count > 2 * Self.mostLines { keepWorst() }
            waiting += section.markup.description
        }
        guard !isWhole, total.count > 1 else { return "" }
        defer { (waiting, isStarted) = ("", true) }
        return (isStarted ? "" : start()) + waiting
    }

    mutating func ending(exit: ExitStatus) -> String {
        keepWorst()
        let start = isStarted ? "" : start(total.shares().joined(separator: ", "))
        let rows = lines.map { line -> [Markup] in
            [
                HTMLSection.badge(line.status), "<a href=\"#h\(line.number)\">\(line.title)</a>",
                HTMLSection.day(line.until),
            ]
        }
        let table = count < 2 ? "" : HTMLSection.table(nil, ["result", "target", "pins sure until"], rows)
        let more: Markup = count > lines.count ? "<p>The \(lines.count) worst of \(count) results.</p>\n" : ""
        let end: Markup = """
            <footer id="summary"><h2>Summary</h2><p class="k">\(total.sentence())</p>
            \(table)\(more)<p class="m">pincheck \(ProgramVersion.number)</p></footer></body></html>

            """
        return start + waiting + end.description
    }

    private mutating func keepWorst() {
        let never = Timestamp(secondsSinceEpoch: .max)
        lines.sort { one, other in
            guard one.status == other.status else { return one.status > other.status }
            return (one.until ?? never, one.number) < (other.until ?? never, other.number)
        }
        lines.removeLast(max(0, lines.count - Self.mostLines))
    }

    private func start(_ total: String = "") -> String {
        let title = (total.isEmpty ? [] : [total]) + ["certificate pins \(day)"]
        let start: Markup = """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)"/>
            <meta name="viewport" content="width=device-width,initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <title>\(title.joined(separator: ": "))</title><style>\(Markup(stringLiteral: Self.sheet))</style></head><body>
            <h1>Certificate pins <time>\(day)</time></h1>

            """
        return start.description
    }

    static let timeline = String(decoding: PackageResources.timeline_css, as: UTF8.self)
    static let sheet = timeline + String(decoding: PackageResources.page_css, as: UTF8.self)

    /// Allows a browser only the style sheet: the page loads nothing, runs nothing and sends nothing.
    static let policy =
        "default-src 'none'; style-src 'sha256-\(Hashing.sha256(Array(sheet.utf8)).base64)'; base-uri 'none'; "
        + "form-action 'none'"
}

extension Report {
    /// The facts that a section shows next to the address: connections to one target with equal facts share a section.
    fileprivate var likeness: [String] {
        [status.name, reason.told, tls.map { "\($0.facts)" } ?? "", variantLabel ?? "", result.answer?.outcome ?? ""]
            + presented.map { $0.fingerprint.hexadecimal } + (warnings + result.notes.map(\.reason)).map(\.told)
            + clients.map { "\($0.title) \($0.verdict.rawValue) \($0.reason.told)" }
            + (result.changes.map { ["\($0.status)"] + $0.changes.map(\.kind.id) } ?? [])
    }
}

enum XMLRule: EscapingRule { static func escaped(_ text: String) -> String { xmlEscaped(text, length: 1_000) } }

typealias Markup = EscapedText<XMLRule>
