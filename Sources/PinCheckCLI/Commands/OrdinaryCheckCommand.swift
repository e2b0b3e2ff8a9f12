import ArgumentParser
import PinChecking
import Text

/// `pincheck check` as nearly every call has it, without the options that few calls have.
///
/// The parser takes time for every option there is, given or not: with those left out a check takes a tenth less. What this
/// command does not understand ``CheckCommand`` is asked to parse, and it alone shows in the help.
struct OrdinaryCheckCommand: RequestingCommand {
    /// With a parent, because below none the parser first looks for a request for a completion script.
    static let configuration = CommandConfiguration(
        commandName: "check",
        _superCommandName: "pincheck",
        shouldDisplay: false
    )

    @Argument
    var targets: [String] = []

    @OptionGroup
    var evaluation: EvaluationOptions

    @OptionGroup
    var names: NameOptions

    @OptionGroup
    var connection: ConnectionOptions

    @OptionGroup
    var output: OutputOptions

    /// The options of ``CheckCommand`` that are not in this one.
    static let leftOut: Set = [
        "--targets", "--policy", "--baseline", "--allow", "--update", "--next", "--warn-before", "--fail-before",
        "--min-pin-life",
        "--fail-on", "--cert", "--key", "--all-addresses", "--addresses", "--httpdns", "--doh", "--key-types",
        "--each-tls-version", "--compare-sni", "--thorough", "--request", "--head", "--expect-status",
        "--on-change", "--state", "--device", "--device-data",
    ]

    /// Whether the arguments hold no option that is left out here.
    static func suffices(for arguments: some Sequence<String>) -> Bool {
        !arguments.contains { argument in
            argument.hasPrefix("--") && leftOut.contains(String(argument.prefix { $0 != "=" }))
        }
    }

    func exitConvention(in context: Context) -> ExitConvention? {
        (try? OutputSettings(output, in: context))?.exitConvention
    }

    func request() throws(CommandError) -> CheckRequest {
        try CheckRequest(names: names, connection: connection, evaluation: evaluation)
    }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        try await CheckRun(targets: targets, request: try request(), output: output).run(in: context)
    }
}
