/// What a check comes to.
public enum Outcome: Hashable, Sendable, CaseIterable {
    case accepted
    /// The chain was only to be seen.
    case unjudged
    /// Something needs attention soon, and the user asked to be told by the outcome.
    case needsAttention
    /// Something changed in a way that is not allowed.
    case changed
    /// There is no verdict: no name, no connection, no chain, or no time left to judge one.
    case unreachable
    /// All clients accept, and less time is left than was asked for.
    case endsTooSoon
    /// All clients accept, and the answer to the request is not the one that is expected, or there is none.
    case answersOtherwise
    case rejected
    /// No client can be set up with the pins.
    case notSetUp
}

/// The outcome of a check with the reason.
package struct Conclusion: Hashable, Sendable {
    package let outcome: Outcome
    package let reason: Reason
    /// What of the time ahead the reason tells, `nil` for something else.
    package let told: Outlook.Finding?

    /// The one place that decides how a check ends.
    ///
    /// A rejection stands whatever else there is; then counts what the server answers, then how long an acceptance lasts, then what
    /// changed, then what deserves attention.
    package init(
        _ standing: Standing, counts: Bool = true, objection: Reason? = nil, outlook: Outlook? = nil,
        changes: BaselineChanges? = nil, warnings: [Finding] = [], failsOnWarning: Bool = false
    ) {
        let isAccepted = standing.isAccepted
        // What was not judged is not to be taken for accepted.
        func said(_ reason: Reason) -> Reason {
            standing.isUnjudged ? Reason(id: reason.id, message: "not judged; " + reason.message) : reason
        }
        func but(_ reason: Reason) -> Reason {
            guard isAccepted else { return said(reason) }
            return Reason(id: reason.id, message: "accepted, but " + reason.message, remedy: reason.remedy)
        }
        func but(_ finding: Outlook.Finding) -> Reason { but(Reason(id: finding.id, message: finding.message)) }
        // How long an acceptance lasts; there is nothing ahead of anything else.
        let ahead = isAccepted ? outlook?.findings ?? [] : []
        let isFinal = counts && !(isAccepted || standing.isUnjudged)
        if isFinal {
            told = nil
            outcome = Outcome(standing)
            reason = standing.reason
        } else if isAccepted, let objection {
            told = nil
            outcome = counts ? .answersOtherwise : .needsAttention
            reason = but(objection)
        } else if let finding = ahead.first, finding.level == .fail {
            told = finding
            outcome = counts ? .endsTooSoon : .needsAttention
            reason = but(finding)
        } else if let refused = changes?.refusal {
            told = nil
            outcome = counts ? .changed : .needsAttention
            reason = but(refused)
        } else if failsOnWarning, let finding = ahead.first(where: { $0.level == .warn }) {
            told = finding
            outcome = .needsAttention
            reason = but(finding)
        } else if failsOnWarning, isAccepted || counts, let warning = warnings.first {
            told = nil
            outcome = .needsAttention
            reason = but(warning.reason)
        } else {
            told = nil
            outcome = counts || isAccepted ? Outcome(standing) : .needsAttention
            reason = standing.hasVerdict ? standing.reason : changes.map { said($0.approval) } ?? standing.reason
        }
    }
}

extension Outcome {
    fileprivate init(_ standing: Standing) {
        self =
            switch standing {
            case .unreachable: .unreachable
            case .notSetUp: .notSetUp
            case .unjudged: .unjudged
            case .accepted: .accepted
            case .rejected: .rejected
            }
    }
}
