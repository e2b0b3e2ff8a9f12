extension Platform {
    package func failures(
        of path: PlatformPath, given evidence: LeafEvidence, under policy: TrustPolicy
    ) -> [TrustFailure] {
        guard policy != .basicX509 else { return [] }
        let reasons = [
            revocation(of: path, given: evidence), lackOfTimestamps(of: path, given: evidence),
            distrust(of: path, given: evidence),
        ]
        return reasons.compactMap(\.self).map { TrustFailure($0, at: 0, of: path.leaf) }
    }

    /// Security and Conscrypt hand OCSP responses that servers send along to their path validation (`SecTrustSetOCSPResponse`,
    /// `TrustManagerImpl.setOcspResponses`, of the untrusted part only); curl asks for none unless it is told to (`--cert-status`).
    private func revocation(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard family == .apple || family == .android && !path.isLeafTrusted else { return nil }
        switch evidence.staple {
        case .none, .good: return nil
        case .revoked(let time, let reason): return .revoked(at: time, reason: reason)
        // Conscrypt asks for no soft failure, and where a response says nothing there is no other to ask (`RevocationChecker.checkOCSP`).
        case .unusable(let why): return family == .android ? .unusableStaple(why) : nil
        }
    }

    /// How signed certificate timestamps are counted, `nil` where nobody counts.
    var transparency: TransparencyRule? {
        guard transparencyDemand != .none, family != .openssl else { return nil }
        return family == .apple ? .apple : .chrome
    }

    private func lackOfTimestamps(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard let transparency, path.anchorClass == .system || transparencyDemand == .belowAnyRoot,
            let root = path.certificates.last,
            !(family == .apple && RootRules.appleOwn.contains(root.fingerprint.hexadecimal))
        else { return nil }
        return transparency.shortfall(of: path.leaf, evidence).map {
            .tooFewTimestamps(logs: $0.logs, needed: $0.needed)
        }
    }

    private func distrust(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard family == .apple, path.anchorClass == .system else { return nil }
        return RootRules.appleDistrust(of: path, earliestTimestamp: evidence.earliestTimestamp).map {
            .issuedAfterDistrust(since: $0)
        }
    }
}

package enum TransparencyDemand: Sendable, Hashable {
    case none
    case belowPublicRoots
    /// Below whatever root: Android, where the app's configuration says so in as many words.
    case belowAnyRoot
}

/// How many logs' signed certificate timestamps a platform wants to see in a leaf.
///
/// Those in the certificate are counted, by their logs. Which logs they are from, whether those are usable and what a server sends beside
/// the certificate is not judged.
package enum TransparencyRule: Sendable, Hashable, CaseIterable {
    /// Apple's, for leaves from 2018-10-16 on (support.apple.com/103214; CertificateTransparency.m of macOS 26).
    case apple
    /// Android's and Chrome's (Conscrypt's PolicyImpl; Chrome's policy).
    case chrome

    /// Apple asks for timestamps with leaves from this moment on: 2018-10-16T00:00:00Z ("issued after October 15").
    static let appleStart = Timestamp(secondsSinceEpoch: 1_539_648_000)
    /// Until this moment Apple counted a leaf's months: 2021-04-21T00:00:00Z.
    static let appleMonthsEnd = Timestamp(secondsSinceEpoch: 1_618_963_200)

    /// How many logs' timestamps a leaf has to hold, `nil` for a leaf that is older than the rule.
    ///
    /// Whether the platform asks for any at all, for this root and by this app's configuration, is for the caller to know.
    package func needed(notBefore: Timestamp, notAfter: Timestamp) -> Int? {
        if self == .apple, notBefore < Self.appleStart { return nil }
        let lifetime = notBefore.seconds(to: notAfter)
        let day: Int64 = 86_400
        switch self {
        case .chrome: return lifetime / day <= 180 ? 2 : 3
        case .apple:
            // No leaf of a public root lives longer; below others the strictest counts.
            let more = lifetime > 825 * day ? 1 : 0
            // The shortest fifteen months have 454 days.
            if notBefore < Self.appleMonthsEnd { return (lifetime < 454 * day ? 2 : 4) + more }
            return (lifetime <= 180 * day ? 2 : 3) + more
        }
    }

    /// How many logs are in the evidence and how many are needed, `nil` where they are enough.
    func shortfall(of leaf: Certificate, _ evidence: LeafEvidence) -> (logs: Int, needed: Int)? {
        guard let needed = needed(notBefore: leaf.notBefore, notAfter: leaf.notAfter), evidence.logs < needed else {
            return nil
        }
        return (evidence.logs, needed)
    }
}
