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

    /// Whether signed certificate timestamps are counted.
    package var countsTimestamps: Bool { transparencyDemand != .none && family != .openssl }

    private func lackOfTimestamps(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard countsTimestamps, path.anchorClass == .system || transparencyDemand == .belowAnyRoot,
            let root = path.certificates.last,
            !(family == .apple && Self.appleOwnRoots.contains(root.fingerprint.hexadecimal))
        else { return nil }
        return family.shortfall(of: path.leaf, evidence).map { .tooFewTimestamps(logs: $0.logs, needed: $0.needed) }
    }

    private func distrust(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard family == .apple, path.anchorClass == .system else { return nil }
        return Self.appleDistrust(of: path, earliestTimestamp: evidence.earliestTimestamp).map {
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
extension PlatformFamily {
    /// Apple asks for timestamps with leaves from this moment on: 2018-10-16T00:00:00Z ("issued after October 15").
    static let appleTransparencyStart = Timestamp(secondsSinceEpoch: 1_539_648_000)
    /// Until this moment Apple counted a leaf's months: 2021-04-21T00:00:00Z.
    static let appleMonthsEnd = Timestamp(secondsSinceEpoch: 1_618_963_200)

    /// How many logs' timestamps a leaf has to hold, `nil` for a leaf that is older than the rule: Apple's (support.apple.com/103214;
    /// CertificateTransparency.m of macOS 26), or Android's and Chrome's (Conscrypt's PolicyImpl; Chrome's policy).
    ///
    /// Whether the platform asks for any at all, for this root and by this app's configuration, is for the caller to know.
    package func logsNeeded(notBefore: Timestamp, notAfter: Timestamp) -> Int? {
        let lifetime = notBefore.seconds(to: notAfter)
        let day: Int64 = 86_400
        guard self == .apple else { return lifetime / day <= 180 ? 2 : 3 }
        guard notBefore >= Self.appleTransparencyStart else { return nil }
        // No leaf of a public root lives longer; below others the strictest counts.
        let more = lifetime > 825 * day ? 1 : 0
        // The shortest fifteen months have 454 days.
        if notBefore < Self.appleMonthsEnd { return (lifetime < 454 * day ? 2 : 4) + more }
        return (lifetime <= 180 * day ? 2 : 3) + more
    }

    /// How many logs are in the evidence and how many are needed, `nil` where they are enough.
    func shortfall(of leaf: Certificate, _ evidence: LeafEvidence) -> (logs: Int, needed: Int)? {
        guard let needed = logsNeeded(notBefore: leaf.notBefore, notAfter: leaf.notAfter), evidence.logs < needed else {
            return nil
        }
        return (evidence.logs, needed)
    }
}
