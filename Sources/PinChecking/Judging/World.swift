import Base
import Pinning
import X509

/// A server as it would be on another day: what it presents, when, and which paths lead from there.
///
/// What cannot be known of it is assumed, and each assumption has a name.
struct World: Sendable {
    enum Kind: Sendable, Hashable {
        case next
        /// A renewal that keeps the key.
        case renewal
        /// A renewal with a key that nobody pinned.
        case newKey
        /// A renewal with a new key, below an intermediate that nobody pinned.
        case newIntermediate
        /// Devices end at a CA on today's path, known by its key.
        case comingRoot(SHA256Digest)
        /// A CA leaves a root, known by its key.
        case leavingRoot(SHA256Digest)
        /// A pin that matches nothing is needed, by its position among the client's own.
        case unusedPin(Int)
    }

    /// How the paths of a world are found.
    enum Paths: Sendable {
        /// By a search. A certificate against which nothing is said but that its issuer is missing, or an assumed one, is below the
        /// certificate that is given, where that is an anchor of a class.
        case searched(orBelow: Certificate, AnchorClass)
        /// By a change of today's. The certificates with the fingerprints in `absent` are no anchors in the world.
        case changed(absent: Set<SHA256Digest> = [], @Sendable (PathQuestion, [[Certificate]]) -> [[Certificate]])
        /// By a search for those of a CA, with the assumed leaf below.
        case below(PresentedChain)
    }

    let kind: Kind
    let presented: PresentedChain
    let time: Timestamp
    let paths: Paths
}

/// Something that a sentence about tomorrow takes for granted, as reports name it.
package enum Assumption: String, Sendable, Hashable, CaseIterable {
    /// The server sends today's intermediates with a certificate.
    case intermediates
    /// An issuer that nobody has seen is trusted.
    case issuer
    /// The certificate is issued, with dates and purposes that clients take.
    case certificate
    /// The certificate is valid for the name.
    case name
    /// Nothing is deployed before it is valid.
    case time
    /// The certificate has as many timestamps as clients count.
    case timestamps
}

/// A verdict on a world.
///
/// Nothing makes a ``ClientVerdict`` of it, so an assumed path never passes for today's.
struct Forecast: Sendable {
    let world: World
    let verdict: Verdict

    /// Whether the client accepts the world, and does not only report that no pin matches.
    var holds: Bool { verdict.isAccepted && verdict.reason != .mismatchNotEnforced }

    /// Whether the client accepts the world by a pin at a position among its own.
    func holds(by pin: Int) -> Bool {
        guard case .pinMatched = verdict.reason else { return false }
        return verdict.matches.contains { $0.pinIndex == pin }
    }
}

extension Certificate {
    /// Whether it is of a world only: such a certificate has no encoding.
    var isAssumed: Bool { der.isEmpty }
    var isCA: Bool { basicConstraints?.isCertificateAuthority == true }

    /// A server's certificate that nobody has issued yet, with the names and purposes of `model`.
    ///
    /// Its fingerprint is its own: it equals no pinned certificate, and memories mix no worlds.
    static func assumedLeaf(
        like model: Certificate, key: PublicKey, from start: Timestamp, seconds: Int64
    ) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("leaf", key, start), publicKey: key, subject: model.subject,
            issuer: model.issuer, commonName: model.commonName, serialNumber: "", notBefore: start,
            notAfter: start.advanced(bySeconds: seconds), names: model.names, basicConstraints: nil,
            keyUsage: model.keyUsage, extendedKeyUsage: model.extendedKeyUsage, subjectKeyIdentifier: nil,
            authorityKeyIdentifier: nil, isSelfIssued: false, signatureAlgorithm: model.signatureAlgorithm)
    }

    /// A server's certificate like those that clients take, for a name and 90 days.
    static func ordinary(for name: ReferenceName, key: PublicKey, at time: Timestamp) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("leaf", key, time), publicKey: key, subject: "the certificate to come",
            issuer: "", commonName: nil,
            serialNumber: "", notBefore: time, notAfter: time.advanced(bySeconds: 90 * 86_400),
            names: name.serverName.map { [.dns($0.description)] } ?? [], basicConstraints: nil,
            keyUsage: ["digitalSignature"], extendedKeyUsage: ["serverAuth"], subjectKeyIdentifier: nil,
            authorityKeyIdentifier: nil, isSelfIssued: false, signatureAlgorithm: "ecdsa-with-SHA256")
    }

    /// A CA that nobody has seen, as good as `model`.
    static func assumedIssuer(like model: Certificate, key: PublicKey, at time: Timestamp) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("CA", key, time), publicKey: key, subject: "(an issuer to come)",
            issuer: model.issuer, commonName: nil, serialNumber: "", notBefore: time,
            notAfter: Timestamp(secondsSinceEpoch: .max), names: [],
            basicConstraints: BasicConstraints(isCertificateAuthority: true, pathLengthLimit: nil), keyUsage: nil,
            extendedKeyUsage: nil, subjectKeyIdentifier: nil, authorityKeyIdentifier: nil, isSelfIssued: false,
            signatureAlgorithm: model.signatureAlgorithm)
    }

    private static func identity(_ role: String, _ key: PublicKey, _ time: Timestamp) -> SHA256Digest {
        Hashing.sha256(Array("\(role) \(key.spkiSHA256) \(time.secondsSinceEpoch)".utf8))
    }
}

extension PublicKey {
    /// A key of which only the hash is known, of the kind and in the form of another.
    func standIn(_ hash: SHA256Digest) -> PublicKey {
        PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo, spkiSHA256: hash, algorithm: algorithm)
    }

    /// A key that nobody has, of the same kind.
    var unknown: PublicKey { standIn(Hashing.sha256(Array("a key that nobody pinned".utf8))) }
}
