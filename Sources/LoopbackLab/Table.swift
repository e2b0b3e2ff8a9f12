/// The rows of a table in text, a line each, by their fields; `⏎` stands for a line break, and a line that begins with `//` is a
/// comment.
package func table(_ text: String, columns: Int = .max) -> [[String]] {
    text.split(separator: "\n").filter { !$0.hasPrefix("//") }.map { row in
        row.split(separator: " | ", maxSplits: columns - 1, omittingEmptySubsequences: false).map {
            String($0.replacing("⏎", with: "\n"))
        }
    }
}
