/// A value that tests copy with changes, as in `CertificateTemplate.leaf("a.example").with { $0.version = 1 }`.
package protocol Changeable {}

extension Changeable {
    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

/// The contents of a certificate to be issued, except its key and its issuer.
package struct CertificateTemplate: Hashable, Changeable {
    /// A bit of the keyUsage extension (RFC 5280, 4.2.1.3); the raw value is its position.
    package enum KeyUsage: Int {
        /// Signatures on anything except certificates and CRLs.
        case digitalSignature = 0
        case keyEncipherment = 2
        case keyAgreement = 4
        case keyCertSign = 5
        case cRLSign = 6
    }

    package enum KeyIdentifier: Hashable {
        case absent
        /// The identifier made from the key: the subject's, or the issuer's in the authorityKeyIdentifier.
        case derived
        case bytes([UInt8])
    }

    package struct Extension: Hashable {
        package var identifier: OID
        package var isCritical: Bool
        /// The contents of the extension's OCTET STRING.
        package var value: [UInt8]

        package init(_ identifier: OID, isCritical: Bool = false, value: [UInt8]) {
            self.identifier = identifier
            self.isCritical = isCritical
            self.value = value
        }
    }

    /// The X.509 version, one more than its encoded number; version 1 has no extensions.
    package var version: UInt8 = 3
    package var subject: DistinguishedName
    /// The issuer's name; `nil` means the subject of the certificate that issues this one.
    package var issuer: DistinguishedName?
    /// The entries of the subjectAltName extension; an empty list leaves it out.
    package var alternativeNames: [GeneralName] = []
    /// The first second of validity, in seconds since the epoch (years 0 to 9999).
    package var notBefore: Int64
    /// The last second of validity, in seconds since the epoch.
    package var notAfter: Int64
    /// The cA field of the critical basicConstraints extension (RFC 5280, 4.2.1.9); `nil` leaves the extension out.
    package var isAuthority: Bool?
    /// The pathLenConstraint field of a CA; `nil` leaves it out.
    package var pathLength: Int?
    /// The critical keyUsage extension; `nil` leaves it out.
    package var keyUsage: [KeyUsage]?
    /// The extendedKeyUsage extension; `nil` leaves it out.
    package var extendedKeyUsage: [OID]?
    /// The bases of the critical nameConstraints extension (RFC 5280, 4.2.1.10), left out if both lists are empty.
    package var permittedNames: [GeneralName] = []
    package var excludedNames: [GeneralName] = []
    package var subjectKeyIdentifier = KeyIdentifier.derived
    package var authorityKeyIdentifier = KeyIdentifier.derived
    package var digest = SignatureDigest.sha256
    /// The SubjectPublicKeyInfo in place of the key's own, for kinds of keys that the lab cannot make.
    package var publicKeyInfo: [UInt8]?
    /// The AlgorithmIdentifier next to the signature; `nil` repeats the signed one (RFC 5280, 4.1.1.2).
    package var outerAlgorithm: [UInt8]?
    /// The big-endian bytes of the serial number; `nil` means 16 random ones.
    package var serialNumber: [UInt8]?
    package var additionalExtensions: [Extension] = []

    /// The template of a root or intermediate CA.
    package static func authority(_ subject: DistinguishedName, pathLength: Int? = nil) -> Self {
        Self(
            subject: subject, notBefore: LabClock.now - 30 * LabClock.day, notAfter: LabClock.now + 10 * LabClock.year,
            isAuthority: true, pathLength: pathLength, keyUsage: [.keyCertSign, .cRLSign])
    }

    /// The template of a server's certificate; the first name or address is also the common name.
    package static func leaf(_ names: String...) -> Self {
        leaf(
            subject: names.first.map { DistinguishedName(commonName: $0) } ?? .empty,
            names: names.map { GeneralName($0) })
    }

    package static func leaf(subject: DistinguishedName, names: [GeneralName]) -> Self {
        Self(
            subject: subject, alternativeNames: names, notBefore: LabClock.now - LabClock.hour,
            notAfter: LabClock.now + 90 * LabClock.day, isAuthority: false, keyUsage: [.digitalSignature],
            extendedKeyUsage: [.serverAuth])
    }

    /// A copy with more names, from `name-0.many.example.com` on; 10,000 of them make about 280 KB.
    package func withManyNames(_ count: Int) -> Self {
        with { $0.alternativeNames += (0..<count).map { .dns("name-\($0).many.example.com") } }
    }

    /// Adds an extension below 2.5.29 that is not critical, once for each value.
    package mutating func add(_ arc: UInt, _ values: [UInt8]...) {
        additionalExtensions += values.map { Extension(OID(2, 5, 29, arc), value: $0) }
    }

    /// Replaces an extension below 2.5.29 with one that cannot be read.
    package mutating func garble(_ arc: UInt) {
        switch arc {
        case 14: subjectKeyIdentifier = .absent
        case 15: keyUsage = nil
        case 17: alternativeNames = []
        case 19: isAuthority = nil
        case 35: authorityKeyIdentifier = .absent
        case 37: extendedKeyUsage = nil
        default: break
        }
        add(arc, [0x05, 0x00])
    }

    /// A copy whose authorityKeyIdentifier has only the issuer's issuer and serial number (RFC 5280, 4.2.1.1).
    package func naming(issuerOf name: DistinguishedName, serialNumber: [UInt8]) -> Self {
        let value = DER.sequence(
            DER.explicit(1, DER.explicit(4, name.der)), DER.implicit(2, serialNumber))
        return with {
            $0.authorityKeyIdentifier = .absent
            $0.additionalExtensions.append(Extension(OID(2, 5, 29, 35), value: value))
        }
    }

    /// A copy with URLs of its issuer's certificate in the authorityInfoAccess extension (RFC 5280, 4.2.2.1).
    package func withIssuerPlaces(_ places: [String]) -> Self {
        let descriptions = places.map { place in
            DER.sequence(OID(1, 3, 6, 1, 5, 5, 7, 48, 2).der, DER.implicit(6, Array(place.utf8)))
        }
        return with {
            $0.additionalExtensions.append(
                Extension(OID(1, 3, 6, 1, 5, 5, 7, 1, 1), value: DER.sequence(descriptions.flatMap { $0 })))
        }
    }

    /// A copy valid from `notBefore` to `notAfter`, both in seconds since the epoch and inclusive.
    package func valid(from notBefore: Int64, to notAfter: Int64) -> Self {
        with {
            $0.notBefore = notBefore
            $0.notAfter = notAfter
        }
    }

    package func expired(daysAgo days: Int64 = 1) -> Self {
        let end = LabClock.now - days * LabClock.day
        return valid(from: end - LabClock.year, to: end)
    }

    package func notYetValid(inDays days: Int64 = 1) -> Self {
        let start = LabClock.now + days * LabClock.day
        return valid(from: start, to: start + LabClock.year)
    }
}
