import ArgumentParser
import Base

/// `pincheck`: only the list of commands.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pincheck", abstract: "Would a client that ships these pins accept this server?",
        usage: """
            pincheck <target> ... [--pins <source>] [<options>]
            pincheck <subcommand> [<options>]
            """,
        discussion: """
            Connects, takes the chain the server sends, and judges it as the client
            would.

              pincheck api.example.com
              pincheck api.example.com --pins Pins/api.cer
              pincheck api.example.com --pins 'sha256/NSQo…QGfk='
              pincheck api.example.com --connect 203.0.113.7
              pincheck https://203.0.113.7/ --host api.example.com
              pincheck verify chain.pem --host api.example.com --pins Pins/
              pincheck pins api.example.com --format okhttp
              pincheck snapshot api.example.com -o api.json && pincheck diff api.json
              pincheck lint Pins/

            A first argument that is a target runs 'check': 'pincheck help check' shows its
            options, and 'pincheck -h' those that are used most.

            Exit status: 0 accepted, 1 rejected, 2 no verdict, 3 accepted with a warning
            (--fail-on warn), 4 changed since a baseline, 5 not the document (fetch),
            64 usage, 65 malformed file, 66 missing file, 70 internal error, 74 output
            not written. Of several targets the worst counts: an error first, then 1, 5,
            4, 2, 3.
            """, version: ProgramVersion.text, subcommands: commands, defaultSubcommand: CheckCommand.self)

    /// The commands, in the order of the help.
    static let commands: [any ContextCommand.Type] = [
        CheckCommand.self, VerifyCommand.self, PinsCommand.self, LintCommand.self, SnapshotCommand.self,
        DiffCommand.self, FetchCommand.self, ServeCommand.self, ClientsCommand.self, DevicesCommand.self,
        DemoCommand.self, SchemaCommand.self,
    ]

    /// What `pincheck` alone prints.
    static let shortHelp: SafeText = """
        pincheck: would a client that ships these pins accept this server?

        Usage: pincheck TARGET… [--pins SOURCE…]     check servers
               pincheck verify CHAIN [--host NAME]   judge a chain from a file
               pincheck pins TARGET|FILE…            print the pins of a server or file
               pincheck lint SOURCE…                 judge pins before they ship
               pincheck snapshot TARGET…             record what servers serve
               pincheck diff FILE                    say what changed since a snapshot
               pincheck fetch URL                    download from an accepted server
               pincheck serve --policy FILE          answer the scrapes of Prometheus
               pincheck clients                      list the clients that can be asked
               pincheck devices [NAME]               list the devices that are known
               pincheck schema                       print the JSON Schema of a document
               pincheck demo                         see it work on servers of its own

        Example: pincheck api.example.com --pins Pins/api.cer (more: pincheck --help)
        """
}
