package import Pinning
package import TLSProbe
import X509

package struct Environment: Sendable {
    /// The environment variables that say where the system's roots are.
    package let variables: [String: String]
    package let now: @Sendable () -> Timestamp
    /// The thread for connections, `nil` when one has to be made.
    package let thread: ProbeThread?
    package let network: StagedNetwork?
    package let connectionLimit: Int

    package init(
        variables: [String: String], now: @escaping @Sendable () -> Timestamp, thread: ProbeThread? = nil,
        network: StagedNetwork? = nil, connectionLimit: Int
    ) {
        (self.variables, self.now, self.thread, self.network) = (variables, now, thread, network)
        self.connectionLimit = connectionLimit
    }

    /// Why the chain of a service is not trusted by the system's roots, now and for its name, as an ordinary client of it has it; `nil`
    /// where it is.
    ///
    /// The anchors and the time of the targets say nothing about a service; a private one is trusted with SSL_CERT_FILE.
    var serviceObjection: ChainObjection {
        let verifier = OpenSSLPathVerifier(trustStore: .system(environment: variables))
        return { [now] chain, host in
            let result = verifier.evaluate(
                PathQuestion(presented: chain, anchors: .trustStore, policy: .sslServer(name: .name(host)), time: now())
            )
            return result.isTrusted ? nil : result.failures.first.map { "\($0)" } ?? "no path leads to a trusted root"
        }
    }
}
