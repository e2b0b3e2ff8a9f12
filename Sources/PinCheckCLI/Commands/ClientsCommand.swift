import Base
import PinChecking

extension Command {
    static let clients = Command(
        name: "clients", abstract: "List the clients whose decisions can be made, with their settings.",
        usage: "pincheck clients",
        discussion: {
            """
            Several clients judge one connection, and all of them must accept:
              pincheck api.example.com --pins Pins/ --client afnetworking,okhttp
              pincheck api.example.com --pins Pins/ --client all
            Settings follow a name, separated by colons:
              pincheck api.example.com --pins Pins/ --client trustkit:no-enforce
            AFNetworking's settings have flags of their own, such as --mode.
            """
        }, run: { _, context in try ClientsCommand().run(in: context) })
}

/// `pincheck clients`: what can stand behind `--client`.
struct ClientsCommand {
    func run(in context: Context) throws -> ExitStatus {
        let width = Client.all.map(\.name.count).max() ?? 0
        let layout = context.console.output.layout
        var lines = LineWriter(context.console.output)
        for entry in Client.all {
            let name = TerminalText.padded(entry.name, toCells: width) + "  "
            try lines.write(layout.folded(name + entry.summary, indent: width + 2))
            for setting in entry.settings {
                let start = String(repeating: " ", count: width + 4)
                try lines.write(layout.folded(start + setting.usage + "  " + setting.help, indent: width + 6))
            }
        }
        return .pass
    }
}
