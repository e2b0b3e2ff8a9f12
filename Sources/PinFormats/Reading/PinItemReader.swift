internal import Base
internal import Pinning
internal import X509

/// Reads the keys that pins are to be made of: certificates, requests, public keys, and private keys on purpose only.
package enum PinItemReader {
    /// Whether anything stands at `path`.
    package static func isThere(_ path: String) -> Bool { FileKind(at: path) != .absent }

    /// The size in bytes above which DER is no key: OpenSSL tries one kind after the other, and takes its time for each.
    private static let mostKeyBytes = 1 << 18

    /// The public half of the private key in the file at `path`, which may hold a public key instead.
    ///
    /// - Throws: ``PinFormatError`` that shows no part of the file.
    package static func publicHalf(ofKeyFile path: String) throws(PinFormatError) -> PinItem {
        let file = PinFile(path: path, bytes: try RegularFile.contents(of: path, mayBePipe: true))
        guard !file.bytes.isEmpty else { throw PinFormatError(.empty, at: file.place, "the file is empty") }
        guard PEM.looksLikePEM(file.bytes) else {
            guard file.bytes.count <= mostKeyBytes else { throw unusableKey(at: file.place) }
            if let key = try? KeyReader.publicKey(ofPrivateKey: file.bytes) {
                return PinItem(key, role: .privateKey, source: file.place.description)
            }
            if let key = try? CertificateReader.publicKey(subjectPublicKeyInfo: file.bytes) {
                return PinItem(key, role: .publicKey, source: file.place.description)
            }
            throw unusableKey(at: file.place)
        }
        for block in try PEMFormat.blocks(of: file)
        where block.label.hasSuffix("PRIVATE KEY") || block.label == "PUBLIC KEY" {
            return try item(ofKeyBlock: block, in: file)
        }
        throw unusableKey(at: file.place)
    }

    // MARK: Certificates, requests, public keys

    /// Every certificate, request and public key in a file, in order.
    ///
    /// - Throws: ``PinFormatError`` for a file without any, and for a private key.
    static func items(in file: PinFile) throws(PinFormatError) -> [PinItem] {
        try refusePrivateKeys(in: file)
        let isText = file.text != nil || DERShape(file.bytes) == nil
        guard isText, PEM.looksLikePEM(file.bytes) else { return try items(inDER: file) }
        var items: [PinItem] = []
        for block in try PEMFormat.blocks(of: file) {
            let place = file.place(line: block.line)
            let source = place.description
            do {
                switch block.label {
                case _ where CertificateReader.certificateLabels.contains(block.label):
                    items.append(item(try CertificateReader.certificate(in: block), source: source))
                case "PUBLIC KEY":
                    let key = try CertificateReader.publicKey(subjectPublicKeyInfo: block.der)
                    items.append(PinItem(key, role: .publicKey, source: source))
                case _ where PEMFormat.signedDataLabels.contains(block.label):
                    for certificate in try SignedDataReader.certificates(der: block.der) {
                        items.append(item(certificate, source: source))
                    }
                case _ where PEMFormat.requestLabels.contains(block.label):
                    items.append(item(try KeyReader.request(der: block.der), source: source))
                default: continue
                }
            } catch {
                throw PinFormatError(problem(of: error), at: place, "\(error)", remedy: "copy or export the file again")
            }
        }
        guard !items.isEmpty else { throw nothing(in: file) }
        return items
    }

    /// Throws for a private key, with the flag that takes one.
    static func refusePrivateKeys(in file: PinFile) throws(PinFormatError) {
        do throws(PinFormatError) { try PrivateKeyGuard.refusePrivateKeys(in: file) } catch {
            guard DERShape(file.bytes) != .keyStore else { throw error }
            throw PinFormatError(
                .privateKey, at: error.place, "this is a private key; it was not used and no part of it is shown",
                remedy: "to take the pin of its public half, name the file with --key")
        }
    }

    private static func items(inDER file: PinFile) throws(PinFormatError) -> [PinItem] {
        guard DERShape(file.bytes) == .signedData else { return [try item(inDER: file)] }
        do {
            let source = file.place.description
            return try SignedDataReader.certificates(der: file.bytes).map { item($0, source: source) }
        } catch { throw .brokenSignedData(at: file.place, file.bytes, detail: error.detail) }
    }

    private static func item(inDER file: PinFile) throws(PinFormatError) -> PinItem {
        let source = file.place.description
        if let certificate = try? CertificateReader.certificate(der: file.bytes) {
            return item(certificate, source: source)
        }
        if let key = try? CertificateReader.publicKey(subjectPublicKeyInfo: file.bytes) {
            return PinItem(key, role: .publicKey, source: source)
        }
        do { return item(try KeyReader.request(der: file.bytes), source: source) } catch {
            switch DERShape(file.bytes) {
            case .request where file.text == nil:
                throw PinFormatError(.otherKind, at: file.place, "\(error)", remedy: "make the request again")
            case .publicKey where file.text == nil: throw .brokenPublicKey(at: file.place, file.bytes, detail: nil)
            case .certificate where file.text == nil: throw .brokenCertificate(at: file.place, file.bytes, detail: nil)
            default: throw nothing(in: file)
            }
        }
    }

    /// The role a certificate has by itself: without a chain only the certificate can tell.
    private static func item(_ certificate: Certificate, source: String) -> PinItem {
        let isAuthority = certificate.basicConstraints?.isCertificateAuthority == true
        return PinItem(
            certificate, role: !isAuthority ? .leaf : certificate.isSelfIssued ? .root : .intermediate, source: source)
    }

    private static func item(_ request: KeyReader.Request, source: String) -> PinItem {
        PinItem(request.publicKey, role: .request, subject: request.subject, source: source)
    }

    private static func nothing(in file: PinFile) -> PinFormatError {
        PinFormatError(
            file.bytes.isEmpty ? .empty : .otherKind, at: file.place, "holds no certificate, request or public key",
            remedy: "give them as PEM or DER")
    }

    // MARK: Keys

    private static func item(ofKeyBlock block: PEMBlock, in file: PinFile) throws(PinFormatError) -> PinItem {
        let place = file.place(line: block.line)
        let source = place.description
        if block.label == "PUBLIC KEY", let key = try? CertificateReader.publicKey(subjectPublicKeyInfo: block.der) {
            return PinItem(key, role: .publicKey, source: source)
        }
        guard !block.isEncrypted, block.label != "ENCRYPTED PRIVATE KEY" else {
            throw PinFormatError(
                .privateKey, at: place, "the key is encrypted",
                remedy: "write its public half and give that: openssl pkey -in \(file.shellWord) -pubout -out key.pub")
        }
        guard block.label != "OPENSSH PRIVATE KEY" else {
            throw PinFormatError(
                .privateKey, at: place, "the key is in OpenSSH's own format",
                remedy: "write its public half and give that: ssh-keygen -f \(file.shellWord) -e -m PKCS8 > key.pub")
        }
        guard let key = try? KeyReader.publicKey(ofPrivateKey: block.der) else { throw unusableKey(at: place) }
        return PinItem(key, role: .privateKey, source: source)
    }

    private static func unusableKey(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .otherKind, at: place, "holds no private key that OpenSSL can read without a passphrase",
            remedy: "give a key as PEM or DER, or its public half (openssl pkey -in KEY -pubout)")
    }

    private static func problem(of error: X509Error) -> PinProblem {
        switch error.problem {
        case .notACertificate: .brokenCertificate
        case .notAPublicKey: .brokenPublicKey
        default: .otherKind
        }
    }
}
