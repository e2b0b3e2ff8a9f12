import Base
import PinChecking

/// What each address answers to each kind of client, as a table of signs and names of keys.
struct VariantMatrix {
    /// What became of one connection.
    struct Cell {
        let status: ExitStatus
        /// The name of the key that was served, `nil` for none.
        let key: String?
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
        let pins: [Int]
    }

    static let none = "–"

    private struct Label: Hashable {
        let text: String
        let counts: Bool
        let rank: Int
    }

    /// What stands above the cells; in brackets what is only shown for comparison.
    let columns: [String]
    /// An address with what it answers, `nil` for no certificate.
    let rows: [(address: String, entries: [Cell?])]
    /// The keys in the order of their names: A, B, C.
    let keys: [Key]

    init(_ summary: VariantSummary) {
        var labels: [Label] = []
        var keys: [Key] = []
        for report in summary.places.flatMap(\.reports) {
            labels.append(
                Label(text: report.variant?.label ?? "", counts: report.counts, rank: report.variant?.rank ?? 0))
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
            let entries = labels.map { label in
                place.reports.first { $0.variant?.label == label.text }.map { report in
                    Cell(status: report.status, key: name(report), counts: report.counts)
                }
            }
            return (place.name, entries)
        }
        columns = labels.map { $0.counts ? $0.text : "(\($0.text))" }
        self.keys = keys
    }

    /// What the signs and columns of the table mean that do not say it themselves, `nil` where all do.
    var legend: String? {
        let cells = rows.flatMap(\.entries)
        let verdicts = [("!", "a warning"), ("?", "no verdict")].filter { sign, _ in cells.contains { $0?.sign == sign }
        }
        let kinds = [
            columns.count > 1 && columns.contains("ordinary") ? "ordinary: as most clients connect" : nil,
            columns.contains { $0.hasPrefix("(") } ? "in brackets: shown, not judged" : nil,
        ].compactMap(\.self)
        let signs =
            verdicts.map { "\($0.0) \($0.1)" } + (cells.contains { $0 == nil } ? ["\(Self.none) no certificate"] : [])
            + kinds
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
