package import Pinning

/// What the clients make of one chain: from a server, from a file, or of one that is about to be deployed.
package struct ChainJudgement: Sendable {
    package let evaluation: HostPolicy
    package let observation: ServerView
    /// What each client makes of it, in the order in which they were chosen, device by device.
    package private(set) var clients: [ClientVerdict]
    /// The judgements of those that could be set up, in the order of the devices and the registry.
    package private(set) var judgements: [Judgement]
    /// What deserves attention beside the verdicts.
    package let findings: [Finding]
    /// What is good to know of the verdicts and of the roots of devices, each once.
    let notes: [Finding]
    /// How long the verdicts will last: the worst of all clients; `nil` where none could be set up.
    package private(set) var outlook: Outlook?
    /// How sentences name those that judged.
    let names: JudgeNames

    /// What is shown: what the verdict rests on of the first client of the registry, or of the first that rejects; `nil` where none
    /// could be set up.
    package var shown: Judgement? { judgements.first { !$0.decided.isAccepted } ?? judgements.first }

    /// Which of the configured pins are on the path that is shown; where all clients accept, those of each, as several can have pins of
    /// their own.
    package var shownMatches: [PinMatch] {
        guard let shown else { return [] }
        guard judgements.count > 1, shown.decided.isAccepted else { return shown.matches }
        let path = shown.shown.builtChain.certificates
        var found = Set(shown.matches)
        for judgement in judgements {
            let own = judgement.shown.builtChain.certificates
            for match in judgement.matches where !found.contains(match) {
                guard own.indices.contains(match.depth), path.indices.contains(match.depth),
                    own[match.depth] == path[match.depth]
                else { continue }
                found.insert(match)
            }
        }
        return found.sorted { ($0.depth, $0.pinIndex) < ($1.depth, $1.pinIndex) }
    }

    init(_ observation: ServerView, by evaluation: HostPolicy, serverName: SentServerName) {
        self.init(
            evaluation.decisions(on: observation), on: observation, by: evaluation,
            reason: { verdict, client in
                Reason(
                    verdict, of: client, for: observation.referenceName, by: evaluation, serverName: serverName,
                    hasAnchors: evaluation.givenRoots != nil)
            })
    }

    init(
        _ decisions: [HostPolicy.Decision], on observation: ServerView, by evaluation: HostPolicy,
        reason: (Verdict, ConfiguredClient) -> Reason
    ) {
        let own = evaluation.judgements(decisions, on: observation)
        let judgements = evaluation.ordered(own)
        let names = JudgeNames(decisions.map { $0.judge(in: evaluation) })
        self.names = names
        self.evaluation = evaluation
        self.observation = observation
        self.judgements = judgements
        let interception = evaluation.interceptionFinding(on: judgements)
        // A proxy explains everything else: what would mend the chain without it is no advice.
        let isIntercepted = interception?.id == Finding.interceptorID && interception?.level == .warning
        clients = zip(decisions, own).map { decision, judgement in
            let device = evaluation.lists == nil ? nil : decision.device.name
            switch decision.verdict {
            case .success(let verdict):
                return ClientVerdict(
                    client: decision.client, device: device, verdict: decision.verdict,
                    reason: reason(verdict, decision.client).advising(!isIntercepted), outlook: judgement?.outlook)
            case .failure(let error):
                return ClientVerdict(
                    client: decision.client, device: device, verdict: decision.verdict,
                    reason: Reason(id: ClientVerdict.notSetUp, message: error.message), outlook: nil)
            }
        }
        outlook = Self.outlook(of: judgements, names, evaluation)
        let isRefused = !judgements.isEmpty && judgements.allSatisfy { !$0.decided.isAccepted }
        let found = Self.findings(decisions, judgements, names, on: observation, by: evaluation)
        findings =
            found.map { Finding($0.level, $0.reason.advising(!isIntercepted)) }
            + (interception.map { $0.level == .warning ? [$0] : [] } ?? [])
            + (observation.evidence?.findings(isRefused: isRefused) ?? [])
        notes =
            evaluation.setup.remarks + evaluation.rootNotes(on: judgements, observation) + Self.notes(of: judgements)
            + (interception.map { $0.level == .info ? [$0] : [] } ?? [])
    }

    var keysInUse: Set<SHA256Digest> { judgements.reduce(into: []) { $0.formUnion($1.keysInUse) } }

    /// The same judgement, knowing which keys other connections to the same server show in use.
    func knowing(keysInUse: Set<SHA256Digest>) -> ChainJudgement {
        guard judgements.contains(where: { !keysInUse.isSubset(of: $0.keysInUse) }) else { return self }
        var judgement = self
        judgement.judgements = judgements.map { $0.knowing(keysInUse: keysInUse) }
        judgement.clients = clients.map { result in
            result.with(outlook: judgement.judgements.first { $0.isOf(result, in: evaluation) }?.outlook)
        }
        judgement.outlook = Self.outlook(of: judgement.judgements, names, evaluation)
        return judgement
    }

    /// The same, with what is told of the time ahead changed.
    func telling(_ change: (Outlook?) -> Outlook?) -> ChainJudgement {
        var judgement = self
        judgement.outlook = change(outlook)
        judgement.clients = clients.map { $0.with(outlook: change($0.outlook)) }
        return judgement
    }

    private static func outlook(of judgements: [Judgement], _ names: JudgeNames, _ evaluation: HostPolicy) -> Outlook? {
        Outlook.worst(of: judgements.map { ($0.judge(in: evaluation), $0.outlook) }) { names.text($0) }
    }

    private static func notes(of judgements: [Judgement]) -> [Finding] {
        var notes: [Finding] = []
        for note in judgements.flatMap(\.decided.notes) {
            let finding = Finding(.info, id: note.id, message: note.message)
            if !notes.contains(finding) { notes.append(finding) }
        }
        return notes
    }

    private static func findings(
        _ decisions: [HostPolicy.Decision], _ judgements: [Judgement], _ names: JudgeNames, on observation: ServerView,
        by evaluation: HostPolicy
    ) -> [Finding] {
        // What a client warns of on several devices is said once.
        var warnings: [(warning: Warning, judges: [JudgeNames.Judge])] = []
        for judgement in judgements {
            let judge = judgement.judge(in: evaluation)
            for warning in judgement.decided.warnings {
                let known = warnings.firstIndex { $0.warning == warning && $0.judges[0].client == judge.client }
                if let known, judge.device != nil {
                    warnings[known].judges.append(judge)
                } else {
                    warnings.append((warning, [judge]))
                }
            }
        }
        var findings = warnings.map { warning, judges in
            let prefix = decisions.count > 1 ? names.text(judges) + ": " : ""
            let remedy: Remedy? =
                warning.id == Warning.issuerWouldBeFetched ? .giveIntermediate : warning.platform.map { .judgeOn($0) }
            return Finding.warning(id: warning.id, message: prefix + warning.message, remedy: remedy)
        }
        // Once for all clients of a platform.
        let platforms = judgements.compactMap(\.decided.refusingPlatform)
        for platform in PlatformFamily.allCases where platforms.contains(platform) {
            findings.append(
                .warning(
                    id: "platform-rule", message: "the reason is a rule of \(platform.title), not the pins",
                    remedy: evaluation.lists == nil ? .chooseAnotherPlatform(than: platform) : nil))
        }
        var unset: [ConfiguredClient] = []
        for decision in decisions where !unset.contains(where: { $0.isSame(as: decision.client) }) {
            // They are left out of the verdict, since they do not start with these pins.
            guard case .failure(let error) = decision.verdict else { continue }
            unset.append(decision.client)
            let message = "\(decision.client.entry.name) cannot be set up: \(error.message)"
            findings.append(.warning(id: "client-not-set-up", message: message))
        }
        guard let deciding = judgements.first(where: { !$0.decided.isAccepted }) ?? judgements.first else {
            return findings
        }
        let own = [
            evaluation.missingRootsWarning(on: deciding),
            evaluation.bareKeyWarning(on: deciding.decided, presented: observation.presented),
        ]
        return findings + own.compactMap(\.self) + evaluation.damagedStoreWarnings(on: deciding)
    }
}

extension HostPolicy.Decision {
    fileprivate func judge(in evaluation: HostPolicy) -> JudgeNames.Judge {
        JudgeNames.Judge(client: client.entry.name, device: evaluation.lists == nil ? nil : device.name)
    }
}

extension Judgement {
    func judge(in evaluation: HostPolicy) -> JudgeNames.Judge {
        JudgeNames.Judge(client: name, device: evaluation.lists == nil ? nil : device.name)
    }

    func isOf(_ result: ClientVerdict, in evaluation: HostPolicy) -> Bool {
        client.isSame(as: result.client) && (evaluation.lists == nil || device.name == result.device)
    }
}

extension Verdict {
    /// The platform whose own rule is the reason, `nil` for a reason that others share, as phones do a key usage.
    fileprivate var refusingPlatform: PlatformFamily? {
        if case .refusedByTransportSecurity = reason { return .apple }
        guard case .untrusted(let failures) = reason else { return nil }
        if case .keyUsage? = failures.first?.reason { return nil }
        return failures.first?.platform
    }
}
