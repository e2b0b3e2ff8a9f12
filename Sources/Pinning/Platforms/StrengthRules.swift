import Base

/// The required strength of the keys on a path, and of the signatures that link it.
package struct StrengthRules: Hashable {
    /// `true` if keys other than RSA and elliptic curves in Weierstrass form are accepted.
    var takesOtherKeys = false
    let fewestRSABits: Int
    let fewestDSABits: Int
    let fewestECBits: Int
    /// `true` if only the certificates before the first anchor are judged.
    var leavesOutAnchors = false
    /// The refused digests, as the names of signature algorithms contain them.
    var refusedDigests = ["md2", "md4", "md5", "sha1"]
    /// `true` if digests are accepted that only OpenSSL knows in certificates, such as RIPEMD-160 and SHA-3.
    var takesRareDigests = false
    /// `true` if a leaf that was itself installed by hand may have any key.
    var exemptsInstalledLeaves = false
    /// `true` if the signature on an anchor counts, unless it is self-issued or was installed by hand.
    var judgesAnchorSignatures = false

    /// Apple's rules for servers, which apply to anchors, too.
    static let apple = StrengthRules(
        fewestRSABits: 2_048, fewestDSABits: 2_048, fewestECBits: 256, exemptsInstalledLeaves: true,
        judgesAnchorSignatures: true)
    /// `SecPolicyCreateBasicX509`.
    static let basic = StrengthRules(
        takesOtherKeys: true, fewestRSABits: 1_024, fewestDSABits: 1_024, fewestECBits: 160,
        refusedDigests: ["md2", "md4", "md5"])
    /// Conscrypt's `ChainStrengthAnalyzer`, which never sees an anchor.
    static let android = StrengthRules(
        fewestRSABits: 1_024, fewestDSABits: 1_024, fewestECBits: 160, leavesOutAnchors: true)
    /// OpenSSL's security level 2, 112 bits: the default of Debian and of OpenSSL 3.2.
    ///
    /// OpenSSL rounds the strength of RSA to whole bytes (NIST SP 800-56B, appendix D): 1963 bits have 112. The
    /// strength of DSA is from a table (`RSA_security_bits`, `DSA_security_bits`).
    static let openssl = StrengthRules(
        takesOtherKeys: true, fewestRSABits: 1_963, fewestDSABits: 2_048, fewestECBits: 224, takesRareDigests: true)

    func failures(of path: PlatformPath) -> [TrustFailure] {
        var failures: [TrustFailure] = []
        let last = path.certificates.count - 1
        for (depth, certificate) in path.certificates.enumerated() {
            if leavesOutAnchors, depth >= path.firstAnchor { break }
            let isInstalledLeaf = last == 0 && path.anchorClass == .installedByHand
            if !(exemptsInstalledLeaves && isInstalledLeaf), !isStrong(certificate.publicKey.algorithm) {
                failures.append(TrustFailure(.weakKey, at: depth, of: certificate))
            }
            if isSignatureJudged(at: depth, of: path), isRefused(certificate.signatureAlgorithm) {
                failures.append(TrustFailure(.weakSignature, at: depth, of: certificate))
            }
        }
        return failures
    }

    private func isSignatureJudged(at depth: Int, of path: PlatformPath) -> Bool {
        guard depth == path.certificates.count - 1 else { return true }
        return judgesAnchorSignatures && path.anchorClass != .installedByHand && !path.certificates[depth].isSelfIssued
    }

    package func isStrong(_ key: KeyAlgorithm) -> Bool {
        switch key {
        case .rsa(let bits), .rsaPSS(let bits): bits >= fewestRSABits
        case .ec(_, let bits): bits >= fewestECBits
        // Other keys (Ed25519, Ed448) are as strong as elliptic curves.
        case .other(let name, let bits):
            takesOtherKeys && bits >= (name.hasPrefix("DSA") ? fewestDSABits : fewestECBits)
        case .unknown: false
        }
    }

    /// The digests that all platforms know; truncated SHA-512 is not one of them.
    private static let knownDigests = ["md2", "md4", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"]

    private static let usualAlgorithms = [
        "ecdsa-with-SHA256", "sha256WithRSAEncryption", "ecdsa-with-SHA384", "sha384WithRSAEncryption",
    ]

    /// `true` if a platform refuses the algorithm, or cannot verify it because it is not known; the name of RSASSA-PSS
    /// shows only if its parameters are those of TLS, and Ed25519 has a fixed digest.
    package func isRefused(_ algorithm: String) -> Bool {
        // All platforms accept the algorithms of most certificates.
        guard !Self.usualAlgorithms.contains(algorithm) else { return false }
        let name = algorithm.lowercased()
        guard name != "rsassapss", name != "ed25519" else { return false }
        let isKnown = Self.knownDigests.contains(where: name.holds) && !name.holds("sha512/") && !name.holds("sha512-")
        return isKnown ? refusedDigests.contains(where: name.holds) : !takesRareDigests
    }
}
