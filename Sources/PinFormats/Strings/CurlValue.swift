import Base
import Pinning
import X509

/// The value of curl's `--pinnedpubkey`, read as curl reads it: a list of hashes, or the name of a public key file.
///
/// curl refuses no value: one that can match no key ends every transfer with exit status 90. Here it is an error.
struct CurlValue {
    private static let mostBytes = 1 << 20
    private static let consequence = "curl ends with exit status 90 whatever the server's key is"

    let text: String
    let place: PinPlace

    func read(into reading: inout PinReading) throws(Problem) {
        guard let hashes = Self.hashes(in: text) else { return try readFile(text, into: &reading) }
        for hash in hashes {
            reading.attempt { (reading) throws(Problem) in
                reading.add(.publicKey(try digest(hash, isAlone: hashes.count == 1)), at: place, as: .curl)
            }
        }
    }

    /// The hashes of `sha256//…;sha256//…`; `nil` if the value is the name of a file.
    ///
    /// Only `;sha256//` begins another hash: other text after a semicolon belongs to the hash before it.
    static func hashes(in value: String) -> [String]? {
        let prefix = "sha256//"
        guard value.hasPrefix(prefix) else { return nil }
        var entries: [String] = []
        for part in value.parts(at: ";") {
            if part.hasPrefix(prefix) {
                entries.append(String(part.dropFirst(prefix.count)))
            } else {
                entries[entries.count - 1] += ";" + part
            }
        }
        return entries
    }

    /// The hash of an entry; curl compares text, so every other spelling of a hash is wrong.
    private func digest(_ entry: String, isAlone: Bool) throws(Problem) -> SHA256Digest {
        let word = PinString(entry[...], at: place, mayBeShown: true)
        let consequence =
            isAlone ? Self.consequence : "curl compares it as text and never finds it equal to the hash of a key"
        if let semicolon = entry.firstIndex(of: ";") {
            throw word.error(
                .notation, "is one entry to curl, for only ';sha256//' begins another: \(consequence)",
                HashText.canonical(entry[..<semicolon]).map { "write sha256//\($0) without the rest" })
        }
        do { return try HashText.digest(word, word.text) } catch {
            guard error.id != .privateKey else { throw error }
            let advice = HashText.canonical(entry[...]).map { "write sha256//\($0)" } ?? error.advice
            throw error.with(reason: "\(error.reason): \(consequence)", advice: advice)
        }
    }

    private func readFile(_ path: String, into reading: inout PinReading) throws(Problem) {
        let filePlace = PinPlace.at(path)
        switch FileKind(at: path) {
        case .regular, .pipe: break
        case .absent: throw missing(path)
        case .directory, .special: throw Problem(.notARegularFile, at: filePlace, "is not a file: \(Self.consequence)")
        case .inaccessible(let code): throw RegularFile.failure(.system(code), at: filePlace)
        }
        let file = try PinFile.load(path, mayBePipe: true)
        guard file.bytes.count <= Self.mostBytes else {
            throw Problem(
                .tooLarge, at: filePlace, "has more than 1 MiB, which curl does not read: \(Self.consequence)")
        }
        if let key = try? CertificateReader.publicKey(der: file.bytes) {
            return reading.add(key, at: filePlace, as: .curl)
        }
        // curl ignores a broken block after the key.
        let lines = file.bytes.split(omittingEmptySubsequences: false) { $0 == "\n" }
        let keys = ((try? PEM.blocks(in: file.bytes)) ?? []).filter { block in
            block.label == "PUBLIC KEY" && lines[block.line - 1].first == "-"
        }
        guard let block = keys.first else { throw noKey(in: file) }
        // curl removes line breaks from a block, and nothing else.
        if let line = Self.lineWithBlanks(in: lines, from: block.line) {
            throw file.problem(
                .whitespace, line: line, "has blanks in the key, which curl does not pass over: \(Self.consequence)",
                "write it again: openssl pkey -pubin -in \(file.shellWord) -out key.pem")
        }
        guard let key = try? CertificateReader.publicKey(der: block.der) else {
            throw .broken(.publicKey, at: file.place(line: block.line), block.der, detail: nil)
        }
        reading.add(key, at: file.place(line: block.line), as: .curl)
        if keys.count > 1 {
            reading.note(
                .ignored, at: filePlace, "holds \(keys.count) public keys, of which curl compares the first only")
        }
    }

    /// The first line with a blank, counted from 1, of the block that begins in line `first`.
    private static func lineWithBlanks(in lines: [ArraySlice<UInt8>], from first: Int) -> Int? {
        let begin = "-----BEGIN PUBLIC KEY-----".bytes
        for index in lines.indices.dropFirst(first - 1) {
            let text = index == first - 1 ? lines[index].dropFirst(begin.count) : lines[index]
            guard !text.starts(with: "-----END".utf8) else { return nil }
            if text.contains(where: { [0x09, 0x0B, 0x0C, 0x20].contains($0) }) { return index + 1 }
        }
        return nil
    }

    private func missing(_ path: String) -> Problem {
        let word = PinString(path[...], at: place, mayBeShown: true)
        guard word.resemblesPin else {
            let name = PinString.isShort(path[...]) || path.contains("/") ? "'\(shortened(path))'" : "the value"
            return Problem(.missingFile, at: place, "\(name): there is no such file: \(Self.consequence)")
        }
        let hash = HashText.canonical(word.hash)
        return word.error(
            .slashes,
            "does not begin with 'sha256//': curl takes it for the name of a file, finds none and ends with exit status 90",
            hash.map { "write sha256//\($0)" } ?? "write sha256// and 44 characters of base64")
    }

    private func noKey(in file: PinFile) -> Problem {
        let isPEM = PEM.looksLikePEM(file.bytes)
        let isCertificate = (try? CertificateReader.certificates(pemOrDER: file.bytes))?.isEmpty == false
        let (reason, remedy) =
            isCertificate
            ? ("is a certificate, and curl compares files with public keys only", "take its key")
            : ("has neither a line that begins with -----BEGIN PUBLIC KEY----- nor one public key in DER", "make it")
        let source = isCertificate ? "\(isPEM ? "" : "-inform der ")-in \(file.shellWord)" : "-in CERTIFICATE"
        return file.problem(
            .otherKind, "\(reason): \(Self.consequence)", "\(remedy): openssl x509 \(source) -noout -pubkey > key.pem")
    }
}
