import Base
import PinChecking

extension TextRenderer {
    func connections(_ summary: VariantSummary) -> String {
        let reports = summary.places.flatMap(\.reports)
        guard let first = reports.first else { return "" }
        var lines = [layout.joined([name(first)] + names(first), by: "   ")]
        if let judged = reports.first(where: { !$0.clients.isEmpty }) { lines += devices(judged) }
        lines += rows(summary)
        if let mismatch = reports.first(where: { $0.counts && isMismatch($0) }) {
            let leaves = reports.compactMap(\.presented.first).grouped(by: \.pin).map { $1[0] }
            lines += ["  served:"] + leaves.map { "    \($0.pin)  \(name(of: $0))" } + configuredPins(mismatch)
        } else {
            lines += numbers(first)
        }
        lines += reports.flatMap { configurations($0) }.distinct
        lines += reasons(summary) + outlooks(summary) + answers(summary)
        lines += reports.flatMap(\.toldNotes).map(note).distinct
        return text(lines) + conclusion(summary)
    }

    func conclusion(_ summary: VariantSummary) -> String {
        let keys = Set(summary.reports.compactMap(\.presented.first?.pin))
        let findings = summary.consistency.findings.map { finding in
            let word = finding.level == .warning ? style.doubtful("warning") : "note"
            let sentence = keys.reduce(finding.reason.told) { $0.replacing($1, with: Self.shortPin($1)) }
            return "  \(word): \(safe(sentence, length: 600))"
        }
        let line = TargetLine(summary.reports)
        // The word is that of the exit status: without `--fail-on warn` a difference is only a warning above it.
        let differs = line.status == .pass && summary.consistency.isConsistent == false
        let sentence = differs ? style.doubtful(line.sentence) : safe(line.sentence, length: 900)
        return text(findings + ["\(style.token(line.status))  \(name(summary.reports[0]))  \(sentence)\(line.more)"])
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
        return Table(rows: rows, gaps: [days: 1], rightAligned: [days]).lines
    }

    private func cells(_ report: Report) -> [String] {
        let word = report.counts ? style.token(report.status) : style.faint("not judged")
        guard let leaf = report.presented.first else { return [word] }
        return [
            word, safe(leaf.key, length: 20), Self.validity(leaf), beginning(of: leaf.pin),
            report.built.first.flatMap(arrow) ?? "",
        ]
    }

    private typealias Connection = (place: (name: String, reports: [Report]), report: Report)

    private func counting(_ summary: VariantSummary) -> [Connection] {
        summary.places.flatMap { place in place.reports.filter(\.counts).map { (place, $0) } }
    }

    /// The addresses of connections, each with the kinds of its connections if others of it are not among them.
    private func places(_ some: [Connection]) -> String {
        let names = some.grouped(by: \.place.name).lazy.map { name, some in
            let kinds = some.map { $0.report.variant?.name ?? "" }
            let isWhole = kinds.count == some[0].place.reports.count(where: \.counts)
            return safe(name) + (isWhole ? "" : " (\(kinds.joined(separator: ", ")))")
        }
        return listed(names, first: Self.mostPlaces)
    }

    private func reasons(_ summary: VariantSummary) -> [String] {
        counting(summary).filter { $0.report.status != .pass }.grouped {
            [$0.report.status.name, $0.report.sentence]
        }.map { _, all in
            let report = all[0].report
            return "  \(style.token(report.status))  \(places(all)): \(safe(report.sentence, length: 600))"
        }
    }

    private func outlooks(_ summary: VariantSummary) -> [String] {
        let all = counting(summary)
        return all.grouped { outlook($0.report) }.flatMap { lines, some in
            lines.isEmpty || some.count == all.count ? lines : outlook(some[0].report, of: " (\(places(some)))")
        }
    }

    private func answers(_ summary: VariantSummary) -> [String] {
        let answers = counting(summary).filter { !request($0.report).isEmpty }.grouped { request($0.report) }
        return answers.flatMap { lines, some in
            let names = some.map { safe($0.place.name) }.distinct
            return answers.count > 1 ? lines.map { $0 + "   (\(listed(names.lazy, first: Self.mostPlaces)))" } : lines
        }
    }

    private static var mostPlaces: Int { 12 }
}
