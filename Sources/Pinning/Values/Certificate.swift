import Base

/// An X.509 certificate as a value: its DER encoding and the facts that a pinning decision needs.
///
/// Certificates are equal if their DER encodings are, as certificate pins compare them. All text is from the
/// certificate's author, who may be hostile: escape it before it reaches a terminal.
public final class Certificate: Sendable, Hashable, CustomStringConvertible {
    /// The DER encoding (RFC 5280, 4.1).
    public let der: [UInt8]
    /// SHA-256 of ``der``, known as the fingerprint; it is not a public-key pin.
    public let fingerprint: SHA256Digest
    /// The SubjectPublicKeyInfo and the facts read from it.
    public let publicKey: PublicKey
    /// The subject as one line in RFC 2253 order; empty if the certificate has none.
    public let subject: String
    /// The issuer as one line in RFC 2253 order.
    public let issuer: String
    /// The last common name of the subject, for display only: host names are compared with ``names``.
    public let commonName: String?
    /// The serial number as upper-case hexadecimal digits.
    public let serialNumber: String
    /// The first second at which the certificate is valid.
    public let notBefore: Timestamp
    /// The last second at which the certificate is valid (inclusive, RFC 5280, 4.1.2.5).
    public let notAfter: Timestamp
    /// The entries of the subjectAltName extension in their order; empty if it is absent.
    public let names: [SubjectAlternativeName]
    /// The cA field of the basicConstraints extension (RFC 5280, 4.2.1.9); `nil` if it is absent.
    package let isCertificateAuthority: Bool?
    /// The bits set in the keyUsage extension, by name (`digitalSignature`, `keyCertSign`, …); `nil` if it is absent.
    package let keyUsage: [String]?
    /// The extendedKeyUsage extension as names (`serverAuth`) or dotted numbers; `nil` if it is absent.
    package let extendedKeyUsage: [String]?
    package let subjectKeyIdentifier: [UInt8]?
    package let authorityKeyIdentifier: [UInt8]?
    /// `true` if subject and issuer are the same name, as in a root, or in a link between two keys of one CA.
    package let isSelfIssued: Bool
    /// The algorithm that the issuer signed with, as in `ecdsa-with-SHA256`.
    package let signatureAlgorithm: String
    /// The version, counted from 1: 3 for a certificate with extensions.
    package let version: Int
    /// `true` if the subject is empty and the subjectAltName is not marked critical (RFC 5280, 4.1.2.6).
    let isNamedUncritically: Bool

    package init(
        der: [UInt8], fingerprint: SHA256Digest, publicKey: PublicKey, subject: String, issuer: String,
        commonName: String? = nil, serialNumber: String = "", notBefore: Timestamp, notAfter: Timestamp,
        names: [SubjectAlternativeName], isCertificateAuthority: Bool? = nil, keyUsage: [String]? = nil,
        extendedKeyUsage: [String]? = nil, subjectKeyIdentifier: [UInt8]? = nil,
        authorityKeyIdentifier: [UInt8]? = nil, isSelfIssued: Bool = false, signatureAlgorithm: String,
        version: Int = 3, isNamedUncritically: Bool = false
    ) {
        (self.der, self.fingerprint, self.publicKey) = (der, fingerprint, publicKey)
        (self.subject, self.issuer, self.commonName) = (subject, issuer, commonName)
        (self.serialNumber, self.notBefore, self.notAfter) = (serialNumber, notBefore, notAfter)
        (self.names, self.isCertificateAuthority) = (names, isCertificateAuthority)
        (self.keyUsage, self.extendedKeyUsage) = (keyUsage, extendedKeyUsage)
        self.subjectKeyIdentifier = subjectKeyIdentifier
        self.authorityKeyIdentifier = authorityKeyIdentifier
        (self.isSelfIssued, self.signatureAlgorithm) = (isSelfIssued, signatureAlgorithm)
        (self.version, self.isNamedUncritically) = (version, isNamedUncritically)
    }

    package var isCA: Bool { isCertificateAuthority == true }
    package var spkiSHA256: SHA256Digest { publicKey.spkiSHA256 }

    /// Compares the DER encodings.
    public static func == (left: Certificate, right: Certificate) -> Bool {
        left.fingerprint == right.fingerprint && left.der == right.der
    }

