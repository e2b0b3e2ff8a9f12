/// Blocks of text with an empty line between them.
///
/// Of a target's variants those that show a chain which is on the screen already have one line each.
struct TextResultRenderer: ResultRenderer {
    let text: TextRenderer
    private var isFirst = true
    /// The chains of the target's variants so far, with what became of them.
    private var shown: Set<[String]> = []

    init(text: TextRenderer) {
        self.text = text
    }

    mutating func text(for report: Report) -> String {
        defer { isFirst = false }
        let separator = isFirst ? "" : "\n"
        guard report.variant != nil else { return separator + text.block(report) }
        let chain = report.presented.map(\.certSha256)
        let isKnown = !text.explains && !chain.isEmpty && !shown.insert([report.verdict.rawValue] + chain).inserted
        var result = isKnown ? text.verdictLine(report) : separator + text.block(report)
        if let consistency = report.consistency {
            result += text.summary(consistency, of: report)
            shown = []
        }
        return result
    }
}
