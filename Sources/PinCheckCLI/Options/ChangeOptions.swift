import ArgumentParser
import Base

/// What happens when a result is another than the last time.
struct ChangeOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Say on standard error what is being done.",
            discussion: "Every lookup, connection, handshake and retry, as they come.")) var verbose = false

    @Option(
        name: .customLong("on-change"),
        help: ArgumentHelp(
            "Run a command for each result that changes.",
            discussion: """
                /bin/sh runs it when the result of a target is not the last one. It learns what happened from \
                PINCHECK_TARGET, PINCHECK_STATUS, PINCHECK_OLD_STATUS, PINCHECK_REASON and more. What it prints goes \
                to standard error. It has 30 s.
                """, valueName: "command")) var onChange: String?

    @Option(
        help: ArgumentHelp(
            "The file that keeps the results for --on-change.", discussion: "It is made if it is missing.",
            valueName: "file"), completion: .file()) var state: String?

    /// What the options ask to watch, `nil` when they are not given; reads the file, so that a broken one is known at once.
    func watch(in context: Context) throws(CommandError) -> ChangeWatch? {
        switch (onChange, state) {
        case (nil, nil): return nil
        case (let command?, let path?):
            guard command.utf8.contains(where: { $0 != 0x20 }), !command.utf8.contains(0) else {
                throw .usage("--on-change is empty: give a command of the shell")
            }
            try OutputFile.refuseMissingDirectory(of: path)
            _ = try StateFile.read(path)
            return ChangeWatch(command: command, path: path, context: context)
        case (.some, nil): throw .usage("--on-change has to know the last results: give --state FILE")
        case (nil, .some): throw .usage("--state keeps results for --on-change: give it a command")
        }
    }
}
