import Base
package import Pinning
package import X509

/// Reads the files from which pins are made: certificates, requests and public keys, as PEM or DER.
package enum KeyFile {
    enum Object { case certificate(Certificate), publicKey(PublicKey), request(KeyReader.Request) }

    private static let requestLabels: Set = ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"]
    private static let signedDataLabels: Set = ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"]
    /// The labels of blocks that are ignored: parameters next to keys and certificates.
    private static let passedOver: Set = ["DH PARAMETERS", "EC PARAMETERS", "X9.42 DH PARAMETERS", "DSA PARAMETERS"]
    /// The limit of blocks in a file, because OpenSSL takes at least a tenth of a millisecond for each key.
    private static let mostBlocks = 10_000
    /// The limit in bytes of DER that may be a key, because OpenSSL tries one kind of key after the other.
    private static let mostKeyBytes = 1 << 18

    /// `true` if a file is PEM; DER with a line of PEM in a string is not.
    static func isPEM(_ file: PinFile) -> Bool {
        (file.text != nil || DERShape(file.bytes) == nil) && PEM.looksLikePEM(file.bytes)
    }

    /// `true` if bytes are PKCS #7, in which certificates have no order.
    package static func isBundle(_ bytes: [UInt8]) -> Bool {
        DERShape(bytes) == .signedData || signedDataLabels.contains { bytes.holds("-----BEGIN \($0)-----".bytes) }
    }

    static func read(_ file: PinFile, into reading: inout PinReading) throws(Problem) {
        let isNamedCER = file.fileExtension == "cer"
        guard !isNamedCER || !isPEM(file) else {
            throw file.problem(
                .cerNotDER, "is PEM, and AFNetworking reads only DER from a .cer: it skips the file or crashes",
                "convert each certificate (openssl x509 -in \(file.shellWord) -outform der -out NEW.cer), "
                    + "or name the file .pem")
        }
        for (object, place) in try objects(in: file, into: &reading) {
            if case .certificate(let certificate) = object {
                reading.add(.certificate(certificate), at: place, as: isPEM(file) ? .other : .certificates)
                continue
            }
            guard !isNamedCER else {
                throw Problem(
                    .cerNotDER, at: place, "is named .cer and is not a certificate in DER",
                    "AFNetworking skips it or crashes on it; name it .der or .csr for what it holds")
            }
            if case .publicKey(let key) = object { reading.add(key, at: place) }
            guard case .request(let request) = object else { continue }
            reading.add(request.publicKey, at: place)
            let words = "a certificate request: its public key is pinned, for there is no certificate yet"
            reading.note(.request, at: place, words)
        }
    }

    static func items(in file: PinFile) throws(Problem) -> [PinItem] {
        var reading = PinReading()
        let items = try objects(in: file, into: &reading).map { PinItem($0.object, source: $0.place.description) }
        _ = try reading.orThrow()
        guard !items.isEmpty else { throw .noPin(at: file.place) }
        return items
    }

    private static func objects(
        in file: PinFile, into reading: inout PinReading
    ) throws(Problem) -> [(object: Object, place: PinPlace)] {
        guard isPEM(file) else { return [(try object(inDER: file), file.place)] }
        refusePins(beside: file, into: &reading)
        var objects: [(Object, PinPlace)] = []
        for block in try blocks(of: file) {
            let place = file.place(line: block.line)
            if passedOver.contains(block.label) {
                reading.note(.ignored, at: place, "'\(block.label)' is not a pin and was passed over")
            } else {
                let read = reading.attempt { (_) throws(Problem) in try object(in: block, at: place, of: file) }
                if let read { objects.append((read, place)) }
            }
        }
        return objects
    }

    private static func blocks(of file: PinFile) throws(Problem) -> [PEMBlock] {
        let blocks: [PEMBlock]
        do { blocks = try PEM.blocks(in: file.bytes) } catch {
            // OpenSSL's reasons quote nothing of the file, so that a message may show them.
            throw file.problem(
                .brokenPEM, line: error.line, "a broken PEM block" + (error.detail.map { " (\($0))" } ?? ""),
                "it is cut off, indented, all on one line, or mistyped; copy the file again")
        }
        guard blocks.count <= mostBlocks else {
            throw .tooMuch("\(mostBlocks) PEM blocks, no pin file is that long", at: file.place).advising(
                "all public roots together are a few hundred; split the file")
        }
        return blocks
    }

    private static func object(in block: PEMBlock, at place: PinPlace, of file: PinFile) throws(Problem) -> Object {
        let word = file.shellWord
        switch block.label {
        case _ where CertificateReader.certificateLabels.contains(block.label):
            do { return .certificate(try CertificateReader.certificate(in: block)) } catch {
                throw .broken(.certificate, at: place, block.der, detail: error.detail)
            }
        case "PUBLIC KEY":
            do { return .publicKey(try CertificateReader.publicKey(der: block.der)) } catch {
                throw .broken(.publicKey, at: place, block.der, detail: error.detail)
            }
        case _ where requestLabels.contains(block.label): return try request(block.der, at: place)
        case _ where signedDataLabels.contains(block.label): throw .signedData(at: place, word, isPEM: true)
        case "RSA PUBLIC KEY":
            throw .rsaPublicKey(at: place, convertingWith: "openssl rsa -RSAPublicKey_in -in \(word)")
        default:
            throw Problem(
                .otherKind, at: place, "'\(shortened(block.label))' is neither a certificate nor a public key")
        }
    }

    /// Refuses a pin in the text around blocks, which is otherwise ignored.
    private static func refusePins(beside file: PinFile, into reading: inout PinReading) {
        var isInBlock = false
        let ascii = file.bytes.map { (0x20..<0x7F).contains($0) || $0 == 0x0A ? $0 : 0x20 }
        PinLines.each(of: PinFile(path: file.path, bytes: ascii)) { line in
            if line.text.holds("-----END ") { isInBlock = false }
            if !isInBlock, line.holdsPin {
                reading.report(
                    .notation, at: line.place, "a pin is outside the PEM blocks here",
                    "give them in two files, or one of them alone")
            }
            if line.text.holds("-----BEGIN "), line.text.hasSuffix("-----") { isInBlock = true }
            return true
        }
    }

    private static func object(inDER file: PinFile) throws(Problem) -> Object {
        let failure: X509Error
        do { return .certificate(try CertificateReader.certificate(der: file.bytes)) } catch { failure = error }
        if let key = try? CertificateReader.publicKey(der: file.bytes) { return .publicKey(key) }
        let word = file.shellWord
        switch DERShape(file.bytes) {
        case .signedData: throw Problem.signedData(at: file.place, word, isPEM: false)
        case .request: return try request(file.bytes, at: file.place)
        case .publicKey: throw .broken(.publicKey, at: file.place, file.bytes, detail: nil)
        case .rsaPublicKey:
            throw .rsaPublicKey(at: file.place, convertingWith: "openssl rsa -RSAPublicKey_in -inform der -in \(word)")
        default: throw .broken(.certificate, at: file.place, file.bytes, detail: failure.detail)
        }
    }

    private static func request(_ der: [UInt8], at place: PinPlace) throws(Problem) -> Object {
        do { return .request(try KeyReader.request(der: der)) } catch {
            throw .broken(.request, at: place, der, detail: error.detail)
        }
    }

    /// The public key of the private or public key file at `path`; no problem shows a part of the file.
    package static func publicHalf(ofKeyFile path: String) throws(Problem) -> PinItem {
        let file = PinFile(path: path, bytes: try RegularFile.contents(of: path, mayBePipe: true))
        guard !file.bytes.isEmpty else { throw file.problem(.empty, "the file is empty") }
        if PEM.looksLikePEM(file.bytes) {
            let block = try blocks(of: file).first { $0.label.hasSuffix("PRIVATE KEY") || $0.label == "PUBLIC KEY" }
            if let block { return try item(ofKeyBlock: block, in: file) }
        } else if file.bytes.count <= mostKeyBytes {
            if let key = try? KeyReader.publicKey(ofPrivateKey: file.bytes) {
                return PinItem(key, role: .privateKey, source: file.place.description)
            }
            if let key = try? CertificateReader.publicKey(der: file.bytes) {
                return PinItem(key, role: .publicKey, source: file.place.description)
            }
        }
        throw unusableKey(at: file.place)
    }

    private static func item(ofKeyBlock block: PEMBlock, in file: PinFile) throws(Problem) -> PinItem {
        let place = file.place(line: block.line)
        if block.label == "PUBLIC KEY", let key = try? CertificateReader.publicKey(der: block.der) {
            return PinItem(key, role: .publicKey, source: place.description)
        }
        func refuse(_ reason: String, _ command: String) -> Problem {
            Problem(.privateKey, at: place, reason, "write its public half and give that: \(command) > key.pub")
        }
        guard !block.isEncrypted, block.label != "ENCRYPTED PRIVATE KEY" else {
            throw refuse("the key is encrypted", "openssl pkey -in \(file.shellWord) -pubout")
        }
        guard block.label != "OPENSSH PRIVATE KEY" else {
            throw refuse("the key is in OpenSSH's own format", "ssh-keygen -f \(file.shellWord) -e -m PKCS8")
        }
        guard let key = try? KeyReader.publicKey(ofPrivateKey: block.der) else { throw unusableKey(at: place) }
        return PinItem(key, role: .privateKey, source: place.description)
    }

    private static func unusableKey(at place: PinPlace) -> Problem {
        Problem(
            .otherKind, at: place, "holds no private key that OpenSSL can read without a passphrase",
            "give a key as PEM or DER, or its public half (openssl pkey -in KEY -pubout)")
    }
}

