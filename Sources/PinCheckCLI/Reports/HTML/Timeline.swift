import Base
import PinChecking

struct Timeline {
    struct Row {
        /// The kind; its raw value is its class in the style sheet.
        enum Kind: String {
            case certificate = "c", renewal = "r", pin = "p", backup = "b", pinSet = "e", noPin = "n", rejection = "x"
        }

        let kind: Kind
        let label: String
        var start: Timestamp?
        var end: Timestamp?
        /// The words below the label, if they are not those of its end.
        var words: String?
    }

    private let report: Report
    /// The rows of the chain, then those of each group of clients; `clients` is `nil` if all clients are alike.
    let parts: [(clients: String?, rows: [Row])]
    /// The ends of the drawing; a bar that goes on beyond them has an arrow.
    let first: Timestamp
    let last: Timestamp

    init?(_ report: Report) {
        guard let leaf = report.built.first else { return nil }
        self.report = report
        let now = report.evaluatedAt
        var chain: [Row] = []
        if report.verdict == .reject {
            chain.append(Row(kind: .rejection, label: "rejected \(report.today)", start: now, words: report.reason.id))
        }
        for one in report.needed {
            chain.append(
                Row(kind: .certificate, label: "\(one.index) \(one.role)", start: one.notBefore, end: one.notAfter))
            if one.index == 0, let renewal = report.outlook?.renewalPoint {
                chain.append(Row(kind: .renewal, label: "usually renewed by", end: renewal))
            }
        }
        let groups = report.clientsAlike.filter { $0[0].outlook?.pins.contains(where: \.isCompared) ?? false }
        parts =
            [(nil, chain)]
            + groups.map { clients in
                // A narrow window has room for two names without devices.
                let names = listed(clients.map(\.title), first: clients[0].device == nil ? 2 : 1)
                let title = names + (clients[0].verdict == .reject ? ": reject" : "")
                let rows = clients[0].outlook.map { Self.rows($0, in: report) } ?? []
                return (report.clientsAlike.count > 1 ? title : nil, rows)
            }
        // A root of twenty years would shrink the leaf's ninety days to a point.
        let end = leaf.notAfter
        let far = now.advanced(bySeconds: max(400 * 86_400, 2 * min(max(now.seconds(to: end), 0), 1 << 40)))
        let ends = [end] + parts.flatMap(\.rows).filter { $0.kind != .certificate }.compactMap(\.end)
        let last = max(now.advanced(bySeconds: 86_400), ends.filter { $0 <= far }.max() ?? now)
        let earliest = min(now, end).advanced(bySeconds: -max(now.seconds(to: last), 30 * 86_400))
        first = min(now, max(leaf.notBefore, earliest))
        self.last = last
    }

    fileprivate static func rows(_ outlook: Outlook, in report: Report) -> [Row] {
        let now = report.evaluatedAt
        let matching = outlook.pins.enumerated().map { (index: $0, pin: $1) }.filter {
            $0.pin.isCompared && $0.pin.depth != nil
        }
        var rows = matching.grouped { "\($0.pin.depth ?? 0) \($0.pin.until?.description ?? "")" }.map { _, alike in
            let (depth, pins) = (alike[0].pin.depth ?? 0, alike.map(\.index))
            let role = report.built.indices.contains(depth) ? " " + report.built[depth].role : ""
            return Row(kind: .pin, label: "\(numbered(pins)) → \(depth)\(role)", start: now, end: alike[0].pin.until)
        }
        guard !rows.isEmpty else { return [Row(kind: .noPin, label: "no pin matches", end: now)] }
        // A backup that meets only a part of the client's demands does not keep an app connected by itself.
        let label = outlook.hasBackup ? "backup: " : "backup of a part: "
        for (_, alike) in outlook.backups.grouped(by: { outlook.pins[$0].until?.description ?? "" }) {
            rows.append(
                Row(kind: .backup, label: label + numbered(alike), start: now, end: outlook.pins[alike[0]].until))
        }
        if let end = outlook.pinsExpire {
            rows.append(Row(kind: .pinSet, label: "pins compared until", start: min(now, end), end: end))
        }
        if let end = outlook.noPinAfter {
            rows.append(Row(kind: .noPin, label: "no pin is sure to match after", end: end))
        }
        return rows
    }

    static func numbered(_ pins: [Int]) -> String {
        (pins.count == 1 ? "pin " : "pins ") + listed(pins.map { String($0 + 1) }, first: 4)
    }
}

