internal import Pinning

/// The errors about certificates, keys and their relatives that several readers have in common.
///
/// None of them shows a byte of what it is about.
extension PinFormatError {
    static func privateKey(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .privateKey, at: place, "this is a private key; it was not used and no part of it is shown",
            remedy: "pins are made of public keys (openssl pkey -in KEY -pubout); take the private key out of here"
                + " and replace it if others could read it")
    }

    static func brokenCertificate(at place: PinPlace, _ der: [UInt8], detail: String?) -> PinFormatError {
        wrongExtent("certificate", at: place, der)
            ?? PinFormatError(
                .brokenCertificate, at: place, "not a whole X.509 certificate" + (detail.map { " (\($0))" } ?? ""),
                remedy: "copy or export the file again")
    }

    static func brokenPublicKey(at place: PinPlace, _ der: [UInt8], detail: String?) -> PinFormatError {
        wrongExtent("public key", at: place, der)
            ?? PinFormatError(
                .brokenPublicKey, at: place,
                "not a public key that OpenSSL can read" + (detail.map { " (\($0))" } ?? ""),
                remedy: "make it again: openssl x509 -in CERTIFICATE -noout -pubkey")
    }

    static func rsaPublicKey(at place: PinPlace, convertingWith command: String) -> PinFormatError {
        PinFormatError(
            .otherKind, at: place,
            "an RSA public key without its algorithm (PKCS #1), which is not what pins are the hash of",
            remedy: "convert it: \(command) -pubout -out key.pub")
    }

    static func brokenRequest(at place: PinPlace, _ der: [UInt8], detail: String?) -> PinFormatError {
        wrongExtent("certificate request", at: place, der)
            ?? PinFormatError(
                .otherKind, at: place, "not a whole certificate request (PKCS #10)" + (detail.map { " (\($0))" } ?? ""),
                remedy: "make the request again")
    }

    /// The error for a configuration whose hosts share so many pins that it is larger in memory than in its file.
    static func tooManyPins(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .unreasonableDocument, at: place,
            "the hosts up to here have more than \(HostEntry.mostPins) pins together, no configuration is that long")
    }

    private static func wrongExtent(_ kind: String, at place: PinPlace, _ der: [UInt8]) -> PinFormatError? {
        guard let header = DERHeader(der[...]) else { return nil }
        let expected = header.contentStart + header.length
        if der.count < expected {
            return PinFormatError(
                .wrongExtent, at: place, "a \(kind) that is cut off: \(der.count) of \(expected) bytes",
                remedy: "copy or download the file again")
        }
        guard der.count > expected else { return nil }
        return PinFormatError(
            .wrongExtent, at: place, "a \(kind) of \(expected) bytes followed by \(der.count - expected) more",
            remedy: "DER holds one object a file; split the file, or use PEM")
    }
}

extension HostEntry {
    /// How many pins the hosts of one configuration may have, those that several share counted for each.
    static let mostPins = 100_000
}
