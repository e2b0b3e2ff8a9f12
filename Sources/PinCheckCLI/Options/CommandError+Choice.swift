import Base
import PinFormats

extension CommandError {
    /// A value that is none of the words there are to choose from: names the nearest, or all of them where none is near.
    static func unknown(
        _ what: SafeText, _ value: some StringProtocol, among words: [String], gone: [String: SafeText] = [:]
    ) -> CommandError {
        if let instead = gone[String(value)] { return .usage("\(what) is not known any more: \(instead)") }
        return .usage("\(what) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}
