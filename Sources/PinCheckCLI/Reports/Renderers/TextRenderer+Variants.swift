import Base
import PinChecking
import Pinning

struct VariantSummary {
    let consistency: AddressComparison
    /// The addresses in their order, with a port that is not the target's, each with its reports.
    let places: [(name: String, reports: [Report])]

    init?(_ reports: [Report]) {
        guard let consistency = reports.last?.consistency else { return nil }
        self.consistency = consistency
        places = reports.grouped { $0.peer ?? $0.endpoint?.address?.description ?? $0.target }.map { ($0, $1) }
    }

    /// The summary in one line, as in `4 addresses: 3 accepted, 1 rejected; the addresses differ`.
    var sentence: String {
        let differences = self.differences
        guard isFound else {
            let more = differences.isEmpty ? "" : "; " + differences.joined(separator: ", ")
            return "no address was found, so nothing was judged" + more
        }
        return verdicts + "; " + only + (differences.isEmpty ? comparison : differences.joined(separator: ", "))
    }

    /// `true` if there was an address to connect to.
    var isFound: Bool { consistency.addresses > 0 || consistency.hasVerdicts }

    /// The number of accepted addresses; an address that rejects one kind of client is not accepted.
    var verdicts: String {
        // A family whose look-up failed does not count as an address.
        let counting = places.map { $0.reports.filter { $0.counts && !$0.isOfFamily } }.filter { !$0.isEmpty }
        let otherwise = consistency.answeringOtherwise
        let words = counting.map { Self.word($0, isJudgedByTime: otherwise == 0) }
        let order = ["accepted", "accepted for too short a time", "rejected", "without a verdict"]
        let parts =
            order.map { word in (count: words.count { $0 == word }, word: word) }.filter { $0.count > 0 }
            + (otherwise > 0 ? [(otherwise, "without the expected answer")] : [])
        guard consistency.addresses != 1 || counting.count != 1 else {
            return "1 address, " + (parts.isEmpty ? "not judged" : parts.map(\.word).joined(separator: ", "))
        }
        let addresses = consistency.addresses == 1 ? "1 address" : "\(consistency.addresses) addresses"
        let counts = parts.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
        return "\(addresses): \(counts.isEmpty ? "not judged" : counts)"
    }

    /// The word for an address; `nil` if a part of it was not judged.
    private static func word(_ reports: [Report], isJudgedByTime: Bool) -> String? {
        if reports.contains(where: { $0.verdict == .reject }) { return "rejected" }
        if reports.contains(where: { [.unreachable, .unknown, .data].contains($0.status) }) {
            return "without a verdict"
        }
        guard reports.allSatisfy({ $0.verdict == .accept }) else { return nil }
        let isShort = isJudgedByTime && reports.contains { $0.status == .fail }
        return isShort ? "accepted for too short a time" : "accepted"
    }

    /// The words `IPv4 only, ` or `IPv6 only, ` if the name has no addresses of the other family; else empty.
    private var only: String {
        guard case .family(let isIPv6)? = consistency.absentFamilies.first else { return "" }
        return isIPv6 ? "IPv4 only, " : "IPv6 only, "
    }

    private var comparison: String {
        switch consistency.isConsistent {
        case false?: "the verdicts differ"
        case _ where consistency.hasKnownDifferences: "as recorded"
        case true? where consistency.unreachable > 0 && consistency.hasVerdicts: "those with a verdict are consistent"
        case true?: "consistent"
        case nil: "nothing to compare"
        }
    }

    private var differences: [String] {
        consistency.findings.filter { $0.level == .warning }.map { Self.words[$0.id] ?? $0.id }.distinct
    }

    private static let words = [
        "addresses-differ": "the addresses differ", "no-sni-differs": "another certificate without SNI",
        "serves-in-turn": "an address serves two keys in turn",
    ]
}

