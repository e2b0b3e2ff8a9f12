/// The name of a subject or an issuer: attributes in the order of the encoding, each in a set of its own.
package struct DistinguishedName: Hashable, ExpressibleByStringLiteral {
    /// An attribute; its value is written unchanged, even escape sequences, NUL and malformed text.
    package struct Attribute: Hashable {
        var type: OID
        package var value: [UInt8]
        /// The tag of its string type, by default UTF8String.
        package var tag: UInt8

        package init(_ type: OID, _ value: [UInt8], tag: UInt8 = 0x0c) {
            self.type = type
            self.value = value
            self.tag = tag
        }
    }

    var attributes: [Attribute]

    package init(_ attributes: [Attribute]) { self.attributes = attributes }

    package init(commonName: String, organization: String? = nil) {
        attributes = (organization.map { [Attribute(.organization, Array($0.utf8))] } ?? [])
        attributes.append(Attribute(.commonName, Array(commonName.utf8)))
    }

    package init(commonNameBytes: [UInt8]) { attributes = [Attribute(.commonName, commonNameBytes)] }

    package init(stringLiteral commonName: String) { self.init(commonName: commonName) }

    package static let empty = DistinguishedName([])

    /// The Name element (RFC 5280, 4.1.2.4).
    var der: [UInt8] {
        DER.element(
            0x30,
            attributes.flatMap { DER.element(0x31, DER.sequence($0.type.der, DER.element($0.tag, $0.value))) })
    }
}

extension OID {
    package static let commonName = OID(2, 5, 4, 3)
    package static let country = OID(2, 5, 4, 6)
    package static let organization = OID(2, 5, 4, 10)
}

/// An entry of a subjectAltName, or a base of a name constraint (RFC 5280, 4.2.1.6 and 4.2.1.10).
package enum GeneralName: Hashable {
    case dns(String)
    /// An iPAddress of 4 or 16 bytes; in a name constraint the mask follows the address.
    case ip([UInt8])
    case uri(String)
    case email(String)
    case directory(DistinguishedName)

    /// An iPAddress if inet_pton accepts the text, else a dNSName.
    package init(_ text: String) {
        self = .dns(text)
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = zeros(length)
            if inet_pton(family, text, &bytes) == 1 { self = .ip(bytes) }
        }
    }

    var der: [UInt8] {
        switch self {
        case .email(let text): DER.implicit(1, Array(text.utf8))
        case .dns(let text): DER.implicit(2, Array(text.utf8))
        case .directory(let name): DER.explicit(4, name.der)
        case .uri(let text): DER.implicit(6, Array(text.utf8))
        case .ip(let bytes): DER.implicit(7, bytes)
        }
    }
}
