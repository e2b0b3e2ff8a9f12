extension Platform {
    /// The rules of the platform that a path breaks by what came along with its leaf.
    ///
    /// - Parameters:
    ///   - path: a path from the leaf to an anchor.
    ///   - evidence: what came along.
    ///   - policy: the basic rules ask for nothing of this.
    /// - Returns: the failures, none for a path the platform takes.
    public func failures(
        of path: PlatformPath, given evidence: LeafEvidence, under policy: TrustPolicy
    ) -> [TrustFailure] {
        guard policy != .basicX509 else { return [] }
        let leaf = path.certificates[0]
        let failures = [
            revocation(of: path, given: evidence), lackOfTimestamps(of: path, given: evidence),
            distrust(of: path, given: evidence),
        ]
        return failures.compactMap(\.self).map { TrustFailure($0, at: 0, of: leaf) }
    }

    /// Whether OCSP responses that servers send along are looked at.
    ///
    /// Security and Conscrypt hand them to their path validation (`SecTrustSetOCSPResponse`, `TrustManagerImpl.setOcspResponses`,
    /// of the untrusted part only). curl asks for none unless it is told to (`--cert-status`).
    private func readsStaples(on path: PlatformPath) -> Bool {
        switch family {
        case .apple: true
        case .android: !path.isLeafTrusted
        case .openssl: false
        }
    }

    private func revocation(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard readsStaples(on: path) else { return nil }
        switch evidence.staple {
        case .none, .good: return nil
        case .revoked(let time, let reason): return .revoked(at: time, reason: reason)
        // Conscrypt asks for no soft failure, and where a response says nothing there is no other to ask (`RevocationChecker.checkOCSP`).
        case .unusable(let why): return family == .android ? .unusableStaple(why) : nil
        }
    }

    /// How signed certificate timestamps are counted, `nil` where nobody counts.
    public var transparency: TransparencyRule? {
        guard transparencyDemand != .none else { return nil }
        return switch family {
        case .apple: .apple
        case .android: .chrome
        case .openssl: nil
        }
    }

    private func lackOfTimestamps(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard let transparency, path.anchorClass == .system || transparencyDemand == .belowAnyRoot,
            let root = path.certificates.last,
            !(family == .apple && RootRules.appleOwn.contains(root.fingerprint.hexadecimal))
        else { return nil }
        let leaf = path.certificates[0]
        guard let needed = transparency.needed(notBefore: leaf.notBefore, notAfter: leaf.notAfter),
            evidence.logs < needed
        else { return nil }
        return .tooFewTimestamps(logs: evidence.logs, needed: needed)
    }

    private func distrust(of path: PlatformPath, given evidence: LeafEvidence) -> TrustFailure.Reason? {
        guard family == .apple, path.anchorClass == .system,
            let since = RootRules.appleDistrust(of: path, earliestTimestamp: evidence.earliestTimestamp)
        else { return nil }
        return .issuedAfterDistrust(since: since)
    }
}

/// Below which roots a platform counts signed certificate timestamps.
public enum TransparencyDemand: Sendable, Hashable {
    case none
    /// Below roots on the system's list.
    case belowPublicRoots
    /// Below whatever root: Android, where the app's configuration says so in as many words.
    case belowAnyRoot
}

/// When Android asks for signed certificate timestamps: by the host's configuration, not by the root.
///
/// Source: developer.android.com, network security configuration, Certificate Transparency; Conscrypt's `PolicyImpl`.
public struct AndroidTransparency: Sendable, Hashable {
    /// What a `<certificateTransparency>` of the host's configuration says, `nil` for none.
    public var isEnabled: Bool?
    /// Whether the configuration's own anchors hold `user` or `@raw`.
    public var hasAnchorsOfItsOwn: Bool
    /// The same of the configuration it inherits from, the nearest first.
    public var parents: [AndroidTransparency]

    /// What one configuration says.
    public init(isEnabled: Bool? = nil, hasAnchorsOfItsOwn: Bool = false, parents: [AndroidTransparency] = []) {
        self.isEnabled = isEnabled
        self.hasAnchorsOfItsOwn = hasAnchorsOfItsOwn
        self.parents = parents
    }

    /// Below which roots timestamps are asked for.
    ///
    /// Roots that are on no public list are left alone where the platform asks by itself.
    ///
    /// `release` is `nil` for the newest Android, `targetSDK` where it is not known, which counts as old.
    func demand(on release: AndroidRelease?, targetSDK: Int?, for name: ServerName?) -> TransparencyDemand {
        let mode = release?.transparency ?? .byTarget
        guard mode != .never, name != .dns("localhost") else { return .none }
        for configuration in [self] + parents {
            if let isEnabled = configuration.isEnabled { return isEnabled ? .belowAnyRoot : .none }
            if configuration.hasAnchorsOfItsOwn { return .none }
        }
        return mode == .byTarget && targetSDK ?? 0 >= 37 ? .belowPublicRoots : .none
    }
}