extension TextRenderer {
    /// The connections to a target: one row for those that are equal in every column.
    func connections(_ summary: VariantSummary) -> String {
        let reports = summary.places.flatMap(\.reports)
        guard let first = reports.first else { return "" }
        var lines = [layout.joined([name(first)] + names(first), by: "   ")]
        if let judged = reports.first(where: { !$0.clients.isEmpty }) { lines += devices(judged) }
        lines += rows(summary)
        if let mismatch = reports.first(where: { $0.counts && isMismatch($0) }) {
            let leaves = reports.compactMap(\.presented.first).grouped(by: \.pin).map { $1[0] }
            lines += ["  served:"] + leaves.map { "    \($0.pin)  \(name(of: $0))" } + configured(mismatch)
        } else {
            lines += numbers(first, withBackups: false)
        }
        lines += reports.flatMap { configurations($0) }.distinct
        lines += reasons(summary) + outlooks(reports) + answers(summary)
        lines += reports.flatMap(\.toldNotes).map(note).distinct
        return text(lines) + conclusion(summary, of: first)
    }

    func conclusion(_ summary: VariantSummary, of report: Report) -> String {
        let consistency = summary.consistency
        let keys = Set(summary.places.flatMap(\.reports).compactMap(\.presented.first?.pin))
        let findings = consistency.findings.map { finding in
            let word = finding.level == .warning ? style.doubtful("warning") : "note"
            let sentence = keys.reduce(finding.reason.told) { $0.replacing($1, with: Self.shortPin($1)) }
            return "  \(word): \(safe(sentence, length: 600))"
        }
        let status = consistency.exit
        // The word is the exit status's: without `--fail-on warn` a difference is a warning above it, not WARN.
        let differs = status == .pass && consistency.isConsistent == false
        let line = TargetLine(summary.places.flatMap(\.reports))
        let sentence = differs ? style.doubtful(line.sentence) : safe(line.sentence, length: 900)
        return text(findings + ["\(style.token(status))  \(name(report))  \(sentence)\(line.more)"])
    }

    private func rows(_ summary: VariantSummary) -> [String] {
        let all = summary.places.flatMap { place in place.reports.map { (place: place.name, report: $0) } }
        // The order of rows does not depend on the first address.
        let kinds = all.grouped { $0.report.variant?.name ?? "" }.sorted { one, other in
            let ranks = [one, other].map { $0.elements[0].report.variant?.rank ?? 0 }
            return (ranks[0], one.key) < (ranks[1], other.key)
        }
        let places = all.map(\.place).distinct.count
        let rows = kinds.flatMap { kind, all in
            all.grouped { cells($0.report) }.map { cells, some in
                let names = some.map(\.place).distinct
                let count = names.count == places ? "\(places)" : "\(names.count) of \(places)"
                return [names.count == 1 ? safe(names[0]) : count + " addresses"] + (kinds.count > 1 ? [kind] : [])
                    + cells
            }
        }
        let days = kinds.count > 1 ? 4 : 3
        let table = Table(rows: rows, gaps: [days: 1], rightAligned: [days])
        guard table.width > layout.columns else { return table.lines }
        // Long addresses have a line of their own if the other columns would not fit after them.
        return zip(rows, Table(rows: rows.map { Array($0.dropFirst()) }, indent: 6).lines).map {
            "  " + $0[0] + "\n" + $1
        }
    }

    private func cells(_ report: Report) -> [String] {
        let word = report.counts ? style.token(report.status) : style.faint("not judged")
        guard let leaf = report.presented.first else { return [word] }
        return [
            word, safe(leaf.key, length: 20), Self.validity(leaf), beginning(of: leaf.pin),
            report.built.first.flatMap(arrow) ?? "",
        ]
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

    private static var mostPlaces: Int { 12 }

    /// The outlooks of the connections that count, each once, with its kinds of clients unless it is for all.
    private func outlooks(_ reports: [Report]) -> [String] {
        let lines = reports.filter(\.counts).flatMap { report in
            outlook(report).map { (line: $0, kind: report.variant?.name ?? "") }
        }
        let all = Set(lines.map(\.kind))
        return lines.grouped(by: \.line).map { line, some in
            let kinds = some.map(\.kind).distinct
            return kinds.count == all.count ? line : line + " (\(kinds.joined(separator: ", ")))"
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
