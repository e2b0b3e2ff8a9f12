import Base
import PinFormats

/// Notices a first argument that is nearly the name of a command, and would be looked up as a host otherwise.
enum MistypedCommand {
    /// Refuses a mistyped command: that it is a host of the local network is the rarer case, and nothing is asked of anybody.
    static func refuse(in arguments: [String], positionals: [String]) throws(CommandError) {
        if let late = positionals.first, late != arguments.first, names.contains(late) {
            throw .usage(
                "the command comes first: write \(quoted("pincheck \(late) …")), or 'pincheck check \(late)' for a host"
            )
        }
        guard let first = arguments.first, !names.contains(first) else { return }
        if let instead = GoneWords.commands[first] {
            throw .usage("there is no command \(quoted(first)) any more: \(instead)")
        }
        guard first.utf8.count <= 20, first.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }),
            let command = arguments.count > 1 && foreign[first] != nil
                ? foreign[first] : Suggestion.nearest(to: first, in: names)
        else { return }
        try FileArgument.refuse(asTarget: first)
        let rest = arguments.dropFirst().prefix(3).map { " " + $0 }.joined() + (arguments.count > 4 ? " …" : "")
        throw .usage(
            "there is no command \(quoted(first)): did you mean \(quoted("pincheck \(command)\(rest)"))? "
                + "A host of that name is checked by \(quoted("pincheck check \(first)"))")
    }

    /// The command that help is asked with.
    static func command(toHelpWith name: String) throws(CommandError) -> Command {
        if let command = Command.named(name) { return command }
        if let instead = GoneWords.commands[name] {
            throw .usage("there is no command \(quoted(name)) any more: \(instead)")
        }
        let nearest = Suggestion.nearest(to: name, in: names)
        throw .usage(
            "there is no command \(quoted(withoutSecrets(name))): "
                + (nearest.map { "did you mean 'pincheck help \($0)'?" } ?? "'pincheck --help' lists them"))
    }

    private static let foreign = [
        "get": "fetch", "download": "fetch", "compare": "diff", "validate": "verify", "exporter": "serve",
    ]

    private static let names = Command.all.map(\.name) + ["help"]
}
