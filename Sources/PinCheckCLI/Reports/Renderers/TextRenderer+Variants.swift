import Base
import PinChecking

extension TextRenderer {
    /// What each address answers to each kind of client, and what that comes to; it ends in a newline.
    func matrix(of summary: VariantSummary) -> String {
        let reports = summary.places.flatMap(\.reports)
        guard let first = reports.first else { return "" }
        let matrix = VariantMatrix(summary)
        let mismatch = reports.first { $0.counts && isMismatch($0) }
        var lines = [layout.joined([name(first)] + names(first), by: "   ")]
        if let judged = reports.first(where: { !$0.clients.isEmpty }) { lines += devicesInShort(judged) }
        lines += table(matrix) + keys(matrix)
        lines += mismatch.map { configured($0) } ?? numbers(first, withBackups: false)
        lines += reports.flatMap { configurations($0) }.distinct
        lines += reasons(summary) + outlooks(reports, matrix) + answers(summary)
        lines += reports.flatMap(\.toldNotes).map(note).distinct
        return text(lines) + conclusion(summary, of: first, naming: matrix)
    }

    /// What the connections differ in, and the verdict of the target last; it ends in a newline.
    func conclusion(_ summary: VariantSummary, of report: Report, naming matrix: VariantMatrix? = nil) -> String {
        let consistency = summary.consistency
        let findings = consistency.findings.map { finding in
            let message = matrix?.naming(finding.message) ?? finding.message
            return "  \(finding.level == .warning ? style.doubtful("warning") : "note"): \(safe(message, length: 600))"
        }
        let status = consistency.exit
        // The word is that of the exit status: without --fail-on warn a difference is a warning above it, and no WARN.
        let differs = status == .pass && consistency.consistent == false
        let sentence = differs ? style.doubtful(summary.sentence) : summary.sentence
        return text(findings + ["\(style.token(status))  \(name(report))  \(sentence)"])
    }

    // MARK: Parts

    private func table(_ matrix: VariantMatrix) -> [String] {
        // One kind of client needs no name.
        let heading = matrix.columns.count > 1 ? [matrix.columns.map(style.faint)] : []
        let cells = heading + matrix.rows.map { $0.entries.map(shown) }
        let addresses = heading.map { _ in "" } + matrix.rows.map { safe($0.address) }
        let table = Table(rows: zip(addresses, cells).map { [$0] + $1 })
        let legend = matrix.legend.map { [style.faint("  " + $0)] } ?? []
        guard table.width > layout.columns else { return table.lines + legend }
        // Long addresses have a line of their own where the signs would not fit behind them.
        return zip(addresses, Table(rows: cells, indent: 6).lines).map { address, line in
            address.isEmpty ? line : "  " + address + "\n" + line
        } + legend
    }

    private func shown(_ cell: VariantMatrix.Cell?) -> String {
        guard let cell else { return style.faint(VariantMatrix.none) }
        let key = cell.key.map { " " + $0 } ?? ""
        guard cell.counts else { return style.faint(cell.text) }
        switch cell.status {
        case .pass: return style.good(cell.sign) + key
        case .fail, .changed: return style.bad(cell.sign) + key
        default: return style.doubtful(cell.sign) + key
        }
    }

    /// The keys with their names, ready to paste.
    private func keys(_ matrix: VariantMatrix) -> [String] {
        let widest = matrix.keys.map { $0.name.utf8.count }.max() ?? 0
        return (matrix.keys.isEmpty ? [] : ["  served:"])
            + matrix.keys.map { key in
                let numbers = key.pins.map { String($0 + 1) }.joined(separator: ", ")
                let arrow = numbers.isEmpty ? "" : "   " + style.good("← pin \(numbers)")
                let facts = [
                    safe(key.certificate.key, length: 20), Self.validity(key.certificate), name(of: key.certificate),
                ]
                return "    \(TerminalText.padded(key.name, toCells: widest))  \(key.certificate.spkiSha256)\n"
                    + String(repeating: " ", count: widest + 6) + facts.joined(separator: "  ") + arrow
            }
    }

    /// Why connections that count did not pass, each reason once with where it is so.
    private func reasons(_ summary: VariantSummary) -> [String] {
        let failing = summary.places.flatMap { place in
            place.counting.filter { $0.status != .pass }.map { (place: place, report: $0) }
        }
        return failing.grouped { [$0.report.status.name, $0.report.sentence] }.map { _, all in
            let report = all[0].report
            let names = all.grouped(by: \.place.name).lazy.map { name, some in
                let kinds = some.map { $0.report.variant?.label ?? "" }
                return safe(name)
                    + (kinds.count == some[0].place.counting.count ? "" : " (\(kinds.joined(separator: ", ")))")
            }
            let places = listed(names, first: Self.mostPlaces)
            return "  \(style.token(report.status))  \(places): \(safe(report.sentence, length: 600))"
        }
    }

    private static var mostPlaces: Int { 4 }

    /// What is ahead of the connections that count, each once: with the key it is of where that makes a difference.
    private func outlooks(_ reports: [Report], _ matrix: VariantMatrix) -> [String] {
        let lines = reports.filter(\.counts).flatMap { report in
            outlook(report).map { (line: $0, key: matrix.key(of: report)) }
        }
        let all = Set(lines.compactMap(\.key))
        return lines.grouped(by: \.line).map { line, some in
            let keys = some.compactMap(\.key).distinct
            return keys.count == all.count ? line : line + " (key \(keys.joined(separator: ", ")))"
        }
    }

    /// What came of requests, each answer once with the addresses it is from.
    private func answers(_ summary: VariantSummary) -> [String] {
        let answers = summary.places.flatMap { place in
            place.reports.flatMap { report in
                (report.http.map { request($0, in: report) } ?? []).map { (line: $0, place: place.name) }
            }
        }.grouped(by: \.line)
        guard answers.count > 1 else { return answers.map(\.key) }
        return answers.map { line, some in
            line + "   (\(listed(some.lazy.map { safe($0.place) }, first: Self.mostPlaces)))"
        }
    }
}

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

    /// What stands above the cells; in brackets what is only shown for comparison.
    let columns: [String]
    /// An address with what it answers, `nil` for no certificate.
    let rows: [(address: String, entries: [Cell?])]
    /// The keys in the order of their names: A, B, C.
    let keys: [Key]

    init(_ summary: VariantSummary) {
        var keys: [Key] = []
        let kinds = summary.places.flatMap(\.reports).grouped { $0.variant?.label ?? "" }
        // The table is the same whatever the first address has.
        let labels = kinds.map { (text: $0, counts: $1[0].counts, rank: $1[0].variant?.rank ?? 0) }.sorted {
            ($0.rank, $0.text) < ($1.rank, $1.text)
        }
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
