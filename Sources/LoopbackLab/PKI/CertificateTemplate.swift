/// Everything about a certificate to be issued but its key and its issuer.
///
/// Every field can be changed before issuing.
public struct CertificateTemplate: Sendable, Hashable {
    /// The basicConstraints extension (RFC 5280, 4.2.1.9).
    public struct BasicConstraints: Sendable, Hashable {
        /// The cA field.
        public var isAuthority: Bool
        /// The pathLenConstraint field, `nil` to leave it out.
        public var pathLength: Int?
        /// Whether the extension is critical.
        public var isCritical: Bool

        /// Constraints of an authority or of an end entity.
        public init(isAuthority: Bool, pathLength: Int? = nil, isCritical: Bool = true) {
            (self.isAuthority, self.pathLength, self.isCritical) = (isAuthority, pathLength, isCritical)
        }
    }

    /// A bit of the keyUsage extension (RFC 5280, 4.2.1.3); the raw value is its position.
    public enum KeyUsage: Int, Sendable, Hashable {
        /// Signatures other than those of the two signing bits below.
        case digitalSignature = 0
        /// Non-repudiation.
        case contentCommitment = 1
        /// Encryption of keys, as in RSA key transport.
        case keyEncipherment = 2
        case dataEncipherment = 3
        case keyAgreement = 4
        case keyCertSign = 5
        /// Signing revocation lists.
        case cRLSign = 6
    }

    /// The nameConstraints extension (RFC 5280, 4.2.1.10), always critical.
    public struct NameConstraints: Sendable, Hashable {
        /// The permitted subtrees.
        public var permitted: [GeneralName]
        /// The excluded subtrees.
        public var excluded: [GeneralName]

        /// Constraints to some subtrees and against others.
        public init(permitted: [GeneralName] = [], excluded: [GeneralName] = []) {
            (self.permitted, self.excluded) = (permitted, excluded)
        }
    }

    /// How a key identifier extension comes about.
    public enum KeyIdentifier: Sendable, Hashable {
        /// The extension is left out.
        case absent
        /// The identifier of the key it stands for: the subject's, or the issuer's.
        case derived
        /// These bytes, right or wrong.
        case bytes([UInt8])
    }

    /// An extension given by its content.
    public struct Extension: Sendable, Hashable {
        /// The extension's identifier.
        public var identifier: OID
        /// Whether it is critical.
        public var isCritical: Bool
        /// The bytes inside its OCTET STRING.
        public var value: [UInt8]

        /// An extension with these content bytes.
        public init(_ identifier: OID, isCritical: Bool = false, value: [UInt8]) {
            (self.identifier, self.isCritical, self.value) = (identifier, isCritical, value)
        }
    }

    /// The subject; ``DistinguishedName/empty`` for none.
    public var subject: DistinguishedName
    /// The issuer's name, `nil` for the subject of the issuer.
    public var issuer: DistinguishedName?
    /// The entries of the subjectAltName; the extension is left out when there are none.
    public var alternativeNames: [GeneralName] = []
    /// Whether the subjectAltName is critical.
    public var alternativeNamesAreCritical = false
    /// The first second of validity, in seconds since the epoch (years 0 to 9999).
    public var notBefore: Int64
    /// The last second of validity, in seconds since the epoch (years 0 to 9999).
    public var notAfter: Int64
    /// The basicConstraints extension, `nil` to leave it out.
    public var basicConstraints: BasicConstraints?
    /// The bits of the critical keyUsage extension, `nil` to leave it out.
    public var keyUsage: [KeyUsage]?
    /// The purposes of the extendedKeyUsage extension, `nil` to leave it out.
    public var extendedKeyUsage: [OID]?
    /// Whether the extendedKeyUsage is critical.
    public var extendedKeyUsageIsCritical = false
    /// The nameConstraints extension, `nil` to leave it out.
    public var nameConstraints: NameConstraints?
    /// The subjectKeyIdentifier extension.
    public var subjectKeyIdentifier = KeyIdentifier.derived
    /// The keyIdentifier of the authorityKeyIdentifier extension.
    public var authorityKeyIdentifier = KeyIdentifier.derived
    /// The hash of the signature.
    public var digest = SignatureDigest.sha256
    /// The serial number's big-endian bytes, `nil` for 16 random ones.
    public var serialNumber: [UInt8]?
    /// Extensions that follow those above.
    public var additionalExtensions: [Extension] = []

