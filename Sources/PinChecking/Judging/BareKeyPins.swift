import Pinning
import X509

extension HostPolicy {
    /// That a pin which matches nothing is the hash of a key without its frame, as a warning with the pin that is right.
    ///
    /// Node's `cert.pubkey` of an EC certificate and `SecKeyCopyExternalRepresentation` give a key without the
    /// SubjectPublicKeyInfo around it; every client hashes it with.
    func bareKeyWarning(on verdict: Verdict, presented: PresentedChain) -> Finding? {
        guard verdict.reason.isPinMismatch, let pins = setup.pins?.pins else { return nil }
        for certificate in presented.certificates {
            guard let bare = KeyReader.bareKey(of: certificate.publicKey) else { continue }
            let hash = Hashing.sha256(bare)
            guard let index = pins.firstIndex(where: { $0.spkiSHA256 == hash }) else { continue }
            return .warning(
                id: "bare-key-pin",
                message:
                    "pin \(index + 1) is the hash of the bare key of \(certificate), as Node's cert.pubkey and iOS's "
                    + "SecKeyCopyExternalRepresentation give it; clients hash the SubjectPublicKeyInfo: "
                    + "pin \(certificate.publicKey.spkiSHA256) instead")
        }
        return nil
    }
}
