import Base
import PinChecking

/// What each address answers to each kind of client, as a table of signs and names of keys.
struct VariantMatrix {
    /// What stands at a place of the table.
    enum Entry {
        case cell(Cell)
        case absence(Report.Consistency.Gap.Reason)
        /// The kind of client makes no sense there.
        case nothing

        /// What is shown, without colour.
        var text: String {
            switch self {
            case .cell(let cell): cell.text
            case .absence(.notOffered): "–"
            case .absence(.notTried): "·"
            case .nothing: ""
            }
        }
    }

    /// What became of one connection.
    struct Cell {
        let status: ExitStatus
        /// The name of the key that was served, `nil` for none.
        let key: String?
        /// Whether the verdict counts.
        let counts: Bool

        var sign: String {
            switch status {
            case .pass: "✓"
            case .warn: "!"
            case .fail, .changed: "✗"
            default: "?"
            }
        }

        var text: String { sign + (key.map { " " + $0 } ?? "") }
    }

    /// A key that is served somewhere, with one certificate that has it.
    struct Key {
        let name: String
        let certificate: Report.Certificate
        /// The pins that match it as a leaf's.
        let pins: [Int]
    }

    private struct Label: Hashable {
        let text: String
        let counts: Bool
        let rank: Int
    }

    /// What stands above the cells; in brackets what is only shown for comparison.
    let columns: [String]
    /// An address with what it answers.
    let rows: [(address: String, entries: [Entry])]
    /// The keys in the order of their names: A, B, C.
    let keys: [Key]

    init(_ summary: VariantSummary) {
        var labels: [Label] = []
        var keys: [Key] = []
        for report in summary.places.flatMap(\.reports) {
            labels.append(
                Label(text: report.variant?.label ?? "", counts: report.counts, rank: report.variant?.rank ?? 0))
        }
        for absence in summary.consistency.absences {
            let text = absence.label
            // What nobody offers has no column: a note says so.
            guard absence.reason == .notTried || labels.contains(where: { $0.text == text }) else { continue }
            labels.append(Label(text: text, counts: absence.counts, rank: absence.rank))
        }
        // The table is the same whatever the first address has.
        labels = Set(labels).sorted { ($0.rank, $0.text) < ($1.rank, $1.text) }
        func name(_ report: Report) -> String? {
            guard let leaf = report.presented.first else { return nil }
            if let known = keys.first(where: { $0.certificate.spkiSha256 == leaf.spkiSha256 }) { return known.name }
            let key = Key(name: Self.name(keys.count), certificate: leaf, pins: report.built.first?.pins ?? [])
            keys.append(key)
            return key.name
        }
        rows = summary.places.map { place in
            let entries = labels.map { label -> Entry in
                if let report = place.reports.first(where: { $0.variant?.label == label.text }) {
                    return .cell(Cell(status: report.status, key: name(report), counts: report.counts))
                }
                let absence = summary.consistency.absences.first { $0.address == place.name && $0.label == label.text }
                return absence.map { .absence($0.reason) } ?? .nothing
            }
            return (place.name, entries)
        }
        columns = labels.map { $0.counts ? $0.text : "(\($0.text))" }
        self.keys = keys
    }

    /// What the signs and columns of the table mean that do not say it themselves, `nil` where all do.
    var legend: String? {
        func has(_ reason: Report.Consistency.Gap.Reason) -> Bool {
            rows.contains { row in row.entries.contains { if case .absence(reason) = $0 { true } else { false } } }
        }
        func has(_ sign: String) -> Bool {
            rows.contains { row in
                row.entries.contains { if case .cell(let cell) = $0 { cell.sign == sign } else { false } }
            }
        }
        let verdicts = [("!", "a warning"), ("?", "no verdict")].filter { has($0.0) }
        let meanings = [(Report.Consistency.Gap.Reason.notOffered, "not offered"), (.notTried, "no connection")].filter
        { has($0.0) }
        let kinds = [
            columns.count > 1 && columns.contains("ordinary") ? "ordinary: as most clients connect" : nil,
            columns.contains { $0.hasPrefix("(") } ? "in brackets: shown, not judged" : nil,
        ].compactMap(\.self)
        let signs = verdicts.map { "\($0.0) \($0.1)" } + meanings.map { "\(Entry.absence($0.0).text) \($0.1)" } + kinds
        return signs.isEmpty ? nil : signs.joined(separator: "; ")
    }

    /// A to Z, then A2 and so on.
    private static func name(_ index: Int) -> String {
        let (round, letter) = index.quotientAndRemainder(dividingBy: 26)
        return String(UnicodeScalar(UInt8(0x41 + letter))) + (round == 0 ? "" : String(round + 1))
    }

    /// The name of the key that a report is of, `nil` where none was served.
    func key(of report: Report) -> String? {
        keys.first { $0.certificate.spkiSha256 == report.presented.first?.spkiSha256 }?.name
    }

    /// A sentence of the engine's with the names of the keys in place of their hashes.
    func naming(_ sentence: String) -> String {
        keys.reduce(sentence) { text, key in text.replacing(key.certificate.spkiSha256, with: key.name) }
    }
}
