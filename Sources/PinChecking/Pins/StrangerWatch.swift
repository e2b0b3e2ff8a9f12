package import Pinning
import X509

/// Looks at chains that no client judges for what tells that a TLS-intercepting proxy made them.
package struct StrangerWatch {
    private let environment: [String: String]
    private let time: Timestamp
    private var roots: [CheckRequest.Trust: (verifier: OpenSSLPathVerifier, given: TrustStore?)] = [:]

    package init(environment: [String: String], at time: Timestamp) {
        (self.environment, self.time) = (environment, time)
    }

    /// What there is to say of a chain: a warning, or a note where the root was given; `nil` for nothing.
    package mutating func finding(on presented: PresentedChain, _ trust: CheckRequest.Trust) -> Finding? {
        if roots[trust] == nil {
            let read = try? trust.read(environment)
            let store = read?.store ?? .system(environment: environment)
            roots[trust] = (OpenSSLPathVerifier(trustStore: store), read?.given)
        }
        guard let (verifier, given) = roots[trust] else { return nil }
        let answer = verifier.evaluate(
            PathQuestion(presented: presented, anchors: .trustStore, policy: .basicX509, time: time))
        return Finding.stranger(on: answer.builtChain.certificates, isTrusted: answer.isTrusted, given: given)
    }
}
