package import Pinning
import Synchronization

/// Answers repeated questions from memory, because most clients ask the same ones.
package final class RememberingVerifier: PathVerifier {
    package let verifier: OpenSSLPathVerifier
    private let known = Mutex<[(question: PathQuestion, findings: PathFindings)]>([])

    package init(_ verifier: OpenSSLPathVerifier) { self.verifier = verifier }

    package func findPaths(_ question: PathQuestion) -> PathFindings {
        if let known = known.withLock({ $0.first { $0.question == question } }) { return known.findings }
        let findings = verifier.findPaths(question)
        known.withLock { $0.append((question, findings)) }
        return findings
    }

    package var otherPaths: [[Certificate]] { known.withLock { $0.flatMap { $0.findings.validPaths.dropFirst() } } }

    package func issuerPlaces(of certificate: Certificate) -> [String] { verifier.issuerPlaces(of: certificate) }
    package func holdsAnchor(like certificate: Certificate) -> Bool { verifier.holdsAnchor(like: certificate) }
}
