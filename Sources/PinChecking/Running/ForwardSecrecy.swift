import Pinning
import TLSProbe

extension Checker {
    /// What a connection came to, and whether its server agrees on keys by ECDHE.
    ///
    /// Where the app of a client asks for that and the server chose otherwise, one more handshake offers nothing else. A server that
    /// ends that one has none; where it ends for another reason, nobody knows, and neither is there a verdict.
    ///
    /// - Parameters:
    ///   - result: what the connection came to.
    ///   - endpoint: where it went.
    ///   - evaluation: what it is judged by.
    ///   - retries: how often to try again when there was no answer.
    ///   - deadline: when the time of the target is over.
    /// - Returns: the result, and the answer where somebody asks.
    func settled(
        _ result: Result<ProbeResult, ProbeError>,
        of endpoint: CheckEndpoint,
        by evaluation: Evaluation?,
        retries: Int,
        until deadline: Deadline
    ) async -> (result: Result<ProbeResult, ProbeError>, offersECDHE: Bool?) {
        guard case .success(let served) = result, let evaluation else { return (result, nil) }
        guard !served.isAgreedOnByECDHE else { return (result, true) }
        guard evaluation.setup.asksForForwardSecrecy(of: endpoint.urlHost) else { return (result, nil) }
        var request = endpoint.request
        request.offersOnlyECDHE = true
        request.destination = .address(served.peer.ip)
        request.timeout = max(.milliseconds(1), deadline.remaining)
        switch await self.result(of: request, retries: retries) {
        case .success: return (result, true)
        case .failure(let error) where error.isRefusal: return (result, false)
        case .failure(let error): return (.failure(error.ofPart(of: deadline.timeout)), nil)
        }
    }
}

extension ConnectionFacts {
    /// What a handshake settled; what nobody asked about ECDHE is what the server chose.
    init(_ result: ProbeResult, offersECDHE: Bool?) {
        self.init(
            // Both are the numbers of the protocol.
            version: ProtocolVersion(rawValue: result.tlsVersion.rawValue) ?? .tls10,
            cipher: result.cipher,
            offersECDHE: offersECDHE ?? result.isAgreedOnByECDHE
        )
    }
}

extension ProbeResult {
    /// Whether the keys are agreed on with keys made for the connection, on an elliptic curve or by TLS 1.3.
    fileprivate var isAgreedOnByECDHE: Bool { keyExchange == .ephemeral }
}

extension ProbeError {
    /// Whether the server itself ended the handshake, as one does that has nothing of what is offered.
    fileprivate var isRefusal: Bool {
        switch reason {
        case .alert, .closedEarly, .reset, .keyTypeRefused: true
        default: false
        }
    }
}
