/// The first few of some words with commas between, and how many more there are, as in `a, b and 3 more`.
///
/// - Returns: one line; empty for no words.
package func listed(_ words: some Collection<String>, first count: Int = 5) -> String {
    listed(words.prefix(count), of: words.count)
}

/// The same of words whose number is known, so that those which are not named need not be made.
package func listed(_ named: some Collection<String>, of total: Int) -> String {
    let more = total - named.count
    return named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
}
