import PinChecking

protocol ResultRenderer: Sendable {
    mutating func text(for reports: [Report]) -> String
    mutating func ending(exit: ExitStatus) -> String
}

extension ResultRenderer { mutating func ending(exit: ExitStatus) -> String { "" } }

/// Writes one report as a document, several as a list: the first is held until another follows or the run ends.
struct JSONResultRenderer: ResultRenderer {
    var hasLines = false
    private(set) var first: Report?
    private(set) var isList = false

    mutating func text(for reports: [Report]) -> String {
        var text = ""
        for report in reports {
            if hasLines {
                text += JSONRenderer.line(report)
                continue
            }
            if let first {
                text += "{\n  \"schema\" : \"\(Report.schema)\",\n  \"results\" : [\n    "
                text += JSONRenderer.text(first, depth: 2)
                (self.first, isList) = (nil, true)
            }
            if isList { text += ",\n    " + JSONRenderer.text(report, depth: 2) } else { first = report }
        }
        return text
    }

    mutating func ending(exit: ExitStatus) -> String {
        if hasLines { return "" }
        if let first { return JSONRenderer.document(first) }
        let start = isList ? "\n  ]" : "{\n  \"schema\" : \"\(Report.schema)\",\n  \"results\" : []"
        return start + ",\n  \"exit\" : " + JSONRenderer.text(exit, depth: 1) + "\n}\n"
    }
}

struct TextResultRenderer: ResultRenderer {
    let text: TextRenderer
    var hasAll = true
    private(set) var isFirst = true
    private(set) var total = RunTotal()

    mutating func text(for reports: [Report]) -> String {
        defer { isFirst = false }
        total.add(reports)
        let block =
            VariantSummary(reports).map { target($0, reports) } ?? reports.map(text.block).joined(separator: "\n")
        return isFirst ? block : "\n" + block
    }

    func ending(exit: ExitStatus) -> String { hasAll && total.count > 1 ? "\n" + text.text(text.lines(total)) : "" }

    private func target(_ summary: VariantSummary, _ connections: [Report]) -> String {
        let hasTable = connections.count > 1 && connections.contains { !$0.presented.isEmpty }
        guard text.explains || !hasTable || connections.contains(where: { $0.result.changes != nil }) else {
            return text.connections(summary)
        }
        return connections.map(text.block).joined(separator: "\n") + text.conclusion(summary)
    }
}

/// Writes one line a target for `grep`: the word, the target, the days left of the leaf, the reason.
struct BriefRenderer: ResultRenderer {
    let text: TextRenderer

    func text(for reports: [Report]) -> String {
        let groups = VariantSummary(reports) == nil ? reports.map { [$0] } : [reports]
        return groups.map { reports in
            let target = TargetLine(reports)
            let name = reports.count == 1 && reports[0].variant == nil ? reports[0].title : reports[0].target
            let leaf = reports.compactMap(\.presented.first).min { $0.daysLeft < $1.daysLeft }
            let days = leaf.map(TextRenderer.validity) ?? "-"
            let sentence = text.safe(target.sentence + target.more, length: 900)
            return "\(text.style.token(target.status))  \(text.safe(name, length: 180))  \(days)  \(sentence)\n"
        }.joined()
    }
}
