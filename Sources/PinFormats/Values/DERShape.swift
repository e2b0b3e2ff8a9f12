internal import Base
internal import Pinning

/// What DER bytes are, told from how they begin; the rest may be missing.
///
/// Only for messages, and to refuse a private key before anything else looks at it: parsing is OpenSSL's.
enum DERShape {
    /// A certificate, also one that is cut off: `SEQUENCE { SEQUENCE { [0] or INTEGER …`.
    case certificate
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

/// The errors about certificates, keys and their relatives that several readers have in common.
///
/// None of them shows a byte of what it is about.
extension Problem {
    static func privateKey(at place: PinPlace) -> Problem {
        Problem(
            .privateKey, at: place, "this is a private key; it was not used and no part of it is shown",
            remedy: "pins are made of public keys (openssl pkey -in KEY -pubout); take the private key out of here"
                + " and replace it if others could read it")
    }

    static func brokenCertificate(at place: PinPlace, _ der: [UInt8], detail: String?) -> Problem {
        wrongExtent("certificate", at: place, der)
            ?? Problem(
                .brokenCertificate, at: place, "not a whole X.509 certificate" + (detail.map { " (\($0))" } ?? ""),
                remedy: "copy or export the file again")
    }

    static func brokenPublicKey(at place: PinPlace, _ der: [UInt8], detail: String?) -> Problem {
        wrongExtent("public key", at: place, der)
            ?? Problem(
                .brokenPublicKey, at: place,
                "not a public key that OpenSSL can read" + (detail.map { " (\($0))" } ?? ""),
                remedy: "make it again: openssl x509 -in CERTIFICATE -noout -pubkey")
    }

    static func rsaPublicKey(at place: PinPlace, convertingWith command: String) -> Problem {
        Problem(
            .otherKind, at: place,
            "an RSA public key without its algorithm (PKCS #1), which is not what pins are the hash of",
            remedy: "convert it: \(command) -pubout -out key.pub")
    }

    static func brokenRequest(at place: PinPlace, _ der: [UInt8], detail: String?) -> Problem {
        wrongExtent("certificate request", at: place, der)
            ?? Problem(
                .otherKind, at: place, "not a whole certificate request (PKCS #10)" + (detail.map { " (\($0))" } ?? ""),
                remedy: "make the request again")
    }

    /// The error for a configuration whose hosts share so many pins that it is larger in memory than in its file.
    static func tooManyPins(at place: PinPlace) -> Problem {
        Problem(
            .unreasonableDocument, at: place,
            "the hosts up to here have more than \(HostEntry.mostPins) pins together, no configuration is that long")
    }

    private static func wrongExtent(_ kind: String, at place: PinPlace, _ der: [UInt8]) -> Problem? {
        guard let header = DERHeader(der[...]) else { return nil }
        let expected = header.contentStart + header.length
        if der.count < expected {
            return Problem(
                .wrongExtent, at: place, "a \(kind) that is cut off: \(der.count) of \(expected) bytes",
                remedy: "copy or download the file again")
        }
        guard der.count > expected else { return nil }
        return Problem(
            .wrongExtent, at: place, "a \(kind) of \(expected) bytes followed by \(der.count - expected) more",
            remedy: "DER holds one object a file; split the file, or use PEM")
    }
}

extension HostEntry {
    /// How many pins the hosts of one configuration may have, those that several share counted for each.
    static let mostPins = 100_000
}