    /// Hashes the fingerprint, which identifies the whole encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// The subject, shortened if it is very long, or the serial number if the certificate has none.
    public var description: String { subject.isEmpty ? "(no subject, serial \(serialNumber))" : Self.bearable(subject) }

    /// Shortens a distinguished name for messages, because a server may send a megabyte.
    static func bearable(_ name: String) -> String {
        let most = 400
        return name.utf8.count > most ? name.prefix(most) + "…" : name
    }
}

/// An entry of a subjectAltName extension (RFC 5280, 4.2.1.6).
public enum SubjectAlternativeName: Sendable, Hashable, CustomStringConvertible {
    /// A dNSName, as written in the certificate.
    case dns(String)
    /// An iPAddress: 4 or 16 bytes in a well-formed certificate.
    case ip([UInt8])
    /// Any other kind, with its name (`URI`, `email`, …) and its text.
    case other(kind: String, value: String)

    /// The host name, the address, or the kind and the text, as the certificate's author wrote it: escape it.
    public var description: String {
        switch self {
        case .dns(let name): name
        case .ip(let bytes): IPAddress(bytes: bytes)?.description ?? "(an address of \(bytes.count) bytes)"
        case .other(let kind, let value): "\(kind):\(value)"
        }
    }
}

/// The public key of a certificate.
public struct PublicKey: Sendable, Hashable {
    /// SHA-256 of ``subjectPublicKeyInfo``: the value of a public-key pin (RFC 7469, 2.4).
    public let spkiSHA256: SHA256Digest
    /// The DER encoding of the SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
    public let subjectPublicKeyInfo: [UInt8]
    /// The algorithm and the size of the key.
    public let algorithm: KeyAlgorithm

    package init(subjectPublicKeyInfo: [UInt8], spkiSHA256: SHA256Digest, algorithm: KeyAlgorithm) {
        (self.subjectPublicKeyInfo, self.spkiSHA256) = (subjectPublicKeyInfo, spkiSHA256)
        self.algorithm = algorithm
    }

    /// Hashes the hash of the SubjectPublicKeyInfo.
    public func hash(into hasher: inout Hasher) { hasher.combine(spkiSHA256) }
}

/// The algorithm of a public key, with its size.
public enum KeyAlgorithm: Sendable, Hashable, CustomStringConvertible {
    case rsa(bits: Int)
    /// RSA for PSS signatures alone (id-RSASSA-PSS, RFC 4055), with the size of its modulus in bits.
    case rsaPSS(bits: Int)
    /// An elliptic curve, by its usual name (`P-256`, `P-384`, `P-521`, …) and its size in bits.
    case ec(curve: String, bits: Int)
    /// Any other algorithm that OpenSSL knows, by its name (`ED25519`, `DSA`, …) and its size in bits.
    case other(name: String, bits: Int)
    /// An algorithm that OpenSSL cannot use, by its name or dotted number.
    case unknown(name: String)

    /// The usual notation: `RSA 2048`, `EC P-256`, `ED25519`.
    public var description: String {
        switch self {
        case .rsa(let bits): "RSA \(bits)"
        case .rsaPSS(let bits): "RSA-PSS \(bits)"
        case .ec(let curve, _): "EC \(curve)"
        case .other(let name, _), .unknown(let name): name
        }
    }

    /// `true` if this is a kind of ML-DSA (FIPS 204) that this OpenSSL does not know; 3.5 is the first to know it.
    package var isOfNewerOpenSSL: Bool { if case .unknown(let name) = self { name.hasPrefix("ML-DSA") } else { false } }
}

/// The 32 bytes of a SHA-256 hash; this module does not compute hashes.
public struct SHA256Digest: Sendable, Hashable, CustomStringConvertible {
    package static let byteCount = 32

    /// The bytes, always 32.
    public let bytes: [UInt8]

    package init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Hashes all bytes at once.
    public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// The text in the standard base64 alphabet with padding (RFC 4648, 4): 44 characters.
    public var base64: String { Base64.text(of: bytes) }

    /// The text in lower-case hexadecimal digits.
    public var hexadecimal: String {
        func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x57) }
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (index, byte) in bytes.enumerated() {
                (buffer[index * 2], buffer[index * 2 + 1]) = (digit(byte >> 4), digit(byte & 15))
            }
            return bytes.count * 2
        }
    }

    /// The pin notation of OkHttp: `sha256/` and the base64 text.
    public var description: String { "sha256/" + base64 }
}
