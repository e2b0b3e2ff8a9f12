internal import Base

/// How strong the keys on a path, and the signatures that link it, have to be.
package struct StrengthRules: Sendable, Hashable {
    /// Whether keys besides RSA and elliptic curves in Weierstrass form are taken.
    var takesOtherKeys = false
    /// In bits.
    let fewestRSABits: Int
    let fewestDSABits: Int
    let fewestECBits: Int
    /// Whether what stands before the first anchor is judged alone.
    var leavesOutAnchors = false
    /// The digests that are refused, as they stand in the names of signature algorithms.
    var refusedDigests = ["md2", "md4", "md5", "sha1"]
    /// Whether digests are taken that no platform but OpenSSL knows in certificates, such as RIPEMD-160 and SHA-3.
    var takesRareDigests = false
    /// Whether a leaf that somebody installed by hand as it is may have any key.
    var exemptsInstalledLeaves = false
    /// Whether the signature on an anchor counts that neither signed itself nor was installed by hand.
    var judgesAnchorSignatures = false

    /// Apple's under the policy for servers: anchors are held to the floor too.
    static let apple = StrengthRules(
        fewestRSABits: 2_048, fewestDSABits: 2_048, fewestECBits: 256, exemptsInstalledLeaves: true,
        judgesAnchorSignatures: true)
    /// Apple's `SecPolicyCreateBasicX509`.
    static let basic = StrengthRules(
        takesOtherKeys: true, fewestRSABits: 1_024, fewestDSABits: 1_024, fewestECBits: 160,
        refusedDigests: ["md2", "md4", "md5"])
    /// Conscrypt's `ChainStrengthAnalyzer`, which never sees an anchor.
    static let android = StrengthRules(
        fewestRSABits: 1_024, fewestDSABits: 1_024, fewestECBits: 160, leavesOutAnchors: true)
    /// OpenSSL's security level 2, 112 bits: the default of Debian and of OpenSSL 3.2.
    ///
    /// It rounds the strength of RSA to whole bytes (NIST SP 800-56B, appendix D), so that 1963 bits have 112 too; that of DSA goes
    /// by a table (`RSA_security_bits`, `DSA_security_bits`).
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

    /// Whether anything rests on the signature of the certificate at `depth`: the path ends at its last one.
    private func isSignatureJudged(at depth: Int, of path: PlatformPath) -> Bool {
        guard depth == path.certificates.count - 1 else { return true }
        return judgesAnchorSignatures && path.anchorClass != .installedByHand && !path.certificates[depth].isSelfIssued
    }

    package func isStrong(_ key: KeyAlgorithm) -> Bool {
        switch key {
        case .rsa(let bits), .rsaPSS(let bits): bits >= fewestRSABits
        case .ec(_, let bits): bits >= fewestECBits
        // What else there is (Ed25519, Ed448) is as strong as elliptic curves.
        case .other(let name, let bits):
            takesOtherKeys && bits >= (name.hasPrefix("DSA") ? fewestDSABits : fewestECBits)
        case .unknown: false
        }
    }

    /// The digests that all platforms know; those with SHA-512 cut short are others.
    private static let knownDigests = ["md2", "md4", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"]

    private static let usualAlgorithms = [
        "ecdsa-with-SHA256", "sha256WithRSAEncryption", "ecdsa-with-SHA384", "sha384WithRSAEncryption",
    ]

    /// Whether a signature of this kind counts for nothing.
    ///
    /// What a platform does not know it cannot verify. RSASSA-PSS hides its digest from its name, which says whether it is one of TLS;
    /// Ed25519 has none to choose.
    package func isRefused(_ algorithm: String) -> Bool {
        // Those of most certificates, which nobody refuses.
        guard !Self.usualAlgorithms.contains(algorithm) else { return false }
        let name = algorithm.lowercased()
        guard name != "rsassapss", name != "ed25519" else { return false }
        let isKnown =
            Self.knownDigests.contains(where: name.holdsBytes) && !name.holdsBytes(of: "sha512/")
            && !name.holdsBytes(of: "sha512-")
        return isKnown ? refusedDigests.contains(where: name.holdsBytes) : !takesRareDigests
    }
}
