import Base
import PinChecking

protocol ResultRenderer: Sendable {
    mutating func text(for reports: [Report]) -> String
    mutating func ending(exit: ExitStatus) -> String
}

extension ResultRenderer { mutating func ending(exit: ExitStatus) -> String { "" } }

/// Writes one report as a document, several as a list: the first is held until another follows or the run ends.
struct JSONResultRenderer: ResultRenderer {
    var hasLines = false
    private(set) var first: Report?
    private(set) var isList = false

    mutating func text(for reports: [Report]) -> String {
        var text = ""
        for report in reports {
            if hasLines {
                text += JSONRenderer.line(report)
                continue
            }
            if let first {
                text += "{\n  \"schema\" : \"\(Report.schema)\",\n  \"results\" : [\n    "
                text += JSONRenderer.text(first, depth: 2)
                (self.first, isList) = (nil, true)
            }
            if isList { text += ",\n    " + JSONRenderer.text(report, depth: 2) } else { first = report }
        }
        return text
    }

    mutating func ending(exit: ExitStatus) -> String {
        if hasLines { return "" }
        if let first { return JSONRenderer.document(first) }
        let start = isList ? "\n  ]" : "{\n  \"schema\" : \"\(Report.schema)\",\n  \"results\" : []"
        return start + ",\n  \"exit\" : " + JSONRenderer.text(exit, depth: 1) + "\n}\n"
    }
}

struct TextResultRenderer: ResultRenderer {
    let text: TextRenderer
    var hasAll = true
    private(set) var total = RunTotal()

    mutating func text(for reports: [Report]) -> String {
        total.add(reports)
        let block = reports.comparison == nil ? text.block(reports[0]) : target(reports)
        return total.count == 1 ? block : "\n" + block
    }

    func ending(exit: ExitStatus) -> String { hasAll && total.count > 1 ? "\n" + text.text(text.lines(total)) : "" }

    private func target(_ connections: [Report]) -> String {
        let hasTable = connections.count > 1 && connections.contains { !$0.presented.isEmpty }
        guard text.explains || !hasTable || connections.contains(where: { $0.result.changes != nil }) else {
            return text.connections(connections)
        }
        return connections.map(text.block).joined(separator: "\n") + text.conclusion(connections)
    }
}

/// Writes one line a target for `grep`: the word, the target, the days left of the leaf, the reason.
struct BriefRenderer: ResultRenderer {
    let text: TextRenderer

    func text(for reports: [Report]) -> String {
        let target = TargetLine(reports)
        let leaf = reports.compactMap(\.presented.first).min { $0.daysLeft < $1.daysLeft }
        let days = leaf.map(TextRenderer.validity) ?? "-"
        let sentence = text.safe(target.sentence + target.more, length: 900)
        return "\(text.style.token(target.status))  \(text.safe(reports.name, length: 180))  \(days)  \(sentence)\n"
    }
}

/// Aligns cells that are ready to be shown; their colours take no room.
struct Table {
    var rows: [[String]]
    var indent = 2
    var gaps: [Int: Int] = [:]
    var rightAligned: Set<Int> = []
    /// The most cells to which a column other than the last is padded.
    var widest = Int.max

    var widths: [Int] {
        let count = rows.map { $0.count }.max() ?? 0
        return (0..<count).map { column in
            rows.map { column < $0.count ? TerminalText.cells($0[column]) : 0 }.max() ?? 0
        }
    }

    var width: Int {
        let widths = widths
        return indent + widths.reduce(0, +) + widths.indices.reduce(0) { widths[$1] == 0 ? $0 : $0 + gap(before: $1) }
    }

    var lines: [String] {
        let widths = widths
        return rows.map { row in
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            return row.indices.prefix(last + 1).reduce(String(repeating: " ", count: indent)) { line, column in
                let width = min(widths[column], widest)
                let cell =
                    rightAligned.contains(column)
                    ? TerminalText.leftPadded(row[column], toCells: width)
                    : column == last ? row[column] : TerminalText.padded(row[column], toCells: width)
                return line + String(repeating: " ", count: gap(before: column)) + cell
            }
        }
    }

    func lines(foldedIn layout: TextLayout) -> [String] {
        let start = indent + widths.indices.dropLast().reduce(0) { $0 + widths[$1] + gap(before: $1 + 1) }
        return lines.map { layout.folded($0, indent: start) }
    }

    private func gap(before column: Int) -> Int { column == 0 ? 0 : gaps[column] ?? 2 }
}
