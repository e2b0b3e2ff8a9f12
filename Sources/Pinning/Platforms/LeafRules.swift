extension Platform {
    private static let servers = "serverAuth"
    private static let any = "anyExtendedKeyUsage"
    /// 2019-06-30 23:00:00 UTC: Apple's 583628400 seconds after 2001, although Apple's comment says 1 July.
    private static let july2019 = Timestamp(secondsSinceEpoch: 978_307_200 + 583_628_400)

    private var limitsLeavesOfOwnAnchors: Bool { release.appleVersion.limitsLeavesOfOwnAnchors }

    /// The failures of certificates whose extendedKeyUsage does not include servers (RFC 5280, 4.2.1.12).
    func purposeFailures(of path: PlatformPath) -> [TrustFailure] {
        path.certificates.enumerated().compactMap { depth, certificate in
            guard certificate.extendedKeyUsage?.contains(Self.servers) != true else { return nil }
            let reason = depth == 0 ? purpose(ofLeafOf: path) : purpose(ofIssuer: certificate, depth, path)
            return reason.map { TrustFailure($0, at: depth, of: certificate) }
        }
    }

    private func purpose(ofLeafOf path: PlatformPath) -> TrustFailure.Reason? {
        let usage = path.leaf.extendedKeyUsage
        // Except in OpenSSL, anyExtendedKeyUsage means the same as no extension.
        let isUnsaid = usage.map { $0.contains(Self.any) } ?? true
        switch family {
        // Conscrypt's `ExtendedKeyUsagePKIXCertPathChecker`; a leaf that is an anchor is judged only by its name.
        case .android: return isUnsaid || path.isLeafTrusted ? nil : .wrongPurpose
        // OpenSSL's `ssl_server`, without the relic Server Gated Crypto.
        case .openssl: return usage == nil ? nil : .wrongPurpose
        // `SecPolicyCheckServerAuthEKU` (Security, macOS 26.0).
        case .apple:
            let isJudged =
                switch path.anchorClass {
                case .system: true
                case .own: limitsLeavesOfOwnAnchors && path.leaf.notBefore > Self.july2019
                case .installedByHand: false
                }
            if isJudged { return isUnsaid ? .noServerAuth : .wrongPurpose }
            return isUnsaid || path.leaf.isForGatedCrypto ? nil : .wrongPurpose
        }
    }

    private func purpose(ofIssuer issuer: Certificate, _ depth: Int, _ path: PlatformPath) -> TrustFailure.Reason? {
        guard let usage = issuer.extendedKeyUsage else { return nil }
        return switch family {
        case .android: nil
        case .apple: usage.contains(Self.any) || depth == path.certificates.count - 1 ? nil : .wrongPurpose
        // OpenSSL also judges the root's own usage.
        case .openssl: .wrongPurpose
        }
    }

    /// The failure of a leaf that lives too long, from its first second to its last: Apple's
    /// `SecPolicyCheckValidityPeriodMaximums` and its neighbours (Security, macOS 26.0).
    func lifetimeFailures(of path: PlatformPath) -> [TrustFailure] {
        // A leaf that the user installed has no limit.
        guard family == .apple, path.certificates.count > 1 || path.anchorClass != .installedByHand else { return [] }
        // The days for leaves from a moment on, and the tolerated seconds beyond them.
        let limits: [(since: Int64, days: Int, slip: Int64)] =
            path.anchorClass == .system
            ? [(1_598_918_400, 398, 0), (1_519_862_400, 825, 3_600)]
            : limitsLeavesOfOwnAnchors ? [(Self.july2019.secondsSinceEpoch, 825, 3_600)] : []
        let leaf = path.leaf
        let lifetime = leaf.notBefore.seconds(to: leaf.notAfter)
        guard let limit = limits.first(where: { leaf.notBefore.secondsSinceEpoch >= $0.since }),
            lifetime > Int64(limit.days) * 86_400 + limit.slip
        else { return [] }
        let days = lifetime == .max ? Int.max : Int((lifetime + 86_399) / 86_400)
        return [TrustFailure(.lifetimeTooLong(days: days, limit: limit.days), at: 0, of: leaf)]
    }
}

extension Certificate {
    /// `true` if the usage includes Server Gated Crypto, Microsoft's or Netscape's, by OpenSSL's names.
    var isForGatedCrypto: Bool { extendedKeyUsage.map { $0.contains("msSGC") || $0.contains("nsSGC") } ?? false }
}
