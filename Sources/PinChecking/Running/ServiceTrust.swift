import Pinning
import TLSProbe
import X509

/// Judges services that are asked for addresses over TLS, and `https` proxies, as an ordinary client of theirs would.
enum ServiceTrust {
    /// Says why a service's chain is not trusted by the system's roots, now and for its name.
    ///
    /// The anchors and the time of the targets say nothing about the service; a private one is trusted with SSL_CERT_FILE.
    static func objection(in surroundings: Surroundings) -> AddressResolver.Objection {
        let verifier = OpenSSLPathVerifier(trustStore: .system(environment: surroundings.environment))
        let now = surroundings.now
        return { chain, host in
            let answer = verifier.evaluate(
                PathQuestion(presented: chain, anchors: .trustStore, policy: .sslServer(name: .name(host)), time: now())
            )
            guard !answer.isTrusted else { return nil }
            return answer.failures.first.map { "\($0)" } ?? "no path leads to a trusted root"
        }
    }

    /// What judges the `https` proxies of endpoints, `nil` where there is none.
    static func proxyObjection(
        for endpoints: some Sequence<CheckEndpoint>, in surroundings: Surroundings
    ) -> ProxyObjection? {
        guard endpoints.contains(where: { $0.request.proxy?.kind == .https }) else { return nil }
        return objection(in: surroundings)
    }
}
