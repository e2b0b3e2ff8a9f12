public import Pinning
package import TLSProbe

/// What came of checking one endpoint, one chain, or something that is about to be deployed: made once, never changed.
public struct CheckResult: Sendable {
    private let facts: Facts
    /// How the check ends, and why.
    package let ending: Ending
    /// What deserves attention, the most important first.
    public let warnings: [Finding]
    /// What is good to know of how the connection was made and judged; the outcome never tells it.
    public let notes: [Finding]
    /// Which of the configured pins are on the path that is shown, or match the key that is about to be deployed.
    package let matches: [PinMatch]
    /// How long the verdicts will last: the worst of all clients.
    package let outlook: Outlook?

    /// What a result is made from.
    struct Facts: Sendable {
        let target: String
        var endpoint: EndpointFacts? = nil
        var connection: Result<Handshake, ProbeError>? = nil
        let referenceName: ReferenceName
        let time: Timestamp
        let policy: HostPolicy?
        /// What the clients' verdicts, or their absence, come to.
        let verdict: Ending
        var judged: JudgedChain? = nil
        /// The verdicts on a key that has no chain.
        var clients: [ClientVerdict] = []
        var matches: [PinMatch] = []
        var presented: [Certificate] = []
        var variant: Variant? = nil
        var answer: CheckedAnswer? = nil
        var next: NextDeployment? = nil
        var changes: BaselineChanges? = nil
        /// What deserves attention, and what is good to know, in any order.
        var findings: [Finding] = []
        /// What differs from other connections to the target, told by this result.
        var difference: Finding? = nil
        var consistency: Consistency? = nil

        var counts: Bool { variant?.counts ?? true }

        private var ignored: Set<String> { policy?.outlook.ignored ?? [] }

        var outlook: Outlook? { judged?.outlook?.without(ignored) }

        func told(_ findings: [Finding], _ level: Finding.Level) -> [Finding] {
            findings.filter { $0.level == level && !ignored.contains($0.id) }
        }

        var ownWarnings: [Finding] { told(findings + (answer?.warning.map { [$0] } ?? []), .warning) }

        /// How the check ends, `failsOnWarning` as the policy has it where it is `nil`.
        func ending(_ outlook: Outlook?, _ warnings: [Finding], failsOnWarning: Bool? = nil) -> Ending {
            Ending(
                verdict, counts: counts, objection: answer?.objection, outlook: outlook, changes: changes,
                warnings: warnings, failsOnWarning: failsOnWarning ?? policy?.outlook.failsOnWarning ?? false)
        }

        var ending: Ending { ending(outlook, ownWarnings + (difference.map { [$0] } ?? [])) }
    }

    init(_ facts: Facts) {
        self.facts = facts
        outlook = facts.outlook
        let own = facts.ownWarnings
        warnings = own + facts.told(facts.consistency?.findings ?? [], .warning)
        notes = facts.told(facts.findings, .info)
        matches = facts.judged?.matches ?? facts.matches
        ending = facts.ending(outlook, own + (facts.difference.map { [$0] } ?? []))
        var clients = facts.judged?.clients ?? facts.clients
        if let ignored = facts.policy?.outlook.ignored, !ignored.isEmpty {
            for index in clients.indices { clients[index].ignore(ignored) }
        }
        self.clients = clients
    }

    /// What each client makes of the chain, in the order in which they were chosen; empty where there is no chain.
    public let clients: [ClientVerdict]

    /// What the check comes to.
    public var outcome: Outcome { ending.outcome }

    /// Why.
    public var reason: Reason { ending.reason }

    /// The target or the file, as the user named it.
    public var target: String { facts.target }

    /// The moment of the evaluation.
    public var time: Timestamp { facts.time }

    /// The certificates the server sent, in wire order; empty for a path that is only assumed.
    public var presented: [Certificate] { facts.presented }
}

extension CheckResult {
    /// What was connected to, or is recorded; `nil` for a chain from a file.
    package var endpoint: EndpointFacts? { facts.endpoint }

    /// What became of the connection, `nil` where none was to be made.
    package var connection: Result<Handshake, ProbeError>? { facts.connection }

    package var referenceName: ReferenceName { facts.referenceName }

    /// What it was judged by, `nil` for nothing.
    package var policy: HostPolicy? { facts.policy }

    /// Which of the target's variants this is, `nil` when only the target itself was checked.
    package var variant: Variant? { facts.variant }

    /// What the clients say, `nil` where they were not asked.
    package var judged: JudgedChain? { facts.judged }

    /// The request that followed an acceptance, `nil` where none was asked for.
    package var answer: CheckedAnswer? { facts.answer }

    /// What is about to be deployed, `nil` for what is there.
    package var next: NextDeployment? { facts.next }

    /// What changed since a baseline, `nil` without one.
    package var changes: BaselineChanges? { facts.changes }

    /// What the connections to the target have in common, in the last of their results; `nil` in all others.
    package var consistency: Consistency? { facts.consistency }

    /// What the clients' verdicts, or their absence, come to.
    package var verdict: Ending { facts.verdict }

    /// Whether the target is judged by it, as by all results but those that are shown for comparison.
    package var counts: Bool { facts.counts }

    /// What it would come to if every warning were told by the outcome.
    package var endingCountingWarnings: Ending { facts.ending(outlook, warnings, failsOnWarning: true) }

    /// What it adds to a run in which every warning counts.
    ///
    /// Of a variant that does not count only what its target's variants differ in counts.
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
    /// The name sent in the server name indication, `nil` when none was.
    package let serverName: String?
    package let host: String
    /// The proxy on the way, `nil` for none.
    package var proxy: Proxy? = nil
}

extension EndpointFacts {
    /// The endpoint as far as it is known without a connection, or with one to `peer`.
    package init(_ endpoint: CheckEndpoint, peer: PeerAddress?) {
        var address = peer?.ip
        if case .address(let given) = endpoint.request.destination { address = given }
        self.init(
            address: address.map(ServerName.ip), port: Int(endpoint.request.port), resolvedName: endpoint.resolvedName,
            serverName: endpoint.request.serverNameIndication?.name, host: endpoint.host, proxy: endpoint.request.proxy)
    }
}

package struct NextDeployment: Hashable, Sendable {
    /// What a file holds of it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A certificate with others that lead on from it.
        case chain
        case certificate
        case request
        case publicKey = "public-key"
    }

    package let kind: Kind
    package let pin: SHA256Digest
    /// Whether the verdict assumes that its certificate will be trusted and valid for the name.
    package let isAssumed: Bool
    /// The subjects of the authorities that are assumed to issue it, nearest first: those of today.
    package let issuers: [String]
}
