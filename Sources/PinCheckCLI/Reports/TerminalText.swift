/// Makes text from outside safe to show.
///
/// Certificates, servers, files and arguments can hold anything: escape sequences that move the cursor or hide text, bidi
/// controls that reorder it, characters nobody can see.
enum TerminalText {
    /// The text with every character that could fool a terminal or a reader written as `\u{202E}`.
    static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isDangerous(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text cut to `length` characters with an ellipsis at the end; marks that combine count, so none can pile up.
    static func shortened(_ text: String, to length: Int) -> String {
        guard text.unicodeScalars.count > length else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(max(0, length - 1)))) + "…"
    }

    /// Whether a character is invisible, changes how others are shown, or means something to a terminal.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20...0x7E).contains(scalar.value) { return false }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            true
        default: false
        }
    }
}
