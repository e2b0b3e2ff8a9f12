import Base
import PinChecking
import Pinning
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
        \(attention)\(Timeline(report)?.svg ?? "")\(chain)\(details)</section>

        """
    }

    static func badge(_ status: ExitStatus) -> Markup { "<span class=\"s \(status.name)\">\(status.name)</span>" }

    static func conclusion(_ reports: [Report]) -> Markup {
        let line = TargetLine(reports)
        let findings = (reports.last?.result.consistency?.findings ?? []).map { finding in
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
        let rows = report.ofShownLeaf.neededCertificates.map { depth, _, link -> [Markup] in
            let one = link.certificate
            let source = link.sourceInWords.map { " (\($0))" } ?? ""
            let pins = link.pins.isEmpty ? "–" : Timeline.numbered(link.pins)
            return [
                "\(depth) \(one.role)", "\(one.shownName)\(source), \(one.key)<code>\(one.pin)</code>",
                "\(Self.day(one.notAfter)) \(TextRenderer.validity(one))", "\(pins)",
            ]
        }
        let why = text.unverified(report).map { " (\($0))" } ?? ""
        return Self.table("Chain\(why)", ["place", "certificate and key", "ends", "matches"], rows)
    }

    private var details: Markup {
        let lines =
            text.pins(report) + (text.isMismatch(report) ? Array(text.configured(report).prefix(21)) : [])
            + text.configurations(report) + text.request(report) + text.change(report)
            + (explains ? text.explanation(report) : []) + text.matrix(report)
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
