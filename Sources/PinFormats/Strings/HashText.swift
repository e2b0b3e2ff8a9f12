package import Base
package import Pinning
import X509

/// Converts the base64 text of a pin to its 32 bytes, or throws what is wrong with it.
package enum HashText {
    private static let hashOfNothing = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let otherHashes = [16: "MD5", 20: "SHA-1", 28: "SHA-224", 48: "SHA-384", 64: "SHA-512"]

    /// Reads a hash in plain base64, the form of all configurations except for OkHttp's.
    static func bare(_ text: String, at place: PinPlace) throws(Problem) -> Pin {
        let word = PinString(text[...], at: place)
        if word.algorithm == "sha256", let digest = canonical(word.hash) {
            throw word.error(.notation, "begins with '\(word.spelling)', which does not belong here", "write \(digest)")
        }
        return Pin(.publicKey(try digest(word, word.text)), at: place)
    }

    /// Reads a hash in OkHttp's form, with `sha256/` before it.
    package static func okHttp(_ text: some StringProtocol, at place: PinPlace) throws(Problem) -> Pin {
        let word = PinString(Substring(text), at: place)
        guard word.spelling == "sha256/" else {
            switch word.algorithm {
            case nil, "sha256":
                let hash = canonical(word.hash)
                if hash == nil, let blank = placeholder(word, word.hash) { throw blank }
                throw word.error(
                    .notation, "does not begin with 'sha256/', and OkHttp throws for it",
                    hash.map { "write sha256/\($0)" } ?? "write sha256/ and 44 characters of base64")
            case "sha1":
                throw word.error(
                    .wrongAlgorithm, "is a SHA-1 pin, which OkHttp alone still takes: here only SHA-256 is compared",
                    "replace it by the sha256/ pin of the same key: " + PinString.howToMakeAPin)
            case let algorithm?:
                throw word.error(
                    .wrongAlgorithm, "is a hash of \(algorithm), and OkHttp throws for it", PinString.howToMakeAPin)
            }
        }
        return Pin(.publicKey(try digest(word)), at: place)
    }

    private static let blanks = ["YOUR", "REPLACE", "TODO", "CHANGE", "PLACEHOLDER", "HERE"]

    private static func isBlank(_ text: Substring) -> Bool {
        text.first == "<" && text.last == ">" || text.hasPrefix("$") || text.hasPrefix("{{")
            || blanks.contains(where: text.uppercased().contains)
    }

    /// The hash of a word, or of `text`, which is a part of the word.
    static func digest(_ word: PinString, _ text: Substring? = nil) throws(Problem) -> SHA256Digest {
        do { return try readDigest(word, text) } catch {
            guard error.id != .privateKey, let blank = placeholder(word, text ?? word.hash) else { throw error }
            throw blank
        }
    }

    /// The problem of a word that a person was to replace by a hash; `nil` if it is another one.
    static func placeholder(_ word: PinString, _ text: Substring) -> Problem? {
        guard isBlank(text) else { return nil }
        return word.error(.notAPin, "is a placeholder, not a pin", "put the hash of the key there")
    }

    private static func readDigest(_ word: PinString, _ text: Substring?) throws(Problem) -> SHA256Digest {
        let text = text ?? word.hash
        guard !text.isEmpty else {
            throw word.error(.empty, "has no hash", "44 characters of base64 belong there")
        }
        if text.contains(where: \.isWhitespace) {
            let repaired = canonical(Substring(text.filter { !$0.isWhitespace }))
            throw word.error(.whitespace, "has white space in it", word.rewritten(repaired) ?? "remove it")
        }
        try refuseHexadecimal(text, in: word)
        switch Base64.parse(text) {
        case .failure(let bad): throw badCharacter(bad, in: word)
        case .success(let parsed):
            try refuseEncodedObjects(parsed, in: word)
            try checkForm(of: parsed, in: word)
            guard let digest = SHA256Digest(bytes: parsed.bytes) else { throw wrongLength(parsed, in: word) }
            guard digest.base64 != hashOfNothing else {
                throw word.error(
                    .hashOfNothing, "is the SHA-256 of nothing",
                    "the command that made it got no input; look at the errors it printed and make it again")
            }
            return digest
        }
    }

    /// The hash that `text` probably means, after correction of the alphabet and the padding.
    static func canonical(_ text: Substring) -> String? {
        guard case .success(let parsed) = Base64.parse(text), !parsed.hasTrailingBits else { return nil }
        return SHA256Digest(bytes: parsed.bytes)?.base64
    }

    private static func checkForm(of parsed: Base64, in word: PinString) throws(Problem) {
        guard parsed.bytes.count == SHA256Digest.byteCount, let padding = parsed.expectedPadding else {
            throw wrongLength(parsed, in: word)
        }
        let repaired = parsed.hasTrailingBits ? nil : SHA256Digest(bytes: parsed.bytes)?.base64
        if parsed.isURLAlphabet {
            let remedy = word.rewritten(repaired) ?? "write + for - and / for _"
            throw word.error(.base64URL, "is base64url (with - or _), pins are standard base64", remedy)
        }
        if parsed.paddingCount != padding {
            let reason = parsed.paddingCount == 0 ? "lacks the padding" : "has \(parsed.paddingCount) = at its end"
            throw word.error(.padding, reason, word.rewritten(repaired) ?? "it ends with one =")
        }
        // Clients ignore trailing bits, so that a placeholder may have some.
        if parsed.hasTrailingBits, SHA256Digest(bytes: parsed.bytes).flatMap({ Placeholder($0) }) == nil {
            throw word.error(
                .trailingBits, "has a last character that no 32 bytes encode to",
                "it is mistyped or cut off; copy it again")
        }
    }

    private static func wrongLength(_ parsed: Base64, in word: PinString) -> Problem {
        let count = parsed.bytes.count
        let (reason, remedy) =
            if parsed.expectedPadding == nil {
                (
                    "has \(parsed.digitCount) characters of base64, which no number of bytes encodes to",
                    "a SHA-256 pin has 43 and one =; copy it again"
                )
            } else if let algorithm = otherHashes[count] {
                ("has \(count) bytes, which is \(algorithm), and not the 32 of SHA-256", PinString.howToMakeAPin)
            } else {
                (
                    "has \(count) byte\(count == 1 ? "" : "s") instead of 32",
                    "a SHA-256 pin is 44 characters long, and this one is too \(count < 32 ? "short" : "long")"
                )
            }
        return word.error(.wrongLength, reason, remedy)
    }

    private static func badCharacter(_ bad: Base64.BadCharacter, in word: PinString) -> Problem {
        let reason = "has '\(bad.character)' as character \(bad.position) of the hash, which base64 does not know"
        let isPadding = bad.character == "="
        let remedy =
            switch bad.character {
            case "=": "separate pins by a comma or a space"
            case "…", ".": "if a report shortened the pin, copy the whole of it"
            case "%": "undo the percent-encoding: %2B is +, %2F is /, %3D is ="
            default: "a pin has letters, digits, + and / and ends with ="
            }
        return word.error(.badCharacter, isPadding ? "goes on after its padding" : reason, remedy)
    }

    /// Refuses hexadecimal digits and colons, the notation of fingerprints, which hash the whole certificate.
    private static func refuseHexadecimal(_ text: Substring, in word: PinString) throws(Problem) {
        let characters = text.bytes
        guard characters.allSatisfy(PinString.isFingerprint) else { return }
        let digits = characters.filter { $0 != ":" }
        guard [32, 40, 64].contains(digits.count) || digits.count < characters.count else { return }
        guard digits.count == 64 else {
            let kind = [32: "of MD5", 40: "of SHA-1"][digits.count] ?? "instead of the 64 of SHA-256"
            throw word.error(.hexadecimal, "has \(digits.count) hexadecimal digits \(kind)", PinString.howToMakeAPin)
        }
        let base64 = SHA256Digest(hexadecimal: String(utf8: digits))?.base64
        throw word.error(
            .hexadecimal, "is hexadecimal, which can be the hash of a key or the fingerprint of a whole certificate",
            (word.rewritten(base64) ?? "write it in base64")
                + " if it is the hash of the public key; a fingerprint cannot be converted, give the certificate's file"
        )
    }

    private static func refuseEncodedObjects(_ parsed: Base64, in word: PinString) throws(Problem) {
        let bytes = parsed.bytes
        guard bytes.count > SHA256Digest.byteCount + 1, let shape = DERShape(bytes) else { return }
        if shape == .privateKey || shape == .keyStore { throw .privateKey(at: word.place) }
        var remedy = "give the file, with its -----BEGIN line, instead"
        if let key = try? CertificateReader.publicKey(der: bytes) {
            remedy = "the pin of that key is \(key.spkiSHA256)"
        } else if let certificate = try? CertificateReader.certificate(der: bytes) {
            remedy = "the pin of that certificate's key is \(certificate.spkiSHA256)"
        }
        let other = shape == .publicKey ? "a public key" : "a PEM file"
        let kind = shape == .certificate ? "a certificate" : other
        throw word.error(.pemBody, "is the body of \(kind) and not a hash", remedy)
    }
}

