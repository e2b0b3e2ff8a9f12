extension Platform {
    /// Everything that a platform has against a path, given what a verifier has.
    ///
    /// A verifier finds what is the same everywhere, and judges purposes, keys and signatures by rules of its own, which count only
    /// where the platform has none. Whose anchor the path ends at is asked for only where it makes a difference.
    ///
    /// - Parameters:
    ///   - certificates: the path, leaf first, the anchor last; never empty.
    ///   - firstAnchor: the position of the first anchor on the path.
    ///   - findings: what the verifier has against the path.
    ///   - policy: the rules to keep.
    ///   - evidence: what came along with the leaf, `nil` where nobody looked.
    ///   - anchorClass: whose anchor the last certificate is.
    /// - Returns: the failures, none for a path the platform takes.
    public func objections(
        to certificates: [Certificate], firstAnchor: Int, findings: [TrustFailure], under policy: TrustPolicy,
        evidence: LeafEvidence? = nil, anchorClass: () -> AnchorClass
    ) -> [TrustFailure] {
        func objections(_ anchorClass: AnchorClass) -> [TrustFailure] {
            let path = PlatformPath(certificates, endingAt: anchorClass, firstAnchor: firstAnchor)
            let counting = findings.filter { counts($0, on: path) }
            let own = failures(of: path, under: policy, given: evidence).filter { failure in
                !counting.contains { $0.id == failure.id && $0.depth == failure.depth }
            }
            return counting + own
        }
        let all = AnchorClass.allCases.map(objections)
        guard let first = all.first, !all.dropFirst().allSatisfy({ $0 == first }) else {
            return named(all.first ?? [], certificates, .installedByHand, firstAnchor, policy, evidence)
        }
        let anchorClass = anchorClass()
        return named(objections(anchorClass), certificates, anchorClass, firstAnchor, policy, evidence)
    }

    /// The rules that a path breaks by itself and by what came along with it.
    private func failures(
        of path: PlatformPath, under policy: TrustPolicy, given evidence: LeafEvidence?
    ) -> [TrustFailure] {
        failures(of: path, under: policy) + (evidence.map { failures(of: path, given: $0, under: policy) } ?? [])
    }

    private func counts(_ finding: TrustFailure, on path: PlatformPath) -> Bool {
        switch finding.reason {
        case .expired, .notYetValid: return judgesDates(at: finding.depth, of: path)
        // Conscrypt looks at nothing of what is trusted.
        case .notAnAuthority, .unknownCriticalExtension, .wrongKeyUsage:
            return judgedAnchorDates != .none || finding.depth < path.firstAnchor
        case .wrongPurpose: return defers(on: path)
        case .weakKey: return defers(on: path)
        case .weakSignature:
            // RSASSA-PSS keeps its digest in parameters that its name does not show.
            let isNamed = !finding.certificate.signatureAlgorithm.hasPrefix("rsassaPss")
            return defers(on: path) || !isNamed && (judgedAnchorDates != .none || finding.depth < path.firstAnchor)
        default: return true
        }
    }

    /// The failures with the platform's name where another platform would not have them.
    private func named(
        _ failures: [TrustFailure], _ certificates: [Certificate], _ anchorClass: AnchorClass, _ firstAnchor: Int,
        _ policy: TrustPolicy, _ evidence: LeafEvidence? = nil
    ) -> [TrustFailure] {
        guard failures.contains(where: \.isOfPlatforms), policy != .basicX509 else { return failures }
        let path = PlatformPath(certificates, endingAt: anchorClass, firstAnchor: firstAnchor)
        let others = Platform.all.filter { $0.family != family }.map {
            $0.failures(of: path, under: policy, given: evidence)
        }
        return failures.map { failure in
            let isShared = others.allSatisfy { $0.contains { $0.id == failure.id && $0.depth == failure.depth } }
            // OpenSSL itself takes Server Gated Crypto: that it does not count any more is nobody's rule but ours.
            let isOwn = family == .openssl && failure.reason == .wrongPurpose && failure.certificate.isForGatedCrypto
            return failure.isOfPlatforms && !isShared && !isOwn ? failure.refused(by: family) : failure
        }
    }

    /// What the platform has against a leaf for the name of a server.
    ///
    /// - Parameters:
    ///   - leaf: the certificate.
    ///   - name: the server.
    ///   - isRegistry: whether names directly below this one are given out by a registry.
    /// - Returns: the mismatch, `nil` when one of the certificate's names covers the server.
    public func objection(to leaf: Certificate, for name: ServerName, isRegistry: (String) -> Bool) -> TrustFailure? {
        guard !names.matches(leaf, name, isRegistry: isRegistry) else { return nil }
        let failure = TrustFailure(.nameMismatch(name), at: 0, of: leaf)
        let others: [NameRules] = [.apple, .android, .okHttp, .curl, .verifier]
        return others.contains { $0.matches(leaf, name, isRegistry: isRegistry) }
            ? failure.refused(by: family) : failure
    }

    static let all: [Platform] = [.apple(), .android(), .openssl]

    /// What the platform has against a leaf wherever its path may end.
    ///
    /// For a certificate whose path is not known yet.
    ///
    /// - Parameters:
    ///   - leaf: the certificate.
    ///   - anchorClass: whose anchor its path will end at.
    /// - Returns: the failures of its purpose, its lifetime and its key.
    public func objections(toLeaf leaf: Certificate, endingAt anchorClass: AnchorClass) -> [TrustFailure] {
        // A path of two, because a leaf that is itself installed is another matter.
        let failures = failures(
            of: PlatformPath([leaf, leaf], endingAt: anchorClass), under: .sslServer(name: .unchecked)
        ).filter { $0.depth == 0 && !$0.isAboutSignature }
        return [handshakeFailure(of: leaf, on: nil)].compactMap(\.self)
            + named(failures, [leaf, leaf], anchorClass, 1, .sslServer(name: .unchecked))
    }
}

extension PlatformFamily {
    /// What people call it, as in `Apple's platforms`.
    public var title: String {
        switch self {
        case .apple: "Apple's platforms"
        case .android: "Android"
        case .openssl: "OpenSSL"
        }
    }
}

extension TrustFailure {
    fileprivate var isAboutSignature: Bool { reason == .weakSignature }

    fileprivate var isOfPlatforms: Bool {
        switch reason {
        case .weakKey, .weakSignature, .wrongPurpose, .noServerAuth, .lifetimeTooLong, .tooFewTimestamps,
            .unusableStaple, .issuedAfterDistrust:
            true
        default: false
        }
    }
}
