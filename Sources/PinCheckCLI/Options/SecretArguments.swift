import PinChecking
import Text

/// Finds private keys among the arguments before anything looks at them, so that no message can repeat a part of one.
///
/// `--pins "$(cat key.pem)"` begins with dashes: the parser takes it for an option and quotes it whole.
enum SecretArguments {
    /// Throws when an argument is or holds a private key in PEM, also one whose lines were joined or whose case was changed.
    static func refuse(in arguments: [String]) throws(CommandError) {
        guard arguments.contains(where: KeyMaterial.isArmoured) else { return }
        throw .data(
            "an argument is a private key; it was not used and no part of it is shown: pins are made of public keys "
                + "(openssl pkey -in KEY -pubout), and everybody on this machine can see arguments, so replace the key"
        )
    }

    /// The console with whatever may be a line of a private key among the arguments hidden, wherever a stream would repeat it.
    ///
    /// Arguments are repeated in too many places, among them the parser's own, for each to know. Files that are there, pins
    /// and PEM text of what is public are shown.
    static func hidden(_ arguments: [String], in console: Console) -> Console {
        let secrets = arguments.filter { !$0.contains("-----BEGIN") }.flatMap(secrets)
        guard !secrets.isEmpty else { return console }
        let filter = SecretFilter(hiding: secrets)
        return Console(
            output: console.output.changing(filter.apply),
            errors: console.errors.changing(filter.apply)
        )
    }

    private static func secrets(in argument: String) -> [String] {
        let name = argument.prefix { $0 != "=" }
        let isOption =
            argument.hasPrefix("--") && name.endIndex < argument.endIndex
            && name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x61...0x7A).contains($0) }
        // What the parser takes for an option that it does not know it repeats.
        let value = isOption ? argument.drop { $0 != "=" }.dropFirst() : argument.drop { $0 == "-" }
        guard !isPath(value) else { return [] }
        return KeyMaterial.runs(in: value).filter { run in
            // The hash of a public key, whose notation leaves no doubt.
            let isPin = run.utf8.count == 44 && run.hasSuffix("=") && !run.hasSuffix("==")
            return !isPin && !run.hasPrefix("sha256/") && !run.hasPrefix("sha1/")
        }
    }

    /// Whether the value, or what is behind an equals sign in it, names a file that is there or could be made.
    private static func isPath(_ value: Substring) -> Bool {
        guard !value.utf8.contains(0) else { return false }
        var rest: Substring? = value
        while let path = rest {
            let directory = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
            if !path.isEmpty, FileReader.exists(String(path)) { return true }
            if !directory.isEmpty, FileReader.exists(String(directory)) { return true }
            rest = path.firstIndex(of: "=").map { path[path.index(after: $0)...] }
        }
        return false
    }
}

/// Replaces pieces of secrets in text by their length, also pieces that were cut off, and whatever their case.
struct SecretFilter: Sendable {
    /// The fewest characters of a secret in a row that are hidden.
    private static let shortest = 12
    /// How many characters are compared at a time, those of a word of the machine.
    private static let width = 8

    private let pieces: Set<UInt64>

    /// A filter for texts of ASCII.
    init(hiding secrets: [String]) {
        pieces = Set(secrets.flatMap { Self.words(of: Array($0.utf8)) })
    }

    /// The text without the secrets.
    @Sendable func apply(_ text: [UInt8]) -> [UInt8] {
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
