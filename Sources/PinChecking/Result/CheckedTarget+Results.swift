import Pinning
import TLSProbe

extension CheckedTarget {
    package func results(since baseline: [RecordedState?]? = nil) -> [CheckResult] {
        let states: [RecordedState?] = baseline ?? Array(repeating: nil, count: connections.count)
        var results = connections.indices.map { result(connections[$0], since: states[$0]).concluded() }
        guard let comparison, let last = results.indices.last else { return results }
        let isUnchanged = states.allSatisfy { $0?.changes.status == .unchanged }
        let differed = Set(states.compactMap { $0?.recorded }.filter { $0.key.variant == nil }.map(\.leaf)).count > 1
        let findings = comparison.findings.map { finding in
            // Those who have a baseline know it already.
            (isUnchanged || differed) && finding.isDifference
                ? Finding(.info, finding.reason, isDifference: true) : finding
        }
        if policy?.outlook.failsOnWarning ?? false, let warning = findings.first(where: { $0.level == .warning }),
            let index = results.lastIndex(where: { $0.counts && $0.outcome == .accepted })
        {
            results[index].difference = warning
            results[index] = results[index].concluded()
        }
        results[last].consistency = Consistency(
            of: results.filter(\.counts), comparison, findings, isUnchanged: isUnchanged)
        results[last] = results[last].concluded()
        return results
    }

    private func result(_ connection: CheckedConnection, since state: RecordedState?) -> CheckResult {
        let peer: PeerAddress?
        switch connection.result {
        case .success(let result): peer = result.peer
        case .failure(let error): peer = error.peer
        }
        var findings = policy?.warnings ?? []
        if let judged = connection.judged {
            findings += judged.findings + connection.handshakeFindings
            if let recorded = state?.recorded, let lastPins = judged.lastPinsWarning(since: recorded) {
                findings.append(lastPins)
            }
            findings += judged.notes
        } else if connection.isShown {
            findings += connection.handshakeFindings
        }
        return CheckResult(
            target: connection.endpoint.target, endpoint: EndpointFacts(connection.endpoint, peer: peer),
            connection: connection.result, referenceName: connection.endpoint.referenceName, time: connection.time,
            policy: policy, verdict: connection.verdict, judged: connection.judged,
            presented: connection.isShown ? connection.served?.presented.certificates ?? [] : [],
            variant: comparison == nil ? nil : connection.variant, answer: connection.answer, changes: state?.changes,
            findings: findings)
    }
}

extension CheckedConnection {
    /// Whether there is a chain to show: one that there was no time to judge is not.
    fileprivate var isShown: Bool { served != nil && !isOutOfTime && judged.map { $0.shown != nil } ?? true }
}

extension JudgedChain {
    /// A warning when pins that matched what is recorded match no longer, and those that do now are the last ones.
    fileprivate func lastPinsWarning(since recorded: Snapshot.Endpoint) -> Finding? {
        let pins = policy.pins?.pins ?? []
        let before = Set(recorded.chain.map(\.spkiSHA256))
        let matched = Set(matches.map(\.pinIndex))
        let others = pins.indices.filter { !matched.contains($0) }
        // What another connection shows in use is not lost.
        let used = inUse
        guard clients.ending(in: policy).outcome == .accepted, !matched.isEmpty, !others.isEmpty,
            others.allSatisfy({
                before.contains(pins[$0].spkiSHA256.description) && !used.contains(pins[$0].spkiSHA256)
            })
        else { return nil }
        func numbers(_ indices: some Sequence<Int>) -> String {
            indices.sorted().map { String($0 + 1) }.joined(separator: ", ")
        }
        return .warning(
            id: "only-backup-left",
            message: "the server has moved on to its backup: pin \(numbers(others)) matched before and does no longer, "
                + "only pin \(numbers(matched)) is left; ship a new backup")
    }
}

/// What changed at a connection since a baseline, and what that has of it, `nil` for nothing.
package typealias RecordedState = (changes: BaselineChanges, recorded: Snapshot.Endpoint?)

/// What the connections to one target have in common and where they differ.
package struct Consistency: Sendable {
    /// Whether all serve what they should: no finding is a warning, and the verdicts are the same.
    ///
    /// `nil` when there were not two chains to compare.
    package let isConsistent: Bool?
    package let addresses: Int
    package let accepted: Int
    package let rejected: Int
    /// How many connections that count have no verdict although one was asked for.
    package let unreachable: Int
    package let findings: [Finding]
    package let outcomes: [Outcome]
}

extension Consistency {
    init(of results: [CheckResult], _ comparison: AddressComparison, _ findings: [Finding], isUnchanged: Bool) {
        accepted = results.count { $0.verdict.outcome == .accepted }
        rejected = results.count { $0.verdict.outcome == .rejected }
        unreachable = results.count { [.unreachable, .notSetUp].contains($0.verdict.outcome) }
        addresses = comparison.addresses
        self.findings = findings
        outcomes = results.map(\.outcome)
        let hasWarnings = findings.contains { $0.level == .warning }
        let differ = hasWarnings || (!isUnchanged && accepted > 0 && rejected > 0)
        isConsistent = differ ? false : comparison.serving < 2 && !isUnchanged ? nil : true
    }

    /// How many of the accepted connections had another answer to the request than expected, or none.
    package var answeringOtherwise: Int { outcomes.count { $0 == .answersOtherwise } }

    package var hasKnownDifferences: Bool { findings.contains { $0.level == .info && $0.isDifference } }

    package var hasWarnings: Bool { findings.contains { $0.level == .warning } }
}
