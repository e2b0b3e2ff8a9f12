import ArgumentParser

/// What `-h` prints: the options that are used most, on less than a page, and where the rest is.
enum ShortHelp {
    /// The options of each command that are used most; a command that is not here has few.
    static let options: [String: [String]] = [
        "check": [
            "--pins", "--client", "--device", "--connect", "--host", "--anchors", "--thorough", "--policy", "--explain",
            "--format",
        ],
        "verify": [
            "--pins", "--client", "--mode", "--host", "--anchors", "--at", "--device", "--warn-before", "--format",
            "--explain",
        ],
        "pins": [
            "--format", "--key", "--from", "--recommend", "--position", "--save", "--host", "--connect", "--port",
            "--anchors",
        ],
        "snapshot": [
            "--output", "--targets", "--policy", "--all-addresses", "--key-types", "--connect", "--host", "--sni",
            "--timeout",
        ],
        "fetch": [
            "--output", "--remote-name", "--pins", "--policy", "--connect", "--host", "--header", "--sha256",
            "--retries", "--resume-all",
        ],
        "serve": [
            "--listen", "--policy", "--module", "--allow-target", "--allow-any-target", "--cache", "--log-format",
            "--pins", "--timeout", "--jobs",
        ],
        "diff": [
            "--allow", "--update", "--pins", "--client", "--policy", "--all-addresses", "--key-types", "--connect",
            "--host", "--format",
        ],
    ]

    static let mostLines = 40

    /// The short help, where the arguments ask for help by `-h`; `nil` where they ask for all of it.
    static func asked(for arguments: [String]) throws(CommandError) -> String? {
        guard arguments.contains("-h"), !arguments.contains("--help"), arguments.first != "help" else { return nil }
        let program = try CommandDescription.program()
        if arguments == ["-h"] { return text(of: program) }
        let command = arguments.first.flatMap(program.subcommand) ?? program.subcommand("check")
        return command.map { text(of: $0, usage: RootCommand.usage(of: $0.name)) }
    }

    /// The help of the program: its commands, and the options of `check`.
    private static func text(of program: CommandDescription) -> String {
        let check = program.subcommand("check")
        return """
            \(RootCommand.shortHelp)

            Options used most:
            \(lines(check?.options.filter { options["check"]?.contains($0.longName) ?? true } ?? []))

            More: 'pincheck help check' and 'man pincheck-check', or another command's.

            """
    }

    private static func text(of command: CommandDescription, usage: String) -> String {
        let wanted = options[command.name]
        let shown = command.options.filter { wanted?.contains($0.longName) ?? true }
        let arguments = command.positionals.isEmpty ? "" : "\nArguments:\n\(lines(command.positionals))\n"
        return """
            \(command.abstract)

            Usage: \(usage)
            \(arguments)
            \(wanted == nil ? "Options" : "Options used most"):
            \(lines(shown))

            More: 'pincheck help \(command.name)' and 'man pincheck-\(command.name)'.

            """
    }

    private static func lines(_ arguments: [ArgumentDescription]) -> String {
        arguments.map { argument in
            let value = argument.kind == .flag ? "" : "<\(argument.valueName)>"
            let label =
                "  " + [argument.names.joined(separator: ", "), value].filter { !$0.isEmpty }.joined(separator: " ")
            let gap =
                label.count < 26
                ? String(repeating: " ", count: 26 - label.count) : "\n" + String(repeating: " ", count: 26)
            return label + gap + argument.abstract
        }.joined(separator: "\n")
    }
}

extension RootCommand {
    static func usage(of command: String) -> String { commands.first { $0.name == command }?.configuration.usage ?? "" }
}
