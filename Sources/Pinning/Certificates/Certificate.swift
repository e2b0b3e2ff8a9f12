/// An X.509 certificate as a value: its DER encoding and the facts a pinning decision needs from it.
///
/// Two certificates are equal when their DER encodings are equal, byte by byte: that is what a certificate pin compares.
/// Nothing here parses; whoever reads certificates fills in the fields. All text comes from the certificate's
/// author, who may be hostile: escape it before it reaches a terminal.
public struct Certificate: Sendable {
    /// The DER encoding (RFC 5280, 4.1).
    public let der: [UInt8]
    /// SHA-256 of ``der``: what people call the certificate's fingerprint.
    ///
    /// It is not a public-key pin.
    public let fingerprint: SHA256Digest
    /// The SubjectPublicKeyInfo and what is known of the key in it.
    public let publicKey: PublicKey
    /// The subject as one line in RFC 2253 order, empty when the certificate has none.
    public let subject: String
    /// The issuer as one line in RFC 2253 order.
    public let issuer: String
    /// The last common name of the subject, when there is one.
    ///
    /// For display only: names are checked against ``names``.
    public let commonName: String?
    /// The serial number as upper-case hexadecimal digits.
    public let serialNumber: String
    /// The first second at which the certificate is valid.
    public let notBefore: Timestamp
    /// The last second at which the certificate is valid (inclusive, RFC 5280, 4.1.2.5).
    public let notAfter: Timestamp
    /// The entries of the subjectAltName extension in their order, empty when it is absent.
    public let names: [SubjectAlternativeName]
    /// The basicConstraints extension, `nil` when it is absent.
    public let basicConstraints: BasicConstraints?
    /// The names of the bits set in the keyUsage extension (`digitalSignature`, `keyCertSign`, …), `nil` when it is absent.
    public let keyUsage: [String]?
    /// The extendedKeyUsage extension as names (`serverAuth`) or dotted numbers, `nil` when it is absent.
    public let extendedKeyUsage: [String]?
    /// The subjectKeyIdentifier extension.
    public let subjectKeyIdentifier: [UInt8]?
    /// The key identifier of the authorityKeyIdentifier extension.
    public let authorityKeyIdentifier: [UInt8]?
    /// Whether subject and issuer are the same name: a root, or a link between two keys of one authority.
    public let isSelfIssued: Bool
    /// The name of the algorithm the issuer signed with, as in `ecdsa-with-SHA256`.
    public let signatureAlgorithm: String

    /// Assembles a certificate from facts already read from `der`.
    public init(
        der: [UInt8], fingerprint: SHA256Digest, publicKey: PublicKey, subject: String, issuer: String,
        commonName: String?, serialNumber: String, notBefore: Timestamp, notAfter: Timestamp,
        names: [SubjectAlternativeName], basicConstraints: BasicConstraints?, keyUsage: [String]?,
        extendedKeyUsage: [String]?, subjectKeyIdentifier: [UInt8]?, authorityKeyIdentifier: [UInt8]?,
        isSelfIssued: Bool, signatureAlgorithm: String
    ) {
        self.der = der
        self.fingerprint = fingerprint
        self.publicKey = publicKey
        self.subject = subject
        self.issuer = issuer
        self.commonName = commonName
        self.serialNumber = serialNumber
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.names = names
        self.basicConstraints = basicConstraints
        self.keyUsage = keyUsage
        self.extendedKeyUsage = extendedKeyUsage
        self.subjectKeyIdentifier = subjectKeyIdentifier
        self.authorityKeyIdentifier = authorityKeyIdentifier
        self.isSelfIssued = isSelfIssued
        self.signatureAlgorithm = signatureAlgorithm
    }
}

extension Certificate: Hashable {
    /// Whether both have the same DER encoding.
    public static func == (left: Certificate, right: Certificate) -> Bool {
        left.fingerprint == right.fingerprint && left.der == right.der
    }

    /// Feeds the fingerprint, which stands for the whole encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}

extension Certificate: CustomStringConvertible {
    /// The subject, its beginning where it is very long, or the serial number for a certificate without one.
    public var description: String { subject.isEmpty ? "(no subject, serial \(serialNumber))" : Self.bearable(subject) }

    /// A distinguished name as sentences can bear it: a server may send one of a megabyte.
    static func bearable(_ name: String) -> String {
        let most = 400
        return name.utf8.count > most ? name.prefix(most) + "…" : name
    }
}

/// The basicConstraints extension (RFC 5280, 4.2.1.9).
public struct BasicConstraints: Sendable, Hashable {
    /// Whether the key may sign certificates.
    public let isCertificateAuthority: Bool
    /// How many intermediate certificates may follow below this one, `nil` for no limit.
    public let pathLengthLimit: Int?

    /// Describes an authority or an end entity.
    public init(isCertificateAuthority: Bool, pathLengthLimit: Int?) {
        self.isCertificateAuthority = isCertificateAuthority
        self.pathLengthLimit = pathLengthLimit
    }
}

/// One entry of a subjectAltName extension (RFC 5280, 4.2.1.6).
public enum SubjectAlternativeName: Sendable, Hashable {
    /// A dNSName, as written in the certificate.
    case dns(String)
    /// An iPAddress: 4 or 16 bytes in a well-formed certificate.
    case ip([UInt8])
    /// Any other kind: its name (`URI`, `email`, …) and its text.
    case other(kind: String, value: String)
}

extension SubjectAlternativeName: CustomStringConvertible {
    /// The host name, the address, or the kind and the text; as the certificate's author wrote it, so escape it.
    public var description: String {
        switch self {
        case .dns(let name): name
        case .ip(let bytes): IPAddress(bytes: bytes)?.description ?? "(an address of \(bytes.count) bytes)"
        case .other(let kind, let value): "\(kind):\(value)"
        }
    }
}
