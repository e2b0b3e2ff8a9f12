extension Platform {
    func evidenceFailures(of path: PlatformPath) -> [TrustFailure] {
        let reasons = [revocation(of: path), lackOfTimestamps(of: path), distrust(of: path)]
        return reasons.compactMap(\.self).map { TrustFailure($0, at: 0, of: path.leaf) }
    }

    /// The objection by a server's OCSP response, which Security (`SecTrustSetOCSPResponse`) and Conscrypt (only in the
    /// untrusted part: `TrustManagerImpl.setOcspResponses`) judge; curl requests none by default (`--cert-status`).
    private func revocation(of path: PlatformPath) -> TrustFailure.Reason? {
        guard family == .apple || family == .android && !path.isLeafTrusted, let staple = path.evidence?.staple else {
            return nil
        }
        switch staple {
        case .none, .good: return nil
        case .revoked(let time, let reason): return .revoked(at: time, reason: reason)
        // Conscrypt has no soft failure, and no source other than the response (`RevocationChecker.checkOCSP`).
        case .unusable(let why): return family == .android ? .unusableStaple(why) : nil
        }
    }

    package var countsTimestamps: Bool { transparencyDemand != .none && family != .openssl }

    private func lackOfTimestamps(of path: PlatformPath) -> TrustFailure.Reason? {
        guard let evidence = path.evidence, countsTimestamps, let root = path.certificates.last,
            path.anchorClass == .system || transparencyDemand == .belowAnyRoot,
            !(family == .apple && Self.appleOwnRoots.contains(root.fingerprint.hexadecimal))
        else { return nil }
        return family.shortfall(of: path.leaf, evidence).map { .tooFewTimestamps(logs: $0.logs, needed: $0.needed) }
    }
}

package enum TransparencyDemand {
    case none, belowPublicRoots
    /// Below every root: an Android app's configuration enables it explicitly.
    case belowAnyRoot
}

/// The number of logs whose signed certificate timestamps a platform requires in a leaf; only timestamps in the
/// certificate count, and the names and states of logs are not judged.
extension PlatformFamily {
    /// The moment from which Apple requires timestamps: 2018-10-16T00:00:00Z ("issued after October 15").
    static let appleTransparencyStart = Timestamp(secondsSinceEpoch: 1_539_648_000)
    /// The moment until which Apple counted a leaf's months: 2021-04-21T00:00:00Z.
    static let appleMonthsEnd = Timestamp(secondsSinceEpoch: 1_618_963_200)

    /// The number of logs that a leaf needs by Apple's rule (support.apple.com/103214; CertificateTransparency.m of
    /// macOS 26), `nil` if the leaf is older, or by Android's and Chrome's (Conscrypt's PolicyImpl; Chrome's policy).
    func logsNeeded(notBefore: Timestamp, notAfter: Timestamp) -> Int? {
        let lifetime = notBefore.seconds(to: notAfter)
        let day: Int64 = 86_400
        guard self == .apple else { return lifetime / day <= 180 ? 2 : 3 }
        guard notBefore >= Self.appleTransparencyStart else { return nil }
        // A leaf of a public root never lives longer; below other roots the strictest rule counts.
        let more = lifetime > 825 * day ? 1 : 0
        // The shortest fifteen months have 454 days.
        if notBefore < Self.appleMonthsEnd { return (lifetime < 454 * day ? 2 : 4) + more }
        return (lifetime <= 180 * day ? 2 : 3) + more
    }

    /// The logs of the evidence and the needed ones; `nil` if they are enough.
    func shortfall(of leaf: Certificate, _ evidence: LeafEvidence) -> (logs: Int, needed: Int)? {
        guard let needed = logsNeeded(notBefore: leaf.notBefore, notAfter: leaf.notAfter), evidence.logs < needed else {
            return nil
        }
        return (evidence.logs, needed)
    }
}
