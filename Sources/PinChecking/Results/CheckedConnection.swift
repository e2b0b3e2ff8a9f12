package import Pinning
package import TLSProbe

/// One connection that was made, or tried, with what the clients make of its chain.
package struct CheckedConnection: Sendable {
    /// What became of the chain.
    package enum Judged: Sendable {
        case byClients(ChainJudgement)
        /// There was nothing to judge it by.
        case byNobody
        /// There was no time left to judge it.
        case outOfTime
        case noChain
    }

    package let endpoint: CheckEndpoint
    package let variant: Variant
    /// What the server sent, or why it did not.
    package let result: Result<Handshake, ProbeError>
    package private(set) var judged: Judged
    package let time: Timestamp
    /// The request that was to be sent on it and what came of it, `nil` where there is none.
    package private(set) var answer: CheckedAnswer? = nil

    init(
        endpoint: CheckEndpoint, variant: Variant, result: Result<Handshake, ProbeError>, judged: Judged,
        time: Timestamp
    ) {
        self.endpoint = endpoint
        self.variant = variant
        self.result = result
        self.judged = judged
        self.time = time
    }

    func answered(_ answer: CheckedAnswer) -> CheckedConnection {
        var connection = self
        connection.answer = answer
        return connection
    }

    func knowing(keysInUse: Set<SHA256Digest>) -> CheckedConnection {
        guard let judgement else { return self }
        var connection = self
        connection.judged = .byClients(judgement.knowing(keysInUse: keysInUse))
        return connection
    }

    /// What the server sent, `nil` when there was no answer.
    package var served: Handshake? { try? result.get() }

    /// What the clients say, `nil` where they were not asked.
    var judgement: ChainJudgement? { if case .byClients(let judgement) = judged { judgement } else { nil } }

    var standing: Standing {
        switch (result, judged) {
        case (.failure(let error), _): .unreachable(Reason(id: error.id, message: "\(error.phase.rawValue): \(error)"))
        case (_, .byClients(let judgement)): judgement.standing
        case (_, .outOfTime):
            .unreachable(
                Reason(
                    id: "no-time",
                    message: "no time was left to judge what '\(endpoint.target)' sent: judging its other chains took "
                        + "too long", remedy: .raiseTimeout))
        case (.success, .byNobody), (.success, .noChain): .unjudged(.notJudged)
        }
    }
}

extension Reason {
    static let notJudged = Reason(id: "not-judged", message: "not judged", remedy: .giveSomethingToJudgeBy)
}

/// All connections to one target, as far as they say something of their own, and what they have in common.
package struct CheckedTarget: Sendable {
    /// The connections, in the order in which they are told; none where nothing was to be connected to.
    package let connections: [CheckedConnection]
    /// What the target was judged by, `nil` for nothing.
    package let evaluation: HostPolicy?
    /// How they compare, `nil` where the target stands for one connection.
    let comparison: TargetComparison?

    init(_ connection: CheckedConnection, by evaluation: HostPolicy?) {
        connections = [connection]
        self.evaluation = evaluation
        comparison = nil
    }

    /// A target that stands for several connections.
    ///
    /// Its server has all of their keys: a pin for one that another connection shows in use is no backup.
    init(_ connections: [CheckedConnection], by evaluation: HostPolicy?, compared comparison: TargetComparison) {
        let keysInUse = connections.reduce(into: Set()) { $0.formUnion($1.judgement?.keysInUse ?? []) }
        self.connections = connections.map { $0.knowing(keysInUse: keysInUse) }
        self.evaluation = evaluation
        self.comparison = comparison
    }
}

/// What the connections to one target are compared by.
struct TargetComparison: Sendable {
    let findings: [Finding]
    let addresses: Int
    /// How many connections that count gave a chain.
    let serving: Int
}
