/// A type of key that a server may have a certificate with, besides those with keys of other types.
///
/// A client sees one of a server's certificates only: the one that fits what its ClientHello offers. Restricting the offer to one type
/// shows the certificate with a key of that type.
package enum CertificateKeyType: String, Sendable, Hashable, CaseIterable {
    /// RSA, also with keys that are for PSS signatures only (id-RSASSA-PSS).
    case rsa
    /// ECDSA on whatever curve.
    case ecdsa
    /// EdDSA on Curve25519 (RFC 8032).
    case ed25519
}

extension CertificateKeyType: CustomStringConvertible {
    /// The name in the standards' letters, as in `RSA` or `Ed25519`.
    package var description: String {
        switch self {
        case .rsa: "RSA"
        case .ecdsa: "ECDSA"
        case .ed25519: "Ed25519"
        }
    }
}