extension PinItem {
    fileprivate init(_ object: KeyFile.Object, source: String) {
        switch object {
        case .certificate(let certificate): self.init(certificate, source: source)
        case .publicKey(let key): self.init(key, role: .publicKey, source: source)
        case .request(let request):
            self.init(request.publicKey, role: .request, subject: request.subject, source: source)
        }
    }
}

extension AnchorBundle {
    /// The certificates of files and directories: a bundle for each file that contains some.
    package static func all(at paths: [String], as role: String) throws(Problem) -> [AnchorBundle] {
        var bundles: [AnchorBundle] = []
        for path in paths {
            // The message names the option, which the path alone does not show.
            if FileKind(at: path) == .absent { throw .noInput("\(role): \(quoted(path)): there is no such file") }
            let before = bundles.count
            if let names = (try? DirectoryListing.names(in: path) { $0.regularFile != nil }) {
                for name in names {
                    let bytes = try BoundedFile.contents(ofFile: "\(path)/\(name)")
                    // Directories of certificates often contain a note or a revocation list, too.
                    guard CertificateReader.areForCertificates(bytes) else { continue }
                    bundles.append(try bundle(bytes, from: "\(path)/\(name)", as: role))
                }
                guard bundles.count > before else {
                    throw .noInput("the directory \(quoted(path)) holds no certificate: name one with DER or PEM files")
                }
            } else {
                bundles.append(try bundle(try BoundedFile.contents(ofFile: path), from: path, as: role))
                guard bundles.last?.count != 0 else {
                    throw .data("\(quoted(path)) holds no certificate: give \(role) as DER or PEM certificates")
                }
            }
        }
        return bundles
    }

    private static func bundle(_ bytes: [UInt8], from path: String, as role: String) throws(Problem) -> AnchorBundle {
        do { return try AnchorBundle(pemOrDER: bytes) } catch {
            throw .data("\(quoted(path)) cannot be used as \(role): \(error)")
        }
    }
}
