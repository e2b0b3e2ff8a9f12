internal import Base
internal import Pinning
internal import X509

/// PEM text: certificates, public keys, requests and PKCS #7, any number of them, with whatever text around the blocks.
struct PEMFormat: PinFileFormat {
    private static let publicKeyLabel = "PUBLIC KEY"
    static let requestLabels: Set = ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"]
    static let signedDataLabels: Set = ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"]
    /// How many blocks a file may have: OpenSSL takes a tenth of a millisecond and more for each key.
    static let mostBlocks = 10_000

    static func tooManyBlocks(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .unreasonableDocument, at: place, "has more than \(mostBlocks) PEM blocks, no pin file is that long",
            remedy: "all public roots together are a few hundred; split the file")
    }

    /// Parameters that stand beside keys and certificates and are none themselves.
    private static let passedOver: Set = ["DH PARAMETERS", "EC PARAMETERS", "X9.42 DH PARAMETERS", "DSA PARAMETERS"]

    func recognises(_ file: PinFile) -> Bool {
        // DER can have such a line in one of its strings.
        (file.text != nil || DERShape(file.bytes) == nil) && PEM.looksLikePEM(file.bytes)
    }

    /// The blocks of a file, no more than a file of pins has.
    static func blocks(of file: PinFile) throws(PinFormatError) -> [PEMBlock] {
        let blocks: [PEMBlock]
        do { blocks = try PEM.blocks(in: file.bytes) } catch {
            // OpenSSL's reasons name what is wrong and quote nothing.
            throw PinFormatError(
                .brokenPEM, at: file.place(line: error.line),
                "a broken PEM block" + (error.detail.map { " (\($0))" } ?? ""),
                remedy: "it is cut off, or a character in it is wrong; copy the file again")
        }
        guard blocks.count <= mostBlocks else { throw tooManyBlocks(at: file.place) }
        return blocks
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let blocks = try Self.blocks(of: file)
        guard file.fileExtension != "cer" else { throw Self.pemNamedCER(file, blocks) }
        let keys = blocks.contains { $0.label == Self.publicKeyLabel }
        let lines = keys ? file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) : []
        var passedOver: [PEMBlock] = []
        for block in blocks {
            do throws(PinFormatError) {
                if CertificateReader.certificateLabels.contains(block.label) {
                    collector.add(.certificate(try certificate(in: block, of: file)), at: file.place(line: block.line))
                } else if block.label == Self.publicKeyLabel {
                    collector.add(try publicKey(in: block, of: file), at: file.place(line: block.line))
                    if let line = CurlValue.lineWithBlanks(in: lines, from: block.line) {
                        noteBlanks(in: line, of: file, to: &collector)
                    }
                } else if Self.requestLabels.contains(block.label) {
                    try collector.addRequest(block.der, at: file.place(line: block.line))
                } else if Self.signedDataLabels.contains(block.label) {
                    try collector.addSignedData(block.der, at: file.place(line: block.line))
                } else if Self.passedOver.contains(block.label) {
                    passedOver.append(block)
                } else {
                    throw otherKind(block, of: file)
                }
            } catch { try collector.skip(error) }
        }
        for block in passedOver {
            collector.note(
                .ignored, at: file.place(line: block.line), "'\(block.label)' is not a pin and was passed over")
        }
    }

    private func certificate(in block: PEMBlock, of file: PinFile) throws(PinFormatError) -> Certificate {
        do { return try CertificateReader.certificate(in: block) } catch {
            throw .brokenCertificate(at: file.place(line: block.line), block.der, detail: error.detail)
        }
    }

    private func publicKey(in block: PEMBlock, of file: PinFile) throws(PinFormatError) -> PublicKey {
        do { return try CertificateReader.publicKey(subjectPublicKeyInfo: block.der) } catch {
            throw .brokenPublicKey(at: file.place(line: block.line), block.der, detail: error.detail)
        }
    }

    /// Says of a key that pincheck reads and curl does not that it is so.
    private func noteBlanks(in line: Int, of file: PinFile, to collector: inout PinCollector) {
        collector.note(
            .curlReadsNoBlanks, at: file.place(line: line),
            "has blanks in the key, with which curl ends with status 90; " + CurlValue.withoutBlanks(file))
    }

    private func otherKind(_ block: PEMBlock, of file: PinFile) -> PinFormatError {
        let place = file.place(line: block.line)
        let word = file.shellWord
        switch block.label {
        case "RSA PUBLIC KEY":
            return .rsaPublicKey(at: place, convertingWith: "openssl rsa -RSAPublicKey_in -in \(word)")
        default:
            return PinFormatError(
                .otherKind, at: place, "'\(shortened(block.label))' is neither a certificate nor a public key")
        }
    }

    private static func pemNamedCER(_ file: PinFile, _ blocks: [PEMBlock]) -> PinFormatError {
        let certificates = blocks.count { CertificateReader.certificateLabels.contains($0.label) }
        guard certificates > 0 else {
            return PinFormatError(
                .cerNotDER, at: file.place, "is named .cer and holds no certificate",
                remedy: "AFNetworking skips it or crashes on it; name it .pem")
        }
        let output = PinFile.shellWord("\((file.isInArchive ? String(file.name) : file.path).dropLast(4))-der.cer")
        return PinFormatError(
            .cerNotDER, at: file.place, "is named .cer and is PEM text, which AFNetworking skips or crashes on",
            remedy: "convert it: openssl x509 -in \(file.shellWord) -outform der -out \(output)"
                + (certificates > 1 ? " (it holds \(certificates) certificates, each needs a file of its own)" : ""))
    }
}
