/// Builds and verifies certification paths; an answer depends only on the question and the trust store.
package protocol PathVerifier: Sendable {
    /// Finds every valid path from the presented leaf to an anchor; the order of other certificates must not matter.
    func findPaths(_ question: PathQuestion) -> PathFindings

    /// The URLs from which a certificate's issuer can be fetched, in their order (RFC 5280, 4.2.2.1: `caIssuers`).
    func issuerPlaces(of certificate: Certificate) -> [String]

    /// `true` if the trust store contains an anchor with the subject and key of `certificate`.
    func holdsAnchor(like certificate: Certificate) -> Bool
}

extension PathVerifier {
    package func evaluate(_ question: PathQuestion) -> TrustResult {
        TrustResult(findPaths(question), of: question.presented.leaf)
    }
}

package struct PathQuestion: Hashable {
    package var presented: PresentedChain
    /// More certificates that a path may pass through, such as the pinned ones; they are not trusted.
    package var intermediates: [Certificate]
    /// Certificates in place of those that the platform would fetch (RFC 5280, 4.2.2.1); they are not trusted, and used
    /// only above an unexpired certificate that says where its issuer can be fetched.
    package var fetchable: [Certificate]
    package var anchors: Anchors
    package var policy: TrustPolicy
    package var time: Timestamp
    /// The client's platform; `nil` if the verifier's own rules count.
    package var platform: Platform?
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

package struct Anchors: Hashable {
    /// `true` if the anchors of the verifier's trust store count: the roots of the device that the client runs on.
    package let includesTrustStore: Bool
    package var own: [Certificate] = []

    package init(_ own: [Certificate], includesTrustStore: Bool) {
        (self.own, self.includesTrustStore) = (own, includesTrustStore)
    }

    package static let trustStore = Anchors([], includesTrustStore: true)

    /// Only these certificates: `SecTrustSetAnchorCertificates` and its equivalent in other clients.
    package static func only(_ own: [Certificate]) -> Anchors { Anchors(own, includesTrustStore: false) }
}

/// The certificates that a server sent, leaf first; only the leaf's key is proven to be the server's.
package struct PresentedChain: Hashable {
    package let leaf: Certificate
    package let certificates: [Certificate]

    package init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        (self.leaf, self.certificates) = (leaf, certificates)
    }

    package init(_ leaf: Certificate, below others: some Sequence<Certificate> = []) {
        (self.leaf, certificates) = (leaf, [leaf] + others)
    }
}

/// The findings of a ``PathVerifier``; procedures get a ``TrustResult`` instead.
package struct PathFindings {
    /// The valid paths, leaf first; the preferred path is the first.
    package var validPaths: [[Certificate]]
    /// The reasons why no path is valid, the most useful first; empty if one is valid.
    package var failures: [TrustFailure]
    /// Invalid paths linked by signatures, the likeliest first: a client that ignores validity gets one of them.
    package var bestEfforts: [[Certificate]]

    package init(validPaths: [[Certificate]] = [], failures: [TrustFailure] = [], bestEfforts: [[Certificate]] = []) {
        (self.validPaths, self.failures, self.bestEfforts) = (validPaths, failures, bestEfforts)
    }
}

package struct TrustResult: Hashable {
    /// The valid paths, the preferred one first, at which most clients stop; Apple's own pinning tries all.
    package let validPaths: [VerifiedPath]
    package let failures: [TrustFailure]
    /// The chains of which a device hands out one: the preferred path, or the invalid ones, the likeliest first.
    let chains: [BuiltChain]

    init(_ findings: PathFindings, of leaf: Certificate) {
        validPaths = findings.validPaths.compactMap(VerifiedPath.init)
        if let preferred = validPaths.first {
            (failures, chains) = ([], [.verified(preferred)])
        } else {
            let efforts = findings.bestEfforts.isEmpty ? [[leaf]] : findings.bestEfforts
            chains = efforts.map(BuiltChain.unverified)
            failures =
                findings.failures.isEmpty ? [TrustFailure(.unknownIssuer, at: 0, of: leaf)] : findings.failures
        }
    }

    package var isTrusted: Bool { !validPaths.isEmpty }
    package var builtChain: BuiltChain { chains[0] }
}
