import Base
import PinChecking
import TLSProbe

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
            let place = pin.place.joined(separator: ", ")
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
                let names = some.map(\.title).joined(separator: ", ")
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
