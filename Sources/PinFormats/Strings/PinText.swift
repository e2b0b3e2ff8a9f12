import Base
import Pinning
import X509

/// A line of text with pins: the value of `--pins`, or a line of a file.
///
/// Commas and white space separate pins, and a word may be in quotation marks. Semicolons separate the directives of
/// RFC 7469, of which only pins count, and without blanks around them curl's hashes.
struct PinText {
    private static let directives: Set = ["max-age", "includesubdomains", "report-uri", "strict"]

    let text: Substring
    let place: PinPlace
    private let mayBeShown: Bool

    /// Makes a line; `isArgument` means that the user typed it, so that messages may repeat it.
    init(_ text: Substring, at place: PinPlace, isArgument: Bool) {
        self.text = text.trimmingWhitespace()
        self.place = place
        mayBeShown = isArgument && Self.words(of: text).allSatisfy(PinString.isShort)
    }

    static func words(of text: Substring) -> [Substring] {
        text.unicodeScalars.split { scalar in
            switch scalar {
            case " ", "\t"..."\r", ",", ";": true
            default: scalar.value > 0x7F && scalar.properties.isWhitespace
            }
        }.map { scalars in
            let word = Substring(scalars)
            let mark = word.utf8.first
            let isQuoted = mark == "\"" || mark == "'"
            return isQuoted && word.utf8.count > 1 && word.utf8.last == mark ? word.dropFirst().dropLast() : word
        }
    }

    var pins: [PinString] { Self.words(of: text).map(pin) }
    private func pin(_ word: Substring) -> PinString { PinString(word, at: place, mayBeShown: mayBeShown) }

    private var hasHeaderPins: Bool {
        let text = text.lowercased()
        return text.holds("pin-sha") || text.holds("pin-md5")
    }

    /// `true` if the text is meant to be pins, well-formed or not, and is neither a file name nor prose.
    var resemblesPins: Bool {
        if refusal != nil || hasHeaderPins { return true }
        return Self.words(of: text).first { !$0.isEmpty }.map(pin)?.resemblesPin == true
    }

    var holdsPin: Bool {
        let marks = ["sha256/", "sha1/", "pinnedpubkey", "ublicKeyHashes"]
        if marks.contains(where: text.holds) || text.utf8.count == 43 && HashText.canonical(text) != nil { return true }
        if text.holds("256"), pins.contains(where: { $0.isClaimed && !$0.hash.isEmpty }) { return true }
        guard text.holds("=") else { return false }
        return text.utf8.split { Base64.value(of: $0) == nil && $0 != "=" }.contains { word in
            word.last == "=" && word.count > 43 && HashText.canonical(Substring(word.suffix(44))) != nil
        }
    }

    /// The problem of a placeholder, alone or after a host; a word in small letters may be prose or a path.
    var placeholder: Problem? {
        guard pins.count < 3, let word = pins.last, !word.text.contains(where: { "./".contains($0) }),
            word.text == word.text.uppercased() || "<${".contains(word.text.prefix(1))
        else { return nil }
        return HashText.placeholder(word, word.text)
    }

    func read(into reading: inout PinReading) throws(Problem) {
        if let refusal { throw refusal }
        let words: [PinString]
        let hash: (PinString) throws(Problem) -> SHA256Digest
        if hasHeaderPins {
            words = pins.filter { word in !Self.directives.contains(word.text.prefix { $0 != "=" }.lowercased()) }
            hash = headerHash
        } else if text.contains(";") {
            words = text.parts(at: ";").map(pin)
            hash = curlHash
        } else {
            words = pins.filter { !$0.text.isEmpty }
            hash = { (word) throws(Problem) in try self.hash(word, isAlone: words.count == 1) }
        }
        for word in words {
            let form: PinReading.Form = word.text.hasPrefix("sha256//") && word.notation == .curl ? .curl : .other
            reading.attempt { (reading) throws(Problem) in reading.add(.publicKey(try hash(word)), at: place, as: form)
            }
        }
    }

