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
        page.request("Sh NAME")
        page.request("Nm \(name)")
        page.request("Nd " + Self.lowered(abstract))
        page.request("Sh SYNOPSIS")
        for usage in command.map({ [$0.usage] }) ?? Program.usage { page.synopsis(usage) }
        page.request("Sh DESCRIPTION")
        let help = HelpText(command?.discussion() ?? Program.discussion)
        page.sentences(abstract)
        for part in help.notes where !part.isExitStatus { Self.write(part, &page) }
        if let command { options(of: command, &page) } else { commands(&page) }
        page.request("Sh ENVIRONMENT")
        page.list(Context.variables.map { ("Ev " + $0, $1) })
        page.request("Sh FILES")
        page.sentences("These are in the directory that 'openssl version -d' prints.")
        page.list([
            ("Pa cert.pem", "The system's trusted roots in one file."),
            ("Pa certs", "The system's trusted roots by hash, which are looked at first."),
            ("Pa openssl.cnf", "OpenSSL's configuration."),
        ])
        exitStatus(help, &page)
        if !help.examples.isEmpty { page.request("Sh EXAMPLES") }
        for (index, part) in help.examples.enumerated() {
            if index > 0 { page.request("Pp") }
            Self.write(part, &page)
        }
        page.request("Sh SEE ALSO")
        let others = (["curl", "openssl"] + Self.all.map(\.name).filter { $0 != name }).sorted()
        for other in others { page.request("Xr \(other) 1" + (other == others.last ? "" : " ,")) }
        return page.text
    }

    // MARK: Sections

    private func commands(_ page: inout MdocWriter) {
        page.request("Ss Commands")
        page.list(Command.all.map { ("Xr pincheck-\($0.name) 1", $0.abstract) })
        page.request("Ss Options used most")
        page.sentences("They are those of pincheck check, whose page has all of them.")
        page.list(Command.check.most.compactMap(Command.check.option).map(Self.item))
    }

    private func options(of command: Command, _ page: inout MdocWriter) {
        if !command.arguments.isEmpty {
            page.request("Ss Arguments")
            page.list(command.arguments.map { (MdocWriter.head([], $0.name), "\($0.help) \($0.detail)") })
        }
        for group in command.groups {
            page.request("Ss " + group.title)
            page.list(group.options.map(Self.item))
        }
    }

    private static func item(_ option: Option) -> (head: String, prose: String) {
        (MdocWriter.head(option.names, option.value), "\(option.help) \(option.detail)")
    }

    private func exitStatus(_ help: HelpText, _ page: inout MdocWriter) {
        page.request("Sh EXIT STATUS")
        page.list(ExitStatus.allCases.map { ("\($0.rawValue) \($0.name)", $0.meaning) })
        if command != nil {
            for part in help.notes where part.isExitStatus {
                page.request("Pp")
                page.sentences("Of this command: " + part.text.dropFirst(HelpText.Part.exitStatus.count + 1))
            }
        }
        page.request("Pp")
        page.sentences("Of several targets the worst counts: an error first, then 1, 5, 4, 2 and 3.")
        guard command == nil || command?.option("--format") != nil && command?.option("--explain") != nil else {
            return
        }
        page.sentences("With --format nagios the status is 0, 1, 2 or 3, as monitoring plugins have it.")
    }

    private static func write(_ part: HelpText.Part, _ page: inout MdocWriter) {
        if part.lines.isEmpty { page.request("Pp") }
        page.sentences(part.text)
        if !part.lines.isEmpty { page.literal(part.lines) }
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
    /// A text, and lines that are printed as they are below it; one of the two may be empty.
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
