import Pinning
import Synchronization
import X509

/// Answers repeated questions from memory: the clients of one view have few different ones.
final class RememberingVerifier: PathVerifier {
    private let verifier: OpenSSLPathVerifier
    private let known = Mutex<[(question: PathQuestion, findings: PathFindings)]>([])

    init(_ verifier: OpenSSLPathVerifier) { self.verifier = verifier }

    func findPaths(_ question: PathQuestion) -> PathFindings {
        if let known = known.withLock({ $0.first { $0.question == question } }) { return known.findings }
        let findings = verifier.findPaths(question)
        known.withLock { $0.append((question, findings)) }
        return findings
    }

    func issuerPlaces(of certificate: Certificate) -> [String] { verifier.issuerPlaces(of: certificate) }
    func holdsAnchor(like certificate: Certificate) -> Bool { verifier.holdsAnchor(like: certificate) }
    func anchorClass(of anchor: Certificate, _ anchors: Anchors) -> AnchorClass {
        verifier.anchorClass(of: anchor, anchors)
    }
}
