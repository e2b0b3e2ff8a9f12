public import Pinning
package import TLSProbe

/// What came of checking one endpoint, one chain, or something that is about to be deployed.
public struct CheckResult: Sendable {
    /// The target or the file, as the user named it.
    public let target: String
    /// What was connected to, or is recorded; `nil` for a chain from a file.
    package internal(set) var endpoint: EndpointFacts? = nil
    /// What became of the connection, `nil` where none was to be made.
    package internal(set) var connection: Result<Handshake, ProbeError>? = nil
    package let referenceName: ReferenceName
    /// The moment of the evaluation.
    public let time: Timestamp
    /// What it was judged by, `nil` for nothing.
    package let policy: HostPolicy?
    /// What the clients' verdicts, or their absence, come to.
    package let verdict: Ending
    /// What the clients say, `nil` where they were not asked.
    package internal(set) var judged: JudgedChain? = nil
    /// What each client makes of the chain, in the order in which they were chosen; empty where there is no chain.
    public internal(set) var clients: [ClientVerdict] = []
    /// Which of the configured pins are on the path that is shown, or match the key that is about to be deployed.
    package internal(set) var matches: [PinMatch] = []
    /// The certificates the server sent, in wire order; empty for a path that is only assumed.
    public internal(set) var presented: [Certificate] = []
    /// Which of the target's variants this is, `nil` when only the target itself was checked.
    package internal(set) var variant: Variant? = nil
    /// The request that followed an acceptance, `nil` where none was asked for.
    package internal(set) var answer: CheckedAnswer? = nil
    /// What is about to be deployed, `nil` for what is there.
    package internal(set) var next: NextDeployment? = nil
    /// What changed since a baseline, `nil` without one.
    package internal(set) var changes: BaselineChanges? = nil
    /// What deserves attention, and what is good to know, in any order.
    var findings: [Finding] = []
    /// What differs from other connections to the target, told by this result.
    var difference: Finding? = nil
    /// What the connections to the target have in common, in the last of their results; `nil` in all others.
    package internal(set) var consistency: Consistency? = nil

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
            findings.filter { $0.level == level && !ignored.contains($0.id) }
        }
        if let judged {
            (result.clients, result.matches) = (judged.clients, judged.matches)
            result.outlook = judged.outlook?.without(ignored)
        }
        if !ignored.isEmpty { for index in result.clients.indices { result.clients[index].ignore(ignored) } }
        let own = told(findings + (answer?.warning.map { [$0] } ?? []), .warning)
        result.warnings = own + told(consistency?.findings ?? [], .warning)
        result.notes = told(findings, .info)
        result.ending = result.ending(own + (difference.map { [$0] } ?? []))
        if let told = result.ending.told.flatMap({ result.outlook?.findings.firstIndex(of: $0) }) {
            result.outlook?.findings[told].isTold = true
        }
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
    package init(_ endpoint: CheckEndpoint, peer: PeerAddress?) {
        var address = peer?.ip
        if case .address(let given) = endpoint.request.destination { address = given }
        self.init(
            address: address.map(ServerName.ip), port: Int(endpoint.request.port), resolvedName: endpoint.resolvedName,
            serverName: endpoint.request.serverNameIndication?.name, host: endpoint.host, proxy: endpoint.request.proxy)
    }
}

package struct NextDeployment: Hashable, Sendable {
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
