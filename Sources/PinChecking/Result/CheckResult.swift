import Base
public import Pinning
package import TLSProbe
import X509

/// The result of a check of one endpoint, one chain, or a future deployment.
public struct CheckResult: Sendable {
    /// The target or the file, as the user named it.
    public internal(set) var target: String
    /// The connected or recorded endpoint; `nil` if the chain is from a file.
    package internal(set) var endpoint: EndpointFacts?
    package internal(set) var connection: ProbeResult?
    package internal(set) var referenceName: ReferenceName
    /// The moment for which the chain was judged.
    public let time: Timestamp
    package let policy: HostPolicy?
    /// The ending by the clients' verdicts or their absence.
    package internal(set) var verdict: Ending
    @Boxed package internal(set) var judged: JudgedChain?
    /// Each client's verdict on the chain, in the order of choice; empty without a chain.
    public internal(set) var clients: [ClientVerdict] = []
    /// The configured pins on the paths of clients, or those that match a future key.
    package internal(set) var matches: [MatchedPin] = []
    /// The certificates that the server sent, in their order; empty if the path is only assumed.
    public internal(set) var presented: [Certificate] = []
    /// The variant of the target; `nil` if only the target itself was checked.
    package internal(set) var variant: Variant?
    package internal(set) var answer: CheckedAnswer?
    package internal(set) var next: NextDeployment?
    package internal(set) var changes: BaselineChanges?
    /// The findings in any order, before their levels and `--ignore` apply.
    var findings: [Finding] = []
    /// The comparison of the target's connections, only in the last of their results; `nil` in all others.
    package internal(set) var consistency: AddressComparison?

    private(set) var ending = Ending.unjudged
    /// The warnings, the most important first.
    public internal(set) var warnings: [Finding] = []
    /// The notes on the connection and the judgement, which never change the outcome.
    public private(set) var notes: [Finding] = []
    package internal(set) var outlook: Outlook?

    /// The result with its ending, for which a difference to the target's other connections may count, too.
    func withEnding(counting difference: Finding? = nil) -> CheckResult {
        var result = self
        let ignored = policy?.outlook.ignored ?? []
        if let judged {
            (result.clients, result.matches) = (judged.clients, judged.matches)
            result.outlook = judged.outlook?.without(ignored)
        }
        if !ignored.isEmpty { for index in result.clients.indices { result.clients[index].ignore(ignored) } }
        let told = (findings + [answer?.warning].compactMap(\.self)).filter { !ignored.contains($0.kind) }
        result.warnings = told.filter { $0.level == .warning }
        result.notes = told.filter { $0.level == .note }
        result.ending = result.ending(result.warnings + [difference].compactMap(\.self))
        result.outlook?.told = result.ending.told
        return result
    }

    private func ending(_ warnings: [Finding], failsOnWarning: Bool? = nil) -> Ending {
        Ending(
            verdict, counts: counts, objection: answer?.objection, outlook: outlook, changes: changes,
            warnings: warnings, failsOnWarning: failsOnWarning ?? policy?.outlook.failsOnWarning ?? false)
    }

    /// The outcome of the check.
    public var outcome: Outcome { ending.outcome }

    /// The reason for the outcome.
    public var reason: Reason { ending.reason }

    var counts: Bool { variant?.counts ?? true }

    package var endingCountingWarnings: Ending { ending(warnings, failsOnWarning: true) }

    /// The outcome in a run where every warning counts; of a variant that does not count, only its differences matter.
    package func runOutcome(of endingCountingWarnings: Ending) -> Outcome {
        if counts { return endingCountingWarnings.outcome }
        return consistency?.hasWarnings ?? false ? .needsAttention : .accepted
    }
}

package struct EndpointFacts: Hashable {
    /// The connected address, or the name in a record; `nil` if neither.
    package let address: ServerName?
    package let port: Int
    /// The name that was looked up; `nil` if an address was given.
    package let resolvedName: String?
    package let serverName: String?
    package let host: String
    package var proxy: Proxy?
}

extension EndpointFacts {
    package init(_ endpoint: CheckEndpoint, peer: PeerAddress?) {
        var address = peer?.ip
        if case .address(let given) = endpoint.request.destination { address = given }
        self.init(
            address: address.map(ServerName.ip), port: Int(endpoint.request.port), resolvedName: endpoint.resolvedName,
            serverName: endpoint.request.serverNameIndication, host: endpoint.host, proxy: endpoint.request.proxy)
    }
}

/// A future deployment, its verdict's assumptions, and today's CAs, nearest first, as issuers of a new certificate.
package struct NextDeployment {
    package let item: NextItem
    package let assumptions: [Assumption]
    package var issuers: [String] = []
}

extension CheckResult {
    package init(
        of chain: PresentedChain, named name: String, for referenceName: ReferenceName, by policy: HostPolicy,
        at now: Timestamp
    ) { self.init(policy.judge(chain, for: referenceName, at: policy.time ?? now), named: name) }

