import Base
import Pinning

/// A word of text that should be a pin: `sha256/…`, `sha256//…`, `pin-sha256="…"`, or plain base64.
struct PinString {
    /// The limits of shown text, in bytes: a pin in any notation, and a SHA-256 in hexadecimal digits with colons.
    private static let (longestShown, longestFingerprint) = (60, 95)
    private static let algorithms: Set = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
    static let howToMakeAPin =
        "make the pin from the certificate: openssl x509 -in FILE -noout -pubkey"
        + " | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64"

    let text: Substring
    let place: PinPlace
    /// `true` if messages may show a text that does not look like a pin; a line of a file may be part of a private key.
    private let mayBeShown: Bool
    /// The notation; `nil` if a colon or an equals sign follows the algorithm, which no client accepts.
    let notation: PinNotation?
    /// The algorithm in lower case without hyphens, as in `sha256`; `nil` if the word names none.
    let algorithm: String?
    let spelling: Substring
    let hash: Substring

    init(_ text: Substring, at place: PinPlace, mayBeShown: Bool = false) {
        (self.text, self.place, self.mayBeShown) = (text, place, mayBeShown)
        let isHeader = text.prefix(4).lowercased() == "pin-"
        let end = text.firstIndex { isHeader ? $0 == "=" : "/:=".contains($0) }
        let name = end.map { text[..<$0].lowercased().filter { $0 != "-" && $0 != "_" } } ?? ""
        let algorithm = isHeader ? String(name.dropFirst(3)) : name
        guard let end, Self.algorithms.contains(algorithm) else {
            (notation, self.algorithm, spelling, hash) = (.base64, nil, "", text)
            return
        }
        self.algorithm = algorithm
        let rest = text[text.index(after: end)...]
        var start = rest.startIndex
        if isHeader {
            notation = .hpkp
            let mark = rest.first
            let isQuoted = rest.count > 1 && (mark == "\"" || mark == "'") && rest.last == mark
            hash = isQuoted ? rest.dropFirst().dropLast() : rest
        } else if text[end] != "/" {
            (notation, hash) = (nil, rest)
        } else if rest.hasPrefix("/"), !Self.isWholeHash(rest) {
            // A hash can begin with a slash: `sha256//…` is OkHttp's notation if the second slash completes a hash.
            start = rest.index(after: start)
            (notation, hash) = (.curl, rest[start...])
        } else {
            (notation, hash) = (.okhttp, rest)
        }
        spelling = text[..<start]
    }

    private static func isWholeHash(_ text: Substring) -> Bool {
        guard text.utf8.count == 44, case .success(let parsed) = Base64.parse(text) else { return false }
        return parsed.bytes.count == 32 && parsed.paddingCount == 1
    }

    /// `true` if the word begins like a pin, well-formed or not.
    var isClaimed: Bool { algorithm != nil || ["pin-sha", "pin-md5"].contains(text.prefix(7).lowercased()) }

    /// `true` if the word is a pin, or looks like a bare hash: base64 or hexadecimal digits, not a word or a path.
    var resemblesPin: Bool {
        if isClaimed { return true }
        let bytes = text.bytes
        if bytes.count(where: Self.isHexDigit) >= 32, bytes.allSatisfy(Self.isFingerprint) { return true }
        guard bytes.count >= 20, case .success(let parsed) = Base64.parse(text) else { return false }
        if parsed.paddingCount > 0 { return true }
        if "/~.".contains(text.first ?? " "), !(42...44).contains(bytes.count) { return false }
        func has(_ range: ClosedRange<UInt8>) -> Bool { bytes.contains(where: range.contains) }
        return has(0x41...0x5A) && has(0x61...0x7A) && has(0x30...0x39)
    }

    static func isFingerprint(_ character: UInt8) -> Bool { isHexDigit(character) || character == ":" }
    static func isHexDigit(_ character: UInt8) -> Bool { Unicode.Scalar(character).properties.isASCIIHexDigit }

    /// `true` if `text` is not longer than a pin or a fingerprint.
    static func isShort(_ text: Substring) -> Bool {
        let count = text.utf8.count
        return count <= longestShown || count <= longestFingerprint && text.utf8.allSatisfy(isFingerprint)
    }

    private var isShown: Bool { Self.isShort(text) && (mayBeShown || isClaimed) }

    /// A problem with this word, which is the subject of the sentence; `predicate` is the rest.
    func error(_ problem: FindingID, _ predicate: String, _ remedy: String? = nil) -> Problem {
        let name = isShown ? "'\(shortened(text, isPublic: true))'" : "the text (\(text.count) characters)"
        return Problem(problem, at: place, "\(name) \(predicate)", remedy)
    }

    /// A remedy with the corrected hash; `nil` if the word must not be shown.
    func rewritten(_ base64: String?) -> String? {
        isShown ? base64.map { "write \((notation ?? .okhttp).text(of: $0))" } : nil
    }
}
