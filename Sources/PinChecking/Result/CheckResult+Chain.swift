package import Pinning
import X509

extension CheckResult {
    /// Judges a chain that did not come from a connection of ours.
    package init(
        of chain: PresentedChain, named name: String, for referenceName: ReferenceName, by policy: HostPolicy,
        at now: Timestamp
    ) { self.init(policy.judge(chain, for: referenceName, at: policy.time ?? now), named: name) }

    /// The result on a chain of a file, which is about to be deployed where `next` says so.
    init(_ judged: JudgedChain, named name: String, next: NextDeployment? = nil) {
        self = CheckResult(
            target: name, referenceName: judged.view.referenceName, time: judged.view.time, policy: judged.policy,
            verdict: judged.clients.ending(in: judged.policy), judged: judged,
            presented: judged.shown == nil ? [] : judged.view.presented.certificates, next: next,
            findings: judged.policy.warnings + judged.findings + judged.notes
        ).concluded()
    }

    /// What is known of a recorded endpoint without asking it, compared with a baseline.
    package init(of endpoint: Snapshot.Endpoint, changes: BaselineChanges, time: Timestamp) {
        let key = endpoint.key
        let place = key.connect ?? key.target
        let address = try? Target(host: place)
        let facts = EndpointFacts(
            address: key.connect == nil ? nil : address?.host, port: address?.port ?? RequestDefaults.port,
            resolvedName: key.connect == nil ? address?.host.description : nil, serverName: key.sni,
            host: key.verifyName ?? key.target)
        self = CheckResult(
            target: key.target, endpoint: facts,
            referenceName: key.verifyName.map(ReferenceName.init(written:)) ?? .unchecked, time: time, policy: nil,
            verdict: .unjudged, changes: changes
        ).concluded()
    }
}

extension CheckResult {
    /// Where a certificate of the chain that is shown is from, in the words that people know it by; `nil` for one that was presented,
    /// and where there is nothing it could be from.
    package func origin(of certificate: Certificate) -> String? {
        guard let policy, !presented.contains(certificate) else { return nil }
        if policy.pins?.certificates.contains(certificate) == true { return "pin" }
        if policy.fetchable.contains(certificate) { return "intermediate given" }
        let sources = judged?.shown?.client.androidTrust?.sources ?? []
        if sources.contains(where: { $0.origin.holds(certificate) }) { return "app's own" }
        if policy.installedRoots.contains(certificate) { return "extra root" }
        guard let trust = (judged?.shown?.judgedDevice ?? policy.devices.first)?.trust else { return nil }
        if trust == .anchors || policy.givenRoots?.holds(certificate) == true { return "anchors" }
        return trust == .system || trust == .both ? "system" : "device"
    }
}
