/// What builds and verifies certification paths for the client procedures.
///
/// A procedure asks as often as its client does, each time with other anchors or another policy; the answer depends on nothing
/// but the question and the verifier's trust store.
package protocol PathVerifier: Sendable {
    /// Looks for every valid path from the presented leaf to an anchor.
    ///
    /// The order in which certificates were presented must not change the answer.
    func findPaths(_ question: PathQuestion) -> PathFindings

    /// The places where a certificate says that its issuer's can be had (RFC 5280, 4.2.2.1: `caIssuers`), in their order.
    func issuerPlaces(of certificate: Certificate) -> [String]

    /// Whether the trust store holds an anchor with the subject and key of `certificate`.
    func holdsAnchor(like certificate: Certificate) -> Bool
}

extension PathVerifier {
    /// None: nothing is then taken for fetched.
    package func issuerPlaces(of certificate: Certificate) -> [String] { [] }

    /// Not known: only what a path shows to be an anchor of the store is then taken for one.
    package func holdsAnchor(like certificate: Certificate) -> Bool { false }

    /// Answers `question` with paths a procedure may match pins on.
    package func evaluate(_ question: PathQuestion) -> TrustResult {
        let findings = findPaths(question)
        let paths = findings.validPaths.compactMap(VerifiedPath.init)
        if let preferred = paths.first { return .trusted(preferred: preferred, alternatives: Array(paths.dropFirst())) }
        let leaf = question.presented.leaf
        return .untrusted(
            findings.failures.isEmpty ? [TrustFailure(.unknownIssuer, at: 0, of: leaf)] : findings.failures,
            bestEfforts: findings.bestEfforts.isEmpty ? [[leaf]] : findings.bestEfforts)
    }
}

package struct PathQuestion: Sendable, Hashable {
    package var presented: PresentedChain
    /// More certificates a path may pass through, such as the pinned ones; they are not trusted for being here.
    package var intermediates: [Certificate]
    /// Certificates that stand for what the client's platform would fetch: links only above a certificate that says where its
    /// issuer's can be had, and is not expired; they are not trusted for being here.
    package var fetchable: [Certificate]
    package var anchors: Anchors
    package var policy: TrustPolicy
    /// The moment at which every certificate of the path must be valid.
    package var time: Timestamp
    /// The rules of the client's platform, `nil` for the verifier's own.
    package var platform: Platform?
    /// What came along with the leaf, by which a platform may refuse it; `nil` where nobody looked.
    package var evidence: LeafEvidence?

    package init(
        presented: PresentedChain, intermediates: [Certificate] = [], fetchable: [Certificate] = [], anchors: Anchors,
        policy: TrustPolicy, time: Timestamp, platform: Platform? = nil, evidence: LeafEvidence? = nil
    ) {
        (self.presented, self.intermediates, self.fetchable) = (presented, intermediates, fetchable)
        (self.anchors, self.policy, self.time) = (anchors, policy, time)
        (self.platform, self.evidence) = (platform, evidence)
    }
}

package enum Anchors: Sendable, Hashable {
    /// At the anchors of the trust store the verifier was made with: the roots of the device the client runs on.
    case trustStore
    case trustStoreAnd([Certificate])
    /// At these certificates and nowhere else: `SecTrustSetAnchorCertificates` and its like in other clients.
    case only([Certificate])
}

/// The certificates a server sent, in wire order: the leaf, whose key it proved to hold, first.
///
/// Being presented proves nothing.
package struct PresentedChain: Sendable, Hashable {
    package let leaf: Certificate
    package let certificates: [Certificate]

    package init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        (self.leaf, self.certificates) = (leaf, certificates)
    }
}

/// What a ``PathVerifier`` found; procedures get a ``TrustResult`` instead.
package struct PathFindings: Sendable {
    /// Every valid path, leaf first, the preferred one first.
    package var validPaths: [[Certificate]]
    /// Why there is no valid path, most useful reason first; empty when there is one.
    package var failures: [TrustFailure]
    /// The paths of which a platform hands out one when none is valid, which a client walks that ignores validity: linked by
    /// signatures, leaf first, the likeliest first.
    package var bestEfforts: [[Certificate]]

    package init(validPaths: [[Certificate]], failures: [TrustFailure], bestEfforts: [[Certificate]]) {
        (self.validPaths, self.failures, self.bestEfforts) = (validPaths, failures, bestEfforts)
    }
}
