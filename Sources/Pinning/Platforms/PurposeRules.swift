/// What the keys on a path have to be certified for: the extendedKeyUsage extension (RFC 5280, 4.2.1.12).
public struct PurposeRules: Sendable, Hashable {
    private enum Leaf: Sendable, Hashable {
        /// Nothing said, serverAuth or any purpose.
        case anything
        /// Nothing said or serverAuth.
        case nothingOrServers
        /// By the class of the anchor; the flag says whether the app's own anchors are judged.
        case byAnchor(judgesOwn: Bool)
    }

    private enum Authorities: Sendable, Hashable {
        case notLookedAt
        /// serverAuth or any purpose, of the certificates below the anchor.
        case serversOrAny
        /// serverAuth in every one there is, the root's too.
        case servers
    }

    private let leaf: Leaf
    private let authorities: Authorities

    /// Apple's: `SecPolicyCheckServerAuthEKU` (Security, macOS 26.0).
    static func apple(judgesOwnAnchors: Bool) -> PurposeRules {
        PurposeRules(leaf: .byAnchor(judgesOwn: judgesOwnAnchors), authorities: .serversOrAny)
    }

    /// Conscrypt's: the leaf alone (`ChainStrengthAnalyzer`'s neighbour `ExtendedKeyUsagePKIXCertPathChecker`).
    static let android = PurposeRules(leaf: .anything, authorities: .notLookedAt)
    /// OpenSSL's `ssl_server`, without the relic Server Gated Crypto.
    static let openssl = PurposeRules(leaf: .nothingOrServers, authorities: .servers)

    private static let servers = "serverAuth"
    private static let any = "anyExtendedKeyUsage"
    /// 2019-06-30 23:00:00 UTC: Apple's 583628400 seconds after 2001, its comment says 1 July.
    static let july2019 = Timestamp(secondsSinceEpoch: 978_307_200 + 583_628_400)

    /// What on the path is not certified for servers.
    func failures(of path: PlatformPath) -> [TrustFailure] {
        path.certificates.enumerated().compactMap { depth, certificate in
            (depth == 0 ? failure(ofLeaf: certificate, path) : failure(ofAuthority: certificate, depth, path)).map {
                TrustFailure($0, at: depth, of: certificate)
            }
        }
    }

    private func failure(ofLeaf leaf: Certificate, _ path: PlatformPath) -> TrustFailure.Reason? {
        let usage = leaf.extendedKeyUsage
        let allowsServers = usage?.contains(Self.servers) ?? false
        let allowsAny = usage?.contains(Self.any) ?? false
        switch self.leaf {
        // Of a leaf that is itself an anchor nothing but the name is judged.
        case .anything: return usage == nil || allowsServers || allowsAny || path.isLeafTrusted ? nil : .wrongPurpose
        case .nothingOrServers: return usage == nil || allowsServers ? nil : .wrongPurpose
        case .byAnchor(let judgesOwn):
            if allowsServers { return nil }
            // Any purpose alone is the same as nothing said.
            let isUnsaid = usage == nil || allowsAny
            let isJudged =
                switch path.anchorClass {
                case .system: true
                case .own: judgesOwn && leaf.notBefore > Self.july2019
                case .installedByHand: false
                }
            if isJudged { return isUnsaid ? .noServerAuth : .wrongPurpose }
            return isUnsaid || leaf.isForGatedCrypto ? nil : .wrongPurpose
        }
    }

    private func failure(
        ofAuthority certificate: Certificate, _ depth: Int, _ path: PlatformPath
    ) -> TrustFailure.Reason? {
        guard let usage = certificate.extendedKeyUsage, !usage.contains(Self.servers) else { return nil }
        return switch authorities {
        case .notLookedAt: nil
        case .serversOrAny: usage.contains(Self.any) || depth == path.certificates.count - 1 ? nil : .wrongPurpose
        case .servers: .wrongPurpose
        }
    }
}

extension Certificate {
    /// Whether it may be used for Server Gated Crypto, Microsoft's or Netscape's, by OpenSSL's names.
    var isForGatedCrypto: Bool { extendedKeyUsage.map { $0.contains("msSGC") || $0.contains("nsSGC") } ?? false }
}
