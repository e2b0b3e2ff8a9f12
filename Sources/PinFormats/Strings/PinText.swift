internal import Base
internal import Pinning

/// A line of text with pins: the value of `--pins`, or a line of a file.
struct PinText {
    let text: Substring
    let place: PinPlace
    private let mayBeShown: Bool

    /// A line; `isArgument` when the user typed it, so that messages may repeat it.
    init(_ text: Substring, at place: PinPlace, isArgument: Bool) {
        self.text = text.trimmingWhitespace()
        self.place = place
        mayBeShown = isArgument && WordScanner(text).allSatisfy { PinWord.isShort($0.word) }
    }

    /// Whether the text is meant to be pins, well made or not; everything else is a file name or prose.
    var resemblesPins: Bool {
        if isHPKP || isPEM || isSSHKey || isFingerprint { return true }
        guard let first = WordScanner(text).first(where: { !$0.word.isEmpty }) else { return false }
        return PinNotation.isClaimed(by: first.word) || PinNotation.resemblesHash(first.word)
    }

    /// Reads every pin in the text.
    func read(into reading: inout PinReading) throws(PinFormatError) {
        if isPEM { throw pemError }
        if isSSHKey {
            throw PinFormatError(
                .otherKind, at: place, "this is an OpenSSH public key, which is not a pin",
                remedy: "convert its file with: ssh-keygen -f FILE -e -m PKCS8")
        }
        if isFingerprint {
            throw PinFormatError(
                .hexadecimal, at: place,
                "this is the fingerprint of a whole certificate, as 'openssl x509 -fingerprint' prints it, and not the hash of its key",
                remedy: "it cannot be converted: give the certificate's file")
        }
        if isHPKP {
            try HPKPHeader(text, at: place).read(into: &reading)
        } else if text.contains(";") {
            try readCurlList(into: &reading)
        } else {
            try readWords(into: &reading)
        }
    }

    // MARK: curl

    /// curl's list: `sha256//…;sha256//…` with nothing around the semicolons.
    private func readCurlList(into reading: inout PinReading) throws(PinFormatError) {
        var rest = text
        var isLast = false
        while !isLast {
            let end = rest.firstIndex(of: ";")
            let entry = rest[..<(end ?? rest.endIndex)]
            isLast = end == nil
            rest = end.map { rest[rest.index(after: $0)...] } ?? ""
            do throws(PinFormatError) { reading.add(.publicKey(try curlPin(entry)), at: place) } catch {
                reading.report(error)
            }
        }
    }

    private func curlPin(_ entry: Substring) throws(PinFormatError) -> SHA256Digest {
        let trimmed = entry.trimmingWhitespace()
        guard !trimmed.isEmpty else {
            throw PinFormatError(
                .empty, at: place, "an entry of the ';' list is empty",
                remedy: "remove the extra ';', curl takes it as a part of the pin")
        }
        guard trimmed.count == entry.count else {
            throw word(trimmed).error(
                .whitespace, "has white space around it in a ';' list",
                remedy: "remove it, curl takes it as a part of the pin")
        }
        let word = word(entry)
        // In a list of curl's there is no doubt that the first two slashes are the separator.
        if entry.hasPrefix("sha256//") { return try HashReader.digest(entry.dropFirst(8), in: word) }
        if let notation = PinNotation(entry), notation.algorithm == "sha256", notation.separator == .slash {
            throw word.error(
                .slashes, "has one slash in a ';' list, which is curl's notation with two",
                remedy: "write sha256//\(PinWord.isShort(entry) ? shortened(notation.hash, isPublic: true) : "…")")
        }
        _ = try hash(in: word, isAlone: true)
        throw word.error(.notation, "stands in a ';' list without 'sha256//' before it", remedy: "add it")
    }

    // MARK: Words

    /// Pins separated by commas and white space: OkHttp's notation, plain base64, or one pin in curl's.
    private func readWords(into reading: inout PinReading) throws(PinFormatError) {
        let scanner = WordScanner(text)
        var isAlone = true
        for found in scanner where !found.word.isEmpty {
            isAlone = isAlone && found.isLast
            let word = word(found.word)
            do throws(PinFormatError) {
                let hash = try hash(in: word, isAlone: isAlone)
                reading.add(.publicKey(hash), at: place)
            } catch { reading.report(joinsWithNext(found) ? brokenByWhitespace(word, after: error) : error) }
        }
    }

