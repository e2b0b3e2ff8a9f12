import ArgumentParser
import Base
import PinFormats

/// Notices a first argument that is nearly the name of a command, and would be looked up as a host otherwise.
enum MistypedCommand {
    /// Refuses a mistyped command: that it is a host of the local network is the rarer case, and nothing is asked of anybody.
    static func refuse(in arguments: [String]) throws(CommandError) {
        if let first = arguments.first, !commands.contains(first), let instead = GoneWords.commands[first] {
            throw .usage("there is no command \(quoted(first)) any more: \(instead)")
        }
        guard let command = command(meantBy: arguments) else { return }
        try FileArgument.refuse(asTarget: arguments[0])
        let rest = arguments.dropFirst().prefix(3).map { " " + $0 }.joined() + (arguments.count > 4 ? " …" : "")
        throw .usage(
            "there is no command \(quoted(arguments[0])): did you mean \(quoted("pincheck \(command)\(rest)"))? "
                + "A host of that name is checked by \(quoted("pincheck check \(arguments[0])"))")
    }

    /// Refuses to help with a command there is not, as in `help nosuch` and `--help nosuch`.
    static func refuseHelp(in arguments: [String]) throws(CommandError) {
        guard arguments.count > 1, ["help", "--help", "-h"].contains(arguments[0]), !arguments[1].hasPrefix("-"),
            !commands.contains(arguments[1])
        else { return }
        if let instead = GoneWords.commands[arguments[1]] {
            throw .usage("there is no command \(quoted(arguments[1])) any more: \(instead)")
        }
        let nearest = Suggestion.nearest(to: arguments[1], in: commands)
        throw .usage(
            "there is no command \(quoted(arguments[1])): "
                + (nearest.map { "did you mean 'pincheck help \($0)'?" } ?? "'pincheck --help' lists them"))
    }

    /// The command that the first argument is near to, `nil` when it is one, or can only be a host or an option.
    private static func command(meantBy arguments: [String]) -> String? {
        guard let first = arguments.first, first.utf8.count <= 20, first.utf8.allSatisfy(isLetter),
            !commands.contains(first)
        else { return nil }
        if arguments.count > 1, let command = foreign[first] { return command }
        return Suggestion.nearest(to: first, in: commands)
    }

    private static let foreign = [
        "get": "fetch", "download": "fetch", "compare": "diff", "validate": "verify", "exporter": "serve",
    ]

    private static let commands = RootCommand.commands.map { $0.name } + ["help"]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
