/// Tells what may be a private key, or a piece of one, so that no message shows it.
package enum KeyMaterial {
    /// The fewest characters of base64 that are taken for a piece of a key: the last line of an RSA key of 2048 bits has 24.
    package static let shortest = 20
    /// The fewest characters of a line that is not the last of its key; 44 hold a whole Ed25519 key.
    package static let wholeLine = 40

    /// Whether the whole text may be a line of a private key without its armour; short last lines are left to ``hidden(in:)``,
    /// because a text that is refused for nothing is worse than one that is hidden.
    package static func isLikely(_ text: some StringProtocol) -> Bool {
        text.utf8.count >= wholeLine && runs(in: text).contains { $0.utf8.count == text.utf8.count }
    }

    /// The runs of characters in a text that may be pieces of a private key, in base64 or hexadecimal digits.
    package static func runs(in text: some StringProtocol) -> [String] {
        let bytes = Array(text.utf8)
        return runs(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// The text with every run of characters that may be a piece of a private key replaced by its length.
    package static func hidden(in text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= shortest else { return text }
        var result: [UInt8] = []
        var next = 0
        for run in runs(in: bytes) {
            result += bytes[next..<run.lowerBound]
            result += "(\(run.count) characters)".utf8
            next = run.upperBound
        }
        return String(decoding: result + bytes[next...], as: UTF8.self)
    }

    /// Whether the text has the frame of a private key in PEM, also one whose lines were joined or whose case was changed.
    package static func isArmoured(_ text: String) -> Bool {
        // No private key is that short, and nearly every argument is.
        guard text.utf8.count > wholeLine else { return false }
        let letters = text.utf8.filter { $0 > 0x20 }.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        return letters.indices.contains { letters[$0...].starts(with: armour) }
    }

    /// The frame of a key's PEM text, without white space.
    private static let armour = Array("PRIVATEKEY--".utf8)

    private static func runs(in bytes: [UInt8]) -> [Range<Int>] {
        guard bytes.count >= shortest else { return [] }
        let digits = HexadecimalRuns.runs(in: bytes)
        return (digits + encodedRuns(in: bytes).filter { run in !digits.contains { $0.overlaps(run) } }).sorted {
            $0.lowerBound < $1.lowerBound
        }
    }

    // MARK: Base64

    /// The longest runs of base64 or base64url that look like encoded bytes rather than words.
    private static func encodedRuns(in bytes: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex { Class($0) == nil } ?? bytes.count
            if end - start >= shortest, isEncoded(bytes[start..<end]) { runs.append(start..<end) }
            start = end + 1
        }
        return runs
    }

    /// Whether a run looks like encoded bytes; one shorter than a line of a key only where it is neither base64url nor a path,
    /// which PEM is not and which names of files and hosts often are.
    private static func isEncoded(_ run: ArraySlice<UInt8>) -> Bool {
        guard run.count < wholeLine else { return isDense(run) }
        let slashes = run.count { $0 == UInt8(ascii: "/") }
        return slashes <= 3 && !run.contains(UInt8(ascii: "-")) && !run.contains(UInt8(ascii: "_")) && isDense(run)
    }

    /// Whether letters and digits alternate as they do in encoded bytes.
    ///
    /// Of two neighbours in random base64 a lower-case letter comes before an upper-case one, or a digit meets a letter, in 4
    /// cases of 10; in names and paths, of words with a capital at most, in 2 of 10.
    private static func isDense(_ run: ArraySlice<UInt8>) -> Bool {
        let classes = run.compactMap(Class.init)
        // Words run together have no digits.
        guard Set(classes).isSuperset(of: [.upper, .lower, .digit]) else { return false }
        let changes = zip(classes, classes.dropFirst()).count { first, second in
            switch (first, second) {
            case (.lower, .upper), (.digit, .upper), (.digit, .lower), (.upper, .digit), (.lower, .digit): true
            default: false
            }
        }
        return changes * 5 >= classes.count - 1
    }

    /// The classes of the characters of base64 and base64url.
    private enum Class {
        case upper, lower, digit, sign

        init?(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .upper
            case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lower
            case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
                self = .sign
            default: return nil
            }
        }
    }
}
