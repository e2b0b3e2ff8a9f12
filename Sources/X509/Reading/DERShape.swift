/// The kind of DER bytes by their beginning, for messages and the refusal of private keys; OpenSSL does the parsing.
package enum DERShape {
    /// A certificate, even if it is cut off: `SEQUENCE { SEQUENCE { [0] or INTEGER …`.
    case certificate
    case publicKey
    /// An RSAPublicKey without the algorithm around it (PKCS #1).
    case rsaPublicKey
    /// PKCS #8 (encrypted or not), PKCS #1, SEC 1, DSA.
    case privateKey
    /// PKCS #12, which usually contains a private key.
    case keyStore
    case signedData, request, other

    /// Reads the first elements; `nil` if `bytes` do not begin with a SEQUENCE.
    package init?(_ bytes: [UInt8]) {
        // Only PKCS #7 is often BER, with indefinite lengths.
        let isIndefinite = bytes.starts(
            with: [DERHeader.sequence, 0x80, DERHeader.objectIdentifier, 0x09] + Self.pkcs(7))
        guard isIndefinite || DERHeader(bytes[...])?.tag == DERHeader.sequence else { return nil }
        self =
            isIndefinite
            ? .signedData : DERHeader(bytes[...]).map { Self.kind(of: bytes[$0.contentStart...]) } ?? .other
    }

    private static func pkcs(_ number: UInt8) -> [UInt8] { [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, number] }

    private static func kind(of bytes: ArraySlice<UInt8>) -> Self {
        guard let first = DERHeader(bytes) else { return .other }
        let content = bytes[first.contentStart...]
        switch first.tag {
        case DERHeader.integer:
            // Private keys and key stores begin with a version of one byte, an RSA public key with its modulus.
            guard first.length == 1 else { return .rsaPublicKey }
            return content.first == 3 ? .keyStore : .privateKey
        case DERHeader.objectIdentifier: return content.starts(with: pkcs(7)) ? .signedData : .other
        case DERHeader.sequence: break
        default: return .other
        }
        guard let second = DERHeader(content) else { return .other }
        let inside = content[second.contentStart...]
        switch second.tag {
        case DERHeader.objectIdentifier:
            return [5, 12].contains { inside.starts(with: pkcs($0)) } ? .privateKey : .publicKey
        // A request begins with its version 0; a certificate of version 1 with its serial number.
        case DERHeader.integer: return second.length == 1 && inside.first == 0 ? .request : .certificate
        case 0xA0: return .certificate
        default: return .other
        }
    }
}

/// The tag and length at the start of a DER element (X.690, 8.1).
package struct DERHeader {
    static let (integer, objectIdentifier, sequence): (UInt8, UInt8, UInt8) = (0x02, 0x06, 0x30)

    let tag: UInt8
    package let length: Int
    /// The index of the first byte after the header.
    package let contentStart: Int

    /// Reads the header at the start of `bytes`, whose content may be missing; `nil` if its length is indefinite.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        let (start, first) = (bytes.startIndex, bytes[bytes.startIndex + 1])
        let count = first < 0x80 ? 0 : Int(first & 0x7F)
        guard first < 0x80 || (1...4).contains(count), bytes.count >= 2 + count else { return nil }
        tag = bytes[start]
        length = first < 0x80 ? Int(first) : bytes.dropFirst(2).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        contentStart = start + 2 + count
    }
}
