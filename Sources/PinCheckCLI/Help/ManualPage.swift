import Pinning

struct ManualPage {
    let name: String
    private let command: Command?

    static let all: [(name: String, made: ManualPage)] =
        [ManualPage(name: "pincheck", command: nil)].map { ($0.name, $0) }
        + Command.all.map { ("pincheck-" + $0.name, ManualPage(name: "pincheck-" + $0.name, command: $0)) }

    func text(at time: Timestamp) -> String {
        let abstract = command?.abstract ?? Program.abstract
        let help = HelpText(command?.discussion() ?? Program.discussion)
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
        page.list(Command.check.most.compactMap(Command.check.option))
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
