/// The rules that a path must keep, named after the policies of Apple's Security framework.
package enum TrustPolicy: Hashable {
    /// `SecPolicyCreateSSL(true, name)`: the rules for TLS servers; without a name all but the name is checked.
    case sslServer(name: ReferenceName)
    /// `SecPolicyCreateBasicX509()`: signatures, dates, constraints; no name, no extended key usage, no key strength.
    case basicX509
}

/// A path from the leaf to an anchor that a ``PathVerifier`` found valid; only an evaluation can make one, so a pin
/// that matches on it never matches on certificates that a server only sent (CVE-2016-2402).
public struct VerifiedPath: Sendable, Hashable {
    /// The certificates, leaf first, anchor last; never empty.
    public let certificates: [Certificate]

    init?(_ certificates: [Certificate]) {
        guard !certificates.isEmpty else { return nil }
        self.certificates = certificates
    }
}

/// The chain that a client looks at after its trust evaluation.
public enum BuiltChain: Sendable, Hashable {
    case verified(VerifiedPath)
    /// Certificates linked by signatures, leaf first, but not a valid path: expired, not anchored, or for another name.
    ///
    /// Clients that ignore validity look at it. A match proves only that the pinned key vouched for the server's key.
    case unverified([Certificate])

    /// The certificates, leaf first.
    public var certificates: [Certificate] {
        switch self {
        case .verified(let path): path.certificates
        case .unverified(let certificates): certificates
        }
    }

    /// `true` if the chain is a valid path.
    public var isVerified: Bool { if case .verified = self { true } else { false } }
}
