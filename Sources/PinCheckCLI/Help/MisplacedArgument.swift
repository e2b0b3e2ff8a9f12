import ArgumentParser
import Text

/// What to say of arguments that are missing, or too many, in the words of the rest of the program.
enum MisplacedArgument {
    /// The message instead of the parser's, `nil` for a message about something else.
    static func message(insteadOf text: String, for arguments: [String]) -> SafeText? {
        let line = text.prefix { !$0.isNewline }
        func quotedPart(behind start: String) -> Substring? {
            guard line.hasPrefix(start), line.hasSuffix("'") else { return nil }
            return line.dropFirst(start.count).dropLast()
        }
        let commands = RootCommand.commands.map { $0.name }
        let command = commands.first { $0 == arguments.first } ?? "check"
        let usage: SafeText =
            "write \(quoted(usage(of: command), to: 200)); \(quoted("pincheck help " + command)) says more"
        if let name = quotedPart(behind: "Error: Missing expected argument '") {
            return "Error: no \(name) is given: \(usage)\(origins[command] ?? "")"
        }
        if let option = quotedPart(behind: "Error: Missing value for '") {
            return "Error: \(option.prefix { $0 != " " }) has no value: write \(quoted(option))"
        }
        if let other = quotedPart(behind: "Error: Unexpected argument '") {
            return "Error: \(quoted(other)) is one argument too many: \(usage)"
        }
        return nil
    }

    /// Where a file comes from that a command has to be given.
    private static let origins: [String: SafeText] = [
        "diff": ", and 'pincheck snapshot <target> -o <file>' makes the file"
    ]

    private static func usage(of command: String) -> String {
        RootCommand.usage(of: command).split(separator: "\n").first.map(String.init) ?? "pincheck \(command)"
    }
}
