package import Pinning

extension CheckResult {
    /// Judges a chain that did not come from a connection of ours.
    package init(
        of chain: PresentedChain, named name: String, for referenceName: ReferenceName, by evaluation: HostPolicy,
        at now: Timestamp
    ) {
        let time = evaluation.time ?? now
        let observation = ServerView(
            presented: chain, referenceName: referenceName, time: time, fetchable: evaluation.fetchable,
            evidence: evaluation.evidence(of: chain, at: time))
        let judgement = ChainJudgement(observation, by: evaluation, serverName: .noServer)
        self.init(
            Subject(target: name, referenceName: referenceName, time: time, evaluation: evaluation), judgement.standing,
            judgement: judgement, presented: judgement.shown == nil ? [] : chain.certificates,
            warnings: evaluation.setup.notes + evaluation.setup.warnings + judgement.findings, notes: judgement.notes)
    }

    /// What is known of an endpoint without asking it, compared with a baseline.
    package init(
        of target: String, at endpoint: EndpointFacts, for referenceName: ReferenceName, changes: BaselineChanges,
        time: Timestamp
    ) {
        self.init(
            Subject(target: target, endpoint: endpoint, referenceName: referenceName, time: time, evaluation: nil),
            .unjudged(.notJudged), changes: changes, warnings: [])
    }
}
