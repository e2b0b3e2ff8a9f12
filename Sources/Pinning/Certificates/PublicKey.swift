/// A public key as it stands in a certificate.
public struct PublicKey: Sendable, Hashable {
    /// The DER encoding of the SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
    public let subjectPublicKeyInfo: [UInt8]
    /// SHA-256 of ``subjectPublicKeyInfo``: the value of a public-key pin (RFC 7469, 2.4).
    public let spkiSHA256: SHA256Digest
    /// The algorithm and its size.
    public let algorithm: KeyAlgorithm

    /// Assembles a key from facts already read from its encoding.
    public init(subjectPublicKeyInfo: [UInt8], spkiSHA256: SHA256Digest, algorithm: KeyAlgorithm) {
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
        self.spkiSHA256 = spkiSHA256
        self.algorithm = algorithm
    }

    /// Whether both hold the same SubjectPublicKeyInfo.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.spkiSHA256 == right.spkiSHA256 && left.subjectPublicKeyInfo == right.subjectPublicKeyInfo
    }

    /// Feeds the hash of the SubjectPublicKeyInfo.
    public func hash(into hasher: inout Hasher) { hasher.combine(spkiSHA256) }
}

/// What kind of key a certificate holds.
public enum KeyAlgorithm: Sendable, Hashable, CustomStringConvertible {
    /// RSA with the size of its modulus in bits.
    case rsa(bits: Int)
    /// An elliptic curve, by its usual name (`P-256`, `P-384`, `P-521`, …) and its size in bits.
    case ec(curve: String, bits: Int)
    /// Any other algorithm OpenSSL knows, by its name (`ED25519`, `DSA`, …) and its size in bits.
    case other(name: String, bits: Int)
    /// An algorithm nothing here can use, by its name or dotted number.
    case unknown(name: String)

    /// As people write it: `RSA 2048`, `EC P-256`, `ED25519`.
    public var description: String {
        switch self {
        case .rsa(let bits): "RSA \(bits)"
        case .ec(let curve, _): "EC \(curve)"
        case .other(let name, _), .unknown(let name): name
        }
    }
}
