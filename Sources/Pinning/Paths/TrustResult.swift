/// The rules a path must keep, named after the policies of Apple's Security framework.
package enum TrustPolicy: Sendable, Hashable {
    /// A server's certificate: `SecPolicyCreateSSL(true, name)`. Without a name everything but the name is checked.
    case sslServer(name: ReferenceName)
    /// `SecPolicyCreateBasicX509()`: signatures, dates, constraints. No name, no extended key usage, no key strength.
    case basicX509
}

package enum TrustResult: Sendable, Hashable {
    /// At least one valid path. Most clients look at the preferred one alone; Apple's own pinning tries them all.
    case trusted(preferred: VerifiedPath, alternatives: [VerifiedPath])
    /// No valid path: the reasons, most useful first and never none, and the paths of which a client walks one that does not care, the
    /// likeliest first and never none.
    case untrusted([TrustFailure], bestEfforts: [[Certificate]])

    package var isTrusted: Bool { if case .trusted = self { true } else { false } }
    package var failures: [TrustFailure] { if case .untrusted(let failures, _) = self { failures } else { [] } }

    /// The path a client sees after the evaluation: the preferred one, or the best effort.
    package var builtChain: BuiltChain {
        switch self {
        case .trusted(let preferred, _): .verified(preferred)
        case .untrusted(_, let bestEfforts): .unverified(bestEfforts[0])
        }
    }

    /// The chains that a device may hand out in place of ``builtChain`` to a client that ignores validity: none of them is known to be
    /// the one.
    package var otherChains: [BuiltChain] {
        if case .untrusted(_, let bestEfforts) = self { bestEfforts.dropFirst().map(BuiltChain.unverified) } else { [] }
    }

    /// The chains of which one is handed out, ``builtChain`` first.
    package var chains: [BuiltChain] { [builtChain] + otherChains }

    /// Every valid path, the preferred one first.
    package var validPaths: [VerifiedPath] {
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

/// The chain a client looks at after its trust evaluation.
public enum BuiltChain: Sendable, Hashable {
    /// A valid path.
    case verified(VerifiedPath)
    /// Certificates linked by signatures, leaf first, that are no valid path: expired, not anchored, or without the right name.
    ///
    /// It exists for clients that are told to ignore validity. A match on it proves that the server holds a key that the pinned
    /// key vouched for, and nothing else.
    case unverified([Certificate])

    /// The certificates, leaf first.
    public var certificates: [Certificate] {
        switch self {
        case .verified(let path): path.certificates
        case .unverified(let certificates): certificates
        }
    }

    /// Whether the chain is a valid path.
    public var isVerified: Bool { if case .verified = self { true } else { false } }
}
