import Base
import Pinning

/// What is asked of the program itself: help, its version, and what packagers install.
enum ProgramAnswer {
    /// The answer, `nil` where something else is asked for.
    ///
    /// - Throws: ``CommandError`` for help with what there is not.
    static func text(to argv: [String], _ arguments: Arguments, at time: Timestamp) throws -> String? {
        if argv.first == "--complete" { return Completion.answer(to: Array(argv.dropFirst())) }
        if let text = try generated(argv, at: time) { return text }
        let first = argv.first ?? ""
        if first == "help" || ["--help", "-h"].contains(first) && argv.count > 1 && !argv[1].hasPrefix("-") {
            let words = argv.dropFirst().filter { !$0.hasPrefix("-") }
            guard words.count < 2 else {
                throw CommandError.usage(
                    "help is about one command: write \(quoted("pincheck help " + withoutSecrets(words[0])))")
            }
            guard let word = words.first else { return Help.program }
            if word == "options" { return Help.options }
            let command = try MistypedCommand.command(toHelpWith: word)
            return first == "-h" ? Help.shortText(of: command) : Help.text(of: command)
        }
        switch arguments.question {
        case .version: return ProgramVersion.text + "\n"
        case .help: return argv == ["--help"] ? Help.program : Help.text(of: arguments.command)
        case .shortHelp: return argv == ["-h"] ? Help.shortProgram : Help.shortText(of: arguments.command)
        case nil: return nil
        }
    }

    /// Completions or a page of the manual; their names where none is given.
    private static func generated(_ argv: [String], at time: Timestamp) throws -> String? {
        guard let first = argv.first, first.hasPrefix("--generate-"), argv.count <= 2 else { return nil }
        let parts = first.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let value = parts.count == 2 ? parts[1] : argv.count == 2 ? argv[1] : nil
        func one<Made>(of all: [(name: String, made: Made)]) throws -> Made? {
            guard let value else { return nil }
            guard let found = all.first(where: { $0.name == value }) else {
                throw CommandError.unknown(value, among: all.map(\.name)).said(of: "\(parts[0])")
            }
            return found.made
        }
        switch parts[0] {
        case "--generate-completion-script":
            return try one(of: Completion.scripts) ?? Completion.scripts.map { $0.name + "\n" }.joined()
        case "--generate-manual":
            return try one(of: ManualPage.all)?.text(at: time) ?? ManualPage.all.map { $0.name + "\n" }.joined()
        default: return nil
        }
    }
}
