import Base

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
