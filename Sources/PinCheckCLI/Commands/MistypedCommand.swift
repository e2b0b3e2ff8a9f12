import ArgumentParser
import PinFormats
import Text

/// Notices a first argument that is nearly the name of a command, and would be looked up as a host otherwise.
enum MistypedCommand {
    /// Refuses a mistyped command before a target: no host of that name is meant.
    ///
    /// A name alone, or one before options, may well be a host of the local network and is looked up.
    static func refuse(in arguments: [String]) throws(CommandError) {
        guard arguments.count > 1, !arguments[1].hasPrefix("-"), let command = command(meantBy: arguments) else {
            return
        }
        let rest = arguments.dropFirst().prefix(3).joined(separator: " ") + (arguments.count > 4 ? " …" : "")
        throw .usage(
            "there is no command \(quoted(arguments[0])): did you mean \(quoted("pincheck \(command) \(rest)"))? "
                + "A host of that name is checked by 'pincheck check'"
        )
    }

    /// Refuses to help with a command there is not, as in `help nosuch` and `--help nosuch`.
    static func refuseHelp(in arguments: [String]) throws(CommandError) {
        guard arguments.count > 1, ["help", "--help", "-h"].contains(arguments[0]), !arguments[1].hasPrefix("-"),
            !commands.contains(arguments[1])
        else { return }
        let nearest = Suggestion.nearest(to: arguments[1], in: commands)
        throw .usage(
            "there is no command \(quoted(arguments[1])): "
                + (nearest.map { "did you mean 'pincheck help \($0)'?" } ?? "'pincheck --help' lists them")
        )
    }

    /// What to say when the argument could not be reached as a host, `nil` unless a command may have been meant.
    static func hint(for arguments: [String]) -> String? {
        guard let command = command(meantBy: arguments) else { return nil }
        let rest = arguments.count > 1 ? " …" : ""
        return "\(quoted(arguments[0])) was taken for a host: did you mean 'pincheck \(command)\(rest)'?"
    }

    /// The command that the first argument is near to, `nil` when it is one, or can only be a host or an option.
    private static func command(meantBy arguments: [String]) -> String? {
        guard let first = arguments.first, first.utf8.count <= 20, first.utf8.allSatisfy(isLetter) else { return nil }
        return commands.contains(first) ? nil : Suggestion.nearest(to: first, in: commands)
    }

    private static let commands = RootCommand.commands.compactMap { $0.configuration.commandName } + ["help"]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
