import Pinning

/// Takes one path for valid, whatever is asked: what clients make of a certificate that is not issued yet.
///
/// Where a client wants the path to end at certificates of its own, it ends at the first of them or is not valid.
struct AssumedPath: PathVerifier {
    /// The path, leaf first; never empty.
    let path: [Certificate]
    /// Answers what has nothing to do with paths.
    let verifier: any PathVerifier

    func findPaths(_ question: PathQuestion) -> PathFindings {
        func isValid(_ certificates: [Certificate]) -> PathFindings {
            PathFindings(validPaths: [certificates], failures: [], bestEffort: [])
        }
        guard case .only(let anchors) = question.anchors else { return isValid(path) }
        if let end = path.firstIndex(where: anchors.contains) { return isValid(Array(path[...end])) }
        let last = path.count - 1
        return PathFindings(
            validPaths: [],
            failures: [TrustFailure(.unknownIssuer, at: last, of: path[last])],
            bestEffort: path
        )
    }

    func sha256(of bytes: [UInt8]) -> SHA256Digest? { verifier.sha256(of: bytes) }

    func sha512(of bytes: [UInt8]) -> [UInt8] { verifier.sha512(of: bytes) }

    func certificate(der: [UInt8]) -> Certificate? { verifier.certificate(der: der) }

    func isSigned(_ certificate: Certificate, byKey subjectPublicKeyInfo: [UInt8]) -> Bool {
        verifier.isSigned(certificate, byKey: subjectPublicKeyInfo)
    }
}