extension Report {
    var clientsAlike: [[Client]] {
        clients.grouped { client in
            let rows = client.outlook.map { Timeline.rows($0, in: self) } ?? []
            return ["\(client.verdict)", client.outlook?.pinsMatchUntil?.date ?? ""] + rows.map { "\($0)" }
        }.map(\.elements)
    }
}

/// Places are percentages, so that the drawing fits any width; no fact is shown by colour alone.
extension Timeline {
    var svg: Markup {
        let (body, height) = drawing
        return "<svg role=\"img\" width=\"100%\" height=\"\(height)\">\(alternative)\(body)</svg>\n"
    }

    var alternative: Markup {
        let words = parts.flatMap { part in
            (part.clients.map { [$0] } ?? []) + part.rows.map { "\($0.label): \(ending($0))" }
        }
        return """
            <title>Timeline of \(report.title)</title>\
            <desc>\(([day] + words).joined(separator: "; "))</desc>
            """
    }

    private var now: Timestamp { report.evaluatedAt }
    private var day: String { (report.isOfAnotherTime ? "as of " : "today ") + now.date }

    private func ending(_ row: Row) -> String {
        guard let end = row.end else { return row.words ?? "no end known" }
        if row.kind == .noPin, end == now { return report.today }
        let days = now.wholeDays(to: end)
        return end.date + (days < 0 ? ", \(-days) d ago" : ", \(days) d")
    }

    private static let rowHeight = 34
    private static let headingHeight = 22

    /// The words in a column next to the drawing: no line runs through a word.
    var drawing: (body: Markup, height: Int) {
        var y = 22
        var words: Markup = ""
        var bars: Markup = ""
        for part in parts {
            if let clients = part.clients {
                y += Self.headingHeight
                words += "<text class=\"h\" y=\"\(y - 6)\">\(clients)</text>"
            }
            let top = y
            let height = part.rows.count * Self.rowHeight
            if let end = part.rows.first(where: { $0.kind == .noPin })?.end, position(end) < 1_000 {
                bars += "<rect class=\"z\" x=\"\(percent(end))\" y=\"\(top)\" width=\"100%\" height=\"\(height)\"/>"
                bars += line("n", at: end, from: top, to: top + height)
            }
            bars += line("now", at: now, from: top, to: top + height)
            for row in part.rows {
                words += """
                    <text y="\(y + 13)">\(row.label)</text><text class="d" y="\(y + 28)">\(ending(row))</text>
                    """
                bars += shape(row, at: y + 12)
                y += Self.rowHeight
            }
        }
        let side: Markup = position(now) > 600 ? " text-anchor=\"end\"" : ""
        let body: Markup = """
            \(words)<svg x="40%" width="60%">\(bars)\
            <text class="h" x="\(percent(now))" y="12"\(side)>\(day)</text>\
            <text class="l" x="\(percent(first))" y="\(y + 13)">\(first.date)</text>\
            <text class="l" x="\(percent(last))" y="\(y + 13)" text-anchor="end">\(last.date)</text></svg>
            """
        return (body, y + 18)
    }

    private func shape(_ row: Row, at y: Int) -> Markup {
        guard row.kind != .noPin else { return "" }
        if row.kind == .renewal, let end = row.end {
            return """
                \(line("r", at: end, from: y - 24, to: y))\
                <circle class="r" cx="\(percent(end))" cy="\(y + 5)" r="5"/>
                """
        }
        let start = row.start.map(position) ?? 0
        let end = row.end.map(position) ?? 1_000
        let width = Self.text(max(end - start, 2))
        let bar: Markup = """
            <rect class="\(row.kind.rawValue)" x="\(Self.text(start))" y="\(y)" width="\(width)" height="10"/>
            """
        return end < 1_000 ? bar : "\(bar)<text class=\"a \(row.kind.rawValue)\" x=\"100%\" y=\"\(y + 9)\">→</text>"
    }

    private func line(_ name: String, at time: Timestamp, from top: Int, to bottom: Int) -> Markup {
        let x = percent(time)
        return "<line class=\"\(name)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(top)\" y2=\"\(bottom)\"/>"
    }

    private func percent(_ time: Timestamp) -> String { Self.text(position(time)) }

    /// The place of a time in tenths of a per cent of the width, with room at both sides for bars that go on.
    private func position(_ time: Timestamp) -> Int {
        let share = Double(first.seconds(to: time)) / Double(max(first.seconds(to: last), 1))
        return Int(min(max(30 + share * 850, 0), 1_000))
    }

    private static func text(_ tenths: Int) -> String {
        "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + "%"
    }
}
