import ArgumentParser
import Base
import PinChecking

/// A command that receives its world instead of reaching for it, so that a test runs it against buffers.
protocol ContextCommand: ParsableCommand {
    /// What selects the command. Known without its configuration, whose texts nothing but help needs.
    static var name: String { get }

    /// What the exit codes of the command mean in `context`, `nil` where its options do not say.
    func exitConvention(in context: Context) -> ExitConvention?

    /// Does the work and says how the process ends.
    func run(in context: Context) async throws(CommandError) -> ExitStatus
}

/// A command that asks something of servers or chains.
protocol RequestingCommand: ContextCommand {
    /// What its flags ask for, without what is in the files they name.
    func request() throws(CommandError) -> CheckRequest

    var requestFiles: RequestFiles { get }
}

extension RequestingCommand { var requestFiles: RequestFiles { RequestFiles() } }

extension ContextCommand { func exitConvention(in context: Context) -> ExitConvention? { nil } }
