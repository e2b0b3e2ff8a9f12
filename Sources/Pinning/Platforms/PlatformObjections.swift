/// The class of a path's anchor, by which some platforms judge the leaf.
///
/// The bytes of the last certificate decide: a root on the system's list is a system root, even if the app made it an
/// anchor (Apple: `SecPolicyCheckServerAuthEKU`, `SecPolicyCheckSystemTrustedCTRequired`).
package enum AnchorClass: CaseIterable {
    /// A certificate that the app makes an anchor, such as a pinned one in AFNetworking's certificate mode.
    case own
    case installedByHand, system
}

struct PlatformPath {
    /// The certificates, leaf first, anchor last; never empty.
    let certificates: [Certificate]
    let anchorClass: AnchorClass
    /// The position of the first anchor, 0 for the leaf; the certificates before it are the untrusted part.
    let firstAnchor: Int
    var policy = TrustPolicy.sslServer(name: .unchecked)
    var evidence: LeafEvidence?

    var leaf: Certificate { certificates[0] }
    var isLeafTrusted: Bool { firstAnchor == 0 }
}

extension Platform {
    /// All objections of a platform to a path; `anchorClass` is called only if the rules depend on the class, and the
    /// verifier's own judgement of purposes, keys and signatures counts only if the platform has none.
    package func objections(
        to certificates: [Certificate], firstAnchor: Int, findings: [TrustFailure], under policy: TrustPolicy,
        evidence: LeafEvidence?, anchorClass: () -> AnchorClass
    ) -> [TrustFailure] {
        // Apple's rules, and a demand for timestamps below public roots, depend on the class.
        let isByClass = family == .apple || transparencyDemand == .belowPublicRoots
        let path = PlatformPath(
            certificates: certificates, anchorClass: isByClass ? anchorClass() : .installedByHand,
            firstAnchor: firstAnchor, policy: policy, evidence: evidence)
        let counting = findings.filter { counts($0, on: path) }
        return named(counting + failures(of: path).filter { !$0.isAmong(counting) }, path)
    }

    private func counts(_ finding: TrustFailure, on path: PlatformPath) -> Bool {
        let isLookedAt = judgesAnchors || finding.depth < path.firstAnchor
        switch finding.reason {
        case .expired, .notYetValid, .notAnAuthority, .pathTooLong, .unknownCriticalExtension, .wrongKeyUsage,
            .wrongNetscapeType:
            return isLookedAt
        // `SecCertificateIsSignedBy` (Security 61901, `SecCertificate.c`) uses the inner; `X509_verify` compares both.
        case .algorithmMismatch: return family != .apple
        case .otherIssuer(let mark):
            return switch family {
            // `SecPolicyCheckIdLinkage` (Security 61901, `SecPolicyServer.c`) compares only key identifiers.
            case .apple: mark == .keyIdentifier
            // Only below the anchor, by `AdaptableX509CertSelector`; Conscrypt's own index uses name and signature.
            case .android: finding.depth == path.firstAnchor - 1
            // `X509_check_akid` (OpenSSL, `crypto/x509/v3_purp.c`).
            case .openssl: true
            }
        // OpenSSL checks policies only on request. Android's `PolicyChecker` sees no anchor.
        case .noPolicy: return family != .openssl && isLookedAt
        case .malformed: return family != .openssl
        case .wrongPurpose, .weakKey: return isOfVerifier
        case .weakSignature:
            // RSASSA-PSS keeps its digest in parameters that its name does not show.
            return isOfVerifier || isLookedAt && finding.certificate.signatureAlgorithm.hasPrefix("rsassaPss")
        default: return true
        }
    }

    /// Adds the platform's name to the failures that another platform would not have.
    private func named(_ failures: [TrustFailure], _ path: PlatformPath) -> [TrustFailure] {
        guard failures.contains(where: \.isOfPlatforms), path.policy != .basicX509 else { return failures }
        let others = Platform.all.filter { $0.family != family }.map { $0.failures(of: path) }
        return failures.map { failure in
            // OpenSSL itself accepts Server Gated Crypto: pincheck's own rule refuses it.
            let isOurs = family == .openssl && failure.reason == .wrongPurpose && failure.certificate.isForGatedCrypto
            return failure.isOfPlatforms && !isOurs && !others.allSatisfy(failure.isAmong)
                ? failure.refused(by: family) : failure
        }
    }

    package func objection(to leaf: Certificate, for name: ServerName, isRegistry: (String) -> Bool) -> TrustFailure? {
        func fits(_ rules: NameRules) -> Bool { rules.matches(leaf, name, isRegistry: isRegistry) }
        guard !fits(names) else { return nil }
        let failure = TrustFailure(.nameMismatch(name), at: 0, of: leaf)
        return NameRules.all.contains(where: fits) ? failure.refused(by: family) : failure
    }

    /// The objections to a leaf's purpose, lifetime and key, on any path that ends at this class of anchor.
    package func objections(toLeaf leaf: Certificate, endingAt anchorClass: AnchorClass) -> [TrustFailure] {
        // The path has two certificates, because other rules apply to a leaf that is itself installed.
        let path = PlatformPath(certificates: [leaf, leaf], anchorClass: anchorClass, firstAnchor: 1)
        let failures = failures(of: path).filter { $0.depth == 0 && $0.reason != .weakSignature }
        return [keyUsageFailure(of: leaf, on: nil)].compactMap(\.self) + named(failures, path)
    }

    /// The failure of the leaf's key usage, which ends the handshake (RFC 5280, 4.2.1.3); `nil` if the usage fits.
    ///
    /// BoringSSL requires keyEncipherment if RSA exchanges the key, else digitalSignature (KEY_USAGE_BIT_INCORRECT,
    /// measured; for RSA in TLS 1.2 since April 2023). Older releases and Apple's stack are judged alike, a chain
    /// without a connection as in TLS 1.3. The ``PathVerifier`` has OpenSSL's own rule.
    func keyUsageFailure(of leaf: Certificate, on connection: ConnectionFacts?) -> TrustFailure? {
        guard family != .openssl, let usage = leaf.keyUsage else { return nil }
        var needed = "digitalSignature"
        if case .rsa = leaf.publicKey.algorithm, connection?.isStaticRSA == true { needed = "keyEncipherment" }
        return usage.contains(needed) ? nil : TrustFailure(.keyUsage(lacking: needed), at: 0, of: leaf, ruleOf: family)
    }
}

extension TrustFailure {
    fileprivate func isAmong(_ others: [TrustFailure]) -> Bool { others.contains { $0.id == id && $0.depth == depth } }

    fileprivate var isOfPlatforms: Bool {
        switch reason {
        case .weakKey, .weakSignature, .wrongPurpose, .noServerAuth, .lifetimeTooLong, .tooFewTimestamps,
            .unusableStaple, .issuedAfterDistrust:
            true
        default: false
        }
    }
}
