internal import PinFormats

/// Every kind of finding there is, with its meaning.
package enum LintCatalogue {
    /// One kind of finding.
    package struct Entry: Sendable, Hashable {
        /// The stable word.
        package let id: String
        /// How bad it is, some cases of it apart.
        package let severity: LintSeverity
        /// What it means, in one sentence.
        package let explanation: String
        /// Whether data with it cannot be used at all.
        package let isObstacle: Bool
    }

    /// The kinds: those about pins that can be read first, then the obstacles to reading them.
    package static let entries: [Entry] =
        LintRuleID.allCases.map {
            Entry(id: $0.rawValue, severity: $0.severity, explanation: $0.explanation, isObstacle: false)
        }
        + PinProblem.allCases.filter { LintRuleID(rawValue: $0.rawValue) == nil }.map {
            Entry(id: $0.rawValue, severity: .error, explanation: $0.explanation, isObstacle: true)
        }
}
