import Base

/// Writes mdoc, the language of manual pages: every character is kept, and lines are as short as `mandoc -T lint` wants them.
struct MdocWriter {
    private(set) var text = ""

    /// The longest line of running text.
    private static let width = 78

    /// A line as it is: a macro with words that roff is told.
    mutating func request(_ line: String) { text += "." + line + "\n" }

    /// A macro with its arguments, which are words of their own.
    private static func macro(_ name: String, _ arguments: [String]) -> String {
        ([name] + arguments.flatMap { $0.split(separator: " ") }.map(argument)).joined(separator: " ")
    }

    /// Items below each other, each with sentences below its head.
    mutating func list(_ items: [(head: String, prose: String)]) {
        request("Bl -tag -width Ds")
        for (head, prose) in items {
            request("It " + head)
            sentences(prose)
        }
        request("El")
    }

    /// A line of usage, as in `pincheck verify <chain> [--host <name>]`: commands, options, and arguments in angle brackets.
    mutating func synopsis(_ usage: String) {
        var words = usage.split(separator: " ")[...]
        request("Nm \(words.removeFirst())")
        var parts: [String] = []
        var isOptional = false
        func end(_ writer: inout MdocWriter) {
            if let first = parts.first {
                writer.request(isOptional ? Self.macro("Op", parts) : Self.macro(first, Array(parts.dropFirst())))
            }
            (parts, isOptional) = ([], false)
        }
        for var word in words {
            if word.hasPrefix("[") {
                end(&self)
                isOptional = true
                word.removeFirst()
            }
            // A bracket of the value's own, as in `addr[:port]`, is closed within it.
            let isEnd = isOptional && word.hasSuffix("]")
            if isEnd { word.removeLast() }
            if word.hasPrefix("-") {
                parts += ["Fl", String(word.dropFirst())]
            } else if word.hasPrefix("<") {
                parts += ["Ar", word.filter { $0 != "<" && $0 != ">" }]
            } else {
                // Dots behind an argument: there may be more of it.
                parts += parts.contains("Ar") ? [String(word)] : ["Cm", String(word)]
            }
            if isEnd { end(&self) }
        }
        end(&self)
    }

    /// The head of an item: the names of an option, and what its value is called, or what stands alone.
    static func head(_ names: [String], _ value: String) -> String {
        let flags = names.map { macro("Fl", [String($0.dropFirst())]) }
        return ([flags.joined(separator: " , ")] + (value.isEmpty ? [] : [macro("Ar", [value])])).filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    /// Running text, each sentence on a line of its own.
    mutating func sentences(_ prose: String) {
        var line = ""
        func flush(_ writer: inout MdocWriter) {
            if !line.isEmpty { writer.text += Self.lineStart(line) + "\n" }
            line = ""
        }
        for word in prose.split(whereSeparator: \.isWhitespace) {
            let shown = Self.escaped(word)
            if !line.isEmpty, line.utf8.count + shown.utf8.count >= Self.width { flush(&self) }
            line += (line.isEmpty ? "" : " ") + shown
            let end = word.last { $0 != ")" && $0 != "'" && $0 != "\"" }
            if let end, ".?!".contains(end) { flush(&self) }
        }
        flush(&self)
    }

    /// Lines as they are; those that are wider than a page of 80 cells go on on the next line.
    mutating func literal(_ lines: [String]) {
        request("Bd -literal -offset indent -compact")
        for line in lines.flatMap(Self.fitting) { text += Self.lineStart(Self.escaped(line)) + "\n" }
        request("Ed")
    }

    /// The room for lines that are printed as they are: they stand eleven cells in.
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

    /// A word of a macro line: one that would be a macro or punctuation itself is made text.
    private static func argument(_ word: Substring) -> String {
        let shown = escaped(word)
        guard word != "," else { return "," }
        // What has two or three letters may be the name of a macro.
        let isFirst = word.first.map { ".,:;()[]?!|\"".contains($0) } ?? false
        return (isFirst && word != "..." ? "\\&" : "") + shown.replacing("\"", with: "\\(dq")
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