    private func hash(in word: PinWord, isAlone: Bool) throws(PinFormatError) -> SHA256Digest {
        guard let notation = PinNotation(word.text) else {
            guard PinNotation.resemblesHash(word.text) else {
                throw word.error(
                    .notAPin, "is not a pin", remedy: "a pin is sha256/ followed by 44 characters of base64")
            }
            return try HashReader.digest(word.text, in: word)
        }
        guard notation.algorithm == "sha256" else {
            throw word.error(
                .wrongAlgorithm, "is a hash of \(notation.spelling), and only SHA-256 is compared",
                remedy: PinWord.howToMakeAPin)
        }
        let digest = try HashReader.digest(notation.hash, in: word)
        guard notation.spelling == "sha256", notation.separator == .slash || notation.separator == .twoSlashes else {
            throw word.error(
                .notation, "begins with '\(notation.spelling)\(notation.separator.rawValue)'",
                remedy: word.rewritten(digest.base64) ?? "write sha256/")
        }
        guard notation.separator == .slash || isAlone else {
            throw word.error(
                .slashes, "has two slashes in a list without ';'",
                remedy: "write sha256/\(digest.base64), or separate curl's pins by ';' and nothing else")
        }
        return digest
    }

    /// Whether `found` and what follows it after white space make one whole hash.
    private func joinsWithNext(_ found: WordScanner.Found) -> Bool {
        var joined = String(found.word)
        var rest = found.rest
        for _ in 0..<4 {
            guard rest.first?.isWhitespace == true else { return false }
            let next = rest.drop(while: \.isWhitespace).prefix { !Self.isSeparator($0) }
            guard !next.isEmpty, joined.utf8.count + next.utf8.count <= PinWord.longestShown else { return false }
            joined += next
            rest = rest[next.endIndex...]
            let hash = PinNotation(joined[...])?.hash ?? joined[...]
            if HashReader.canonical(hash) != nil { return true }
        }
        return false
    }

    private func brokenByWhitespace(_ word: PinWord, after error: PinFormatError) -> PinFormatError {
        word.error(.whitespace, "is followed by white space in the middle of the pin", remedy: "remove the white space")
    }

    private func word(_ text: Substring) -> PinWord { PinWord(text: text, place: place, mayBeShown: mayBeShown) }

    static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || character == "," || character == ";"
    }

    // MARK: What is no list of pins

    private var isHPKP: Bool { HPKPHeader.isClaimed(by: text) }
    private var isPEM: Bool { text.holds("-----BEGIN ") || text.holds("-----END ") }
    /// `sha256 Fingerprint=3C:76:…`, with the name of any hash.
    private var isFingerprint: Bool {
        let text = text.lowercased()
        return (text.hasPrefix("sha") || text.hasPrefix("md5")) && text.holdsBytes(of: "fingerprint=")
    }
    private var isSSHKey: Bool { text.hasPrefix("ssh-") || text.hasPrefix("ecdsa-sha2-") }

    private var pemError: PinFormatError {
        if text.holds("PRIVATE KEY-----") { return .privateKey(at: place) }
        return PinFormatError(
            .pemBody, at: place, place == .option ? "PEM text instead of a pin" : "PEM text without its first line",
            remedy: place == .option ? "give the name of its file" : "the file has to begin with the -----BEGIN line")
    }
}

/// Splits text at commas and white space, one word at a time.
struct WordScanner: Sequence, IteratorProtocol {
    struct Found {
        /// The word, without quotation marks around it.
        let word: Substring
        /// Everything after it.
        let rest: Substring

        var isLast: Bool { rest.allSatisfy(PinText.isSeparator) }
    }

    private var rest: Substring
    /// Whether bytes are characters, which are many times slower to look at.
    private let isASCII: Bool

    init(_ text: Substring) {
        rest = text
        isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// White space, a comma or a semicolon.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    }

    mutating func next() -> Found? {
        rest = isASCII ? Substring(rest.utf8.drop(while: Self.isSeparator)) : rest.drop(while: PinText.isSeparator)
        guard !rest.isEmpty else { return nil }
        var word =
            isASCII ? Substring(rest.utf8.prefix { !Self.isSeparator($0) }) : rest.prefix { !PinText.isSeparator($0) }
        rest = rest[word.endIndex...]
        if let mark = word.first, "\"'".contains(mark), word.count >= 2, word.last == mark {
            word = word.dropFirst().dropLast()
        }
        return Found(word: word, rest: rest)
    }
}

extension StringProtocol {
    /// Whether the bytes of `part` occur in the text, at least one.
    ///
    /// The library's own search makes a table first, which costs as much as reading a pin.
    func holds(_ part: StaticString) -> Bool {
        part.withUTF8Buffer { part in
            var rest = Substring(self).utf8
            while let start = rest.firstIndex(of: part[0]) {
                rest = rest[start...]
                if rest.starts(with: part) { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }
}

extension Substring {
    /// Without white space at either end.
    func trimmingWhitespace() -> Substring {
        // By scalars: a line can be as long as a file may be.
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return self[start...end]
    }
}
