/// Private keys, of which no message shows more than a beginning.
package enum KeyMaterial {
    /// Whether the text has the frame of a private key in PEM, also one whose lines were joined or whose case was changed.
    package static func isArmoured(_ text: String) -> Bool {
        // No private key is that short, and nearly every argument is.
        guard text.utf8.count > 40 else { return false }
        let letters = text.utf8.filter { $0 > 0x20 }.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        return letters.indices.contains { letters[$0...].starts(with: armour) }
    }

    /// The frame of a key's PEM text, without white space.
    private static let armour = Array("PRIVATEKEY--".utf8)

    /// The fewest characters of a run that is cut: the last line of an RSA key of 2048 bits has 24.
    private static let shortest = 20
    private static let shown = 8

    /// The text with every long run of base64 or hexadecimal digits cut to its first eight characters.
    package static func cut(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= shortest else { return text }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let end = bytes[index...].firstIndex { !isOfRun($0) } ?? bytes.count
            let run = bytes[index..<end]
            let isCut = run.count >= shortest && isEncoded(run)
            result += isCut ? run.prefix(shown) + Array("…".utf8) : run
            if end < bytes.count { result.append(bytes[end]) }
            index = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether a character is one of base64, or stands between pairs of hexadecimal digits.
    private static func isOfRun(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=") || byte == colon
        }
    }

    private static let colon = UInt8(ascii: ":")

    /// Whether letters of both cases and digits stand in a run, or nothing but digits in hexadecimal: words and names have not all.
    private static func isEncoded(_ run: ArraySlice<UInt8>) -> Bool {
        let parts = run.split(separator: colon)
        let longest = parts.map(\.count).max() ?? 0
        // What has no colon, or pairs of digits, more of them than an IPv6 address has.
        guard longest >= shortest || longest == 2 && parts.count > 8 else { return false }
        let hasDigit = run.contains { (0x30...0x39).contains($0) }
        let hasUpper = run.contains { (0x41...0x5A).contains($0) }
        let hasLower = run.contains { (0x61...0x7A).contains($0) }
        let isHexadecimal = run.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x46).contains($0 & 0xDF) || $0 == colon
        }
        return hasDigit && (hasUpper && hasLower || isHexadecimal && (hasUpper || hasLower))
    }
}
