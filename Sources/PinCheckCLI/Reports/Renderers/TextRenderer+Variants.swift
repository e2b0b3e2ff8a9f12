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
        lines += Self.distinct(reports.flatMap { configurations($0) })
        lines += reasons(summary) + outlooks(reports, matrix) + answers(summary)
        lines += Self.distinct(reports.flatMap(\.toldNotes).map(note))
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
        var reasons: [(sentence: String, status: ExitStatus, places: [(name: String, kinds: [String], isAll: Bool)])] =
            []
        for place in summary.places {
            for report in place.counting where report.status != .pass {
                let kind = report.variant?.label ?? ""
                let index =
                    reasons.firstIndex { $0.sentence == report.sentence && $0.status == report.status }
                    ?? reasons.endIndex
                if index == reasons.endIndex { reasons.append((report.sentence, report.status, [])) }
                if reasons[index].places.last?.name == place.name {
                    reasons[index].places[reasons[index].places.count - 1].kinds.append(kind)
                } else {
                    reasons[index].places.append((place.name, [kind], false))
                }
                let kinds = reasons[index].places.last?.kinds.count ?? 0
                reasons[index].places[reasons[index].places.count - 1].isAll = kinds == place.counting.count
            }
        }
        return reasons.map { reason in
            let names = reason.places.lazy.map { place in
                safe(place.name) + (place.isAll ? "" : " (\(place.kinds.joined(separator: ", ")))")
            }
            let places = listed(names, first: Self.mostPlaces)
            return "  \(style.token(reason.status))  \(places): \(safe(reason.sentence, length: 600))"
        }
    }

    private static var mostPlaces: Int { 4 }

    /// What is ahead of the connections that count, each once: with the key it is of where that makes a difference.
    private func outlooks(_ reports: [Report], _ matrix: VariantMatrix) -> [String] {
        var lines: [(line: String, keys: [String])] = []
        for report in reports.filter(\.counts) {
            let key = matrix.key(of: report).map { [$0] } ?? []
            for line in outlook(report) {
                if let index = lines.firstIndex(where: { $0.line == line }) {
                    if !lines[index].keys.contains(key) { lines[index].keys += key }
                } else {
                    lines.append((line, key))
                }
            }
        }
        let all = Set(lines.flatMap(\.keys))
        return lines.map { line, keys in
            keys.count == all.count ? line : line + " (key \(keys.joined(separator: ", ")))"
        }
    }

    /// What came of requests, each answer once with the addresses it is from.
    private func answers(_ summary: VariantSummary) -> [String] {
        var answers: [(line: String, places: [String])] = []
        for place in summary.places {
            for report in place.reports {
                for line in report.http.map({ request($0, in: report) }) ?? [] {
                    if let index = answers.firstIndex(where: { $0.line == line }) {
                        answers[index].places.append(place.name)
                    } else {
                        answers.append((line, [place.name]))
                    }
                }
            }
        }
        guard answers.count > 1 else { return answers.map(\.line) }
        return answers.map { answer in
            answer.line + "   (\(listed(answer.places.lazy.map { safe($0) }, first: Self.mostPlaces)))"
        }
    }

    private static func distinct(_ lines: [String]) -> [String] {
        lines.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
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
