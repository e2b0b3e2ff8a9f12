/// What the connections to one target have in common and where they differ.
package struct Consistency: Sendable {
    /// Whether all serve what they should: no finding is a warning, and the verdicts are the same.
    ///
    /// `nil` when there were not two chains to compare.
    package let isConsistent: Bool?
    package let addresses: Int
    /// How many connections that count were accepted.
    package let accepted: Int
    /// How many connections that count were rejected.
    package let rejected: Int
    /// How many connections that count have no verdict although one was asked for.
    package let unreachable: Int
    package let findings: [Finding]
    package let outcomes: [Outcome]

    /// How many of the accepted connections had another answer to the request than expected, or none.
    package var answeringOtherwise: Int { outcomes.count { $0 == .answersOtherwise } }

    /// Whether any connection was judged rather than only recorded.
    package var hasVerdicts: Bool { accepted + rejected > 0 }

    /// Whether addresses or variants differ as a baseline has them.
    package var hasKnownDifferences: Bool { findings.contains { $0.level == .info && $0.isDifference } }

    package var hasWarnings: Bool { findings.contains { $0.level == .warning } }
}
