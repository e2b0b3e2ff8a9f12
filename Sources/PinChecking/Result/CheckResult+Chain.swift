package import Pinning

extension CheckResult {
    /// Judges a chain that did not come from a connection of ours.
    package init(
        of chain: PresentedChain, named name: String, for referenceName: ReferenceName, by policy: HostPolicy,
        at now: Timestamp
    ) {
        let time = policy.time ?? now
        let view = ServerView(
            presented: chain, referenceName: referenceName, time: time, fetchable: policy.fetchable,
            evidence: policy.evidence(of: chain, at: time))
        let judged = policy.judge(view, serverName: .noServer)
        self.init(
            Facts(
                target: name, referenceName: referenceName, time: time, policy: policy,
                verdict: judged.clients.ending(in: policy), judged: judged,
                presented: judged.shown == nil ? [] : chain.certificates,
                findings: policy.warnings + judged.findings + judged.notes))
    }

    /// What is known of an endpoint without asking it, compared with a baseline.
    package init(
        of target: String, at endpoint: EndpointFacts, for referenceName: ReferenceName, changes: BaselineChanges,
        time: Timestamp
    ) {
        self.init(
            Facts(
                target: target, endpoint: endpoint, referenceName: referenceName, time: time, policy: nil,
                verdict: Ending(.unjudged, .notJudged), changes: changes))
    }
}

extension CheckResult {
    package init(of endpoint: Snapshot.Endpoint, changes: BaselineChanges, time: Timestamp) {
        let key = endpoint.key
        let place = key.connect ?? key.target
        let address = try? Target(host: place)
        self.init(
            of: key.target,
            at: EndpointFacts(
                address: key.connect == nil ? nil : address?.host, port: address?.port ?? RequestDefaults.port,
                resolvedName: key.connect == nil ? address?.host.description : nil, serverName: key.sni,
                host: key.verifyName ?? key.target), for: key.verifyName.map(HostName.reference) ?? .unchecked,
            changes: changes, time: time)
    }
}