    private func hash(_ word: PinString, isAlone: Bool) throws(Problem) -> SHA256Digest {
        guard word.resemblesPin else {
            throw word.error(.notAPin, "is not a pin", "a pin is sha256/ followed by 44 characters of base64")
        }
        guard let algorithm = word.algorithm else { return try HashText.digest(word) }
        guard algorithm == "sha256" else { throw otherAlgorithm(word) }
        let digest = try HashText.digest(word)
        guard word.spelling == "sha256/" || word.spelling == "sha256//" else {
            throw word.error(
                .notation, "begins with '\(word.spelling)'", word.rewritten(digest.base64) ?? "write sha256/")
        }
        guard word.notation == .okhttp || isAlone else {
            throw word.error(
                .slashes, "has two slashes in a list without ';'",
                "write sha256/\(digest.base64), or separate curl's pins by ';' and nothing else")
        }
        return digest
    }

    private func headerHash(_ word: PinString) throws(Problem) -> SHA256Digest {
        guard word.notation == .hpkp else {
            throw word.error(.notAPin, "is not a directive of a pin header", "each pin is written pin-sha256=\"…\"")
        }
        guard word.algorithm == "sha256" else { throw otherAlgorithm(word) }
        return try HashText.digest(word)
    }

    private func otherAlgorithm(_ word: PinString) -> Problem {
        word.error(
            .wrongAlgorithm, "is a hash of \(word.algorithm ?? "another kind"), and only SHA-256 is compared",
            PinString.howToMakeAPin)
    }

    /// An entry of curl's list: `sha256//…;sha256//…`.
    private func curlHash(_ entry: PinString) throws(Problem) -> SHA256Digest {
        let trimmed = entry.text.trimmingWhitespace()
        guard !trimmed.isEmpty else {
            throw Problem(
                .empty, at: place, "an entry of the ';' list is empty",
                "remove the extra ';', curl takes it as a part of the pin")
        }
        guard trimmed.count == entry.text.count else {
            throw pin(trimmed).error(
                .whitespace, "has white space around it in a ';' list", "remove it, curl takes it as a part of the pin")
        }
        // In curl's list the first two slashes are always the separator.
        if entry.text.hasPrefix("sha256//") { return try HashText.digest(entry, entry.text.dropFirst(8)) }
        if entry.algorithm == "sha256", entry.notation == .okhttp {
            let hash = PinString.isShort(entry.text) ? shortened(entry.hash, isPublic: true) : "…"
            throw entry.error(
                .slashes, "has one slash in a ';' list, which is curl's notation with two", "write sha256//\(hash)")
        }
        _ = try hash(entry, isAlone: true)
        throw entry.error(.notation, "stands in a ';' list without 'sha256//' before it", "add it")
    }

    /// `true` if the text is 16, 20 or 32 pairs of hexadecimal digits, alone, in quotation marks, or after a host.
    private var isFingerprint: Bool {
        var rest = text[...]
        if let first = rest.split(whereSeparator: \.isWhitespace).first, first.contains(".") {
            rest = rest.dropFirst(first.count).trimmingWhitespace()
        }
        // A single word with colons is read as a pin, and refused there.
        guard rest.contains(where: { " \"'".contains($0) }) || rest.startIndex != text.startIndex else { return false }
        if let mark = rest.first, "\"'".contains(mark), rest.count > 1, rest.last == mark {
            rest = rest.dropFirst().dropLast()
        }
        let pairs = rest.utf8.split(omittingEmptySubsequences: false) {
            $0 == ":" || $0 == " "
        }
        return [16, 20, 32].contains(pairs.count)
            && pairs.allSatisfy { $0.count == 2 && $0.allSatisfy(PinString.isHexDigit) }
    }

