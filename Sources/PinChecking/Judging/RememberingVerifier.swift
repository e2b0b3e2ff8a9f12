import Pinning
import Synchronization
import X509

/// Answers a question that was asked before from memory: the clients of one observation ask few different ones.
final class RememberingVerifier: PathVerifier {
    private let verifier: OpenSSLPathVerifier
    private let answers = Mutex<[(question: PathQuestion, findings: PathFindings)]>([])

    init(_ verifier: OpenSSLPathVerifier) { self.verifier = verifier }

    func findPaths(_ question: PathQuestion) -> PathFindings {
        if let known = answers.withLock({ $0.first { $0.question == question } }) { return known.findings }
        let findings = verifier.findPaths(question)
        answers.withLock { $0.append((question, findings)) }
        return findings
    }

    func issuerPlaces(of certificate: Certificate) -> [String] { verifier.issuerPlaces(of: certificate) }

    func holdsAnchor(like certificate: Certificate) -> Bool { verifier.holdsAnchor(like: certificate) }
}
