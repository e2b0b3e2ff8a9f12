package import Pinning
package import Rotation

/// What the clients make of one chain: from a server, from a file, or of one that is about to be deployed.
package struct ChainJudgement: Sendable {
    /// What it was judged by.
    package let evaluation: Evaluation
    /// What was judged.
    package let observation: Observation
    /// What came along with its leaf, `nil` where nobody looked.
    package let served: ServedEvidence?
    /// What each client makes of it, in the order in which they were chosen.
    package let clients: [ClientResult]
    /// The judgements of those that could be set up, in the order of the registry.
    package let judgements: [Judgement]
    /// Whether the verdicts rest on a path that is only assumed.
    package let isForecast: Bool
    /// What deserves attention beside the verdicts.
    package let findings: [Finding]
    /// How long the verdicts will last: the worst of all clients; `nil` where none could be set up, and of a forecast.
    package let outlook: Outlook?

    /// What is shown: what the verdict rests on of the first client of the registry, or of the first that rejects; `nil` where none
    /// could be set up.
    package var shown: Judgement? { judgements.first { !$0.decided.isAccepted } ?? judgements.first }

    /// Judges a chain.
    ///
    /// - Parameters:
    ///   - observation: the chain, the name and the time.
    ///   - evaluation: what it is judged by.
    ///   - served: what came along with its leaf.
    ///   - serverName: which name the server was asked for.
    init(
        _ observation: Observation,
        by evaluation: Evaluation,
        served: ServedEvidence,
        serverName: SentServerName
    ) {
        self.init(
            evaluation.decisions(on: observation),
            on: observation,
            by: evaluation,
            served: served,
            isForecast: false,
            reason: { verdict, _ in Reason(verdict, serverName: serverName) }
        )
    }

    /// What decisions come to.
    ///
    /// - Parameters:
    ///   - decisions: the decisions, in the order of the clients.
    ///   - observation: what they were made on.
    ///   - evaluation: what they were made by.
    ///   - served: what came along with its leaf, `nil` where nobody looked.
    ///   - isForecast: whether they rest on a path that is only assumed, of which there is nothing else to say.
    ///   - reason: the reason of a verdict; the client is given along.
    init(
        _ decisions: [Evaluation.Decision],
        on observation: Observation,
        by evaluation: Evaluation,
        served: ServedEvidence? = nil,
        isForecast: Bool,
        reason: (Verdict, ChosenClient) -> Reason
    ) {
        let judgements = evaluation.judgements(decisions, on: observation, isForecast: isForecast)
        self.evaluation = evaluation
        self.observation = observation
        self.served = served
        self.isForecast = isForecast
        self.judgements = judgements
        clients = decisions.map { decision in
            switch decision.verdict {
            case .success(let verdict):
                // A client that is named twice has the same settings, or is told apart by them.
                let own = isForecast ? nil : judgements.first { $0.client.isSame(as: decision.client) }
                return ClientResult(
                    client: decision.client,
                    verdict: decision.verdict,
                    reason: reason(verdict, decision.client),
                    outlook: own?.outlook
                )
            case .failure(let error):
                return ClientResult(
                    client: decision.client,
                    verdict: decision.verdict,
                    reason: Reason(id: "not-configured", message: error.message),
                    outlook: nil
                )
            }
        }
        let outlooks = judgements.map { Outlook.Named(client: $0.name, outlook: $0.outlook) }
        outlook = isForecast ? nil : Outlook.worst(of: outlooks)
        let isRefused = !judgements.isEmpty && judgements.allSatisfy { !$0.decided.isAccepted }
        findings =
            Self.findings(decisions, judgements, on: observation, by: evaluation, isForecast: isForecast)
            + (served?.findings(isRefused: isRefused) ?? [])
    }

    private static func findings(
        _ decisions: [Evaluation.Decision],
        _ judgements: [Judgement],
        on observation: Observation,
        by evaluation: Evaluation,
        isForecast: Bool
    ) -> [Finding] {
        var findings: [Finding] = []
        for judgement in judgements {
            let prefix = decisions.count > 1 ? judgement.name + ": " : ""
            findings += judgement.decided.warnings.map { warning in
                let remedy: Remedy? = warning.id == Warning.issuerWouldBeFetched ? .giveIntermediate : nil
                return .warning(id: warning.id, message: prefix + warning.message, remedy: remedy)
            }
        }
        // Once for all clients of a platform.
        let platforms = judgements.compactMap(\.decided.refusingPlatform)
        for platform in PlatformFamily.allCases where platforms.contains(platform) {
            findings.append(
                .warning(
                    id: "platform-rule",
                    message: "the reason is a rule of \(platform.title), not the pins",
                    remedy: .chooseAnotherPlatform(than: platform)
                )
            )
        }
        for decision in decisions {
            // They are left out of the verdict, since they do not start with these pins.
            guard case .failure(let error) = decision.verdict else { continue }
            let message = "\(decision.client.entry.name) cannot be set up: \(error.message)"
            findings.append(.warning(id: "client-not-set-up", message: message))
        }
        guard !isForecast,
            let deciding = (judgements.first { !$0.decided.isAccepted } ?? judgements.first)?.decided
        else { return findings }
        let own = [
            evaluation.strictWarning(on: deciding, observation: observation),
            evaluation.missingRootsWarning(on: deciding),
            evaluation.bareKeyWarning(on: deciding, presented: observation.presented),
        ]
        return findings + own.compactMap(\.self) + evaluation.damagedStoreWarnings(on: deciding)
    }
}

extension Verdict {
    /// The platform whose own rule is the reason, `nil` for a reason that all platforms share.
    fileprivate var refusingPlatform: PlatformFamily? {
        guard case .untrusted(let failures) = reason else { return nil }
        return failures.first?.platform
    }
}

extension ChainJudgement {
    /// What the verdicts of all clients come to.
    var standing: Standing {
        guard let shown else {
            return .notSetUp(Reason(id: "not-configured", message: "no client can be set up with these pins"))
        }
        return shown.decided.isAccepted ? .accepted(summary) : .rejected(summary)
    }

    /// One reason for all: the only client's own, or how many accept.
    private var summary: Reason {
        guard clients.count > 1 else {
            return clients.first?.reason ?? Reason(id: "not-configured", message: "no client was chosen")
        }
        func names(_ clients: [ClientResult]) -> String {
            clients.map(\.client.entry.name).joined(separator: ", ")
        }
        let deciding = clients.filter { $0.isAccepted != nil }
        let absent = clients.filter { $0.isAccepted == nil }
        let others = absent.isEmpty ? "" : "; \(absent.count) cannot be set up: \(names(absent))"
        let rejecting = deciding.filter { $0.isAccepted == false }
        guard !rejecting.isEmpty else {
            guard absent.isEmpty else {
                let verb = deciding.count == 1 ? "accepts" : "accept"
                return Reason(
                    id: "clients-accept",
                    message: "\(deciding.count) of \(clients.count) clients \(verb)" + others
                )
            }
            let all = deciding.count == 2 ? "both" : "all \(deciding.count)"
            return Reason(id: "all-accept", message: "\(all) clients accept")
        }
        let verb = rejecting.count == 1 ? "rejects" : "reject"
        return Reason(
            id: "clients-reject",
            message: "\(rejecting.count) of \(clients.count) clients \(verb): \(names(rejecting))" + others
        )
    }
}
