/// The front part of a pin, as in `sha256/`: what it says about the hash, and how it is spelled.
struct PinNotation {
    /// What stands between the algorithm and the hash.
    enum Separator: String {
        case slash = "/"
        case twoSlashes = "//"
        case colon = ":"
        case equals = "="
    }

    /// The algorithm in lower case without hyphens, as in `sha256`.
    let algorithm: String
    /// The algorithm as it is spelled.
    let spelling: Substring
    let separator: Separator
    /// What follows the separator.
    let hash: Substring

    /// Reads the notation at the front of `word`, `nil` when it names no hash algorithm.
    init?(_ word: Substring) {
        guard let end = word.firstIndex(where: { "/:=".contains($0) }) else { return nil }
        let name = word[..<end].lowercased().filter { $0 != "-" && $0 != "_" }
        guard Self.algorithms.contains(name) else { return nil }
        algorithm = name
        spelling = word[..<end]
        let rest = word[word.index(after: end)...]
        switch word[end] {
        case ":": (separator, hash) = (.colon, rest)
        case "=": (separator, hash) = (.equals, rest)
        default:
            // A hash can begin with a slash, so `sha256//…` is OkHttp's notation when that makes a whole hash of it.
            let isCurl = rest.hasPrefix("/") && !Self.isWholeHash(rest)
            (separator, hash) = isCurl ? (.twoSlashes, rest.dropFirst()) : (.slash, rest)
        }
    }

    private static let algorithms: Set = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]

    private static func isWholeHash(_ text: Substring) -> Bool {
        guard text.utf8.count == 44, case .success(let parsed) = Base64.parse(text) else { return false }
        return parsed.bytes.count == 32 && parsed.paddingCount == 1
    }

    /// Whether `word` says of itself that it is a pin, well made or not.
    static func isClaimed(by word: Substring) -> Bool {
        PinNotation(word) != nil || word.lowercased().hasPrefix("pin-sha") || word.lowercased().hasPrefix("pin-md5")
    }

    /// Whether `word` looks like a hash without saying so: base64 or hexadecimal digits, not a word or a path.
    static func resemblesHash(_ word: Substring) -> Bool {
        let text = Array(word.utf8)
        let hexDigits = text.count { isHexDigit($0) }
        if hexDigits >= 32, text.allSatisfy(isFingerprint) { return true }
        guard text.count >= 20, case .success(let parsed) = Base64.parse(word) else { return false }
        if parsed.paddingCount > 0 { return true }
        if "/~.".contains(word.first ?? " "), !(42...44).contains(text.count) { return false }
        func has(_ range: ClosedRange<Unicode.Scalar>) -> Bool { word.unicodeScalars.contains { range.contains($0) } }
        return has("A"..."Z") && has("a"..."z") && has("0"..."9")
    }

    /// Whether `character` occurs in fingerprints: a hexadecimal digit or a colon.
    static func isFingerprint(_ character: UInt8) -> Bool { isHexDigit(character) || character == UInt8(ascii: ":") }

    static func isHexDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
