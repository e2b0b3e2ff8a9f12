import Pinning
import TLSProbe

extension Checker {
    /// A judged connection, judged once more where its verdict depends on whether the server agrees on keys by ECDHE.
    ///
    /// Where the app of a client asks for that and the server chose otherwise, one more handshake offers nothing else, and what it is
    /// given there is judged too: a server may have another certificate for such clients. A server that
    /// says that it has nothing of what is offered does not; where the handshake ends for another reason nobody knows, and there is a
    /// verdict only where another client rejects. The judged connection is closed by then: there are servers of one at a time.
    ///
    /// - Parameters:
    ///   - connection: the connection as it is judged without the answer.
    ///   - retries: how often to try again when there was no answer.
    ///   - deadline: when the time of the target is over.
    ///   - judge: judges a handshake, given whether the server offers ECDHE.
    /// - Returns: the connection.
    func settled(
        _ connection: CheckedConnection, retries: Int, until deadline: Deadline,
        judge: (Result<ProbeResult, ProbeError>, _ offersECDHE: Bool?) async -> CheckedConnection
    ) async -> CheckedConnection {
        guard connection.dependsOnForwardSecrecy, let served = connection.served else { return connection }
        var request = connection.endpoint.request.ofAppUnderTransportSecurity
        if let peer = served.peer { request.destination = .address(peer.ip) }
        request.timeout = max(.milliseconds(1), deadline.remaining)
        switch await result(of: request, retries: retries) {
        case .success(let other):
            let known = await judge(connection.result, true)
            // The first is what all other clients get, the second what this app gets.
            guard !other.says(theSameAs: served) else { return known }
            let host = connection.endpoint.urlHost
            return await judge(.success(other), nil).asked(beside: known) { $0.asksForForwardSecrecy(of: host) }
        case .failure(let error) where error.isForWantOfCommonParameters: return await judge(connection.result, false)
        case .failure where connection.isRejectedAnyway:
            let host = connection.endpoint.urlHost
            return connection.leavingOut(because: .unknownForwardSecrecy) { $0.asksForForwardSecrecy(of: host) }
        case .failure(let error):
            return checked(
                connection.endpoint, .failure(error.ofPart(of: deadline.timeout)), by: connection.judgement?.evaluation,
                as: connection.variant
            ).remarking(Finding(.info, .unknownForwardSecrecy))
        }
    }
}

extension CheckedConnection {
    /// Whether a client would offer ECDHE alone, and nobody asked the server for it so far: it may get another chain then, and what
    /// it makes of this one is beside the point.
    var dependsOnForwardSecrecy: Bool {
        guard let served, !served.isAgreedOnByECDHE else { return false }
        return judgement?.judgements.contains { $0.client.asksForForwardSecrecy(of: endpoint.urlHost) } ?? false
    }

    /// Whether a client rejects that offers more than ECDHE: what the others make of a chain that they never get is no verdict.
    fileprivate var isRejectedAnyway: Bool {
        judgement?.judgements.contains {
            !$0.decided.isAccepted && !$0.client.asksForForwardSecrecy(of: endpoint.urlHost)
        } ?? false
    }
}

extension Reason {
    /// Why nobody knows what an app under App Transport Security gets.
    fileprivate static let unknownForwardSecrecy = Reason(
        id: "forward-secrecy-unknown",
        message:
            "the server chose a key exchange without forward secrecy, and failed when it was asked once more with ECDHE alone, as an "
            + "app under App Transport Security connects")
}

extension ConnectionFacts {
    /// What a handshake settled; what nobody asked about ECDHE is known where the server chose it.
    init(_ result: ProbeResult, offersECDHE: Bool?) {
        self.init(
            // Both are the numbers of the protocol.
            version: ProtocolVersion(rawValue: result.tlsVersion.rawValue) ?? .tls10, cipher: result.cipher,
            offersECDHE: result.isAgreedOnByECDHE ? true : offersECDHE)
    }
}

extension ProbeResult {
    /// Whether nothing that clients judge is different: the chain, what came along with it, and the version.
    fileprivate func says(theSameAs other: ProbeResult) -> Bool {
        presented == other.presented && staple == other.staple && tlsVersion == other.tlsVersion
    }

    /// Whether the keys are agreed on with keys made for the connection on an elliptic curve.
    var isAgreedOnByECDHE: Bool { keyExchange == .ephemeral }
}

extension ProbeError {
    /// Whether the server said that it has nothing of what is offered.
    fileprivate var isForWantOfCommonParameters: Bool {
        switch reason {
        case .alert(let alert): alert.isForWantOfCommonParameters
        case .keyTypeRefused, .protocolVersion: true
        default: false
        }
    }
}
