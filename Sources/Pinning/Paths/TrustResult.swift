/// The answer to one trust evaluation.
public enum TrustResult: Sendable, Hashable {
    /// At least one valid path. Most clients look at the preferred one alone; Apple's own pinning tries them all.
    case trusted(preferred: VerifiedPath, alternatives: [VerifiedPath])
    /// No valid path: the reasons, most useful first and never none, and the path a client walks that does not care.
    case untrusted([TrustFailure], bestEffort: UnverifiedPath)

    /// Whether there is a valid path.
    public var isTrusted: Bool { if case .trusted = self { true } else { false } }

    /// The reasons for which there is no valid path, empty when there is one.
    public var failures: [TrustFailure] { if case .untrusted(let failures, _) = self { failures } else { [] } }

    /// The path a client sees after the evaluation: the preferred one, or the best effort.
    public var builtChain: BuiltChain {
        switch self {
        case .trusted(let preferred, _): .verified(preferred)
        case .untrusted(_, let bestEffort): .unverified(bestEffort)
        }
    }

    /// Every valid path, the preferred one first.
    public var validPaths: [VerifiedPath] {
        if case .trusted(let preferred, let alternatives) = self { [preferred] + alternatives } else { [] }
    }
}

/// A path from the leaf to an anchor that a ``PathVerifier`` found valid.
///
/// Only an evaluation can make one, so a pin that was matched on a value of this type was matched on a verified path, never
/// on certificates that a server merely presented (CVE-2016-2402).
public struct VerifiedPath: Sendable, Hashable {
    /// The certificates, leaf first, anchor last; never empty.
    public let certificates: [Certificate]

    init?(_ certificates: [Certificate]) {
        guard !certificates.isEmpty else { return nil }
        self.certificates = certificates
    }
}

/// A path linked by signatures that is not valid: expired, not anchored, or without the right name.
///
/// It exists for clients that are told to ignore validity. A match on it proves that the server holds a key that the pinned
/// key vouched for, and nothing else.
public struct UnverifiedPath: Sendable, Hashable {
    /// The certificates, leaf first.
    public let certificates: [Certificate]

    init(certificates: [Certificate]) { self.certificates = certificates }

    /// That of a key which no certificate has yet.
    package static let empty = UnverifiedPath(certificates: [])
}

/// The chain a client looks at after its trust evaluation.
public enum BuiltChain: Sendable, Hashable {
    case verified(VerifiedPath)
    /// The best effort without a valid one.
    case unverified(UnverifiedPath)

    /// The certificates, leaf first.
    public var certificates: [Certificate] {
        switch self {
        case .verified(let path): path.certificates
        case .unverified(let path): path.certificates
        }
    }

    /// Whether the chain is a valid path.
    public var isVerified: Bool { if case .verified = self { true } else { false } }
}
