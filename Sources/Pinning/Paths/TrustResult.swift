/// The rules that a path must keep, named after the policies of Apple's Security framework.
package enum TrustPolicy: Sendable, Hashable {
    /// `SecPolicyCreateSSL(true, name)`: the rules for TLS servers; without a name all but the name is checked.
    case sslServer(name: ReferenceName)
    /// `SecPolicyCreateBasicX509()`: signatures, dates, constraints; no name, no extended key usage, no key strength.
    case basicX509
}

package struct TrustResult: Sendable, Hashable {
    /// The valid paths. Most clients look only at the preferred one, the first; Apple's own pinning tries all.
    package let validPaths: [VerifiedPath]
    /// The reasons why no path is valid, the most useful first; empty only if one is valid.
    package let failures: [TrustFailure]
    /// The chains of which a device hands out one: the preferred path, or the invalid ones, the likeliest first.
    package let chains: [BuiltChain]

    init(_ findings: PathFindings, of leaf: Certificate) {
        validPaths = findings.validPaths.compactMap(VerifiedPath.init)
        if let preferred = validPaths.first {
            (failures, chains) = ([], [.verified(preferred)])
        } else {
            let efforts = findings.bestEfforts.isEmpty ? [[leaf]] : findings.bestEfforts
            chains = efforts.map(BuiltChain.unverified)
            failures =
                findings.failures.isEmpty ? [TrustFailure(.unknownIssuer, at: 0, of: leaf)] : findings.failures
        }
    }

    package var isTrusted: Bool { !validPaths.isEmpty }
    package var builtChain: BuiltChain { chains[0] }
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
