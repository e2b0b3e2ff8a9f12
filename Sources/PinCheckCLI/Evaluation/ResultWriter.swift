/// Writes results as they come, in the form that was asked for.
struct ResultWriter: Sendable {
    private let settings: OutputSettings
    private let notes: [Report.Message]
    private let console: Console
    private let text: TextRenderer
    private var reports: [Report] = []
    private var isFirst = true
    private var lines: LineWriter

    /// A writer for the results of one run; `notes` concern all of them and are said once.
    init(_ settings: OutputSettings, notes: [Report.Message], in context: Context) {
        self.settings = settings
        self.notes = notes
        console = context.console
        lines = LineWriter(context.console.output)
        let style = TextStyle(
            settings.color,
            isTerminal: context.console.output.isTerminal,
            environment: context.environment
        )
        text = TextRenderer(style: style, explains: settings.explains)
        guard !settings.isQuiet, settings.format == .text else { return }
        for note in notes { console.report("Warning: \(note.message)") }
    }

    /// Takes the next result in order.
    mutating func add(_ report: Report) throws(CommandError) {
        guard !settings.isQuiet else { return }
        switch settings.format {
        case .json: reports.append(report)
        case .text:
            for warning in report.warnings.dropFirst(notes.count) {
                console.report("Warning: \(report.target): \(warning.message)")
            }
            try lines.write(text: (isFirst ? "" : "\n") + text.block(report))
            isFirst = false
        }
    }

    /// Writes what could not be written before the end was known.
    mutating func finish(exit: ExitStatus) throws(CommandError) {
        guard !settings.isQuiet, settings.format == .json else { return }
        try lines.write(text: JSONRenderer.document(reports, exit: exit))
    }
}
