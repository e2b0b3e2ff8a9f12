internal import Base
internal import PinFormats
internal import Pinning

/// Keys and signatures that clients refuse, whatever is pinned.
struct WeakCryptographyRule: LintRule {
    private static let weakHashes = ["md2", "md4", "md5", "sha1"]

    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.flatMap { set in
            set.members.flatMap { member in
                let key = scene.publicKeys[member.pin.spkiSHA256]
                return [
                    key.flatMap { finding($0, member) }, member.pin.certificate.flatMap { finding($0, member.place) },
                ].compactMap { $0 }
            }
        }
    }

    private func finding(_ key: PublicKey, _ member: PinnedSet.Member) -> LintFinding? {
        guard let reason = weakness(of: key.algorithm) else { return nil }
        let owner = member.pin.certificate.map { "of \(shortened($0.description)) " } ?? ""
        return LintFinding(
            .weakKey, at: member.place, "the key \(owner)is \(key.algorithm): \(reason)",
            remedy: "replace it by EC P-256 or RSA with 2048 bits")
    }

    private func weakness(of algorithm: KeyAlgorithm) -> String? {
        switch algorithm {
        case .rsa(let bits) where bits < 2048: "clients want 2048 bits"
        case .ec(_, let bits) where bits < 256: "clients want 256 bits"
        case .other(let name, _) where name.uppercased() == "DSA": "clients no longer take DSA"
        default: nil
        }
    }

    /// Whoever trusts a root does so without its signature.
    private func finding(_ certificate: Certificate, _ place: LintPlace) -> LintFinding? {
        let algorithm = certificate.signatureAlgorithm
        let folded = algorithm.lowercased().filter { $0 != "-" }
        guard !certificate.isSelfIssued, let hash = Self.weakHashes.first(where: { folded.contains($0) }) else {
            return nil
        }
        return LintFinding(
            .weakSignature, at: place,
            "\(shortened(certificate.description)) is signed with \(shortened(algorithm)): "
                + "clients refuse \(hash == "sha1" ? "SHA-1" : hash.uppercased())",
            remedy: "have it issued again with SHA-256")
    }
}
