import Base
public import Pinning
package import TLSProbe
import X509

/// What came of checking one endpoint, one chain, or something that is about to be deployed.
public struct CheckResult: Sendable {
    /// The target or the file, as the user named it.
    public let target: String
    /// What was connected to, or is recorded; `nil` for a chain from a file.
    package internal(set) var endpoint: EndpointFacts? = nil
    package internal(set) var connection: Result<Handshake, ProbeError>? = nil
    package let referenceName: ReferenceName
    /// The moment of the evaluation.
    public let time: Timestamp
    package let policy: HostPolicy?
    /// What the clients' verdicts, or their absence, come to.
    package let verdict: Ending
    package internal(set) var judged: JudgedChain? = nil
    /// What each client makes of the chain, in the order in which they were chosen; empty where there is no chain.
    public internal(set) var clients: [ClientVerdict] = []
    /// Which of the configured pins are on the paths of clients, or match the key that is about to be deployed.
    package internal(set) var matches: [MatchedPin] = []
    /// The certificates the server sent, in wire order; empty for a path that is only assumed.
    public internal(set) var presented: [Certificate] = []
    /// Which of the target's variants this is, `nil` when only the target itself was checked.
    package internal(set) var variant: Variant? = nil
    package internal(set) var answer: CheckedAnswer? = nil
    package internal(set) var next: NextDeployment? = nil
    package internal(set) var changes: BaselineChanges? = nil
    /// What deserves attention, and what is good to know, in any order.
    var findings: [Finding] = []
    /// What differs from other connections to the target, told by this result.
    var difference: Finding? = nil
    /// What the connections to the target have in common, in the last of their results; `nil` in all others.
    package internal(set) var consistency: AddressComparison? = nil

    // MARK: What follows from that

    package private(set) var ending = Ending.unjudged
    /// What deserves attention, the most important first.
    public private(set) var warnings: [Finding] = []
    /// What is good to know of how the connection was made and judged; the outcome never tells it.
    public private(set) var notes: [Finding] = []
    /// How long the verdicts will last: the worst of all clients.
    package private(set) var outlook: Outlook? = nil

    /// The result with what follows from its parts.
    func concluded() -> CheckResult {
        var result = self
        let ignored = policy?.outlook.ignored ?? []
        func told(_ findings: [Finding], _ level: Finding.Level) -> [Finding] {
            findings.filter { $0.level == level && !ignored.contains($0.kind) }
        }
        if let judged {
            (result.clients, result.matches) = (judged.clients, judged.matches)
            result.outlook = judged.outlook?.without(ignored)
        }
        if !ignored.isEmpty { for index in result.clients.indices { result.clients[index].ignore(ignored) } }
        let own = told(findings + (answer?.warning.map { [$0] } ?? []), .warning)
        result.warnings = own + told(consistency?.findings ?? [], .warning)
        result.notes = told(findings, .note)
        result.ending = result.ending(own + (difference.map { [$0] } ?? []))
        result.outlook?.told = result.ending.told
        return result
    }

    /// How the check ends, `failsOnWarning` as the policy has it where it is `nil`.
    private func ending(_ warnings: [Finding], failsOnWarning: Bool? = nil) -> Ending {
        Ending(
            verdict, counts: counts, objection: answer?.objection, outlook: outlook, changes: changes,
            warnings: warnings, failsOnWarning: failsOnWarning ?? policy?.outlook.failsOnWarning ?? false)
    }

    /// What the check comes to.
    public var outcome: Outcome { ending.outcome }

    /// Why.
    public var reason: Reason { ending.reason }

    /// Whether the target is judged by it, as by all results but those that are shown for comparison.
    package var counts: Bool { variant?.counts ?? true }

    /// What it would come to if every warning were told by the outcome.
    package var endingCountingWarnings: Ending { ending(warnings, failsOnWarning: true) }

    /// What it adds to a run in which every warning counts: for a variant that does not count, only what the variants differ in.
    package var outcomeCountingWarnings: Outcome {
        if counts { return endingCountingWarnings.outcome }
        return consistency?.hasWarnings ?? false ? .needsAttention : .accepted
    }
}

/// What is known of an endpoint before or without a connection.
package struct EndpointFacts: Hashable, Sendable {
    /// The address connected to, or the name that stands for it in a record; `nil` when none could be.
    package let address: ServerName?
    package let port: Int
    /// The name that was looked up, `nil` when an address was given.
    package let resolvedName: String?
    package let serverName: String?
    package let host: String
    package var proxy: Proxy? = nil
}

extension EndpointFacts {
    package init(_ endpoint: CheckEndpoint, peer: PeerAddress?) {
        var address = peer?.ip
        if case .address(let given) = endpoint.request.destination { address = given }
        self.init(
            address: address.map(ServerName.ip), port: Int(endpoint.request.port), resolvedName: endpoint.resolvedName,
            serverName: endpoint.request.serverNameIndication?.name, host: endpoint.host, proxy: endpoint.request.proxy)
    }
}

/// What is about to be deployed, what the verdict on it assumes, and today's CAs that a key's certificate is assumed to be issued by, the
/// nearest first.
package struct NextDeployment: Sendable {
    package let item: NextItem
    package let assumptions: [Assumption]
    package var issuers: [String] = []
}

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
            verdict: judged.ending, judged: judged,
            presented: judged.shown == nil ? [] : judged.view.presented.certificates, next: next,
            findings: judged.policy.warnings + judged.findings + judged.notes
        ).concluded()
    }

    /// The result on an entry that could not be checked.
    init(of bad: BadEntry, at time: Timestamp) {
        let problem = bad.problem
        let reason = Reason("bad-entry", problem.placed.description, remedy: problem.remedy)
        self = CheckResult(
            target: bad.name, referenceName: .unchecked, time: time, policy: nil,
            verdict: Ending(problem.kind == .noInput ? .notRead : .notSetUp, reason)
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
    /// Where a certificate of the chain that is shown is from: a stable word, empty where there is nothing it could be from, and the
    /// words that people know it by, `nil` for one that was presented.
    package func origin(of certificate: Certificate) -> (source: String, words: String?) {
        if presented.contains(certificate) { return ("presented", nil) }
        guard let policy else { return ("", nil) }
        if policy.pins?.certificates.contains(certificate) == true { return ("pin", "pin") }
        if policy.fetchable.contains(certificate) { return ("intermediate", "intermediate given") }
        let sources = judged?.shown?.client.androidTrust?.sources ?? []
        if sources.contains(where: { $0.origin.holds(certificate) }) { return ("configuration", "app's own") }
        let trust = (judged?.shown?.judgedDevice ?? policy.devices.first)?.trust
        let source = trust?.rawValue ?? ""
        if policy.installedRoots.contains(certificate) { return (source, "extra root") }
        guard let trust else { return (source, nil) }
        if trust == .anchors || policy.givenRoots?.holds(certificate) == true { return (source, "anchors") }
        return (source, trust == .system || trust == .both ? "system" : "device")
    }
}
