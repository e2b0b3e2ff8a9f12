import Base

/// A chain as a table, a line for each certificate.
struct ChainTable {
    let layout: TextLayout
    let style: TextStyle

    /// A certificate; the texts are ready to be shown.
    struct Row {
        let depth: String
        let role: String
        let name: String
        let key: String
        let days: String
        let pin: String
        let arrow: String?
        /// Where it is from, `nil` for what the server sent.
        let source: String?

        fileprivate var title: String { name + origin }

        fileprivate var origin: String { source.map { " (\($0))" } ?? "" }

        /// The name cut so that it takes so many cells with its source, which goes last.
        fileprivate func title(toCells cells: Int) -> String {
            let left = cells - TerminalText.cells(origin)
            guard TerminalText.cells(title) > cells, left >= ChainTable.shortestStart else {
                return TerminalText.cut(title, toCells: cells)
            }
            return TerminalText.cut(name, toCells: left) + origin
        }
    }

    /// A name that has to be cut keeps at least so many cells, and so many before its source.
    private static let shortestName = 8
    fileprivate static let shortestStart = 4

    /// A line for each, as wide as there is room for: where there is not enough, the hash goes without its algorithm, then without
    /// its end, and at last names are cut.
    func lines(_ rows: [Row]) -> [String] {
        var pins = rows.map { TextRenderer.shortPin($0.pin) }
        if width(rows, pins) > layout.columns { pins = rows.map { TextRenderer.bareShortPin($0.pin) } }
        if width(rows, pins) > layout.columns { pins = pins.map(Self.beginning) }
        let widest = Self.widest(rows.map(\.title))
        let name = max(min(widest, Self.shortestName), widest - max(0, width(rows, pins) - layout.columns))
        return zip(rows, pins).map { row, pin in
            let title = TerminalText.padded(row.title(toCells: name), toCells: name)
            let end =
                row.arrow.map { TerminalText.padded(pin, toCells: Self.widest(pins)) + "  " + style.good($0) } ?? pin
            return start(row, among: rows) + title + "  " + keyAndDays(row, among: rows) + "  " + end
        }
    }

    /// As in `NSQoeTIW…`: what tells one key from another at a glance.
    private static func beginning(_ pin: String) -> String { pin.firstIndex(of: "…").map { String(pin[...$0]) } ?? pin }

    func wholeLines(_ rows: [Row]) -> [String] {
        rows.map { row in
            let line = start(row, among: rows) + keyAndDays(row, among: rows) + "  "
            let arrow = row.arrow.map { "   " + style.good($0) } ?? ""
            return layout.folded(line + row.title, indent: TerminalText.cells(line)) + "\n      " + row.pin + arrow
        }
    }

    /// How wide the table is with these hashes and whole names.
    private func width(_ rows: [Row], _ pins: [String]) -> Int {
        guard let first = rows.first else { return 0 }
        let arrow = Self.widest(rows.compactMap(\.arrow))
        return TerminalText.cells(start(first, among: rows)) + Self.widest(rows.map(\.title)) + 2
            + TerminalText.cells(keyAndDays(first, among: rows)) + 2 + Self.widest(pins) + (arrow == 0 ? 0 : arrow + 2)
    }

    private func start(_ row: Row, among rows: [Row]) -> String {
        "  " + TerminalText.leftPadded(row.depth, toCells: Self.widest(rows.map(\.depth))) + " "
            + TerminalText.padded(row.role, toCells: Self.widest(rows.map(\.role))) + "  "
    }

    private func keyAndDays(_ row: Row, among rows: [Row]) -> String {
        TerminalText.padded(row.key, toCells: Self.widest(rows.map(\.key))) + " "
            + TerminalText.leftPadded(row.days, toCells: Self.widest(rows.map(\.days)))
    }

    private static func widest(_ texts: [String]) -> Int { texts.map { TerminalText.cells($0) }.max() ?? 0 }
}
