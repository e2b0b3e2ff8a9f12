import Base

/// What the options of output say, in a context.
struct OutputSettings: Sendable {
    let outputs: [FormOutput<OutputForm>]
    let explains: Bool
    let isQuiet: Bool
    let color: TextStyle.Choice
    /// Whether a line at the terminal may say how far a run is.
    let showsProgress: Bool
    /// Whether only results that have changed are told.
    let tellsChangesAlone: Bool

    var usesStandardOutput: Bool { !isQuiet && outputs.contains { $0.file == nil } }

    /// What the exit codes of a run with these outputs mean.
    var exitConvention: ExitConvention {
        outputs.contains { $0.form == .nagios && $0.file == nil } ? .monitoring : .standard
    }

    init(_ settings: Settings, in context: Context) throws(CommandError) {
        outputs = try FormOutput.read(
            settings.formats, default: .text, fileOfFirst: settings.outputs.first,
            standardOutput: context.console.output.identity)
        explains = settings.explains
        isQuiet = settings.isQuiet
        color = settings.color
        showsProgress = !settings.isVerbose
        tellsChangesAlone = settings.state != nil
    }
}
