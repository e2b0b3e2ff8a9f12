import Base
import Pinning
import X509

/// A server as it would be on another day: its chain, the time, and the paths from there; unknown facts are assumed.
struct World: Sendable {
    enum Paths: Sendable {
        /// A search; a leaf that is assumed or only lacks its issuer is below this certificate, an anchor of the class.
        case searched(orBelow: Certificate, AnchorClass)
        /// A change of today's paths. The certificates with the fingerprints in `absent` are not anchors in the world.
        case changed(absent: Set<SHA256Digest> = [], @Sendable (PathQuestion, [[Certificate]]) -> [[Certificate]])
        /// A search for the paths of a CA, with the assumed leaf below.
        case below(PresentedChain)
    }

    let presented: PresentedChain
    let time: Timestamp
    let paths: Paths
}

/// A fact that a sentence about tomorrow takes for granted, as reports name it.
package enum Assumption: String, Sendable, Hashable, CaseIterable {
    /// The server sends today's intermediates with a certificate.
    case intermediates
    /// An issuer that is not known yet is trusted.
    case issuer
    /// The certificate is issued, with dates and purposes that clients accept.
    case certificate
    case name
    /// Nothing is deployed before it is valid.
    case time
    /// The certificate has as many timestamps as clients count.
    case timestamps
}

extension Verdict {
    /// `true` if the client accepts a world, and not only reports a mismatch.
    var holds: Bool { isAccepted && reason != .mismatchNotEnforced }
}

extension Certificate {
    /// `true` if it exists only in a world: such a certificate has no encoding.
    var isAssumed: Bool { der.isEmpty }
    var isCA: Bool { basicConstraints?.isCertificateAuthority == true }

    /// A future server certificate like `model`, with a fingerprint of its own: it equals no pinned one in any world.
    static func assumedLeaf(
        like model: Certificate, key: PublicKey, from start: Timestamp, seconds: Int64
    ) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("leaf", key, start), publicKey: key, subject: model.subject,
            issuer: model.issuer, commonName: model.commonName, notBefore: start,
            notAfter: start.advanced(bySeconds: seconds), names: model.names, keyUsage: model.keyUsage,
            extendedKeyUsage: model.extendedKeyUsage, signatureAlgorithm: model.signatureAlgorithm)
    }

    /// A server certificate that clients accept, for a name and 90 days.
    static func ordinary(for name: ReferenceName, key: PublicKey, at time: Timestamp) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("leaf", key, time), publicKey: key, subject: "the certificate to come",
            issuer: "", notBefore: time, notAfter: time.advanced(bySeconds: 90 * 86_400),
            names: name.serverName.map { [.dns($0.description)] } ?? [], keyUsage: ["digitalSignature"],
            extendedKeyUsage: ["serverAuth"], signatureAlgorithm: "ecdsa-with-SHA256")
    }

    /// A future CA with the issuer and signature algorithm of `model`.
    static func assumedIssuer(like model: Certificate, key: PublicKey, at time: Timestamp) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("CA", key, time), publicKey: key, subject: "(an issuer to come)",
            issuer: model.issuer, notBefore: time, notAfter: Timestamp(secondsSinceEpoch: .max), names: [],
            basicConstraints: BasicConstraints(isCertificateAuthority: true, pathLengthLimit: nil),
            signatureAlgorithm: model.signatureAlgorithm)
    }

    private static func identity(_ role: String, _ key: PublicKey, _ time: Timestamp) -> SHA256Digest {
        Hashing.sha256(Array("\(role) \(key.spkiSHA256) \(time.secondsSinceEpoch)".utf8))
    }
}

extension PublicKey {
    /// A key with only a known hash, in the kind and form of this one.
    func standIn(_ hash: SHA256Digest) -> PublicKey {
        PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo, spkiSHA256: hash, algorithm: algorithm)
    }

    /// A key of the same kind that does not exist.
    var unknown: PublicKey { standIn(Hashing.sha256(Array("a key that nobody pinned".utf8))) }
}
