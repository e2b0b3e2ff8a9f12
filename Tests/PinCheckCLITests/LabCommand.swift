import Testing

@testable import PinCheckCLI

/// A command as the table describes it.
struct LabCommand: Sendable, CustomTestStringConvertible {
    let name: String
    /// The options that take a value, `nil` for what is given without one.
    let arguments: [String?]

    var testDescription: String { name }

    /// All commands but the demonstration, which takes no text.
    static func all() -> [LabCommand] {
        Command.all.filter { $0.name != "demo" }.map { command in
            LabCommand(
                name: command.name,
                arguments: command.arguments.map { _ in nil } + command.options.filter { !$0.isSwitch }.map(\.flag))
        }
    }
}
