import Testing

@testable import PinCheckCLI

/// A command as the parser itself describes it.
struct LabCommand: Sendable, CustomTestStringConvertible {
    let name: String
    /// The options that take a value, `nil` for what is given without one.
    let arguments: [String?]

    var testDescription: String { name }

    /// All commands but `help` and the demonstration, which takes no text.
    static func all() throws -> [LabCommand] {
        let description = try ParserDescription.program()
        return description["subcommands"].array.compactMap { command in
            guard let name = command["commandName"].text, name != "help", name != "demo" else { return nil }
            let arguments = command["arguments"].array.filter { $0["kind"].text != "flag" }
            return LabCommand(
                name: name,
                arguments: arguments.map { argument in
                    guard argument["kind"].text != "positional" else { return nil }
                    let names = argument["names"].array
                    let long = names.first { $0["kind"].text == "long" }.flatMap { $0["name"].text.map { "--" + $0 } }
                    return long ?? names.first.flatMap { $0["name"].text.map { "-" + $0 } }
                })
        }
    }
}
