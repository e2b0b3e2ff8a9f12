import Pinning
import Synchronization
import TLSProbe
import X509

/// Judges services that are asked for addresses over TLS, and `https` proxies, as an ordinary client of theirs would.
///
/// The anchors and the time of the targets say nothing about a service; a private one is trusted with SSL_CERT_FILE.
final class ServiceTrust: Sendable {
    private let environment: Environment
    private let verifier = Mutex<OpenSSLPathVerifier?>(nil)

    init(_ environment: Environment) { self.environment = environment }

    /// Why the chain of a service is not trusted by the system's roots, now and for its name; `nil` where it is.
    var objection: ChainObjection {
        { [self] chain, host in
            let verifier = verifier.withLock { made in
                let verifier = made ?? OpenSSLPathVerifier(trustStore: .system(environment: environment.variables))
                made = verifier
                return verifier
            }
            let result = verifier.evaluate(
                PathQuestion(
                    presented: chain, anchors: .trustStore, policy: .sslServer(name: .name(host)),
                    time: environment.now()))
            return result.isTrusted ? nil : result.failures.first.map { "\($0)" } ?? "no path leads to a trusted root"
        }
    }
}
