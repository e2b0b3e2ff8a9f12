import Base
import Pinning

enum Help {
    static func text(of command: Command) -> String {
        var text = layout.folded("OVERVIEW: \(command.abstract)", indent: 10) + "\n\n"
        text += layout.folded(command.discussion, indent: 4) + "\n\n"
        text += "USAGE: \(command.usage)\n"
        if !command.arguments.isEmpty {
            text += "\nARGUMENTS:\n"
            for argument in command.arguments { text += entry("<\(argument.name)>", argument.help, argument.detail) }
        }
        for group in command.own() { text += section(group) }
        if !command.shared().isEmpty {
            text += "\nOPTIONS OF SEVERAL COMMANDS ('pincheck help options' explains them):\n"
            for group in command.shared() {
                let flags = group.options.map(\.flag).joined(separator: " ")
                text += layout.folded("  \(group.title): \(flags)", indent: 6) + "\n"
            }
        }
        return text + standing
    }

    static var options: String {
        "OVERVIEW: Options of several commands, whose own help names them.\n"
            + Command.sharedGroups.map(section).joined() + standing
    }

    static var program: String {
        """
        OVERVIEW: \(Program.abstract)

        \(Program.discussion)

        USAGE: \(Program.usage.joined(separator: "\n       "))
        \(standing)
        SUBCOMMANDS:
        \(commands)
          See 'pincheck help <subcommand>' for more, and 'pincheck help options'.

        """
    }

    static var shortProgram: String {
        """
        \(start)
        Options used most:
        \(mostUsed.map { entry(label($0), $0.help) }.joined())
        More: 'pincheck help check' and 'man pincheck-check', or another command's.

        """
    }

    static var start: String {
        """
        \(Program.abstract)

        Usage: \(Program.usage.joined(separator: "\n       "))

        \(commands)
        Example: pincheck api.example.com --pins Pins/api.cer (more: pincheck --help)

        """
    }

    private static var commands: String {
        Command.all.map { entry($0.name + ($0.name == "check" ? " (default)" : ""), $0.abstract) }.joined()
    }

    static let mostUsed = [
        "--pins", "--next", "--client", "--device", "--connect", "--host", "--anchors", "--thorough", "--policy",
        "--format",
    ].compactMap(Command.check.option)

    private static let layout = TextLayout(columns: 80, wraps: true)
    private static let column = 26

    private static let standing =
        "\nOPTIONS:\n" + entry("--version", "Show the version.") + entry("-h, --help", "Show help information.")

    private static func section(_ group: OptionGroup) -> String {
        "\n\(group.title.uppercased()):\n" + group.options.map { entry(label($0), $0.help, $0.detail) }.joined()
    }

    private static func label(_ option: Option) -> String {
        option.names.listed + (option.isSwitch ? "" : " <\(option.value)>")
    }

    private static func entry(_ label: String, _ line: String, _ detail: String = "") -> String {
        let start = "  " + label + (label.count + 2 < column ? "" : "\n")
        let room = String(repeating: " ", count: start.last == "\n" ? column : column - start.count)
        let below = detail.isEmpty ? "" : layout.folded("        " + detail, indent: 8) + "\n"
        return layout.folded(start + room + line, indent: column) + "\n" + below
    }
}

enum Program {
    static let abstract = "Would a client that ships these pins accept this server?"
    static let usage = ["pincheck <target> ... [--pins <source>] [<options>]", "pincheck <subcommand> [<options>]"]

    static let discussion = """
        Connects, takes the chain the server sends, and judges it as the client
        would.

          pincheck api.example.com
          pincheck api.example.com --pins Pins/api.cer
          pincheck api.example.com --pins 'sha256/NSQo…QGfk='
          pincheck api.example.com --connect 203.0.113.7
          pincheck https://203.0.113.7/ --host api.example.com
          pincheck --next next.csr --host api.example.com --pins Pins/
          pincheck verify chain.pem --host api.example.com --pins Pins/
          pincheck pins api.example.com --format okhttp
          pincheck snapshot api.example.com -o api.json && pincheck diff api.json
          pincheck lint Pins/

        A first argument that is a target runs 'check': 'pincheck help check' shows its
        options, and 'pincheck -h' those that are used most.

        Exit status: 0 accepted, 1 rejected, 2 no verdict, 3 accepted with a warning
        (--fail-on warn), 4 changed since a baseline, 5 not the document (fetch),
        64 usage, 65 malformed file, 66 missing file, 70 internal error, 74 output
        not written. Of several targets the worst counts: an error first, then 1, 5,
        4, 2, 3.
        """

