package import Pinning
import X509

/// Looks at chains that no client judges for what tells that a TLS-intercepting proxy made them.
package struct StrangerWatch {
    private let environment: [String: String]
    private let time: Timestamp
    private var roots: [CheckRequest.Trust: (verifier: OpenSSLPathVerifier, given: TrustStore?)] = [:]
    private var known: [[Certificate]: Finding?] = [:]

    package init(environment: [String: String], at time: Timestamp) {
        (self.environment, self.time) = (environment, time)
    }

    /// What there is to say of a chain, `nil` for nothing.
    ///
    /// - Returns: a warning, or a note where the root was given.
    package mutating func finding(on presented: PresentedChain, _ trust: CheckRequest.Trust) -> Finding? {
        if let known = known[presented.certificates] { return known }
        let (verifier, given) = roots(of: trust)
        let answer = verifier.evaluate(
            PathQuestion(presented: presented, anchors: .trustStore, policy: .basicX509, time: time))
        let finding = Finding.stranger(on: answer.builtChain.certificates, isTrusted: answer.isTrusted, given: given)
        known[presented.certificates] = .some(finding)
        return finding
    }

    private mutating func roots(of trust: CheckRequest.Trust) -> (verifier: OpenSSLPathVerifier, given: TrustStore?) {
        if let known = roots[trust] { return known }
        let read = try? TrustAnchors.read(trust, environment: environment)
        let store = read?.store ?? .system(environment: environment)
        let made = (OpenSSLPathVerifier(trustStore: store), read?.given)
        roots[trust] = made
        return made
    }
}
