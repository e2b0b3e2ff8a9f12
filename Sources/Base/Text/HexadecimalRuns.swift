/// Finds what may be a private key, or a piece of one, in hexadecimal digits: as `xxd -p` and `openssl pkey -text` write it.
enum HexadecimalRuns {
    /// The fewest digits that are taken for a piece of a key: lines of `openssl pkey -text` have 30, in pairs, those of `xxd -p` 60.
    private static let shortest = 40
    private static let shortestPairs = 28
    /// The fewest different digits; 28 random ones have fewer once in a million times.
    private static let fewestKinds = 8
    /// The digits of the hashes of SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512, which pins and fingerprints are.
    private static let hashes: Set = [40, 56, 64, 96, 128]

    /// The longest runs of digits, one behind the other or in pairs between colons, that may be a key and are as long as no hash.
    static func runs(in bytes: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            guard value(bytes[start]) != nil else {
                start += 1
                continue
            }
            let isInPairs = isPair(bytes, at: start) && start + 2 < bytes.count && bytes[start + 2] == colon
            let end = isInPairs ? endOfPairs(bytes, from: start) : endOfDigits(bytes, from: start)
            let digits = bytes[start..<end].filter { $0 != colon }
            // A digit that is repeated is no key.
            let isLong =
                digits.count >= (isInPairs ? shortestPairs : shortest) && !hashes.contains(digits.count)
                && Set(digits).count >= fewestKinds
            switch firstPart(of: digits) {
            case .number: runs.append(start..<end)
            case .sequence: break
            case nil: if isLong { runs.append(start..<end) }
            }
            start = max(end, start + 1)
        }
        return runs
    }

    private enum FirstPart {
        /// The number 0 or 1, as in private keys (PKCS #1, PKCS #8, RFC 5915).
        case number
        /// A sequence, as in certificates, requests and public keys.
        case sequence
    }

    /// What the sequence begins with whose DER the digits may be, `nil` for others.
    private static func firstPart(of digits: [UInt8]) -> FirstPart? {
        let bytes = stride(from: 0, to: min(digits.count - 1, 16), by: 2).compactMap { index in
            value(digits[index]).flatMap { high in value(digits[index + 1]).map { high << 4 | $0 } }
        }
        guard digits.count >= shortestPairs, bytes.count == 8, bytes[0] == 0x30 else { return nil }
        let contents = bytes[1] < 0x80 ? 2 : 2 + Int(bytes[1] & 0x7F)
        guard contents + 3 <= bytes.count else { return nil }
        if bytes[contents] == 0x30 { return .sequence }
        return bytes[contents] == 2 && bytes[contents + 1] == 1 && bytes[contents + 2] <= 1 ? .number : nil
    }

    private static let colon = UInt8(ascii: ":")

    private static func endOfDigits(_ bytes: [UInt8], from start: Int) -> Int {
        bytes[start...].firstIndex { value($0) == nil } ?? bytes.count
    }

    /// The end of pairs of digits with colons between and perhaps behind them.
    private static func endOfPairs(_ bytes: [UInt8], from start: Int) -> Int {
        var end = start
        while isPair(bytes, at: end) {
            end += 2
            guard end < bytes.count, bytes[end] == colon else { break }
            end += 1
        }
        return end
    }

    /// Whether two digits stand at an index, and no third behind them.
    private static func isPair(_ bytes: [UInt8], at index: Int) -> Bool {
        index + 1 < bytes.count && value(bytes[index]) != nil && value(bytes[index + 1]) != nil
            && (index + 2 >= bytes.count || value(bytes[index + 2]) == nil)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
