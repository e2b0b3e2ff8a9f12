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
    /// The problem with its remedy in the words of the command line's flags.
    var told: SafeText { text(\.flags) }

    static func unknown(_ value: some StringProtocol, among words: [String]) -> Problem {
        let shown = quoted(withoutSecrets(String(value)))
        return .usage("\(shown) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}

extension String {
    func known(among words: [String]) throws(Problem) -> String {
        guard words.contains(self) else { throw .unknown(self, among: words) }
        return self
    }
}
