import PinChecking
import Pinning
import TLSProbe

extension Report.Endpoint {
    /// Reports an endpoint; `referenceName` is the one its certificate has to be valid for.
    init(_ endpoint: EndpointFacts, referenceName: ReferenceName) {
        var isIPv6: Bool?
        if case .ip(let address)? = endpoint.address { isIPv6 = address.isIPv6 }
        self.init(
            address: endpoint.address?.description, port: endpoint.port, family: isIPv6.map { $0 ? "ipv6" : "ipv4" },
            resolvedName: endpoint.resolvedName, sni: endpoint.serverName,
            verifyName: referenceName == .unchecked ? nil : referenceName.description, host: endpoint.host)
    }
}

extension Report.TLS {
    init(_ result: Handshake) {
        self.init(
            version: result.tlsVersion.description, cipher: result.cipher, group: result.group, alpn: result.alpn,
            clientCertificateRequested: result.clientCertificateRequested,
            clientCertificateSent: result.clientCertificateSent,
            timingsMs: Report.Timings(
                resolve: result.timings.resolve.map(Report.milliseconds),
                connect: Report.milliseconds(result.timings.connect),
                proxy: result.timings.proxy.map(Report.milliseconds),
                handshake: Report.milliseconds(result.timings.handshake)))
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
    static func phases(of connection: Result<Handshake, ProbeError>, to endpoint: EndpointFacts?) -> [Report.Check] {
        var error: ProbeError?
        if case .failure(let failure) = connection { error = failure }
        var hasFailed = false
        return ProbeError.Phase.allCases.filter { $0 != .proxy || endpoint?.proxy != nil }.map { phase in
            if let error, phase == error.phase {
                hasFailed = true
                return Report.Check(client: nil, id: phase.rawValue, status: "fail", detail: error.description)
            }
            if hasFailed { return Report.Check(client: nil, id: phase.rawValue, status: "skip", detail: "not reached") }
            if phase == .resolve, let proxy = endpoint?.proxy, proxy.kind != .socks5 {
                return Report.Check(client: nil, id: phase.rawValue, status: "skip", detail: "left to the proxy")
            }
            if phase == .resolve, endpoint?.resolvedName == nil {
                return Report.Check(client: nil, id: phase.rawValue, status: "skip", detail: "an address was given")
            }
            return Report.Check(client: nil, id: phase.rawValue, status: "pass", detail: "")
        }
    }
}
