import Base
import PinFormats

extension CommandError {
    /// A value that is none of the words there are to choose from: names the nearest, or all of them where none is near.
    ///
    /// - Parameters:
    ///   - what: what the value was given for, with it, as in `--format 'jsn'`.
    ///   - value: the value itself, or the part of it that is not known.
    ///   - words: the words there are.
    ///   - gone: the words there were, with what to write instead.
    /// - Returns: a usage error.
    static func unknown(
        _ what: SafeText, _ value: some StringProtocol, among words: [String], gone: [String: SafeText] = [:]
    ) -> CommandError {
        if let instead = gone[String(value)] { return .usage("\(what) is not known any more: \(instead)") }
        return .usage("\(what) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}
