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
    /// The most rows of the summary, the worst results: a long run takes no more memory.
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
        let start = isStarted ? "" : start(total.shares().listed)
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

    static let timeline = String(utf8: PackageResources.timeline_css)
    static let sheet = timeline + String(utf8: PackageResources.page_css)

    /// Allows a browser only the style sheet: the page loads nothing, runs nothing and sends nothing.
    static let policy =
        "default-src 'none'; style-src 'sha256-\(Hashing.sha256(sheet.bytes).base64)'; base-uri 'none'; "
        + "form-action 'none'"
}

extension Report {
    /// The facts of a section besides the address: connections to one target with equal facts share it.
    fileprivate var likeness: [String] {
        [status.name, reason.told, tls.map { "\($0.facts)" } ?? "", variantLabel ?? "", result.answer?.outcome ?? ""]
            + presented.map { $0.fingerprint.hexadecimal } + (warnings + result.notes.map(\.reason)).map(\.told)
            + clients.map { "\($0.title) \($0.verdict.rawValue) \($0.reason.told)" }
            + (result.changes.map { ["\($0.status)"] + $0.changes.map(\.kind.id) } ?? [])
    }
}

enum XMLRule: EscapingRule { static func escaped(_ text: String) -> String { xmlEscaped(text, length: 1_000) } }

typealias Markup = EscapedText<XMLRule>

struct HTMLSection {
    let report: Report
    let title: String
    let number: Int
    let explains: Bool

    var markup: Markup {
        """
        <section id="h\(number)" class="\(report.status.name)"><h2>\(Self.badge(report.status)) \(title)</h2>
        <p class="m">\(connection.joined(separator: " · "))</p>
        <p class="k">\(report.withAnswer(report.sentence))</p>
        \(attention)\(Timeline(report)?.svg ?? "")\(chain)\(pins)\(clients)\(details)</section>

        """
    }

    static func badge(_ status: ExitStatus) -> Markup { "<span class=\"s \(status.name)\">\(status.name)</span>" }

    static func conclusion(_ reports: [Report]) -> Markup {
        let line = TargetLine(reports)
        let findings = (reports.comparison?.findings ?? []).map { finding in
            "\(finding.level == .warning ? "warning" : "note"): \(finding.reason.told)"
        }
        return """
            <section class="\(line.status.name)"><h2>\(badge(line.status)) \(reports[0].target)</h2>
            <p class="k">\(line.sentence)\(line.more)</p>\(list(findings))</section>

            """
    }

    private var connection: [String] {
        let peer = report.title == report.target ? report.peer : nil
        return [peer].compactMap(\.self) + text.names(report) + (report.tls.map { ["\($0.facts)"] } ?? [])
    }

    private var text: TextRenderer { .plain(explains: explains) }

    static func day(_ time: Timestamp?) -> Markup { "<time>\(time?.date ?? "–")</time>" }

    private var attention: Markup {
        Self.list(
            report.warnings.map { "warning: " + $0.told } + text.outlook(report) + report.toldNotes.map(text.note))
    }

    private static func list(_ lines: [String]) -> Markup {
        lines.isEmpty ? "" : "<ul>\(lines.map { line -> Markup in "<li>\(trimmed(line))</li>" })</ul>\n"
    }

    private static func trimmed(_ line: String) -> Substring { line.hasPrefix("  ") ? line.dropFirst(2) : line[...] }

    private var chain: Markup {
        guard !report.built.isEmpty else { return "" }
        let rows = report.ofShownLeaf.needed.map { link -> [Markup] in
            let source = link.sourceInWords.map { " (\($0))" } ?? ""
            let pins = link.pins.isEmpty ? "–" : Timeline.numbered(link.pins)
            return [
                "\(link.index) \(link.role)", "\(link.shownName)\(source), \(link.key)<code>\(link.pin)</code>",
                "\(Self.day(link.notAfter)) \(TextRenderer.validity(link))", "\(pins)",
            ]
        }
        let why = text.unverified(report).map { " (\($0))" } ?? ""
        return Self.table("Chain\(why)", ["place", "certificate and key", "ends", "matches"], rows)
    }

    private static let mostPins = 20

    private var pins: Markup {
        let configured = report.pins
        guard !configured.isEmpty, !report.built.isEmpty || report.result.next != nil else { return "" }
        let depths = Dictionary(report.matches.map { ($0.pinIndex, $0.depth) }) { min($0, $1) }
        let outlooks = report.clients.compactMap(\.outlook).filter { $0.pins.count == configured.count }
        func standing(_ index: Int) -> (rank: Int, words: String) {
            if let depth = depths[index] {
                let role = report.built.indices.contains(depth) ? report.built[depth].role : "what comes"
                return (0, "\(depth) \(role)")
            }
            if !depths.isEmpty, outlooks.contains(where: { $0.pins[index].isBackup }) {
                return (1, "nothing yet: backup")
            }
            if let why = outlooks.lazy.compactMap({ $0.pins[index].noBackup }).first {
                return (2, why.id == "not-compared" ? "not compared" : "nothing: no backup, \(why.words)")
            }
            let isCompared = outlooks.isEmpty || outlooks.contains { $0.pins[index].isCompared }
            return (2, isCompared ? "nothing" : "not compared")
        }
        let told = configured.indices.map { (index: $0, standing: standing($0)) }
        let shown = [0, 1, 2].flatMap { rank in told.filter { $0.standing.rank == rank } }.prefix(Self.mostPins)
        let rows = shown.map { index, standing -> [Markup] in
            let pin = configured[index]
            let place = pin.place.listed
            return ["\(index + 1)", "\(place)<code>\(pin.spkiSHA256)</code>", "\(standing.words)"]
        }
        let more = shown.count < configured.count ? ", \(shown.count) of \(configured.count)" : ""
        return Self.table("Pins\(more)", ["no.", "pin", "matches"], rows)
    }

    private var clients: Markup {
        guard report.clients.count > 1 else { return "" }
        let rows = report.clientsAlike.flatMap { alike in
            alike.grouped(by: \.reason).map { reason, some -> [Markup] in
                let until = alike[0].verdict == .accept ? alike[0].outlook?.pinsMatchUntil : nil
                let names = some.map(\.title).listed
                return ["\(names)", "\(reason.told)", "\(alike[0].verdict.rawValue)", Self.day(until)]
            }
        }
        return Self.table("Clients", ["client", "why", "verdict", "pins sure until"], rows)
    }

    private var details: Markup {
        let lines =
            text.configurations(report) + text.request(report) + text.change(report)
            + (explains ? text.explanation(report) : [])
        guard !lines.isEmpty else { return "" }
        return "<pre>\(lines.map { line -> Markup in "\(Self.trimmed(line))\n" })</pre>\n"
    }

    /// A table whose cells repeat their column's head: a narrow window shows it next to the cell.
    static func table(_ caption: Markup?, _ heads: [String], _ rows: [[Markup]]) -> Markup {
        let body = rows.map { cells -> Markup in
            "<tr>\(zip(heads, cells).map { head, cell -> Markup in "<td data-h=\"\(head)\">\(cell)</td>" })</tr>\n"
        }
        return """
            <table>\(caption.map { "<caption>\($0)</caption>" as Markup } ?? "")\
            <thead><tr>\(heads.map { head -> Markup in "<th>\(head)</th>" })</tr></thead>
            <tbody>\(body)</tbody></table>

            """
    }
}
