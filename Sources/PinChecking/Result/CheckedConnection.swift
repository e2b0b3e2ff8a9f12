import Base
import Pinning
package import TLSProbe

package struct CheckedConnection {
    @Boxed private(set) var endpoint: CheckEndpoint
    let variant: Variant
    /// The first handshake; `answers` contains those for clients whose TLS offers less.
    package let result: ProbeResult
    var answers: Answers = [:]
    /// The verdicts; `nil` if a chain, rules to judge by, or time is missing.
    @Boxed package internal(set) var judged: JudgedChain?
    var isOutOfTime = false
    /// The outcome for the requested part; `nil` if this is the target's only connection.
    package internal(set) var came: Coverage?
    /// `true` if reports contain the connection as its own result.
    var isTold = true
    var time: Timestamp
    @Boxed package internal(set) var answer: CheckedAnswer?

    package var served: Handshake? { try? result.get() }
    var peer: PeerAddress? {
        switch result {
        case .success(let handshake): handshake.peer
        case .failure(let error): error.peer
        }
    }

    var verdict: Ending {
        if case .none(let reason)? = came { return Ending(.unjudged, reason) }
        if case .failure(let error) = result { return Ending(.unreachable, came?.reason ?? Reason(error)) }
        guard isOutOfTime else { return judged?.ending ?? .unjudged }
        let message = "timed out before the chain of '\(endpoint.target)' could be verified"
        return Ending(.unreachable, Reason("no-time", message, remedy: .raiseTimeout))
    }

    /// `true` if there is a chain to show; a chain without time to judge it does not count.
    fileprivate var isShown: Bool { served != nil && !isOutOfTime && judged.map { $0.shown != nil } ?? true }

    var handshakeFindings: [Finding] {
        let others = judged?.clients.compactMap(\.handshake) ?? []
        return ([served].compactMap(\.self) + others).flatMap { findings(on: $0) }.distinct
    }

    var place: String { endpoint.request.target }

    /// The connected or intended address, with a port that is not the target's.
    var address: String {
        let isUsualPort = Int(endpoint.request.port) == endpoint.targetPort
        if let peer { return isUsualPort ? "\(peer.ip)" : "\(peer)" }
        if isUsualPort, case .address(let address) = endpoint.request.destination { return "\(address)" }
        return place
    }

    /// The address with the offer: connections with equal values are alike.
    var offer: [String] { [address, variant.label ?? "", variant.request(of: endpoint).serverNameIndication ?? ""] }

    var hasAddress: Bool {
        guard case .failure(let error) = result, case .resolve = endpoint.request.destination else { return true }
        return error.phase != .resolve
    }

    private func findings(on result: Handshake) -> [Finding] {
        var findings: [Finding] = []
        if let bits = result.facts.primeBits {
            let group = "the key exchange is in a Diffie-Hellman group of \(bits) bits"
            let why = bits < 2_048 ? "2048 are the least that is safe" : "phones and browsers have no such groups"
            findings.append(.warning(.weakKeyExchange, "\(group), and \(why): offer ECDHE"))
        } else if result.facts.isStaticRSA {
            let exchange = "the key exchange is by static RSA (\(result.facts.suite.name))"
            findings.append(.warning(.noForwardSecrecy, "no forward secrecy: \(exchange); offer ECDHE"))
        }
        // The server ended the handshake because it requires a client certificate, or another one.
        guard result.clientCertificateRequested, !result.handshakeCompleted else { return findings }
        let isGiven = endpoint.request.clientIdentity != nil
        let given = result.clientCertificateSent ? "after the one given" : "without the one given"
        let how = isGiven ? given : "without one"
        let ended = "the server asked for a client certificate and ended the handshake \(how)"
        let remedy: Remedy? = isGiven ? nil : .giveClientCertificate
        return findings + [
            .warning(.clientCertificateRequired, "\(ended): its chain is judged all the same", remedy: remedy)
        ]
    }
}

package struct CheckedTarget {
    /// The connections in the order of reports; none without a place to connect to.
    package let connections: [CheckedConnection]
    package let policy: HostPolicy?
    var comparison: AddressComparison?
    var bad: (entry: BadEntry, time: Timestamp)?
}

