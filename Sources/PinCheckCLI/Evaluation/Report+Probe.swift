import Pinning
import TLSProbe

extension CheckEndpoint {
    /// The endpoint as far as it is known without a connection, or with one to `peer`.
    func report(peer: PeerAddress?) -> Report.Endpoint {
        var address = peer?.ip
        if case .address(let given) = request.destination { address = given }
        return Report.Endpoint(
            address: address?.description,
            port: Int(request.port),
            family: address.map { $0.isIPv6 ? "ipv6" : "ipv4" },
            resolvedName: resolvedName,
            sni: request.serverNameIndication?.name,
            verifyName: referenceName == .unchecked ? nil : referenceName.description,
            host: host
        )
    }
}

extension Report.TLS {
    /// Reports a connection.
    init(_ result: ProbeResult) {
        self.init(
            version: result.tlsVersion.description,
            cipher: result.cipher,
            group: result.group,
            alpn: result.alpn,
            clientCertificateRequested: result.clientCertificateRequested,
            clientCertificateSent: result.clientCertificateSent,
            timingsMs: Report.Timings(
                resolve: result.timings.resolve.map(Report.milliseconds),
                connect: Report.milliseconds(result.timings.connect),
                handshake: Report.milliseconds(result.timings.handshake)
            )
        )
    }
}

extension Report {
    /// A duration in milliseconds, to the microsecond.
    static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return Double(microseconds) / 1_000
    }
}

extension Report.Check {
    /// The phases of a connection: passed, failed, or skipped because an earlier one failed or there was nothing to do.
    static func phases(failing error: ProbeError?, endpoint: CheckEndpoint) -> [Report.Check] {
        var hasFailed = false
        return ProbeError.Phase.allCases.map { phase in
            if let error, phase == error.phase {
                hasFailed = true
                return Report.Check(client: nil, id: phase.rawValue, status: "fail", detail: error.description)
            }
            if hasFailed {
                return Report.Check(client: nil, id: phase.rawValue, status: "skip", detail: "not reached")
            }
            if phase == .resolve, endpoint.resolvedName == nil {
                return Report.Check(client: nil, id: phase.rawValue, status: "skip", detail: "an address was given")
            }
            return Report.Check(client: nil, id: phase.rawValue, status: "pass", detail: "")
        }
    }
}

extension Report.Message {
    /// That a server did not take the client certificate of a request, `nil` when there is nothing to say.
    ///
    /// TLS 1.3 has the handshake end before the server has judged the certificate: only earlier versions show that.
    static func clientCertificate(_ request: ProbeRequest, _ result: ProbeResult) -> Report.Message? {
        guard request.clientIdentity != nil, result.clientCertificateRequested else { return nil }
        guard result.clientCertificateSent else {
            return Report.Message(
                id: "client-certificate-unfit",
                message: "the client certificate was not sent: the server takes no signature that its key can make"
            )
        }
        guard !result.handshakeCompleted else { return nil }
        return Report.Message(
            id: "client-certificate-refused",
            message: "the server ended the handshake after it got the client certificate: it does not take it"
        )
    }
}
