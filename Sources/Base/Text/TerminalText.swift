/// Makes text from outside safe to show.
///
/// Certificates, servers, files and arguments can hold anything: escape sequences that move the cursor or hide text, bidi
/// controls that reorder it, line breaks that begin a message of another's, characters that cannot be seen.
package enum TerminalText {
    /// The text with every hidden character written as `\u{202E}`, on one line.
    ///
    /// Text that is escaped already stays as it is.
    package static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isHidden {
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text cut to `length` characters with an ellipsis at the end; marks that combine count, so none can pile up.
    ///
    /// It is not escaped.
    package static func shortened(_ text: String, to length: Int) -> String {
        guard text.unicodeScalars.count > length else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(max(0, length - 1)))) + "…"
    }

    /// The text cut to `length` characters, and escaped.
    package static func shown(_ text: String, to length: Int) -> String { escaped(shortened(text, to: length)) }
}

extension Unicode.Scalar {
    /// Whether the character is invisible, changes how others are shown, ends a line, or means something to a terminal.
    package var isHidden: Bool {
        if (0x20...0x7E).contains(value) { return false }
        if properties.isDefaultIgnorableCodePoint { return true }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            true
        default: false
        }
    }
}
