internal import Base
internal import PinFormats
internal import Pinning

/// Pins in a form that the client the user named cannot take.
struct ClientInputRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.filter { $0.kind == nil }.flatMap { set in
            set.members.flatMap { member in
                [certificatesOnly(member, scene), notLoaded(member, scene), keysOnly(member, scene)].compactMap { $0 }
            }
        }
    }

    private func certificatesOnly(_ member: PinnedSet.Member, _ scene: LintScene) -> LintFinding? {
        guard member.pin.certificate == nil, scene.isForAFNetworking || scene.isFor("alamofire") else { return nil }
        let client = scene.isForAFNetworking ? "AFNetworking" : "Alamofire"
        return LintFinding(
            .clientTakesCertificates, at: member.place,
            "\(client) reads its pins from certificates in the app: \(member.pin.spkiSHA256) stands for the key of one here, "
                + "as in public-key mode, and cannot be shipped itself",
            remedy: "ship the certificate with that key as a .cer file in DER")
    }

    /// Keys that Apple's system does not hand out.
    private func notLoaded(_ member: PinnedSet.Member, _ scene: LintScene) -> LintFinding? {
        guard scene.isForAFNetworking || scene.isFor("alamofire"), let key = scene.publicKeys[member.pin.spkiSHA256],
            !key.algorithm.hasSecKey
        else { return nil }
        let consequence =
            scene.isForAFNetworking
            ? "AFNetworking in public-key mode crashes on a chain with it"
            : "Alamofire leaves it out when it compares keys"
        return LintFinding(
            .publicKeyNotLoaded, at: member.place,
            "the key is \(key.algorithm), and Apple's system loads RSA and EC keys only: \(consequence)",
            remedy: "pin an RSA or EC key")
    }

    private func keysOnly(_ member: PinnedSet.Member, _ scene: LintScene) -> LintFinding? {
        guard scene.isFor("curl"), let certificate = member.pin.certificate else { return nil }
        guard !certificate.isAuthority else {
            return LintFinding(
                .curlComparesTheLeaf, at: member.place,
                "\(shortened(certificate.description)) is an authority: curl compares the leaf's key alone, "
                    + "so this pin never matches", remedy: "pin the key of the leaf")
        }
        return LintFinding(
            .curlTakesKeys, at: member.place,
            "curl takes the file of a public key and not of a certificate, with which it ends with status 90",
            remedy: "give --pinnedpubkey sha256//\(certificate.publicKey.spkiSHA256.base64)")
    }
}
