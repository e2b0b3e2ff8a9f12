/// Blocks of text with an empty line between them.
struct TextResultRenderer: ResultRenderer {
    let text: TextRenderer
    private var isFirst = true

    init(text: TextRenderer) {
        self.text = text
    }

    mutating func text(for report: Report) -> String {
        defer { isFirst = false }
        return (isFirst ? "" : "\n") + text.block(report)
    }
}
