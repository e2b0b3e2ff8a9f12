extension TerminalText {
    /// How many cells of a terminal a text takes.
    ///
    /// Ideographs, kana, Hangul and what is shown as an emoji take two, marks that combine with what is before them none. The
    /// colours that the program itself puts between words take none either; other control characters are never written.
    package static func cells(_ text: some StringProtocol) -> Int { cells(String(text)) }

    /// The same of a text of its own, which no type has to be looked up for.
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

    /// The text cut to so many cells with an ellipsis at the end.
    ///
    /// It is neither escaped nor coloured.
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

    /// The text with blanks behind it, up to so many cells.
    package static func padded(_ text: String, toCells width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - cells(text)))
    }

    /// The text with blanks before it, up to so many cells.
    package static func leftPadded(_ text: String, toCells width: Int) -> String {
        String(repeating: " ", count: max(0, width - cells(text))) + text
    }

    private static let escape: Unicode.Scalar = "\u{1B}"
}

extension Unicode.Scalar {
    fileprivate var cells: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        // Vowels and finals of Hangul join the consonant before them.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        return isWide ? 2 : 1
    }

    /// Whether the character fills two cells: East_Asian_Width W and F (UAX #11), by its blocks, and emoji.
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