/// Parsed base64 text, so that an error can say exactly what is wrong with it (RFC 4648, 4 and 5).
///
/// FoundationEssentials' decoder only says yes or no, and costs 7 MB of binary and 0.3 ms at every start.
struct Base64 {
    let bytes: [UInt8]
    /// The number of characters before the padding.
    let digitCount: Int
    let paddingCount: Int
    /// `true` if `-` or `_`, of the alphabet of base64url, occurs.
    let isURLAlphabet: Bool
    /// `true` if bits are set after the last whole byte.
    let hasTrailingBits: Bool

    /// The number of `=` that the text should end with; `nil` if no padding can make its length right.
    var expectedPadding: Int? { [0: 0, 2: 2, 3: 1][digitCount % 4] }

    /// Parses `text`; fails with the first character that is in neither alphabet.
    static func parse(_ text: some StringProtocol) -> Result<Base64, BadCharacter> {
        let utf8 = text.bytes
        let digits = utf8.prefix(utf8.count - utf8.reversed().prefix { $0 == "=" }.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var word = 0
        var bits = 0
        var isURLAlphabet = false
        for (index, character) in digits.enumerated() {
            guard let value = value(of: character) else { return .failure(BadCharacter(inUTF8: utf8, at: index)) }
            isURLAlphabet = isURLAlphabet || character == "-" || character == "_"
            word = word << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(word >> bits))
                word &= (1 << bits) - 1
            }
        }
        return .success(
            Base64(
                bytes: bytes, digitCount: digits.count, paddingCount: utf8.count - digits.count,
                isURLAlphabet: isURLAlphabet, hasTrailingBits: word != 0))
    }

    static func value(of character: UInt8) -> Int? {
        switch Unicode.Scalar(character) {
        case "A"..."Z": Int(character) - 65
        case "a"..."z": Int(character) - 97 + 26
        case "0"..."9": Int(character) - 48 + 52
        case "+", "-": 62
        case "/", "_": 63
        default: nil
        }
    }

    struct BadCharacter: Error {
        let character: Character
        /// Counted in characters, from 1.
        let position: Int

        init(inUTF8 utf8: [UInt8], at index: Int) {
            let before = String(utf8: utf8[..<index])
            character = String(utf8: utf8[index...].prefix(64)).first ?? "\u{FFFD}"
            position = before.count + 1
        }
    }
}
