/// Base64 text taken apart, so that an error can say exactly what is wrong with it (RFC 4648, 4 and 5).
///
/// A decoder that says only yes or no would leave the diagnosis to guesswork, and FoundationEssentials' costs 7 MB of
/// binary and a third of a millisecond at every start.
struct Base64 {
    /// The decoded bytes, as far as the characters before the padding go.
    let bytes: [UInt8]
    /// How many characters stand before the padding.
    let digitCount: Int
    /// How many `=` stand at the end.
    let paddingCount: Int
    /// Whether `-` or `_`, the alphabet of base64url, occurs.
    let isURLAlphabet: Bool
    /// Whether bits are set after the last whole byte.
    let hasTrailingBits: Bool

    /// How many `=` the text should end with; `nil` when no padding can make its length right.
    var expectedPadding: Int? {
        switch digitCount % 4 {
        case 0: 0
        case 2: 2
        case 3: 1
        default: nil
        }
    }

    /// Takes `text` apart, or says which character is in neither alphabet: its position from 1 and the character.
    static func parse(_ text: some StringProtocol) -> Result<Base64, BadCharacter> {
        let utf8 = Array(text.utf8)
        let digits = utf8.prefix(utf8.count - utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var word = 0
        var bits = 0
        var isURLAlphabet = false
        for (index, character) in digits.enumerated() {
            guard let value = value(of: character) else { return .failure(BadCharacter(inUTF8: utf8, at: index)) }
            isURLAlphabet = isURLAlphabet || character == UInt8(ascii: "-") || character == UInt8(ascii: "_")
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

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) - 48 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// A character that is not of the base64 alphabet.
    struct BadCharacter: Error {
        let character: Character
        /// Counted in characters, from 1.
        let position: Int

        init(inUTF8 utf8: [UInt8], at index: Int) {
            let before = String(decoding: utf8[..<index], as: UTF8.self)
            character = String(decoding: utf8[index...].prefix(64), as: UTF8.self).first ?? "\u{FFFD}"
            position = before.count + 1
        }
    }
}
