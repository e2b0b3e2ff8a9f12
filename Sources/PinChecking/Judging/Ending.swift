package import Pinning

/// The outcome of a check.
public enum Outcome: Hashable, Sendable, CaseIterable {
    case accepted
    /// No client was asked to judge the chain.
    case unjudged
    /// A warning exists, and the user made warnings count.
    case needsAttention
    /// The chain changed since the baseline in a way that is not allowed.
    case changed
    /// A verdict is missing: no name, no connection, no chain, or no time left to judge one.
    case unreachable
    /// A client's verdict on a future deployment depends on unknown facts.
    case undecided
    /// All clients accept, but less time is left than the user's limit.
    case endsTooSoon
    /// All clients accept, but the answer to the request is unexpected or missing.
    case answersOtherwise
    case rejected
    /// A client rejects; another cannot be set up with the pins, or the app has pins that no client compares.
    case rejectedInPart
    /// No client rejects, but one cannot be set up, or the app has pins that no client compares; or an entry is wrong.
    case notSetUp
    /// A file that an entry names is missing or cannot be read.
    case notRead

    package var isRejection: Bool { self == .rejected || self == .rejectedInPart }
}

package struct Ending: Hashable {
    package let outcome: Outcome
    package let reason: Reason
    let told: Finding?
    static let unjudged = Ending(.unjudged, Reason("not-judged", "not judged", remedy: .giveSomethingToJudgeBy))

    package init(_ outcome: Outcome, _ reason: Reason, told: Finding? = nil) {
        (self.outcome, self.reason, self.told) = (outcome, reason, told)
    }

    /// The only decision how a check ends: by a rejection, then the server's answer, how long an acceptance lasts,
    /// changes and warnings; unless `counts`, all but an acceptance only needs attention.
    package init(
        _ verdict: Ending, counts: Bool = true, objection: Reason? = nil, outlook: Outlook? = nil,
        changes: BaselineChanges? = nil, warnings: [Finding] = [], failsOnWarning: Bool = false
    ) {
        let isAccepted = verdict.outcome == .accepted
        let isUnjudged = verdict.outcome == .unjudged
        func but(_ id: String, _ message: String, _ remedy: Remedy? = nil) -> Reason {
            // The words must not let an unjudged chain pass for accepted.
            Reason(id, (isAccepted ? "accepted, but " : "not judged; ") + message, remedy: remedy)
        }
        func but(_ reason: Reason) -> Reason { but(reason.id, reason.message, isAccepted ? reason.remedy : nil) }
        let isFinal = !(isAccepted || isUnjudged)
        guard !(counts && isFinal) else {
            self = verdict
            return
        }
        let ahead = isAccepted ? outlook?.findings ?? [] : []
        let attention = { (outcome: Outcome) in counts ? outcome : .needsAttention }
        if isAccepted, let objection {
            self.init(attention(.answersOtherwise), but(objection))
        } else if let finding = ahead.first, finding.level == .fail {
            self.init(attention(.endsTooSoon), but(finding.id, finding.message), told: finding)
        } else if let refused = changes?.refusal {
            self.init(attention(.changed), isFinal ? refused : but(refused))
        } else if failsOnWarning, let finding = ahead.first(where: { $0.level == .warning }) {
            self.init(.needsAttention, but(finding.id, finding.message), told: finding)
        } else if failsOnWarning, isAccepted || counts, let warning = warnings.first {
            self.init(.needsAttention, but(warning.reason))
        } else {
            let approval = isAccepted || verdict.outcome.isRejection ? nil : changes?.approval
            self.init(
                isAccepted ? .accepted : attention(verdict.outcome),
                approval.map { isUnjudged ? but($0) : $0 } ?? verdict.reason)
        }
    }
}

extension [ClientVerdict] {
    /// The ending by all verdicts: first a client that cannot be set up, then a rejection by rank, then a missing
    /// answer; the devices in `leftOut` never get the judged certificate.
    func ending(in policy: HostPolicy, at time: Timestamp, leftOut: Set<String> = []) -> Ending {
        let ranked = ranked
        let summary = summary(ranked, in: policy)
        if let gap = gap(in: policy, at: time) {
            let others = count > 1 && !ranked.isEmpty ? "; " + summary.message : ""
            guard ranked.contains(where: { $0.isAccepted == false }) else {
                return Ending(.notSetUp, Reason(gap.id, gap.sentence + others, hints: gap.hints, remedy: gap.remedy))
            }
            let both = "\(summary.sentence); \(gap.sentence)"
            let hints = summary.hints + gap.hints
            return Ending(.rejectedInPart, Reason(summary.id, both, hints: hints, remedy: summary.remedy))
        }
        func noClient(_ place: String) -> Ending {
            Ending(.notSetUp, Reason(ClientVerdict.notSetUp, "no client can be set up with these pins\(place)"))
        }
        if ranked.shown?.isAccepted != false, let open = first(where: { $0.isUndecided || $0.isUnanswered }) {
            let reason =
                count > 1 ? Reason(open.reason.id, "\(names(of: [open])): \(open.reason.sentence)") : open.reason
            return Ending(open.isUndecided ? .undecided : .unreachable, reason)
        }
        guard let shown = ranked.shown else { return noClient("") }
        guard shown.isAccepted == true else { return Ending(.rejected, summary) }
        let judged = Set(ranked.map(\.judgedDevice.name))
        let idle = policy.devices.map(\.name).first { !judged.contains($0) && !leftOut.contains($0) }
        if let idle { return noClient(" on \(idle)") }
        return Ending(.accepted, summary)
    }

    /// The reason why the verdicts are incomplete: a client cannot be set up, or no client compares the app's pins.
    private func gap(in policy: HostPolicy, at time: Timestamp) -> Reason? {
        guard let absent = first(where: \.isNotSetUp) else { return policy.code?.obstacle(at: time) }
        guard count > 1 else { return absent.reason }
        let own = absent.reason
        return Reason(own.id, "\(absent.name) cannot be set up: \(own.sentence)", hints: own.hints, remedy: own.remedy)
    }

    private func summary(_ ranked: [ClientVerdict], in policy: HostPolicy) -> Reason {
        guard count > 1, let first = ranked.shown else {
            return self.first?.reason ?? Reason(ClientVerdict.notSetUp, "no client was chosen")
        }
        let own = first.reason
        func text(_ some: [ClientVerdict]) -> String { names(of: some, namesAllDevices: policy.devices.count > 1) }
        let rejecting = ranked.filter { $0.isAccepted == false }
        if rejecting.isEmpty, ranked.count > 1 {
            let devices = policy.devices.count
            let number = devices > 1 ? devices : ranked.count
            let all = (number == 2 ? "both " : "all \(number) ") + (devices > 1 ? "devices" : "clients")
            return Reason(own.id, all + " accept")
        }
        let alike = rejecting.isEmpty ? [first] : rejecting.filter { $0.reason.message == own.message }
        let others = rejecting.filter { $0.reason.message != own.message }
        let message = text(alike) + ": " + own.sentence + (others.isEmpty ? "" : "; also rejected by \(text(others))")
        return Reason(own.id, message, hints: own.hints, remedy: rejecting.isEmpty ? nil : own.remedy)
    }
}
