import Base
import Pinning

extension FindingID {
    static let ofLint = allCases.filter { !$0.lintLevels.isEmpty }
    /// The ids of `check --ignore`: a failure cannot be ignored.
    static let ofChecks = allCases.filter { $0.levels.contains { $0 < .fail } }

    static func ignored(_ text: String, byLint isLint: Bool = false) throws(Problem) -> Set<FindingID> {
        let known = isLint ? ofLint : ofChecks
        return Set(
            try [text].words.map { (word) throws(Problem) in
                guard !word.isEmpty else {
                    throw .usage(
                        "an id is missing: write \(isLint ? "--ignore no-backup-pin" : "--ignore private-root")")
                }
                if let id = known.first(where: { $0.word == word }) { return id }
                throw .usage("\(quoted(word)) \(refusal(of: word, among: known, byLint: isLint))")
            })
    }

    private static func refusal(of word: String, among known: [FindingID], byLint isLint: Bool) -> SafeText {
        if !isLint, ["addresses-incomplete", "no-time"].contains(word) {
            return "is the reason of no verdict, which stays: write -4 to ask for IPv4 alone"
        }
        if let id = FindingID(word: word) {
            if isLint { return "is an id of a check: give it to 'pincheck check --ignore'" }
            if id.isMalformed { return "is refused: data with that cannot be used" }
            if !id.levels.isEmpty { return "is refused: it rejects, and what rejects stays" }
            return "is an id of 'pincheck lint' alone: give it to 'pincheck lint --ignore'"
        }
        let nearest = Suggestion.nearest(to: word, in: known.map(\.word)).map { "did you mean '\($0)'?" }
        if isLint { return "is unknown: \(nearest ?? "'pincheck lint --rules' lists all findings")" }
        return
            "is the id of no warning: \(nearest ?? "the ids stand in the JSON of a check, under warnings, notes and outlook")"
    }
}

extension Option { static func words(of ids: [FindingID]) -> [Word] { ids.map { ($0.word, $0.sentence) } } }
