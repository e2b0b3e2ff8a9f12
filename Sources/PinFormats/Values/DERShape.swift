import Base
package import Pinning

/// The kind of DER bytes by their beginning, for messages and the refusal of private keys; OpenSSL does the parsing.
enum DERShape {
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
    init?(_ bytes: [UInt8]) {
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
struct DERHeader {
    static let (integer, objectIdentifier, sequence): (UInt8, UInt8, UInt8) = (0x02, 0x06, 0x30)

    let tag: UInt8
    let length: Int
    /// The index of the first byte after the header.
    let contentStart: Int

    /// Reads the header at the start of `bytes`, whose content may be missing; `nil` if its length is indefinite.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        let (start, first) = (bytes.startIndex, bytes[bytes.startIndex + 1])
        let count = first < 0x80 ? 0 : Int(first & 0x7F)
        guard first < 0x80 || (1...4).contains(count), bytes.count >= 2 + count else { return nil }
        tag = bytes[start]
        length = first < 0x80 ? Int(first) : bytes.dropFirst(2).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        contentStart = start + 2 + count
    }
}

/// Problems with certificates and keys that several readers share; none shows a byte of the data.
extension Problem {
    static func privateKey(at place: PinPlace) -> Problem {
        Problem(
            .privateKey, at: place, "this is a private key; it was not used and no part of it is shown",
            "pins are made of public keys (openssl pkey -in KEY -pubout); take the private key out of here"
                + " and replace it if others could read it")
    }

    static func signedData(at place: PinPlace, _ word: String, isPEM: Bool) -> Problem {
        let command = "openssl pkcs7 -print_certs \(isPEM ? "" : "-inform der ")-in \(word) -out certificates.pem"
        return Problem(.otherKind, at: place, "PKCS #7, which is not read", "take its certificates: \(command)")
    }

    static func rsaPublicKey(at place: PinPlace, convertingWith command: String) -> Problem {
        Problem(
            .otherKind, at: place,
            "an RSA public key without its algorithm (PKCS #1), which is not what pins are the hash of",
            "convert it: \(command) -pubout -out key.pub")
    }

    static func broken(_ shape: DERShape, at place: PinPlace, _ der: [UInt8], detail: String?) -> Problem {
        let (kind, id, reason, remedy): (String, FindingID, String, String) =
            switch shape {
            case .publicKey:
                (
                    "public key", .brokenPublicKey, "not a public key that OpenSSL can read",
                    "make it again: openssl x509 -in CERTIFICATE -noout -pubkey"
                )
            case .request:
                (
                    "certificate request", .otherKind, "not a whole certificate request (PKCS #10)",
                    "make the request again"
                )
            default:
                ("certificate", .brokenCertificate, "not a whole X.509 certificate", "copy or export the file again")
            }
        let expected = DERHeader(der[...]).map { $0.contentStart + $0.length } ?? der.count
        if der.count < expected {
            return Problem(
                .wrongExtent, at: place, "a \(kind) that is cut off: \(der.count) of \(expected) bytes",
                "copy or download the file again")
        }
        if der.count > expected {
            return Problem(
                .wrongExtent, at: place, "a \(kind) of \(expected) bytes followed by \(der.count - expected) more",
                "DER holds one object a file; split the file, or use PEM")
        }
        return Problem(id, at: place, reason + (detail.map { " (\($0))" } ?? ""), remedy)
    }

    static func tooMuch(_ what: String, at place: PinPlace) -> Problem {
        Problem(.unreasonableDocument, at: place, "has more than \(what)")
    }

    /// The problem of hosts that have too many pins together; shared pins need more memory than they have in the file.
    static func tooManyPins(at place: PinPlace) -> Problem {
        Problem(
            .unreasonableDocument, at: place,
            "the hosts up to here have more than \(HostEntry.mostPins) pins together, no configuration is that long")
    }
}

extension HostEntry {
    /// The limit of pins in one configuration; a pin that several hosts share counts for each.
    static let mostPins = 100_000
}

extension SHA256Digest {
    /// Reads 64 hexadecimal digits.
    package init?(hexadecimal digits: String) {
        let values = digits.utf8.compactMap { digit in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46, 0x61...0x66: digit & 0x0F + 9
            default: nil as UInt8?
            }
        }
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        self.init(bytes: stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }
}
