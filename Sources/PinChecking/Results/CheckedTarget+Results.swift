import Pinning
import TLSProbe

extension CheckedTarget {
    /// The results on all connections, in their order.
    package func results(since baseline: [RecordedState?]? = nil) -> [CheckResult] {
        let states: [RecordedState?] = baseline ?? Array(repeating: nil, count: connections.count)
        let isUnchanged = states.allSatisfy { $0?.changes?.status == .unchanged }
        let differed = Set(states.compactMap { $0?.recorded }.filter { $0.key.variant == nil }.map(\.leaf)).count > 1
        let findings = (comparison?.findings ?? []).map { finding in
            (isUnchanged || differed) && finding.isDifference ? finding.asInfo : finding
        }
        var places = connections.map { connection in
            CheckResult.PlaceInTarget(variant: comparison == nil ? nil : connection.variant)
        }
        func results() -> [CheckResult] { connections.indices.map { result($0, places[$0], since: states[$0]) } }
        guard let comparison, let last = places.indices.last else { return results() }
        if evaluation?.outlook.failsOnWarning ?? false, let warning = findings.first(where: { $0.level == .warning }),
            let index = results().lastIndex(where: { $0.counts && $0.outcome == .accepted })
        {
            places[index].difference = [warning]
        }
        places[last].consistency = consistency(
            of: results().filter(\.counts), comparison, findings, isUnchanged: isUnchanged)
        return results()
    }

    private func consistency(
        of results: [CheckResult], _ comparison: TargetComparison, _ findings: [Finding], isUnchanged: Bool
    ) -> Consistency {
        let accepted = results.count { $0.standing.isAccepted }
        let rejected = results.count { $0.standing.isRejected }
        let hasWarning = findings.contains { $0.level == .warning }
        let differ = hasWarning || (!isUnchanged && accepted > 0 && rejected > 0)
        return Consistency(
            isConsistent: differ ? false : comparison.serving < 2 && !isUnchanged ? nil : true,
            addresses: comparison.addresses, accepted: accepted, rejected: rejected,
            unreachable: results.count { $0.standing.isWithoutVerdict }, findings: findings,
            outcomes: results.map(\.outcome))
    }

    private func result(_ index: Int, _ place: CheckResult.PlaceInTarget, since state: RecordedState?) -> CheckResult {
        let connection = connections[index]
        let peer: PeerAddress?
        switch connection.result {
        case .success(let result): peer = result.peer
        case .failure(let error): peer = error.peer
        }
        var warnings = evaluation.map { $0.setup.notes + $0.setup.warnings } ?? []
        if let judgement = connection.judgement {
            warnings += judgement.findings + connection.handshakeFindings
            if let recorded = state?.recorded, let lastPins = judgement.lastPinsWarning(since: recorded) {
                warnings.append(lastPins)
            }
        } else if case .byNobody = connection.judged {
            warnings += connection.handshakeFindings
        }
        return CheckResult(
            CheckResult.Subject(
                target: connection.endpoint.target, endpoint: EndpointFacts(connection.endpoint, peer: peer),
                connection: connection.result, referenceName: connection.endpoint.referenceName, time: connection.time,
                evaluation: evaluation), connection.standing, judgement: connection.judgement,
            presented: connection.isShown ? connection.served?.presented.certificates ?? [] : [], place: place,
            answer: connection.answer, changes: state?.changes, warnings: warnings,
            notes: connection.judgement?.notes ?? [])
    }
}

extension CheckedConnection {
    /// Whether there is a chain to show: one that there was no time to judge is not.
    fileprivate var isShown: Bool {
        switch judged {
        case .byClients(let judgement): judgement.shown != nil
        case .byNobody: true
        case .outOfTime, .noChain: false
        }
    }
}

extension ChainJudgement {
    /// A warning when pins that matched what is recorded match no longer, and those that do now are the last ones.
    fileprivate func lastPinsWarning(since recorded: Snapshot.Endpoint) -> Finding? {
        let configured = evaluation.setup.configuredPins
        let before = Set(recorded.chain.map(\.spkiSHA256))
        let matched = Set(shownMatches.map(\.pinIndex))
        let others = configured.indices.filter { !matched.contains($0) }
        // What another connection shows in use is not lost.
        let inUse = keysInUse
        let pins = evaluation.setup.pins?.pins ?? []
        guard standing.isAccepted, !matched.isEmpty, !others.isEmpty,
            others.allSatisfy({
                before.contains(configured[$0]) && !(pins.indices.contains($0) && inUse.contains(pins[$0].spkiSHA256))
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