    /// The result for a chain from a file or, with `next`, of a future deployment.
    init(_ judged: JudgedChain, named name: String, next: NextDeployment? = nil, adding findings: [Finding] = []) {
        let presented = next?.item.certificates ?? judged.view.presented.certificates
        self = CheckResult(
            target: name, referenceName: judged.view.referenceName, time: judged.view.time, policy: judged.policy,
            verdict: judged.ending, judged: judged, presented: judged.shown == nil ? [] : presented, next: next,
            findings: judged.policy.warnings(at: judged.view.time) + judged.findings + findings
        ).withEnding()
    }

    init(of bad: BadEntry, at time: Timestamp) {
        let problem = bad.problem
        // A row with a place for the name does not repeat the name.
        let (placed, name) = (problem.placed.description, bad.name + ": ")
        let message = placed.hasPrefix(name) ? String(placed.dropFirst(name.count)) : placed
        let reason = Reason("bad-entry", message, remedy: problem.remedy)
        self = CheckResult(
            target: bad.name, referenceName: .unchecked, time: time, policy: nil,
            verdict: Ending(problem.kind == .noInput ? .notRead : .notSetUp, reason)
        ).withEnding()
    }

    /// The result for a recorded endpoint that was not contacted, by comparison with a baseline.
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
        ).withEnding()
    }

    /// The source of a certificate in the shown chain: a stable word or "", and a phrase, `nil` if it was presented.
    package func origin(of certificate: Certificate) -> (source: String, words: String?) {
        let sent = (judged?.clients ?? []).lazy.compactMap { $0.handshake?.presented.certificates }
        if presented.contains(certificate) || sent.joined().contains(certificate) { return ("presented", nil) }
        guard let policy else { return ("", nil) }
        if next != nil, judged?.view.presented.certificates.contains(certificate) == true {
            return ("presented", "presented")
        }
        if policy.pins?.certificates.contains(certificate) == true { return ("pin", "pin") }
        if policy.fetchable.contains(certificate) { return ("intermediate", "intermediate given") }
        let shown = judged?.shown
        let sources = shown?.client.androidTrust?.sources ?? []
        if sources.contains(where: { $0.certificates.contains(certificate) }) { return ("configuration", "app's own") }
        let trust = (shown?.judgedDevice ?? policy.devices[0]).trust
        if policy.settings.installedRoots.contains(certificate) { return (trust.rawValue, "extra root") }
        if trust == .anchors || policy.givenRoots?.holds(certificate) == true { return (trust.rawValue, "anchors") }
        return (trust.rawValue, trust == .system || trust == .both ? "system" : "device")
    }
}

package struct BaselineComparison {
    private let baseline: Baseline
    private var seen: [Snapshot.Endpoint] = []
    /// The recorded endpoints that were contacted, even if they did not answer.
    private var asked: Set<Snapshot.Key> = []
    /// The recorded endpoints that a server no longer offers.
    private var gone: Set<Snapshot.Key> = []
    /// The recorded endpoints that did not answer at an address.
    private var silent: Set<Snapshot.Key> = []

    package init(with baseline: Baseline) { self.baseline = baseline }

    /// The comparison of each connection with the baseline, in order; `nil` if it has nothing to compare.
    package mutating func states(of target: CheckedTarget) -> [BaselineChanges?] {
        target.connections.map { connection in
            let key = Snapshot.Key(connection.endpoint, connection.variant)
            let peer = connection.peer?.description
            let recorded = baseline.record(for: key, at: peer)
            if let recorded { asked.insert(recorded.key) }
            guard var endpoint = Snapshot.Endpoint(connection) else {
                guard connection.came?.isNone == true else {
                    if let recorded { silent.insert(recorded.key) }
                    return nil
                }
                if let recorded { gone.insert(recorded.key) }
                return baseline.missing(key, at: peer)
            }
            let changes = baseline.changes(at: endpoint, from: peer)
            // A given address does not show the result of a look-up, so its chain has its own record.
            let isLookedUp = key.connect == nil || connection.endpoint.lookedUpName != nil
            if isLookedUp, let recorded { endpoint.key = recorded.key }
            seen.append(endpoint)
            return changes
        }
    }

    package var unasked: [Snapshot.Key] { baseline.snapshot.endpoints.map(\.key).filter { !asked.contains($0) } }
    package var unanswered: [String] { silent.subtracting(seen.map(\.key)).sorted().map(\.title) }
    package var updated: Snapshot {
        let lost = gone.subtracting(silent)
        return Snapshot(baseline.snapshot.endpoints.filter { !lost.contains($0.key) } + seen)
    }
}

extension Snapshot.Key {
    fileprivate var title: String { target + (connect.map { " → \($0)" } ?? "") + (variant.map { ", \($0)," } ?? "") }

    package init(_ endpoint: CheckEndpoint, _ variant: Variant) {
        let place = endpoint.request.target
        self.init(
            target: endpoint.target, connect: place == endpoint.target ? nil : place,
            sni: endpoint.request.serverNameIndication, verifyName: endpoint.referenceName.text, variant: variant.label)
    }
}

extension Snapshot.Endpoint {
    package init?(_ connection: CheckedConnection) {
        guard let result = connection.served else { return nil }
        self.init(
            Snapshot.Key(connection.endpoint, connection.variant),
            chain: result.presented.certificates.map(Snapshot.Certificate.init))
    }
}
