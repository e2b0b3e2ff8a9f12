import Base
import PinChecking

extension TextRenderer {
    func connections(_ all: [Report]) -> String {
        let reports = all.grouped(by: \.place).flatMap(\.elements)
        let counting = reports.filter(\.counts)
        var lines = [layout.joined([name(reports[0])] + names(reports[0]), by: "   ")]
        if let judged = reports.first(where: { !$0.clients.isEmpty }) { lines += devices(judged) }
        lines += rows(reports)
        if let mismatch = counting.first(where: isMismatch) {
            let leaves = reports.compactMap(\.presented.first).grouped(by: \.pin).map { $1[0] }
            lines += ["  served:"] + leaves.map { "    \($0.pin)  \(name(of: $0))" } + configuredPins(mismatch)
        } else {
            lines += numbers(reports[0])
        }
        lines += reports.flatMap { configurations($0) }.distinct
        lines += reasons(counting) + outlooks(counting) + answers(counting)
        lines += reports.flatMap(\.toldNotes).map(note).distinct
        return text(lines) + conclusion(all)
    }

    func conclusion(_ reports: [Report]) -> String {
        let keys = Set(reports.compactMap(\.presented.first?.pin))
        let findings = (reports.comparison?.findings ?? []).map { finding in
            let word = finding.level == .warning ? style.doubtful("warning") : "note"
            let sentence = keys.reduce(finding.reason.told) { $0.replacing($1, with: Self.shortPin($1)) }
            return "  \(word): \(safe(sentence, length: 600))"
        }
        let line = TargetLine(reports)
        // The word is that of the exit status: without `--fail-on warn` a difference is only a warning above it.
        let differs = line.status == .pass && reports.comparison?.isConsistent == false
        let sentence = differs ? style.doubtful(line.sentence) : safe(line.sentence, length: 900)
        return text(findings + ["\(style.token(line.status))  \(name(reports[0]))  \(sentence)\(line.more)"])
    }

    private func rows(_ reports: [Report]) -> [String] {
        // The order of rows does not depend on the first address.
        let kinds = reports.grouped(by: \.kind).sorted { one, other in
            let ranks = [one, other].map { $0.elements[0].variant?.rank ?? 0 }
            return (ranks[0], one.key) < (ranks[1], other.key)
        }
        let places = reports.map(\.place).distinct.count
        let rows = kinds.flatMap { kind, all in
            all.grouped(by: cells).map { cells, some in
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

    /// The addresses of connections, each with the kinds of its connections if others of it are not among them.
    private func places(_ some: [Report], of all: [Report]) -> String {
        let names = some.grouped(by: \.place).lazy.map { name, some in
            let isWhole = some.count == all.count { $0.place == name }
            return safe(name) + (isWhole ? "" : " (\(some.map(\.kind).listed))")
        }
        return listed(names, first: Self.mostPlaces)
    }

    private func reasons(_ all: [Report]) -> [String] {
        all.filter { $0.status != .pass }.grouped { [$0.status.name, $0.sentence] }.map { _, some in
            let report = some[0]
            return "  \(style.token(report.status))  \(places(some, of: all)): \(safe(report.sentence, length: 600))"
        }
    }

    private func outlooks(_ all: [Report]) -> [String] {
        all.grouped { outlook($0) }.flatMap { lines, some in
            lines.isEmpty || some.count == all.count ? lines : outlook(some[0], of: " (\(places(some, of: all)))")
        }
    }

    private func answers(_ all: [Report]) -> [String] {
        let answers = all.filter { !request($0).isEmpty }.grouped(by: request)
        return answers.flatMap { lines, some in
            let names = some.map { safe($0.place) }.distinct
            return answers.count > 1 ? lines.map { $0 + "   (\(listed(names.lazy, first: Self.mostPlaces)))" } : lines
        }
    }

    private static let mostPlaces = 12
}

extension Report { fileprivate var kind: String { variant?.name ?? "" } }
