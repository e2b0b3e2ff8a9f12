/// What DER bytes are, told from how they begin; the rest may be missing.
///
/// Only for messages, and to refuse a private key before anything else looks at it: parsing is OpenSSL's.
enum DERShape {
    /// A certificate, also one that is cut off: `SEQUENCE { SEQUENCE { [0] or INTEGER …`.
    case certificate
    /// A SubjectPublicKeyInfo.
    case publicKey
    /// An RSAPublicKey without the algorithm around it (PKCS #1).
    case rsaPublicKey
    /// A private key: PKCS #8 (encrypted or not), PKCS #1, SEC 1, DSA.
    case privateKey
    /// PKCS #12, which holds a private key as a rule.
    case keyStore
    /// PKCS #7.
    case signedData
    /// A certificate signing request (PKCS #10).
    case request
    /// Any other sequence.
    case other

    /// Looks at the first elements, `nil` when `bytes` do not begin with a SEQUENCE.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [DERHeader.sequence, 0x80, DERHeader.objectIdentifier, 0x09] + Self.pkcs7) {
            // Only PKCS #7 is often found in BER, with lengths that are not definite.
            self = .signedData
            return
        }
        guard let outer = DERHeader(bytes[...]), outer.tag == DERHeader.sequence else { return nil }
        let inside = bytes[outer.contentStart...]
        guard let first = DERHeader(inside) else {
            self = .other
            return
        }
        let content = inside[first.contentStart...]
        switch first.tag {
        case DERHeader.integer: self = Self.startingWithInteger(first, content)
        case DERHeader.objectIdentifier: self = content.starts(with: Self.pkcs7) ? .signedData : .other
        case DERHeader.sequence: self = Self.startingWithSequence(content)
        default: self = .other
        }
    }

    private static let pkcs5: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05]
    private static let pkcs7: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
    private static let pkcs12: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C]

    private static func startingWithInteger(_ first: DERHeader, _ content: ArraySlice<UInt8>) -> DERShape {
        // Private keys and key stores begin with a version of one byte, an RSA public key with its modulus.
        guard first.length == 1 else { return .rsaPublicKey }
        return content.first == 3 ? .keyStore : .privateKey
    }

    private static func startingWithSequence(_ content: ArraySlice<UInt8>) -> DERShape {
        guard let second = DERHeader(content) else { return .other }
        let inside = content[second.contentStart...]
        switch second.tag {
        case DERHeader.objectIdentifier:
            return inside.starts(with: pkcs5) || inside.starts(with: pkcs12) ? .privateKey : .publicKey
        case DERHeader.integer:
            // A request begins with its version 0; a certificate of version 1 with its serial number.
            return second.length == 1 && inside.first == 0 ? .request : .certificate
        case 0xA0: return .certificate
        default: return .other
        }
    }
}

/// The tag and length at the start of a DER element (X.690, 8.1).
struct DERHeader {
    static let integer: UInt8 = 0x02
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30

    let tag: UInt8
    let length: Int
    /// The index of the first byte after the header.
    let contentStart: Int

    /// Reads the header at the start of `bytes`; the content need not be there.
    ///
    /// Returns `nil` when it is no definite length.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        tag = bytes[bytes.startIndex]
        let first = bytes[bytes.startIndex + 1]
        guard first & 0x80 != 0 else {
            length = Int(first)
            contentStart = bytes.startIndex + 2
            return
        }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
        length = bytes.dropFirst(2).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        contentStart = bytes.startIndex + 2 + count
    }
}
