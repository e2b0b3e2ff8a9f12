import Base
import Pinning

struct ManualPage {
    private let command: Command?
    static let all = ([nil] + Command.all).map { ManualPage(command: $0) }

    var name: String { command.map { "pincheck-" + $0.name } ?? "pincheck" }

    func text(at time: Timestamp) -> String {
        let abstract = command?.abstract ?? Program.abstract
        let parts = (command?.discussion ?? Program.discussion).split(separator: "\n\n").map(String.init)
        let isExample = { (part: String) in part.split(separator: "\n").contains { $0.hasPrefix("  pincheck") } }
        var page = ManualWriter(title: "\(name.uppercased()) 1 \(time.date)")
        page.section("NAME")
        // In NAME the abstract is not a sentence: it has neither a full stop nor a capital.
        let words = abstract.last == "." || abstract.last == "?" ? abstract.dropLast() : abstract[...]
        page.paragraph("\(name) - \(words.prefix(1).lowercased())\(words.dropFirst())")
        page.section("SYNOPSIS")
        page.usage(command.map { [$0.usage] } ?? Program.usage)
        page.section("DESCRIPTION")
        page.paragraph(abstract)
        for part in parts where !isExample(part) { page.write(part) }
        if let command { options(of: command, &page) } else { commands(&page) }
        page.section("ENVIRONMENT")
        page.list(Context.variables)
        page.section("FILES")
        page.paragraph(
            "The system's roots, certs and cert.pem, and openssl.cnf are in the directory that 'openssl version -d' prints."
        )
        page.section("EXIT STATUS")
        page.list(ExitStatus.allCases.map { ("\($0.rawValue) \($0.name)", $0.meaning) })
        page.paragraph("Of several targets the worst counts: an error first, then 1, 5, 4, 2 and 3.")
        if command?.forms.contains("nagios") ?? true {
            page.paragraph("With --format nagios the status is 0, 1, 2 or 3, as monitoring plugins have it.")
        }
        if parts.contains(where: isExample) { page.section("EXAMPLES") }
        for part in parts where isExample(part) { page.write(part) }
        page.section("SEE ALSO")
        let others = (["curl", "openssl"] + Self.all.map(\.name).filter { $0 != name }).sorted()
        page.paragraph(others.map { "\($0)(1)" }.listed)
        return page.text
    }

    private func commands(_ page: inout ManualWriter) {
        page.section("Commands", isPart: true)
        page.list(Command.all.map { ("pincheck-\($0.name)(1)", $0.abstract) })
        page.section("Options used most", isPart: true)
        page.paragraph("They are those of pincheck check, whose page has all of them.")
        page.list(Help.mostUsed)
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
}

/// Writes a page for man(1) in the macros of man(7), and keeps every character.
struct ManualWriter {
    private(set) var text: String
    private var isAtStart = true

    // Margins are ragged, because some words are too long for even ones.
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
            let names = option.names.map { "\\fB\(Self.escaped($0))\\fR" }.listed
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

    /// Writes a part of a discussion: line by line for 80 columns if some lines are indented, else as running text.
    mutating func write(_ part: String) {
        guard part.contains("\n  ") || part.hasPrefix("  ") else { return paragraph(part) }
        if !isAtStart { request("PP") }
        isAtStart = false
        request("nf")
        let layout = TextLayout(columns: 73, wraps: true)
        for line in layout.folded(part, indent: 6).split(separator: "\n") {
            text += Self.lineStart(Self.escaped(line)) + "\n"
        }
        request("fi")
    }

    /// Writes running text on lines that are short enough for mandoc's lint.
    private mutating func fill(_ prose: String, _ marked: (String) -> String = { $0 }) {
        let words = prose.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        for line in TextLayout(columns: 60, wraps: true).folded(words, indent: 0).split(separator: "\n") {
            text += Self.lineStart(marked(Self.escaped(line))) + "\n"
        }
    }

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

    private static func lineStart(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}
