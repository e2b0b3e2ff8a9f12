import Base

extension TextRenderer {
    /// What each address answers to each kind of client, and what that comes to; it ends in a newline.
    func matrix(of summary: VariantSummary) -> String {
        let reports = summary.places.flatMap(\.reports)
        guard let first = reports.first else { return "" }
        let matrix = VariantMatrix(summary)
        let mismatch = reports.first { $0.counts && isMismatch($0) }
        var lines = [layout.joined([name(first)] + names(first), by: "   ")]
        if let judged = reports.first(where: { !$0.clients.isEmpty }) {
            lines += DeviceTextRenderer(style: style, layout: layout).summary(judged)
        }
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
        let widths = matrix.columns.indices.map { index in
            ([matrix.columns[index]] + matrix.rows.map { $0.entries[index]?.text ?? VariantMatrix.none }).map {
                TerminalText.cells($0)
            }.max() ?? 0
        }
        let first = matrix.rows.map { TerminalText.cells($0.address) }.max() ?? 0
        // Long addresses have a line of their own where the signs would not fit behind them.
        let isSplit = 2 + first + widths.reduce(0) { $0 + $1 + 2 } > layout.columns
        let start = isSplit ? 4 : first + 2
        func line(_ cells: [(text: String, shown: String)]) -> String {
            var line = ""
            var missing = 0
            for (cell, width) in zip(cells, widths) {
                if !cell.text.isEmpty { line += String(repeating: " ", count: missing + 2) + cell.shown }
                missing = width - TerminalText.cells(cell.text) + (cell.text.isEmpty ? missing + 2 : 0)
            }
            return line
        }
        let heading = String(repeating: " ", count: start) + line(matrix.columns.map { ($0, style.faint($0)) })
        // One kind of client needs no name.
        return (matrix.columns.count > 1 ? [heading] : [])
            + matrix.rows.map { row in
                let cells = line(row.entries.map { ($0?.text ?? VariantMatrix.none, shown($0)) })
                let address = "  " + safe(row.address)
                return isSplit
                    ? address + "\n" + String(repeating: " ", count: start) + cells
                    : TerminalText.padded(address, toCells: start) + cells
            } + (matrix.legend.map { [style.faint("  " + $0)] } ?? [])
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