    static func answer(to argv: [String], _ arguments: Arguments, at time: Timestamp) throws -> String? {
        if argv.first == "--complete" { return Completion.answer(to: Array(argv.dropFirst())) }
        if let text = try generate(argv, at: time) { return text }
        let first = argv.first ?? ""
        if first == "help" || ["--help", "-h"].contains(first) && argv.count > 1 && !argv[1].hasPrefix("-") {
            let words = argv.dropFirst().filter { !$0.hasPrefix("-") }
            guard words.count < 2 else {
                throw Problem.usage(
                    "help is about one command: write \(quoted("pincheck help " + withoutSecrets(words[0])))")
            }
            guard let word = words.first else { return Help.program }
            if word == "options" { return Help.options }
            return Help.text(of: try Mistake.command(toHelpWith: word))
        }
        switch arguments.question {
        case "--version": return ProgramVersion.text + "\n"
        case "--help" where argv.count == 1: return Help.program
        case "-h" where argv.count == 1: return Help.shortProgram
        case nil: return nil
        default: return Help.text(of: arguments.command)
        }
    }

    private static func generate(_ argv: [String], at time: Timestamp) throws -> String? {
        guard let first = argv.first, argv.count <= 2 else { return nil }
        let parts = first.parts(at: "=", atMost: 2).map(String.init)
        let all: [(name: String, text: String)]
        switch parts[0] {
        case "--generate-completion-script": all = Completion.scripts
        case "--generate-manual": all = ManualPage.all.map { ($0.name, $0.text(at: time)) }
        default: return nil
        }
        guard let name = (parts.dropFirst() + argv.dropFirst()).first else {
            return all.map { $0.name + "\n" }.joined()
        }
        guard let made = all.first(where: { $0.name == name }) else {
            throw Problem.unknown(name, among: all.map(\.name)).said(of: "\(parts[0])")
        }
        return made.text
    }
}

/// Completes a word at TAB from the tables: the scripts of the shells call the program.
enum Completion {
    /// The output of `--complete WORD…`, whose last word is at the cursor: first `words`, or `files`, `directories` or
    /// `hosts` if the shell completes these itself; then one word a line, with its meaning after a tab.
    static func answer(to words: [String]) -> String {
        let offer = offer(Array(words.dropLast()), words.last ?? "")
        return ([offer.kind] + offer.words.map { $0.meaning.isEmpty ? $0.text : "\($0.text)\t\($0.meaning)" }).map {
            $0 + "\n"
        }.joined()
    }

    private typealias Offer = (kind: String, words: [Option.Word])

    private static func offer(_ before: [String], _ word: String) -> Offer {
        let commands: [Option.Word] = Command.all.map { ($0.name, $0.abstract) }
        if before.isEmpty, !word.hasPrefix("-") {
            return matching(commands + [("help", "Show the help of a command.")], word)
        }
        if before.first == "help" { return matching(commands + Option.words(["options"]), word) }
        let given = Arguments(before)
        let command = given.command
        if let option = given.unfinished { return values(option.values, word) }
        if !before.contains("--") {
            if let equals = word.firstIndex(of: "="), let option = command.option(String(word[..<equals])) {
                let end = word.index(after: equals)
                return values(option.values, String(word[end...]), behind: String(word[..<end]))
            }
            if word.hasPrefix("-") {
                let options = command.options.flatMap { option in option.names.map { ($0, option.help) } }
                return matching(options + [("--help", "Show help."), ("--version", "Show the version.")], word)
            }
        }
        guard let argument = command.argument(at: given.positionals.count) else { return ("words", []) }
        return argument.values.map { values($0, word) } ?? ("hosts", [])
    }

    private static func matching(_ words: [Option.Word], _ word: String, behind start: String = "") -> Offer {
        ("words", words.filter { $0.text.hasPrefix(word) }.map { (start + $0.text, $0.meaning) })
    }

    private static func values(_ values: Option.Values, _ text: String, behind start: String = "") -> Offer {
        switch values {
        case .file, .written: return ("files", [])
        case .form where text.contains("="): return ("files", [])
        case .directory: return ("directories", [])
        case .one(let words), .form(let words): return matching(words(), text, behind: start)
        case .list(let words, let afterColon):
            let head = text.lastIndex(of: ",").map { text[...$0] } ?? ""
            let tail = String(text.dropFirst(head.count))
            return matching(tail.contains(":") ? afterColon() : words(), tail, behind: start + head)
        default: return ("words", [])
        }
    }

    static let scripts = [
        ("bash", PackageResources.completion_bash), ("zsh", PackageResources.completion_zsh),
        ("fish", PackageResources.completion_fish),
    ].map { shell, script in (name: shell, text: String(utf8: script)) }
}
