import Pinning

/// Takes one path for valid, whatever is asked: what clients make of a certificate that is not issued yet.
///
/// Where a client wants the path to end at certificates of its own, it ends at the first of them or is not valid.
struct AssumedPath: PathVerifier {
    /// The path, leaf first; never empty.
    let path: [Certificate]
    /// Whether the first certificate is issued: of a stand-in neither dates nor purposes are known.
    let isIssued: Bool
    /// Answers what has nothing to do with paths.
    let verifier: any PathVerifier

    func findPaths(_ question: PathQuestion) -> PathFindings {
        func isValid(_ certificates: [Certificate]) -> PathFindings {
            let failures = objections(question)
            return failures.isEmpty
                ? PathFindings(validPaths: [certificates], failures: [], bestEffort: [])
                : PathFindings(validPaths: [], failures: failures, bestEffort: certificates)
        }
        guard case .only(let anchors) = question.anchors else { return isValid(path) }
        if let end = path.firstIndex(where: anchors.contains) { return isValid(Array(path[...end])) }
        let last = path.count - 1
        return PathFindings(
            validPaths: [], failures: [TrustFailure(.unknownIssuer, at: last, of: path[last])], bestEffort: path)
    }

    /// What the client's platform has against the certificate wherever its path will lead.
    private func objections(_ question: PathQuestion) -> [TrustFailure] {
        guard isIssued, let platform = question.platform, question.policy != .basicX509 else { return [] }
        let isOwn = if case .only = question.anchors { true } else { false }
        return platform.objections(toLeaf: path[0], endingAt: isOwn ? .own : nil)
    }

    func issuerPlaces(of certificate: Certificate) -> [String] { verifier.issuerPlaces(of: certificate) }

    func holdsAnchor(like certificate: Certificate) -> Bool { verifier.holdsAnchor(like: certificate) }
}
