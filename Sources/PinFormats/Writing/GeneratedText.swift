internal import Base

/// Makes text from outside safe to stand in the source of something else.
///
/// Certificates are written by anybody: what they say must neither end the comment or string it stands in nor show a reader
/// anything else than it is.
enum GeneratedText {
    /// The longest comment, in characters: a name that goes on and on must not fill the file.
    private static let longestComment = 300

    /// The text as part of a comment in any of the languages the writers know.
    ///
    /// It stays on its line, and no two characters in it open or close a comment: `--`, `/*`, `*/`, and Java's `\u000a`,
    /// which is a line break wherever it stands.
    static func comment(_ text: String) -> String {
        var result = ""
        var last: Unicode.Scalar = " "
        for scalar in visible(text).unicodeScalars.prefix(longestComment) {
            switch (last, scalar) {
            case ("-", "-"), ("-", ">"), ("<", "!"), ("*", "/"), ("/", "*"), ("\\", "u"), ("?", ">"), ("?", "?"):
                result += " "
            default: break
            }
            result.unicodeScalars.append(scalar)
            last = scalar
        }
        // A backslash at the end of a line takes the next one into the comment; a hyphen could meet XML's own.
        return last == "\\" || last == "-" ? result + " " : result
    }

    /// The text between the tags of an XML element.
    static func xml(_ text: String) -> String {
        visible(text).replacingBytes(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;"])
    }

    /// The text between the quotation marks of a string in Kotlin.
    static func kotlin(_ text: String) -> String {
        visible(text).replacingBytes(["\\": "\\\\", "\"": "\\\"", "$": "\\$"])
    }

    /// The text between the quotation marks of a string in Objective-C or Swift.
    static func cString(_ text: String) -> String { visible(text).replacingBytes(["\\": "\\\\", "\"": "\\\""]) }

    /// The text as one word of a POSIX shell.
    static func shellWord(_ text: String) -> String { "'" + visible(text).replacingBytes(["'": #"'\''"#]) + "'" }

    /// The text with every character that cannot be seen, or that moves others, written as `(U+202E)`.
    static func visible(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isHidden {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "(U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ")"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
