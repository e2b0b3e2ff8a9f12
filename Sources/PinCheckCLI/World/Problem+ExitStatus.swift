import Base
import Pinning

extension ExitStatus {
    init(_ problem: Problem) {
        self =
            switch problem.kind {
            case .usage: .usage
            case .data: .data
            case .noInput: .noInput
            case .software: .software
            case .inputOutput: .inputOutput
            }
    }
}

extension Problem {
    var told: SafeText { text(\.flags) }

    /// The problem of a value that is not one of `words`; its remedy names the nearest, or all if none is near.
    static func unknown(_ value: some StringProtocol, among words: [String]) -> Problem {
        let shown = quoted(withoutSecrets(String(value)))
        return .usage("\(shown) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}
