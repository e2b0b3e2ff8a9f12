import ArgumentParser

/// A command that receives its world instead of reaching for it, so that a test runs it against buffers.
protocol ContextCommand: ParsableCommand {
    /// Does the work and says how the process ends.
    func run(in context: Context) async throws(CommandError) -> ExitStatus
}
