import Base

/// Writes a page for man(1) in the macros of man(7), in which every character is kept.
struct ManualWriter {
    private(set) var text: String
    private var isAtStart = true

    init(title: String) { text = ".TH \(title)\n" }

    private mutating func request(_ line: String) { text += "." + line + "\n" }

    mutating func section(_ title: String, isPart: Bool = false) {
        request("S\(isPart ? "S" : "H") \(title)")
        isAtStart = true
    }

    mutating func usage(_ lines: [String]) {
        for (index, line) in lines.enumerated() {
            if index > 0 { request("br") }
            fill(line) { $0.replacing("<", with: "\\fI").replacing(">", with: "\\fR") }
        }
    }

    mutating func list(_ items: [(head: String, prose: String)]) {
        for (head, prose) in items { item("\\fB\(Self.escaped(head))\\fR", prose) }
    }

    mutating func list(_ options: [Option]) {
        for option in options {
            let names = option.names.map { "\\fB\(Self.escaped($0))\\fR" }.joined(separator: ", ")
            item(
                names + (option.isSwitch ? "" : " \\fI\(Self.escaped(option.value))\\fR"),
                "\(option.help) \(option.detail)")
        }
    }

    private mutating func item(_ head: String, _ prose: String) {
        request("TP")
        text += head + "\n"
        fill(prose)
        isAtStart = false
    }

    mutating func paragraph(_ prose: String) {
        if !isAtStart { request("PP") }
        isAtStart = false
        fill(prose)
    }

    mutating func write(_ part: HelpText.Part) {
        if !part.text.isEmpty { paragraph(part.text) }
        guard !part.lines.isEmpty else { return }
        isAtStart = false
        request("RS 4")
        request("nf")
        for line in part.lines.flatMap(Self.fitting) { text += Self.lineStart(Self.escaped(line)) + "\n" }
        request("fi")
        request("RE")
    }

    /// Running text on lines that are short enough for mandoc's lint.
    private mutating func fill(_ prose: String, _ marked: (String) -> String = { $0 }) {
        let words = prose.split(separator: " ").joined(separator: " ")
        for line in TextLayout(columns: 60, wraps: true).folded(words, indent: 0).split(separator: "\n") {
            text += Self.lineStart(marked(Self.escaped(line))) + "\n"
        }
    }

    /// They stand eleven cells in, on a page of 78.
    private static let literalWidth = 67

    /// A line on as many lines as it takes: a command goes on behind a backslash, with an option and its value on one line.
    private static func fitting(_ line: String) -> [String] {
        guard TerminalText.cells(line) > literalWidth else { return [line] }
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.first == "pincheck" else {
            // A table's second column goes on below its beginning.
            let first = line.firstRange(of: "  ").map { line[..<$0.upperBound].utf8.count }
            let layout = TextLayout(columns: literalWidth, wraps: true)
            return layout.folded(line, indent: first ?? 4).split(separator: "\n").map(String.init)
        }
        return commandLines(words, columns: literalWidth)
    }

    /// A command on as many lines as it takes in so many cells: an option stays beside what follows it, and a blank and a
    /// backslash go behind a line that is not the last.
    static func commandLines(_ words: [String], columns: Int) -> [String] {
        var pieces: [String] = []
        for word in words {
            if pieces.isEmpty || word.hasPrefix("-") || word == "&&" {
                pieces.append(word)
            } else {
                pieces[pieces.count - 1] += " " + word
            }
        }
        var lines: [String] = []
        for piece in pieces {
            if let last = lines.last, last.utf8.count + 1 + piece.utf8.count + 2 <= columns {
                lines[lines.count - 1] = last + " " + piece
            } else {
                if let last = lines.last { lines[lines.count - 1] = last + " \\" }
                lines.append((lines.isEmpty ? "" : "    ") + piece)
            }
        }
        return lines
    }

    /// Text without anything that roff would take for its own.
    private static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return result
    }

    /// A line of text that begins like a request is none.
    private static func lineStart(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}
