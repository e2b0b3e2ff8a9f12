import Text

/// What each address answers to each kind of client, as a table of signs and names of keys.
struct VariantMatrix {
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

    /// What stands above the cells; in brackets what is only shown for comparison.
    let columns: [String]
    /// An address with what it answers, `nil` for what it has nothing of.
    let rows: [(address: String, cells: [Cell?])]
    /// The keys in the order of their names: A, B, C.
    let keys: [Key]

    init(_ summary: VariantSummary) {
        var labels: [(label: String, counts: Bool)] = []
        var keys: [Key] = []
        for report in summary.places.flatMap(\.reports) {
            let label = report.variant?.label ?? ""
            if !labels.contains(where: { $0.label == label }) { labels.append((label, report.counts)) }
        }
        func name(_ report: Report) -> String? {
            guard let leaf = report.presented.first else { return nil }
            if let known = keys.first(where: { $0.certificate.spkiSha256 == leaf.spkiSha256 }) { return known.name }
            let key = Key(name: Self.name(keys.count), certificate: leaf, pins: report.built.first?.pins ?? [])
            keys.append(key)
            return key.name
        }
        rows = summary.places.map { place in
            let cells = labels.map { label in
                place.reports.first { $0.variant?.label == label.label }.map {
                    Cell(status: $0.status, key: name($0), counts: $0.counts)
                }
            }
            return (place.name, cells)
        }
        columns = labels.map { $0.counts ? $0.label : "(\($0.label))" }
        self.keys = keys
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
