/// One line a target, to be read at a glance and found by `grep`: the word, the target, the days the leaf is valid yet, the reason.
struct BriefRenderer: ResultRenderer {
    let text: TextRenderer

    func text(for reports: [Report]) -> String {
        if let summary = VariantSummary(reports) {
            return line(summary.consistency.exit, reports[0].target, reports, summary.sentence)
        }
        return reports.map { line($0.status, $0.title, [$0], $0.sentence) }.joined()
    }

    private func line(_ status: ExitStatus, _ name: String, _ reports: [Report], _ sentence: String) -> String {
        let leaf = reports.compactMap(\.presented.first).min { $0.daysLeft < $1.daysLeft }
        let days = leaf.map(TextRenderer.validity) ?? "-"
        return
            "\(text.style.token(status))  \(text.safe(name, length: 180))  \(days)  \(text.safe(sentence, length: 900))\n"
    }
}
