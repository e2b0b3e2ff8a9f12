import Base
import PinFormats

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
