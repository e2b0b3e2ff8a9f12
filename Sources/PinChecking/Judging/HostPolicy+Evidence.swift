import Base
import Pinning
import X509

extension HostPolicy {
    func evidence(of presented: PresentedChain, staple: [UInt8]?, at time: Timestamp) -> LeafEvidence {
        LeafEvidence(
            timestamps: EmbeddedTimestamps.of(presented.leaf),
            staple: staple.map { bytes in
                StapleReader.read(
                    bytes, leaf: presented.leaf, issuer: issuer(ofLeafIn: presented, at: time), time: time)
            } ?? .none, at: time)
    }

    /// The certificate that signed a leaf, as far as one is at hand: whoever trusts it is another question.
    private func issuer(ofLeafIn presented: PresentedChain, at time: Timestamp) -> Certificate? {
        // An app's own anchors are those of its clients alone.
        let own = configuredAnchors
        let places = devices.map { ($0.verifierWithInstalledRoots, Anchors.trustStore) }
        for (verifier, anchors) in places + (own.isEmpty ? [] : [(verifier, .only(own))]) {
            let question = PathQuestion(
                presented: presented, intermediates: (pins?.certificates ?? []) + fetchable, anchors: anchors,
                policy: .basicX509, time: time)
            let path = verifier.evaluate(question).builtChain.certificates
            if path.count > 1 { return path[1] }
        }
        return presented.leaf.isSelfIssued ? presented.leaf : nil
    }
}

extension LeafEvidence {
    func findings(isRefused: Bool) -> [Finding] {
        switch staple {
        case .unusable(let why):
            [.warning(id: "unusable-staple", message: "\(why): it does not say that the certificate is good")]
        case .revoked(let time, _) where !isRefused:
            [
                .warning(
                    id: "certificate-revoked",
                    message:
                        "the certificate was revoked at \(time), by the server's own OCSP staple: not every client looks"
                )
            ]
        default: []
        }
    }
}
