internal import Pinning
internal import X509

/// Binary data in DER: one certificate, SubjectPublicKeyInfo or request, or the certificates in one PKCS #7 message.
struct DERFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool { file.text == nil && DERShape(file.bytes) != nil }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let failure: X509Error
        do {
            collector.add(.certificate(try CertificateReader.certificate(der: file.bytes)), at: file.place)
            return
        } catch { failure = error }
        if let key = try? CertificateReader.publicKey(subjectPublicKeyInfo: file.bytes) {
            guard file.fileExtension != "cer" else {
                throw PinFormatError(
                    .cerNotDER, at: file.place, "is named .cer and holds a public key, not a certificate",
                    remedy: "AFNetworking skips it or crashes on it; name it .der")
            }
            collector.add(key, at: file.place)
            return
        }
        let word = file.shellWord
        switch DERShape(file.bytes) {
        case .signedData, .request:
            guard file.fileExtension != "cer" else {
                throw PinFormatError(
                    .cerNotDER, at: file.place, "is named .cer and is not a certificate in DER",
                    remedy: "AFNetworking skips it or crashes on it; name it .p7b or .csr for what it holds")
            }
            if DERShape(file.bytes) == .request {
                try collector.addRequest(file.bytes, at: file.place)
            } else {
                try collector.addSignedData(file.bytes, at: file.place)
            }
        case .publicKey: throw .brokenPublicKey(at: file.place, file.bytes, detail: nil)
        case .rsaPublicKey:
            throw .rsaPublicKey(at: file.place, convertingWith: "openssl rsa -RSAPublicKey_in -inform der -in \(word)")
        default: throw .brokenCertificate(at: file.place, file.bytes, detail: failure.detail)
        }
    }
}