extension CheckedTarget {
    /// A target with several connections: a key that one of them uses is not a backup for another.
    init(_ connections: [CheckedConnection], by policy: HostPolicy?, compared comparison: AddressComparison) {
        let inUse = connections.reduce(into: Set()) { $0.formUnion($1.judged?.inUse ?? []) }
        self.connections = connections.map { connection in
            var connection = connection
            connection.judged?.learn(inUse: inUse)
            return connection
        }
        (self.policy, self.comparison) = (policy, comparison)
    }

    package func results(since changes: [BaselineChanges?]? = nil) -> [CheckResult] {
        if let bad { return [CheckResult(of: bad.entry, at: bad.time)] }
        let changes = changes ?? connections.map { _ in nil }
        var results = connections.indices.map { result(connections[$0], changes[$0]).withEnding() }
        guard var comparison, let last = results.indices.last else { return results }
        let isUnchanged = changes.allSatisfy { $0?.status == .unchanged }
        let differed = Set(changes.compactMap { $0?.recorded }.filter { $0.key.variant == nil }.map(\.leaf)).count > 1
        if isUnchanged || differed { comparison.allowDifferences() }
        comparison.ignore(policy?.outlook.ignored ?? [])
        if policy?.outlook.failsOnWarning ?? false,
            let warning = comparison.findings.first(where: { $0.level == .warning }),
            let index = results.lastIndex(where: { $0.counts && $0.outcome == .accepted })
        {
            results[index] = results[index].withEnding(counting: warning)
        }
        comparison.conclude(by: results.filter(\.counts), isUnchanged: isUnchanged)
        results[last].consistency = comparison
        results[last].warnings += comparison.findings.filter { $0.level == .warning }
        return results
    }

    private func result(_ connection: CheckedConnection, _ changes: BaselineChanges?) -> CheckResult {
        var findings = policy?.warnings(at: connection.time) ?? []
        if let identity = connection.endpoint.request.clientIdentity, let why = identity.unfitness(at: connection.time)
        {
            findings.append(.warning(.clientCertificateUnfit, "the client certificate \(identity.leaf) \(why)"))
        }
        findings += connection.judged?.findings ?? []
        if connection.judged != nil || connection.isShown { findings += connection.handshakeFindings }
        if let recorded = changes?.recorded, let lastPins = connection.judged?.lastPinsWarning(since: recorded) {
            findings.append(lastPins)
        }
        if let served = connection.served, served.clientCertificateRequested, served.handshakeCompleted,
            !served.clientCertificateSent
        {
            let message = "the server asks for a client certificate and got none"
            findings.append(Finding(.clientCertificateRequested, .note, message, remedy: .giveClientCertificate))
        }
        return CheckResult(
            target: connection.endpoint.target, endpoint: EndpointFacts(connection.endpoint, peer: connection.peer),
            connection: connection.result, referenceName: connection.endpoint.referenceName, time: connection.time,
            policy: policy, verdict: connection.verdict, judged: connection.judged,
            presented: connection.isShown
                ? (connection.judged?.view.presented ?? connection.served?.presented)?.certificates ?? [] : [],
            variant: comparison == nil ? nil : connection.variant, answer: connection.answer, changes: changes,
            findings: findings)
    }
}

package struct CheckedAnswer {
    package let exchange: CheckExchange
    /// The server's answer or its failure; `nil` if no request was sent, because the server was not accepted.
    package let result: HTTPResult?

    package var isAsExpected: Bool? { result == nil ? nil : objection == nil }

    var warning: Finding? {
        guard exchange.expected == nil, case .success(let answer)? = result, answer.status >= 400 else { return nil }
        let line = TerminalText.shortened(answer.statusLine, to: 200)
        return .warning(.errorAnswer, "\(exchange.request.title) is answered by \(line)", remedy: .giveExpectedStatus)
    }

    var objection: Reason? {
        // The user determines the length of the path, the server that of the status line.
        let question = TerminalText.shortened(exchange.request.title, to: 120)
        switch result {
        case nil: return nil
        case .success(let answer):
            guard let expected = exchange.expected, !expected.includes(answer.status) else { return nil }
            let line = TerminalText.shortened(answer.statusLine, to: 200)
            let words = TerminalText.shortened(expected.texts.joined(separator: ","), to: 120)
            return Reason("unexpected-status", "\(question) is answered by \(line), not by \(words)")
        case .failure(let error):
            let remedy: Remedy? =
                switch error {
                case .deadlineExceeded: .raiseTimeout
                case .handshakeNotCompleted, .alert(.certificateRequired): .giveClientCertificate
                default: nil
                }
            return Reason("no-http-answer", "\(question) has no HTTP answer: \(error)", remedy: remedy)
        }
    }
}