    /// The problem of text that is related to pins, such as PEM or a fingerprint; `nil` if it is not of that kind.
    private var refusal: Problem? {
        if text.holds("PRIVATE KEY-----") { return .privateKey(at: place) }
        if text.holds("-----BEGIN ") || text.holds("-----END ") {
            let (reason, remedy) =
                place == .option
                ? ("PEM text instead of a pin", "give the name of its file")
                : ("PEM text without its first line", "the file has to begin with the -----BEGIN line")
            return Problem(.pemBody, at: place, reason, remedy)
        }
        if text.hasPrefix("ssh-") || text.hasPrefix("ecdsa-sha2-") {
            return Problem(
                .otherKind, at: place, "this is an OpenSSH public key, which is not a pin",
                "convert its file with: ssh-keygen -f FILE -e -m PKCS8")
        }
        let lowercased = text.lowercased()
        if lowercased.hasPrefix("public-key-pins") { return .responseHeader(at: place) }
        if isFingerprint {
            return Problem(
                .hexadecimal, at: place,
                "is hexadecimal, which can be the hash of a key or the fingerprint of a whole certificate",
                "write it in base64 if it is the hash of the public key; "
                    + "a fingerprint cannot be converted, give the certificate's file")
        }
        // Matches `sha256 Fingerprint=3C:76:…`, with the name of any hash.
        guard lowercased.hasPrefix("sha") || lowercased.hasPrefix("md5"), lowercased.holds("fingerprint=") else {
            return nil
        }
        return Problem(
            .hexadecimal, at: place,
            "this is the fingerprint of a whole certificate, as 'openssl x509 -fingerprint' prints it, and not the hash of its key",
            "it cannot be converted: give the certificate's file")
    }
}

extension Problem {
    static func responseHeader(at place: PinPlace) -> Problem {
        Problem(
            .notation, at: place, "is the header of a response, and no browser enforces its pins any more",
            "give its pins alone: pin-sha256=\"…\"")
    }
}

/// Texts that people paste in place of pins.
enum PastedText {
    private static let heading = "Pinned certificates for "

    /// The problem of the text of OkHttp's exception, with the app's pins.
    ///
    /// The server's pins, which are above them in the text, must not be proposed: with them every server would pass.
    static func okHttpFailure(_ text: String, at place: PinPlace) -> Problem? {
        guard text.holds("Certificate pinning failure!") else { return nil }
        let lines = text.split(whereSeparator: \.isNewline).map { Substring($0).trimmingWhitespace() }
        let start = lines.firstIndex { $0.hasPrefix(heading) }
        let host = start.map { lines[$0].dropFirst(heading.count).prefix { $0 != ":" } } ?? ""
        let pins = start.map { lines[($0 + 1)...].prefix { $0.hasPrefix("sha256/") } } ?? []
        let hosts = try? HostText.okHttpPattern(host, at: place)
        let own = pins.prefix(HostEntry.mostPins).compactMap { try? HashText.okHttp($0, at: place).spkiSHA256 }
        return Problem(
            .notation, at: place, "is OkHttp's failure message",
            "the app's pins stand below '\(heading)\(shortened(host, to: 80))'",
            lines: hosts.map { hosts in own.map { "\(hosts) \($0)" } } ?? [])
    }

    /// The problem of a TLSA record in the notation of zone files or `dig`; no app compares one.
    static func tlsaRecord(_ line: Substring, at place: PinPlace) -> Problem? {
        let words = line.split { $0.isWhitespace || $0 == "(" || $0 == ")" }
        let type = words.firstIndex { ["TLSA", "TYPE52"].contains($0.uppercased()) }
        let data = words[(type.map { $0 + 1 } ?? 0)...]
        // The numbers in use are 0 to 3 and 255 (RFC 7218); two digits begin a fingerprint in pairs.
        let isNumbered = data.prefix(3).allSatisfy {
            [1, 3].contains($0.utf8.count) && $0.utf8.allSatisfy { $0.isDigit }
        }
        let digits = data.dropFirst(3).reduce("") { $0 + $1 }
        guard
            type == nil
                ? isNumbered && !digits.isEmpty && digits.utf8.allSatisfy(PinString.isHexDigit)
                : isNumbered || data.first == "\\#"
        else { return nil }
        // Selector 1 and matching type 1 mean the SHA-256 of a key (RFC 6698, 2.1).
        let isOfKey = data.count > 2 && data.dropFirst().prefix(2).allSatisfy { Int($0) == 1 }
        let digest = isOfKey ? SHA256Digest(hexadecimal: digits) : nil
        return Problem(
            .notation, at: place, "a TLSA record is no pin that an app compares",
            "give the key's hash, sha256/\(digest?.base64 ?? "…")")
    }
}
