import PinFormats
import Text

extension CommandError {
    /// A value that is none of the words there are to choose from: names the nearest, or all of them where none is near.
    ///
    /// - Parameters:
    ///   - what: what the value was given for, with it, as in `--format 'jsn'`.
    ///   - value: the value itself, or the part of it that is not known.
    ///   - words: the words there are.
    /// - Returns: a usage error.
    static func unknown(_ what: SafeText, _ value: some StringProtocol, among words: [String]) -> CommandError {
        .usage("\(what) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}

extension Suggestion {
    /// What to write instead of a word that is none of `words`.
    static func remedy(for word: String, among words: [String]) -> String {
        nearest(to: word, in: words).map { "did you mean '\($0)'?" } ?? "choose from \(words.joined(separator: ", "))"
    }
}