extension JudgedChain {
    fileprivate func lastPinsWarning(since recorded: Snapshot.Endpoint) -> Finding? {
        let pins = policy.pins?.pins ?? []
        let before = Set(recorded.chain.map(\.spkiSHA256))
        let found = Set(matches.map(\.pinIndex))
        let (matched, others) = (pins.indices.filter(found.contains), pins.indices.filter { !found.contains($0) })
        // A pin that another connection uses is not lost.
        let areLost = others.map { pins[$0].spkiSHA256 }.allSatisfy { before.contains("\($0)") && !inUse.contains($0) }
        guard ending.outcome == .accepted, !matched.isEmpty, !others.isEmpty, areLost else { return nil }
        func numbers(_ positions: [Int]) -> String { positions.map { "\($0 + 1)" }.listed }
        return .warning(
            .onlyBackupLeft,
            "the server has moved on to its backup: pin \(numbers(others)) matched before and does no longer, "
                + "only pin \(numbers(matched)) is left; ship a new backup")
    }
}

/// The outcome for a requested part of a server; only this type decides that a part is "not offered".
package enum Coverage: Hashable {
    case chain
    /// The server has no such certificate, or the name no such address.
    case none(Reason)
    case unknown(Reason)

    package var reason: Reason? {
        switch self {
        case .chain: nil
        case .none(let reason), .unknown(let reason): reason
        }
    }

    var isNone: Bool { if case .none = self { true } else { false } }
}

/// A part and its outcome: a key type, `ordinary`, `no SNI`, `with SNI`, or the addresses of a family.
package typealias CoveredPart = (part: String, address: String?, came: Coverage)

extension [CheckedConnection] {
    /// Adds the outcomes; reports a missing part only if a record has it (`expected`), and a dead address only once.
    func connections(expecting expected: Set<Variant>) -> [CheckedConnection] {
        let serving = filter { $0.served != nil }
        let places = Set(serving.map(\.place))
        func coverage(of connection: CheckedConnection) -> Coverage {
            guard case .failure(let error) = connection.result else { return .chain }
            if case .family = connection.variant { return .unknown(Reason(error, id: "addresses-incomplete")) }
            guard let type = connection.variant.keyType, places.contains(connection.place), error.phase == .handshake,
                !["timeout", "no-time"].contains(error.id)
            else { return .unknown(Reason(error)) }
            // An alert (RFC 8446, 4.1.1): there is no certificate of the type. Resets and ends may have other causes.
            if case .keyTypeRefused = error.reason {
                return .none(Reason(FindingID.keyTypeAbsent.word, "no certificate with an \(type) key"))
            }
            let kept = serving.compactMap(\.variant.keyType).distinct.map(\.rawValue)
            let isExpected = expected.contains(connection.variant)
            return .unknown(Reason(error, remedy: isExpected ? nil : .leaveOut("\(type)", keeping: kept)))
        }
        let ordinary = Dictionary(filter { $0.variant == .ordinary }.map { ($0.place, $0) }) { first, _ in first }
        return map { connection in
            var connection = connection
            let isExpected = expected.contains(connection.variant)
            connection.came = coverage(of: connection)
            guard connection.variant != .ordinary, case .failure(let error) = connection.result else {
                return connection
            }
            var isTwin = false
            if case .failure(let first)? = ordinary[connection.place]?.result {
                isTwin = error.id == "no-time" || error.phase == first.phase && error.id == first.id
            }
            let isMissed = isExpected || connection.variant.counts && connection.came?.isNone != true
            connection.isTold = isMissed && !isTwin
            return connection
        }
    }
}