    /// The template of an authority: a root, or an intermediate.
    ///
    /// Valid from 30 days ago for ten years.
    public static func authority(_ subject: DistinguishedName, pathLength: Int? = nil) -> CertificateTemplate {
        CertificateTemplate(
            subject: subject, notBefore: LabClock.now - 30 * LabClock.day, notAfter: LabClock.now + 10 * LabClock.year,
            basicConstraints: BasicConstraints(isAuthority: true, pathLength: pathLength),
            keyUsage: [.keyCertSign, .cRLSign])
    }

    /// The template of a server's certificate for these names and addresses; the first is the common name too.
    ///
    /// Valid from an hour ago for 90 days.
    public static func leaf(_ names: String...) -> CertificateTemplate {
        leaf(
            subject: names.first.map { DistinguishedName(commonName: $0) } ?? .empty,
            names: names.map { GeneralName($0) })
    }

    /// The template of a server's certificate with a subject and names of its own.
    ///
    /// Valid from an hour ago for 90 days.
    public static func leaf(subject: DistinguishedName, names: [GeneralName]) -> CertificateTemplate {
        CertificateTemplate(
            subject: subject, alternativeNames: names, notBefore: LabClock.now - LabClock.hour,
            notAfter: LabClock.now + 90 * LabClock.day, basicConstraints: BasicConstraints(isAuthority: false),
            keyUsage: [.digitalSignature], extendedKeyUsage: [.serverAuth])
    }

    /// A copy whose alternative names are followed by so many made-up ones, `name-0.many.example.com` onwards.
    ///
    /// 10,000 of them make a certificate of about 280 KB.
    public func withManyNames(_ count: Int) -> CertificateTemplate {
        with { $0.alternativeNames += (0..<count).map { .dns("name-\($0).many.example.com") } }
    }

    /// A copy that says where its issuer's certificate can be had: the authorityInfoAccess extension (RFC 5280, 4.2.2.1).
    public func withIssuerPlaces(_ places: [String]) -> CertificateTemplate {
        let descriptions = places.map { place in
            DER.sequence(OID(1, 3, 6, 1, 5, 5, 7, 48, 2).der, DER.implicit(6, Array(place.utf8)))
        }
        return with {
            $0.additionalExtensions.append(
                Extension(OID(1, 3, 6, 1, 5, 5, 7, 1, 1), value: DER.sequence(descriptions.flatMap { $0 })))
        }
    }

    /// A copy changed by `change`: `CertificateTemplate.leaf("a.example").with { $0.digest = .sha1 }`.
    public func with(_ change: (inout CertificateTemplate) -> Void) -> CertificateTemplate {
        var copy = self
        change(&copy)
        return copy
    }

    /// A copy valid from `notBefore` to `notAfter`, both in seconds since the epoch and inclusive.
    public func valid(from notBefore: Int64, to notAfter: Int64) -> CertificateTemplate {
        with {
            $0.notBefore = notBefore
            $0.notAfter = notAfter
        }
    }

    /// A copy that expired `days` days ago after a year of validity.
    public func expired(daysAgo days: Int64 = 1) -> CertificateTemplate {
        let end = LabClock.now - days * LabClock.day
        return valid(from: end - LabClock.year, to: end)
    }

    /// A copy that becomes valid in `days` days, for a year.
    public func notYetValid(inDays days: Int64 = 1) -> CertificateTemplate {
        let start = LabClock.now + days * LabClock.day
        return valid(from: start, to: start + LabClock.year)
    }
}
