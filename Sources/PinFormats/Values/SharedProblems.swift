import Base
import Pinning
import X509

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
