public import Pinning
package import TLSProbe

/// What came of checking one endpoint, one chain, or something that is about to be deployed: made once, never changed.
public struct CheckResult: Sendable {
    /// The target or the file, as the user named it.
    public let target: String
    /// What was connected to, or is recorded; `nil` for a chain from a file.
    package let endpoint: EndpointFacts?
    /// What became of the connection, `nil` where none was to be made.
    package let connection: Result<Handshake, ProbeError>?
    package let referenceName: ReferenceName
    /// The moment of the evaluation.
    public let time: Timestamp
    /// What it was judged by, `nil` for nothing.
    package let evaluation: HostPolicy?
    /// Which of the target's variants this is, `nil` when only the target itself was checked.
    package let variant: Variant?
    /// The certificates the server sent, in wire order; empty for a path that is only assumed.
    public let presented: [Certificate]
    /// What the clients say, `nil` where they were not asked.
    package let judgement: ChainJudgement?
    /// The request that followed an acceptance, `nil` where none was asked for.
    package let answer: CheckedAnswer?
    /// What is about to be deployed, `nil` for what is there.
    package let next: NextDeployment?
    /// What changed since a baseline, `nil` without one.
    package let changes: BaselineChanges?
    /// What the connections to the target have in common, in the last of their results; `nil` in all others.
    package let consistency: Consistency?
    /// What deserves attention, the most important first.
    public let warnings: [Finding]
    /// What is good to know of how the connection was made and judged; the outcome never tells it.
    public let notes: [Finding]
    /// What the clients' verdicts, or their absence, come to.
    package let standing: Standing
    package let conclusion: Conclusion
    /// What it would come to if every warning were told by the outcome.
    package let conclusionCountingWarnings: Conclusion

    /// What the check comes to.
    public var outcome: Outcome { conclusion.outcome }

    /// Why.
    public var reason: Reason { conclusion.reason }

    /// What each client makes of the chain, in the order in which they were chosen; empty where there is no chain.
    public let clients: [ClientVerdict]

    /// Which of the configured pins are on the path that is shown, or match the key that is about to be deployed.
    package let matches: [PinMatch]

    /// Whether the target is judged by it, as by all results but those that are shown for comparison.
    package var counts: Bool { variant?.counts ?? true }

    /// What it adds to a run in which every warning counts.
    ///
    /// Of a variant that does not count only what its target's variants differ in counts.
    package var outcomeCountingWarnings: Outcome {
        if counts { return conclusionCountingWarnings.outcome }
        return consistency?.hasWarnings ?? false ? .needsAttention : .accepted
    }

    init(
        _ subject: Subject, _ standing: Standing, judgement: ChainJudgement? = nil, clients: [ClientVerdict] = [],
        matches: [PinMatch] = [], presented: [Certificate] = [], place: PlaceInTarget = PlaceInTarget(),
        answer: CheckedAnswer? = nil, next: NextDeployment? = nil, changes: BaselineChanges? = nil,
        warnings findings: [Finding], notes: [Finding] = []
    ) {
        target = subject.target
        endpoint = subject.endpoint
        connection = subject.connection
        referenceName = subject.referenceName
        time = subject.time
        evaluation = subject.evaluation
        variant = place.variant
        consistency = place.consistency
        let ignored = subject.evaluation?.outlook.ignored ?? []
        let judgement = judgement?.ignoring(ignored)
        func told(_ findings: [Finding], _ level: Finding.Level) -> [Finding] {
            findings.filter { $0.level == level && !ignored.contains($0.id) }
        }
        let own = told(findings + (answer?.warning.map { [$0] } ?? []), .warning)
        warnings = own + told(place.consistency?.findings ?? [], .warning)
        self.notes = told(findings + notes, .info)
        self.standing = standing
        self.judgement = judgement
        self.clients = judgement?.clients ?? clients
        self.matches = judgement?.shownMatches ?? matches
        self.presented = presented
        self.answer = answer
        self.next = next
        self.changes = changes
        func conclusion(_ warnings: [Finding], failsOnWarning: Bool) -> Conclusion {
            Conclusion(
                standing, counts: place.variant?.counts ?? true, objection: answer?.objection,
                outlook: judgement?.outlook, changes: changes, warnings: warnings, failsOnWarning: failsOnWarning)
        }
        let failsOnWarning = subject.evaluation?.outlook.failsOnWarning ?? false
        self.conclusion = conclusion(own + place.difference, failsOnWarning: failsOnWarning)
        conclusionCountingWarnings = failsOnWarning ? self.conclusion : conclusion(warnings, failsOnWarning: true)
    }

    /// What a result is about, apart from what came of it.
    struct Subject: Sendable {
        let target: String
        var endpoint: EndpointFacts? = nil
        var connection: Result<Handshake, ProbeError>? = nil
        let referenceName: ReferenceName
        let time: Timestamp
        let evaluation: HostPolicy?
    }

    /// What a result is among those of its target.
    struct PlaceInTarget: Sendable {
        var variant: Variant? = nil
        var consistency: Consistency? = nil
        var difference: [Finding] = []
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
