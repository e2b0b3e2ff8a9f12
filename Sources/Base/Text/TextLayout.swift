/// The layout of text: at a terminal, tables take its width, and prose is wrapped with an indent; in a pipe or a file,
/// tables take 80 cells, and prose is not wrapped, so that `grep` finds a whole reason.
package struct TextLayout: Hashable {
    package let columns: Int
    let wraps: Bool

    /// The fewest columns: narrower text is not worth reading.
    private static let fewest = 40
    /// The indentation of prose from its second line on.
    private static let hanging = 6

    package init(columns: Int = 80, wraps: Bool = false) {
        self.columns = max(columns, Self.fewest)
        self.wraps = wraps
    }

    package func narrowed(by cells: Int) -> TextLayout { TextLayout(columns: columns - cells, wraps: wraps) }

    /// Breaks lines that are too long at blanks, so that hashes and paths can be copied; ideographs, which have no
    /// blanks between them, are taken apart, as are lists at their commas and bars.
    package func folded(_ text: String, indent: Int? = nil) -> String {
        guard wraps, text.utf8.count > columns else { return text }
        return text.parts(at: "\n").map { line in
            TerminalText.cells(line) <= columns ? String(line) : broken(line, indent)
        }.joined(separator: "\n")
    }

    private func broken(_ line: Substring, _ indent: Int?) -> String {
        let own = line.utf8.prefix { $0 == 0x20 }.count
        let indent = min(indent ?? max(Self.hanging, own + 4), columns / 2)
        let margin = "\n" + String(repeating: " ", count: indent)
        var result = String(line.prefix(own))
        var used = own
        var isFirst = true
        var rest = line.dropFirst(own)
        while !rest.isEmpty {
            let gap = rest.prefix { $0 == " " }
            rest = rest.dropFirst(gap.count)
            let word = rest.prefix { $0 != " " }
            rest = rest.dropFirst(word.count)
            let cells = TerminalText.cells(word)
            if isFirst || used + gap.count + cells <= columns {
                result += gap
                used += gap.count
            } else {
                result += margin
                used = indent
            }
            isFirst = false
            for part in used + cells > columns ? Self.parts(of: word) : [String(word)] {
                let cells = TerminalText.cells(part)
                if used + cells > columns, used > indent {
                    result += margin
                    used = indent
                }
                result += part
                used += cells
            }
        }
        return result
    }

    private static func parts(of word: Substring) -> [String] {
        var parts = [String.UnicodeScalarView()]
        for scalar in word.unicodeScalars {
            // A mark stays with the character that it is on.
            if scalar.isWide { parts.append(.init()) }
            parts[parts.count - 1].append(scalar)
            if scalar == "," || scalar == "|" { parts.append(.init()) }
        }
        return parts.filter { !$0.isEmpty }.map { String($0) }
    }

    /// The groups of words one after another, each whole, on as few lines as possible.
    package func joined(_ groups: [String], by gap: String) -> String {
        var lines = Array(groups.prefix(1))
        for group in groups.dropFirst() {
            let line = lines[lines.count - 1] + gap + group
            if !wraps || TerminalText.cells(line) <= columns {
                lines[lines.count - 1] = line
            } else {
                lines.append(String(repeating: " ", count: Self.hanging) + group)
            }
        }
        return lines.joined(separator: "\n")
    }
}
