/// Blocks of text with an empty line between them, and how many targets passed.
///
/// The connections to one target are one table, where that says all there is to say of them.
struct TextResultRenderer: ResultRenderer {
    let text: TextRenderer
    /// Whether all results come here, so that they can be counted.
    private let hasAll: Bool
    private var isFirst = true
    private var connections: [Report] = []
    private var total = RunTotal()

    init(text: TextRenderer, hasAll: Bool = true) { (self.text, self.hasAll) = (text, hasAll) }

    mutating func text(for report: Report) -> String {
        total.add(report, status: report.counts ? report.status : nil)
        guard report.variant != nil else { return separated(text.block(report)) }
        connections.append(report)
        guard let consistency = report.consistency else { return "" }
        defer { connections = [] }
        return separated(target(VariantSummary(connections, consistency)))
    }

    func ending(exit: ExitStatus) -> String {
        guard hasAll, total.count > 1 else { return "" }
        let lines = total.troubled.map { unit in
            "  \(text.style.token(unit.status))  \(text.safe(unit.name, length: 180))"
        }
        return "\n" + text.text([total.sentence(text.style.token)] + lines)
    }

    private mutating func separated(_ block: String) -> String {
        defer { isFirst = false }
        return isFirst ? block : "\n" + block
    }

    /// The table; blocks where everything is to be shown, or changes, and where there is nothing to put into a table.
    private func target(_ summary: VariantSummary) -> String {
        let served = connections.count { !$0.presented.isEmpty }
        let isPlain = connections.allSatisfy { $0.change == nil }
        guard text.explains || !isPlain || served == 0 || connections.count == 1 else {
            return text.matrix(of: summary)
        }
        return blocks() + text.conclusion(summary, of: connections[0])
    }

    /// The connections in full, those that show a chain which is on the screen already in one line each.
    private func blocks() -> String {
        var shown: Set<[String]> = []
        var result = ""
        for report in connections {
            let chain = report.presented.map(\.certSha256)
            let isKnown = !text.explains && !chain.isEmpty && !shown.insert([report.verdict.rawValue] + chain).inserted
            result += isKnown ? text.verdictLine(report) : (result.isEmpty ? "" : "\n") + text.block(report)
        }
        return result
    }
}
