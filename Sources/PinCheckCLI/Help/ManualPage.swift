import Base
import Pinning

struct ManualPage {
    let name: String
    private let command: Command?

    static let all: [(name: String, made: ManualPage)] =
        [ManualPage(name: "pincheck", command: nil)].map { ($0.name, $0) }
        + Command.all.map { ("pincheck-" + $0.name, ManualPage(name: "pincheck-" + $0.name, command: $0)) }

    func text(at time: Timestamp) -> String {
        let abstract = command?.abstract ?? Program.abstract
        let help = HelpText(command?.discussion ?? Program.discussion)
        var page = ManualWriter(title: "\(name.uppercased()) 1 \(time.date)")
        page.section("NAME")
        // There it is no sentence.
        let words = abstract.last == "." || abstract.last == "?" ? abstract.dropLast() : abstract[...]
        page.paragraph("\(name) - \(words.prefix(1).lowercased())\(words.dropFirst())")
        page.section("SYNOPSIS")
        page.usage(command.map { [$0.usage] } ?? Program.usage)
        page.section("DESCRIPTION")
        page.paragraph(abstract)
        for part in help.notes where !part.isExitStatus { page.write(part) }
        if let command { options(of: command, &page) } else { commands(&page) }
        page.section("ENVIRONMENT")
        page.list(Context.variables)
        page.section("FILES")
        page.paragraph("These are in the directory that 'openssl version -d' prints.")
        page.list([
            ("cert.pem", "The system's trusted roots in one file."),
            ("certs", "The system's trusted roots by hash, which are looked at first."),
            ("openssl.cnf", "OpenSSL's configuration."),
        ])
        exitStatus(help, &page)
        if !help.examples.isEmpty { page.section("EXAMPLES") }
        for part in help.examples { page.write(part) }
        page.section("SEE ALSO")
        let others = (["curl", "openssl"] + Self.all.map(\.name).filter { $0 != name }).sorted()
        page.paragraph(others.map { "\($0)(1)" }.joined(separator: ", "))
        return page.text
    }

    private func commands(_ page: inout ManualWriter) {
        page.section("Commands", isPart: true)
        page.list(Command.all.map { ("pincheck-\($0.name)(1)", $0.abstract) })
        page.section("Options used most", isPart: true)
        page.paragraph("They are those of pincheck check, whose page has all of them.")
        page.list(Command.check.mostUsed)
    }

    private func options(of command: Command, _ page: inout ManualWriter) {
        if !command.arguments.isEmpty {
            page.section("Arguments", isPart: true)
            page.list(command.arguments.map { ($0.name, "\($0.help) \($0.detail)") })
        }
        for group in command.groups {
            page.section(group.title, isPart: true)
            page.list(group.options)
        }
    }

    private func exitStatus(_ help: HelpText, _ page: inout ManualWriter) {
        page.section("EXIT STATUS")
        page.list(ExitStatus.allCases.map { ("\($0.rawValue) \($0.name)", $0.meaning) })
        for part in help.notes where command != nil && part.isExitStatus {
            page.paragraph("Of this command: " + part.text.dropFirst(HelpText.Part.exitStatus.count + 1))
        }
        page.paragraph("Of several targets the worst counts: an error first, then 1, 5, 4, 2 and 3.")
        guard command == nil || command?.option("--format") != nil && command?.option("--explain") != nil else {
            return
        }
        page.paragraph("With --format nagios the status is 0, 1, 2 or 3, as monitoring plugins have it.")
    }
}

/// The discussion of a command, taken apart: examples are lines that stand in, below a line that says what they are for.
struct HelpText {
    struct Part: Equatable {
        let text: String
        var lines: [String] = []

        static let exitStatus = "Exit status:"

        var isExitStatus: Bool { lines.isEmpty && text.hasPrefix(Self.exitStatus) }
    }

    private(set) var examples: [Part] = []
    private(set) var notes: [Part] = []

    init(_ discussion: String) {
        var text: [Substring] = []
        var lines: [String] = []
        func finish(_ help: inout HelpText) {
            let part = Part(text: text.joined(separator: " "), lines: lines)
            if let first = lines.first, first.hasPrefix("pincheck") || first.hasPrefix("openssl") {
                help.examples.append(part)
            } else if !lines.isEmpty || !part.text.isEmpty {
                help.notes.append(part)
            }
            (text, lines) = ([], [])
        }
        for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                finish(&self)
            } else if line.hasPrefix("  ") {
                lines.append(String(line.dropFirst(2)))
            } else {
                if !lines.isEmpty { finish(&self) }
                text.append(line)
            }
        }
        finish(&self)
    }
}

/// Writes a page for man(1) in the macros of man(7), in which every character is kept.
struct ManualWriter {
    private(set) var text: String
    private var isAtStart = true

    // Some words are too long for lines that end below each other.
    init(title: String) { text = ".TH \(title)\n.ad l\n" }

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

    /// An option stays beside what follows it, and a backslash goes behind a line that is not the last.
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
