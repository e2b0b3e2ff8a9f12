/// Makes text from outside safe to show: it can contain escape sequences that move the cursor or hide text, bidi
/// controls, line breaks that look like the start of another message, and invisible characters.
package enum TerminalText {
    /// The text on one line, with every hidden character written as `\u{202E}`; escaped text stays as it is.
    package static func escaped(_ text: String) -> String { replacingHidden(in: text) { "\\u{\($0)}" } }

    /// The text with every hidden character replaced by `form` of its hexadecimal digits.
    package static func replacingHidden(in text: String, by form: (_ digits: String) -> String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isHidden {
                result += form(String(scalar.value, radix: 16, uppercase: true))
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text cut to `length` characters with an ellipsis at its end; marks that combine count, so none can pile up.
    package static func shortened(_ text: String, to length: Int) -> String {
        guard text.unicodeScalars.count > length else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(max(0, length - 1)))) + "…"
    }

    package static func excerpt(_ text: String, to length: Int) -> String { escaped(shortened(text, to: length)) }
}

extension Unicode.Scalar {
    /// `true` if a character is invisible, changes how others are shown, ends a line, or controls a terminal.
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

/// Makes a document that arrives in pieces safe, as ``TerminalText/escaped(_:)`` does, but keeps its lines and tabs.
///
/// Bytes that are not UTF-8 become U+FFFD. A carriage return before a line break is dropped.
package struct TerminalDocument {
    /// The bytes of an unfinished character, or a carriage return that a line feed may follow.
    private var rest: [UInt8] = []

    package init() {}

    package mutating func show(_ piece: [UInt8]) -> [UInt8] {
        let bytes = rest + piece
        let end = Self.wholeCount(of: bytes)
        rest = Array(bytes[end...])
        return Self.escaped(bytes[..<end])
    }

    package mutating func finish() -> [UInt8] {
        defer { rest = [] }
        return Self.escaped(rest[...])
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result = ""
        var isAfterReturn = false
        for scalar in String(utf8: bytes).unicodeScalars {
            if isAfterReturn, scalar != "\n" { result += TerminalText.escaped("\r") }
            isAfterReturn = scalar == "\r"
            if isAfterReturn { continue }
            if scalar == "\n" || scalar == "\t" || !scalar.isHidden {
                result.unicodeScalars.append(scalar)
            } else {
                result += TerminalText.escaped(String(scalar))
            }
        }
        if isAfterReturn { result += TerminalText.escaped("\r") }
        return result.bytes
    }

    /// The number of bytes before an unfinished character or line break at the end.
    private static func wholeCount(of bytes: [UInt8]) -> Int {
        if bytes.last == 0x0D { return bytes.count - 1 }
        // An unfinished character has at most three bytes.
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte & 0xC0 == 0x80 { continue }
            // The first byte of a character begins with as many ones as the character has bytes.
            let whole = max(1, (~byte).leadingZeroBitCount)
            return whole > length ? bytes.count - length : bytes.count
        }
        return bytes.count
    }
}

extension TerminalText {
    /// The number of cells on a terminal: ideographs, kana, Hangul and emoji take two, combining marks and the colours
    /// of the program itself none; other control characters are never written.
    package static func cells(_ text: String) -> Int {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
        var cells = 0
        var isInColor = false
        for scalar in text.unicodeScalars {
            if isInColor {
                isInColor = scalar != "m"
            } else if scalar == escape {
                isInColor = true
            } else {
                cells += scalar.cells
            }
        }
        return cells
    }

    package static func cells(_ text: Substring) -> Int { cells(String(text)) }

    /// The text cut to `limit` cells with an ellipsis at its end, neither escaped nor coloured.
    package static func cut(_ text: String, toCells limit: Int) -> String {
        guard cells(text) > limit else { return text }
        var left = limit - 1
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            left -= scalar.cells
            guard left >= 0 else { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    package static func padded(_ text: String, toCells width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - cells(text)))
    }

    package static func leftPadded(_ text: String, toCells width: Int) -> String {
        String(repeating: " ", count: max(0, width - cells(text))) + text
    }

    private static let escape: Unicode.Scalar = "\u{1B}"
}

extension Unicode.Scalar {
    fileprivate var cells: Int {
        if value < 0x300 { return 1 }
        let category = properties.generalCategory
        if category == .nonspacingMark || category == .enclosingMark { return 0 }
        // Vowels and finals of Hangul join the consonant before them.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        return isWide ? 2 : 1
    }

    /// `true` if the character fills two cells: East_Asian_Width W and F (UAX #11), by its blocks, and emoji.
    var isWide: Bool {
        switch value {
        case 0..<0x1100: false
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: properties.isEmojiPresentation
        }
    }
}
