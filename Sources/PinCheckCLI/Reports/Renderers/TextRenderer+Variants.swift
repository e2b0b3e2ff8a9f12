import Base
import PinChecking

struct VariantSummary {
    let consistency: AddressComparison
    /// The addresses in their order, each with its port where that is not the target's, and with the reports on it.
    let places: [(name: String, reports: [Report])]

    init?(_ reports: [Report]) {
        guard let consistency = reports.last?.consistency else { return nil }
        self.consistency = consistency
        places = reports.grouped { $0.peer ?? $0.endpoint?.address ?? $0.target }.map { ($0, $1) }
    }

    /// What comes of it in one line, as in `4 addresses: 3 accepted, 1 rejected; the addresses differ`.
    var sentence: String {
        let differences = self.differences
        guard consistency.addresses > 0 || consistency.hasVerdicts else {
            let more = differences.isEmpty ? "" : "; " + differences.joined(separator: ", ")
            return "no address was found, so nothing was judged" + more
        }
        return verdicts + "; " + (differences.isEmpty ? comparison : differences.joined(separator: ", "))
    }

    /// How many addresses are accepted; one that rejects a single kind of client is not.
    private var verdicts: String {
        let counting = places.map { $0.reports.filter(\.counts) }.filter { !$0.isEmpty }
        let otherwise = consistency.answeringOtherwise
        let words = counting.map { Self.word($0, isJudgedByTime: otherwise == 0) }
        let order = ["accepted", "accepted for too short a time", "rejected", "without a verdict"]
        let parts =
            order.map { word in (count: words.count { $0 == word }, word: word) }.filter { $0.count > 0 }
            + (otherwise > 0 ? [(otherwise, "without the expected answer")] : [])
        guard consistency.addresses != 1 || places.count != 1 else {
            guard let reports = counting.first, !parts.isEmpty else { return "1 address, not judged" }
            let affected: Report.VerdictWord? =
                words[0] == "rejected" ? .reject : words[0] == "without a verdict" ? Report.VerdictWord.none : nil
            let count = affected.map { word in reports.count { $0.verdict == word } } ?? reports.count
            let share = count < reports.count ? " for \(count) of \(reports.count) kinds of clients" : ""
            return "1 address, " + parts.map(\.word).joined(separator: ", ") + share
        }
        let addresses = consistency.addresses == 1 ? "1 address" : "\(consistency.addresses) addresses"
        let counts = parts.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
        return "\(addresses): \(counts.isEmpty ? "not judged" : counts)"
    }

    /// What an address comes to, `nil` where not all was judged there.
    private static func word(_ reports: [Report], isJudgedByTime: Bool) -> String? {
        if reports.contains(where: { $0.verdict == .reject }) { return "rejected" }
        if reports.contains(where: { [.unreachable, .data].contains($0.status) }) { return "without a verdict" }
        guard reports.allSatisfy({ $0.verdict == .accept }) else { return nil }
        let isShort = isJudgedByTime && reports.contains { $0.status == .fail }
        return isShort ? "accepted for too short a time" : "accepted"
    }

    private var comparison: String {
        switch consistency.isConsistent {
        case false?: "the verdicts differ"
        case _ where consistency.hasKnownDifferences: "as recorded"
        case true? where consistency.unreachable > 0 && consistency.hasVerdicts: comparisonOfOthers
        case true?: "consistent"
        case nil: "nothing to compare"
        }
    }

    /// The same where some have no verdict: of the addresses that have one, or of what is judged of the only address.
    private var comparisonOfOthers: String {
        let judged = places.map { place in place.reports.count { $0.counts && $0.verdict != .none } }.filter { $0 > 0 }
        let count = places.count > 1 ? judged.count : judged.first ?? 0
        guard count < 2 else { return "the others are consistent" }
        return judged.first ?? 0 > 1 ? "the other is consistent" : "nothing to compare"
    }

    private var differences: [String] {
        consistency.findings.filter { $0.level == .warning }.map { Self.words[$0.id] ?? $0.id }.distinct
    }

    private static let words = [
        "addresses-differ": "the addresses differ", "addresses-incomplete": "not all addresses are known",
        "no-sni-differs": "another certificate without SNI", "no-time": "the time was up",
    ]
}

extension TextRenderer {
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

    func conclusion(_ summary: VariantSummary, of report: Report, naming matrix: VariantMatrix? = nil) -> String {
        let consistency = summary.consistency
        let findings = consistency.findings.map { finding in
            let message = Report.Message(finding.reason).message
            let word = finding.level == .warning ? style.doubtful("warning") : "note"
            return "  \(word): \(safe(matrix?.naming(message) ?? message, length: 600))"
        }
        let status = consistency.exit
        // The word is that of the exit status: without --fail-on warn a difference is a warning above it, and no WARN.
        let differs = status == .pass && consistency.isConsistent == false
        let sentence = differs ? style.doubtful(summary.sentence) : summary.sentence
        return text(findings + ["\(style.token(status))  \(name(report))  \(sentence)"])
    }

