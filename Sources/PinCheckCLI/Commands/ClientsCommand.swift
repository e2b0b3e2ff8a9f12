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
        let layout = context.console.output.layout
        let table = Table(rows: Client.all.map { [$0.name, $0.summary] }, indent: 0)
        let start = table.widths[0] + 4
        var lines = LineWriter(context.console.output)
        for (entry, line) in zip(Client.all, table.lines(foldedIn: layout)) {
            try lines.write(line)
            for setting in entry.settings {
                let line = String(repeating: " ", count: start) + setting.usage + "  " + setting.help
                try lines.write(layout.folded(line, indent: start + 2))
            }
        }
        return .pass
    }
}
