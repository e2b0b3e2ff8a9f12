import Base
import Pinning

/// A timeline as SVG: places are percentages, so that it is as wide as there is room, and words keep their size.
///
/// Shapes differ by outline and dashes, and each has its words: nothing is told by colour alone.
extension Timeline {
    /// A part of a page that has the sheet.
    var svg: Markup {
        let (body, height) = drawing
        return "<svg role=\"img\" width=\"100%\" height=\"\(height)\">\(alternative)\(body)</svg>\n"
    }

    /// The same in words.
    var alternative: Markup {
        let words = parts.flatMap { part in
            (part.clients.map { [$0] } ?? []) + part.rows.map { "\($0.label): \(ending($0))" }
        }
        return """
            <title>Timeline of \(host)</title>\
            <desc>\(([day] + words).joined(separator: "; "))</desc>
            """
    }

    private var day: String { (isToday ? "today " : "as of ") + now.date }

    private func ending(_ row: Row) -> String {
        guard let end = row.end else { return "no end known" }
        if row.kind == .noPin, end == now { return isToday ? "today" : "that day" }
        let days = Report.Certificate.wholeDays(from: now, to: end)
        return end.date + (days < 0 ? ", \(-days) d ago" : ", \(days) d")
    }

    // MARK: Drawing

    private static let rowHeight = 34
    private static let headingHeight = 22

    var drawing: (body: Markup, height: Int) {
        var y = 22
        var rows: Markup = ""
        var zones: Markup = ""
        for part in parts {
            if let clients = part.clients {
                y += Self.headingHeight
                rows += "<text class=\"h\" y=\"\(y - 6)\">\(clients)</text>"
            }
            let top = y
            for row in part.rows {
                rows += """
                    <text y="\(y + 12)">\(row.label)</text>\
                    <text class="d" x="100%" y="\(y + 12)">\(ending(row))</text>
                    """
                rows += shape(row, at: y + 17)
                y += row.kind == .noPin ? Self.headingHeight : Self.rowHeight
            }
            if let end = part.rows.first(where: { $0.kind == .noPin })?.end, position(end) < 1_000 {
                zones += "<rect class=\"z\" x=\"\(percent(end))\" y=\"\(top)\" width=\"100%\" height=\"\(y - top)\"/>"
                zones += line("n", at: end, from: top, to: y)
            }
        }
        let side: Markup = position(now) > 600 ? " text-anchor=\"end\"" : ""
        return (
            """
            \(ticks(to: y))\(zones)\(line("now", at: now, from: 16, to: y))\
            <text class="h" x="\(percent(now))" y="12"\(side)>\(day)</text>\(rows)
            """, y + 18
        )
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

    /// Lines some days apart, as few as can be read in a narrow window.
    private func ticks(to bottom: Int) -> Markup {
        let span = first.seconds(to: last) / 86_400
        let steps: [Int64] = [1, 2, 5, 10, 20, 30, 60, 90, 180, 365, 730, 1_825, 3_650]
        let step = steps.first { span / $0 <= 6 } ?? span / 5
        let before = first.seconds(to: now) / 86_400 / step
        let after = now.seconds(to: last) / 86_400 / step
        return Markup(
            (-before...after).filter { $0 != 0 }.map { number in
                let day = now.advanced(bySeconds: number * step * 86_400)
                let label = number < 0 ? "−\(-number * step) d" : "+\(number * step) d"
                return """
                    \(line("t", at: day, from: 22, to: bottom))\
                    <text class="l" x="\(percent(day))" y="\(bottom + 13)">\(label)</text>
                    """
            })
    }

    // MARK: Places

    private func percent(_ time: Timestamp) -> String { Self.text(position(time)) }

    /// Tenths of a per cent of the width; a little is left at both sides for what goes on.
    private func position(_ time: Timestamp) -> Int {
        let share = Double(first.seconds(to: time)) / Double(max(first.seconds(to: last), 1))
        return Int(min(max(30 + share * 850, 0), 1_000))
    }

    private static func text(_ tenths: Int) -> String {
        "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + "%"
    }
}
