import ArgumentParser
import Base
import Pinning

/// What is said of the run, and of results alone that are others than the last time.
struct ChangeOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Say on standard error what is being done.",
            discussion: "Every lookup, connection, handshake and retry, as they come.")) var verbose = false

    @Option(
        help: ArgumentHelp(
            "Remember results here, and tell only changed ones.",
            discussion: """
                In the form text. A result has changed when its status, the reason of its verdict or the server's key is another \
                than in the last run, or none is in the file, which is made if it is missing. The exit status stays what it is.
                """, valueName: "file"), completion: .file()) var state: String?

    /// What the options have of earlier runs, `nil` for nothing; reads the file, so that a broken one is known at once.
    func earlier(for settings: OutputSettings, in context: Context) throws(CommandError) -> StateFile? {
        guard let state else { return nil }
        if let form = settings.outputs.first(where: { $0.form != .text })?.form.rawValue {
            throw .usage("--state tells what has changed, and \(form) tells everything: leave out one of the two")
        }
        return try StateFile(state, at: context.now().description)
    }
}