    private func table(_ matrix: VariantMatrix) -> [String] {
        let heading = matrix.columns.count > 1 ? [matrix.columns.map(style.faint)] : []
        let cells = heading + matrix.rows.map { $0.reports.map { shown($0, in: matrix) } }
        let addresses = heading.map { _ in "" } + matrix.rows.map { safe($0.address) }
        let table = Table(rows: zip(addresses, cells).map { [$0] + $1 })
        let legend = matrix.legend.map { [style.faint("  " + $0)] } ?? []
        guard table.width > layout.columns else { return table.lines + legend }
        // Long addresses have a line of their own where the signs would not fit behind them.
        return zip(addresses, Table(rows: cells, indent: 6).lines).map { address, line in
            address.isEmpty ? line : "  " + address + "\n" + line
        } + legend
    }

    private func shown(_ report: Report?, in matrix: VariantMatrix) -> String {
        guard let report else { return style.faint(VariantMatrix.none) }
        let sign = VariantMatrix.sign(of: report)
        let key = matrix.key(of: report).map { " " + $0 } ?? ""
        guard report.counts else { return style.faint(sign + key) }
        switch report.status {
        case .pass: return style.good(sign) + key
        case .fail, .changed: return style.bad(sign) + key
        default: return style.doubtful(sign) + key
        }
    }

    private func keys(_ matrix: VariantMatrix) -> [String] {
        let widest = matrix.keys.map { $0.name.utf8.count }.max() ?? 0
        return (matrix.keys.isEmpty ? [] : ["  served:"])
            + matrix.keys.map { key in
                let numbers = key.pins.map { String($0 + 1) }.joined(separator: ", ")
                let arrow = numbers.isEmpty ? "" : "   " + style.good("← pin \(numbers)")
                let facts = [safe(key.leaf.key, length: 20), Self.validity(key.leaf), name(of: key.leaf)]
                return "    \(TerminalText.padded(key.name, toCells: widest))  \(key.leaf.spkiSha256)\n"
                    + String(repeating: " ", count: widest + 6) + facts.joined(separator: "  ") + arrow
            }
    }

    private func reasons(_ summary: VariantSummary) -> [String] {
        let failing = summary.places.flatMap { place in
            place.reports.filter { $0.counts && $0.status != .pass }.map { (place: place, report: $0) }
        }
        return failing.grouped { [$0.report.status.name, $0.report.sentence] }.map { _, all in
            let report = all[0].report
            let names = all.grouped(by: \.place.name).lazy.map { name, some in
                let kinds = some.map { $0.report.variant?.name ?? "" }
                return safe(name)
                    + (kinds.count == some[0].place.reports.count(where: \.counts)
                        ? "" : " (\(kinds.joined(separator: ", ")))")
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

struct VariantMatrix {
    static let none = "–"

    let columns: [String]
    let rows: [(address: String, reports: [Report?])]
    /// The keys that are served in the order of their names, A, B, C: each with one certificate that has it.
    let keys: [(name: String, leaf: Report.Certificate, pins: [Int])]

    init(_ summary: VariantSummary) {
        let kinds = summary.places.flatMap(\.reports).grouped { $0.variant?.name ?? "" }
        // The table is the same whatever the first address has.
        let labels = kinds.map { (text: $0, counts: $1[0].counts, rank: $1[0].variant?.rank ?? 0) }.sorted {
            ($0.rank, $0.text) < ($1.rank, $1.text)
        }
        rows = summary.places.map { place in
            (place.name, labels.map { label in place.reports.first { $0.variant?.name == label.text } })
        }
        columns = labels.map { $0.counts ? $0.text : "(\($0.text))" }
        let leaves = rows.flatMap(\.reports).compactMap { report in
            report?.presented.first.map { (leaf: $0, pins: report?.built.first?.pins ?? []) }
        }
        keys = leaves.grouped(by: \.leaf.spkiSha256).enumerated().map { index, key in
            (Self.name(index), key.elements[0].leaf, key.elements[0].pins)
        }
    }

    static func sign(of report: Report) -> String {
        switch report.status {
        case .pass: "✓"
        case .warn: "!"
        case .fail, .changed: "✗"
        default: "?"
        }
    }

    /// What the signs and columns of the table mean that do not say it themselves, `nil` where all do.
    var legend: String? {
        let cells = rows.flatMap(\.reports).map { $0.map(Self.sign) ?? Self.none }
        let signs = [("!", "a warning"), ("?", "no verdict"), (Self.none, "no certificate")].filter {
            cells.contains($0.0)
        }.map { "\($0) \($1)" }
        let kinds = [
            columns.count > 1 && columns.contains("ordinary") ? "ordinary: as most clients connect" : nil,
            columns.contains { $0.hasPrefix("(") } ? "in brackets: shown, not judged" : nil,
        ].compactMap(\.self)
        return (signs + kinds).isEmpty ? nil : (signs + kinds).joined(separator: "; ")
    }

    private static func name(_ index: Int) -> String {
        let (round, letter) = index.quotientAndRemainder(dividingBy: 26)
        return String(UnicodeScalar(UInt8(0x41 + letter))) + (round == 0 ? "" : String(round + 1))
    }

    func key(of report: Report) -> String? {
        keys.first { $0.leaf.spkiSha256 == report.presented.first?.spkiSha256 }?.name
    }

    /// A sentence of the engine's with the names of the keys in place of their hashes.
    func naming(_ sentence: String) -> String {
        keys.reduce(sentence) { text, key in text.replacing(key.leaf.spkiSha256, with: key.name) }
    }
}
