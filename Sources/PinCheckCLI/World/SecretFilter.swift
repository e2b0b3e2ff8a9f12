import Synchronization

/// Replaces pieces of secrets in text by their length, also pieces that were cut off, and whatever their case.
///
/// A class, so that what reads lists and policies adds to what the streams of a run hide.
final class SecretFilter: Sendable {
    /// The fewest characters of a secret in a row that are hidden.
    private static let shortest = 12
    /// How many characters are compared at a time, those of a word of the machine.
    private static let width = 8

    private let hidden = Mutex<Set<UInt64>>([])

    /// Hides texts of ASCII from now on.
    func hide(_ secrets: [String]) {
        guard !secrets.isEmpty else { return }
        let pieces = secrets.flatMap { Self.words(of: Array($0.utf8)) }
        hidden.withLock { $0.formUnion(pieces) }
    }

    /// The console whose streams hide what there is to hide.
    func filtering(_ console: Console) -> Console {
        Console(output: console.output.changing(apply), errors: console.errors.changing(apply))
    }

    /// The text without the secrets.
    @Sendable func apply(_ text: [UInt8]) -> [UInt8] {
        let pieces = hidden.withLock { $0 }
        guard !pieces.isEmpty else { return text }
        var result: [UInt8] = []
        var copied = 0
        var start: Int?
        func hide(_ found: Range<Int>) {
            guard found.count >= Self.shortest else { return }
            result += text[copied..<found.lowerBound]
            result += "(\(found.count) characters)".utf8
            copied = found.upperBound
        }
        let words = Self.words(of: text)
        for (index, word) in words.enumerated() {
            if pieces.contains(word) {
                start = start ?? index
            } else if let first = start {
                hide(first..<index + Self.width - 1)
                start = nil
            }
        }
        if let first = start { hide(first..<text.count) }
        return copied == 0 ? text : result + text[copied...]
    }

    /// Every eight bytes in a row as one number, letters in lower case.
    private static func words(of text: [UInt8]) -> [UInt64] {
        guard text.count >= width else { return [] }
        var word: UInt64 = 0
        var words: [UInt64] = []
        words.reserveCapacity(text.count)
        for (index, byte) in text.enumerated() {
            let small = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            word = word << 8 | UInt64(small)
            if index >= width - 1 { words.append(word) }
        }
        return words
    }
}
