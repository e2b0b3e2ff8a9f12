/// What builds and verifies certification paths for the client procedures.
///
/// A procedure asks as often as its client does, each time with other anchors or another policy; the answer depends on nothing
/// but the question and the verifier's trust store. Implement it over any X.509 library.
public protocol PathVerifier: Sendable {
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
    public func issuerPlaces(of certificate: Certificate) -> [String] { [] }

    /// Not known: only what a path shows to be an anchor of the store is then taken for one.
    public func holdsAnchor(like certificate: Certificate) -> Bool { false }
}

/// One question to a ``PathVerifier``.
public struct PathQuestion: Sendable, Hashable {
    /// The certificates the server sent, leaf first; never empty.
    public var presented: PresentedChain
    /// More certificates a path may pass through, such as the pinned ones.
    ///
    /// They are not trusted for being here.
    public var intermediates: [Certificate]
    /// Certificates that stand for what the client's platform would fetch: links only above a certificate that says where its
    /// issuer's can be had, and is not expired.
    ///
    /// They are not trusted for being here.
    public var fetchable: [Certificate]
    /// Where a path may end.
    public var anchors: Anchors
    /// The rules the path must keep.
    public var policy: TrustPolicy
    /// The moment at which every certificate of the path must be valid.
    public var time: Timestamp
    /// The rules of the client's platform, `nil` for the verifier's own.
    public var platform: Platform?
    /// What came along with the leaf, by which a platform may refuse it; `nil` where nobody looked.
    public var evidence: LeafEvidence?

    /// Asks for paths from the leaf of `presented` to one of `anchors`.
    public init(
        presented: PresentedChain, intermediates: [Certificate] = [], fetchable: [Certificate] = [], anchors: Anchors,
        policy: TrustPolicy, time: Timestamp, platform: Platform? = nil, evidence: LeafEvidence? = nil
    ) {
        self.presented = presented
        self.intermediates = intermediates
        self.fetchable = fetchable
        self.anchors = anchors
        self.policy = policy
        self.time = time
        self.platform = platform
        self.evidence = evidence
    }
}

/// Where a path may end.
public enum Anchors: Sendable, Hashable {
    /// At the anchors of the trust store the verifier was made with: the roots of the device the client runs on.
    case trustStore
    /// At those, and at these certificates besides.
    case trustStoreAnd([Certificate])
    /// At these certificates and nowhere else: `SecTrustSetAnchorCertificates` and its like in other clients.
    case only([Certificate])
}

/// The certificates a server sent, in wire order: the leaf first.
///
/// Being presented proves nothing.
public struct PresentedChain: Sendable, Hashable {
    /// The first certificate, whose key the server proved to hold.
    public let leaf: Certificate
    /// All certificates in wire order, ``leaf`` first.
    public let certificates: [Certificate]

    /// The chain of `certificates`, `nil` when there are none.
    public init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        self.leaf = leaf
        self.certificates = certificates
    }
}

/// What a ``PathVerifier`` found.
///
/// Procedures do not read it: they get a ``TrustResult``.
public struct PathFindings: Sendable {
    /// Every valid path, leaf first, the preferred one first.
    public var validPaths: [[Certificate]]
    /// Why there is no valid path, most useful reason first; empty when there is one.
    public var failures: [TrustFailure]
    /// The path a platform hands out when there is no valid one, linked by signatures, leaf first: what a client that ignores
    /// validity walks.
    public var bestEffort: [Certificate]

    /// Reports paths, or the reasons for their absence.
    public init(validPaths: [[Certificate]], failures: [TrustFailure], bestEffort: [Certificate]) {
        self.validPaths = validPaths
        self.failures = failures
        self.bestEffort = bestEffort
    }
}

extension PathVerifier {
    /// Answers `question` with paths a procedure may match pins on.
    public func evaluate(_ question: PathQuestion) -> TrustResult {
        let findings = findPaths(question)
        let paths = findings.validPaths.compactMap(VerifiedPath.init)
        if let preferred = paths.first { return .trusted(preferred: preferred, alternatives: Array(paths.dropFirst())) }
        let bestEffort = findings.bestEffort.isEmpty ? [question.presented.leaf] : findings.bestEffort
        return .untrusted(
            findings.failures.isEmpty
                ? [TrustFailure(.unknownIssuer, at: 0, of: question.presented.leaf)] : findings.failures,
            bestEffort: UnverifiedPath(certificates: bestEffort))
    }
}
