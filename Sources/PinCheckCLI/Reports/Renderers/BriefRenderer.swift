/// One line a target, to be read at a glance and found by `grep`: the word, the target, the days the leaf is valid yet, the reason.
struct BriefRenderer: ResultRenderer {
    let text: TextRenderer
    /// The connections to a target that has several, until all are there.
    private var connections: [Report] = []

    init(text: TextRenderer) { self.text = text }

    mutating func text(for report: Report) -> String {
        guard report.variant != nil else { return line(report.status, report.title, [report], report.sentence) }
        connections.append(report)
        guard let consistency = report.consistency else { return "" }
        defer { connections = [] }
        let sentence = VariantSummary(connections, consistency).sentence
        return line(consistency.exit, report.target, connections, sentence)
    }

    private func line(_ status: ExitStatus, _ name: String, _ reports: [Report], _ sentence: String) -> String {
        let leaf = reports.compactMap(\.presented.first).min { $0.daysLeft < $1.daysLeft }
        let days = leaf.map(TextRenderer.validity) ?? "-"
        return
            "\(text.style.token(status))  \(text.safe(name, length: 180))  \(days)  \(text.safe(sentence, length: 900))\n"
    }
}
