import Pinning

/// A page of the manual in mdoc, made from the tables of the program.
struct ManualPage {
    let name: String
    /// `nil` for the page of the program.
    private let command: Command?

    static let all: [(name: String, made: ManualPage)] =
        [ManualPage(name: "pincheck", command: nil)].map { ($0.name, $0) }
        + Command.all.map { ("pincheck-" + $0.name, ManualPage(name: "pincheck-" + $0.name, command: $0)) }

    private var abstract: String { command?.abstract ?? Program.abstract }

    func text(at time: Timestamp) -> String {
        var page = MdocWriter()
        page.request("Dd \(Self.date(time))")
        page.request("Dt \(name.uppercased()) 1")
        page.request("Os")
        page.section("NAME")
        page.request("Nm \(name)")
        page.request("Nd " + Self.lowered(abstract))
        page.section("SYNOPSIS")
        for usage in command.map({ [$0.usage] }) ?? Program.usage { page.synopsis(usage) }
        page.section("DESCRIPTION")
        let help = HelpText(command?.discussion() ?? Program.discussion)
        page.sentences(abstract)
        for part in help.notes where !part.isExitStatus { Self.write(part, &page) }
        if let command { options(of: command, &page) } else { commands(&page) }
        environment(&page)
        files(&page)
        exitStatus(help, &page)
        examples(help, &page)
        seeAlso(&page)
        return page.text
    }

    // MARK: Sections

    private func commands(_ page: inout MdocWriter) {
        page.subsection("Commands")
        page.request("Bl -tag -width Ds")
        for command in Command.all {
            page.request("It Xr pincheck-\(command.name) 1")
            page.sentences(command.abstract)
        }
        page.request("El")
        page.subsection("Options used most")
        page.sentences("They are those of pincheck check, whose page has all of them.")
        items(Command.check.most.compactMap(Command.check.option), &page)
    }

    private func options(of command: Command, _ page: inout MdocWriter) {
        if !command.arguments.isEmpty {
            page.subsection("Arguments")
            page.request("Bl -tag -width Ds")
            for argument in command.arguments {
                page.item([], argument.name)
                page.sentences(argument.help)
                page.sentences(argument.detail)
            }
            page.request("El")
        }
        for group in command.groups {
            page.subsection(group.title)
            items(group.options, &page)
        }
    }

    private func items(_ options: [Option], _ page: inout MdocWriter) {
        page.request("Bl -tag -width Ds")
        for option in options {
            page.item(option.names, option.value)
            page.sentences(option.help)
            page.sentences(option.detail)
        }
        page.request("El")
    }

    private func environment(_ page: inout MdocWriter) {
        page.section("ENVIRONMENT")
        page.request("Bl -tag -width Ds")
        for (name, meaning) in Context.variables {
            page.request("It Ev \(name)")
            page.sentences(meaning)
        }
        page.request("El")
    }

    private func files(_ page: inout MdocWriter) {
        page.section("FILES")
        page.sentences("These are in the directory that 'openssl version -d' prints.")
        page.request("Bl -tag -width Ds")
        for (file, meaning) in [
            ("cert.pem", "The system's trusted roots in one file."),
            ("certs", "The system's trusted roots by hash, which are looked at first."),
            ("openssl.cnf", "OpenSSL's configuration."),
        ] {
            page.request("It Pa \(file)")
            page.sentences(meaning)
        }
        page.request("El")
    }

    private func exitStatus(_ help: HelpText, _ page: inout MdocWriter) {
        page.section("EXIT STATUS")
        page.request("Bl -tag -width Ds")
        for status in ExitStatus.allCases {
            page.request("It \(status.rawValue) \(status.name)")
            page.sentences(status.meaning)
        }
        page.request("El")
        if command != nil {
            for case .text(let text) in help.notes.filter(\.isExitStatus) {
                page.paragraph()
                page.sentences("Of this command: " + text.dropFirst(HelpText.Part.exitStatus.count + 1))
            }
        }
        page.paragraph()
        page.sentences("Of several targets the worst counts: an error first, then 1, 5, 4, 2 and 3.")
        guard command == nil || command?.option("--format") != nil && command?.option("--explain") != nil else {
            return
        }
        page.sentences("With --format nagios the status is 0, 1, 2 or 3, as monitoring plugins have it.")
    }

    private func examples(_ help: HelpText, _ page: inout MdocWriter) {
        guard !help.examples.isEmpty else { return }
        page.section("EXAMPLES")
        for (index, part) in help.examples.enumerated() {
            if index > 0 { page.paragraph() }
            Self.write(part, &page)
        }
    }

    private func seeAlso(_ page: inout MdocWriter) {
        page.section("SEE ALSO")
        let others = ["curl", "openssl"] + Self.all.map(\.name).filter { $0 != name }
        let sorted = others.sorted()
        for other in sorted { page.request("Xr \(other) 1" + (other == sorted.last ? "" : " ,")) }
    }

    private static func write(_ part: HelpText.Part, _ page: inout MdocWriter) {
        switch part {
        case .text(let text):
            page.paragraph()
            page.sentences(text)
        case .lines(let text, let lines):
            if !text.isEmpty { page.sentences(text) }
            page.literal(lines)
        }
    }

    // MARK: Words

    /// A sentence as it stands behind a name: without its capital and its end.
    private static func lowered(_ sentence: String) -> String {
        let text = sentence.last.map { ".?".contains($0) } ?? false ? String(sentence.dropLast()) : sentence
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// A day as the manual has it, as in `March 1, 2027`.
    private static func date(_ time: Timestamp) -> String {
        let parts = time.date.split(separator: "-").compactMap { Int($0) }
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return time.date }
        return "\(months[parts[1] - 1]) \(parts[2]), \(parts[0])"
    }
}

/// The discussion of a command, taken apart: examples are lines that stand in, below a line that says what they are for.
struct HelpText {
    enum Part: Equatable {
        case text(String)
        /// Lines that are printed as they are, below a text that may be empty.
        case lines(String, [String])

        static let exitStatus = "Exit status:"

        var isExitStatus: Bool { if case .text(let text) = self { text.hasPrefix(Self.exitStatus) } else { false } }
    }

    private(set) var examples: [Part] = []
    private(set) var notes: [Part] = []

    init(_ discussion: String) {
        var text: [Substring] = []
        var lines: [String] = []
        func isCommand(_ line: String) -> Bool { line.hasPrefix("pincheck") || line.hasPrefix("openssl") }
        func finish(_ help: inout HelpText) {
            let words = text.joined(separator: " ")
            if let first = lines.first {
                let part = Part.lines(words, lines)
                if isCommand(first) { help.examples.append(part) } else { help.notes.append(part) }
            } else if !words.isEmpty {
                help.notes.append(.text(words))
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
