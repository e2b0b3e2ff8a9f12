import Pinning
import TLSProbe

extension CheckedTarget {
    /// The results on all connections, in their order.
    package func results(since baseline: [RecordedState?]? = nil) -> [CheckResult] {
        let states: [RecordedState?] = baseline ?? Array(repeating: nil, count: connections.count)
        var all = connections.indices.map { facts(connections[$0], since: states[$0]) }
        var results = all.map(CheckResult.init)
        guard let comparison, let last = all.indices.last else { return results }
        let isUnchanged = states.allSatisfy { $0?.changes?.status == .unchanged }
        let differed = Set(states.compactMap { $0?.recorded }.filter { $0.key.variant == nil }.map(\.leaf)).count > 1
        let findings = comparison.findings.map { finding in
            (isUnchanged || differed) && finding.isDifference ? finding.asInfo : finding
        }
        if policy?.outlook.failsOnWarning ?? false, let warning = findings.first(where: { $0.level == .warning }),
            let index = results.lastIndex(where: { $0.counts && $0.outcome == .accepted })
        {
            all[index].difference = warning
            results[index] = CheckResult(all[index])
        }
        all[last].consistency = Consistency(
            of: results.filter(\.counts), comparison, findings, isUnchanged: isUnchanged)
        results[last] = CheckResult(all[last])
        return results
    }

    private func facts(_ connection: CheckedConnection, since state: RecordedState?) -> CheckResult.Facts {
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
        return CheckResult.Facts(
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
        let configured = policy.configuredPins
        let before = Set(recorded.chain.map(\.spkiSHA256))
        let matched = Set(matches.map(\.pinIndex))
        let others = configured.indices.filter { !matched.contains($0) }
        // What another connection shows in use is not lost.
        let used = inUse
        let pins = policy.pins?.pins ?? []
        guard clients.ending(in: policy).outcome == .accepted, !matched.isEmpty, !others.isEmpty,
            others.allSatisfy({
                before.contains(configured[$0]) && !(pins.indices.contains($0) && used.contains(pins[$0].spkiSHA256))
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

/// What a baseline has of a connection.
package struct RecordedState: Sendable {
    /// What changed, `nil` where the connection gave nothing to compare.
    package let changes: BaselineChanges?
    /// What is recorded, `nil` for nothing.
    package let recorded: Snapshot.Endpoint?
}

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

    /// Whether any connection was judged rather than only recorded.
    package var hasVerdicts: Bool { accepted + rejected > 0 }

    /// Whether addresses or variants differ as a baseline has them.
    package var hasKnownDifferences: Bool { findings.contains { $0.level == .info && $0.isDifference } }

    package var hasWarnings: Bool { findings.contains { $0.level == .warning } }
}
