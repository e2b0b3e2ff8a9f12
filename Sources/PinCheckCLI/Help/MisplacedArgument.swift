import ArgumentParser
import Base

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
            let name = option.prefix { $0 != " " }
            if let value = number(behind: name, in: arguments) {
                return "Error: \(name) has the value \(quoted(value)): write \(quoted(option)) with a number from 0"
            }
            return "Error: \(name) has no value: write \(quoted(option))"
        }
        if let other = quotedPart(behind: "Error: Unexpected argument '") {
            return "Error: \(quoted(other)) is one argument too many: \(usage)"
        }
        return nil
    }

    /// The negative number behind an option, which the parser takes for another option.
    private static func number(behind option: Substring, in arguments: [String]) -> String? {
        guard let index = arguments.firstIndex(of: String(option)), index + 1 < arguments.count else { return nil }
        let next = arguments[index + 1]
        return next.hasPrefix("-") && Double(next) != nil ? next : nil
    }

    /// Where a file comes from that a command has to be given.
    private static let origins: [String: SafeText] = [
        "diff": ", and 'pincheck snapshot <target> -o <file>' makes the file"
    ]

    private static func usage(of command: String) -> String {
        RootCommand.usage(of: command).split(separator: "\n").first.map(String.init) ?? "pincheck \(command)"
    }
}
