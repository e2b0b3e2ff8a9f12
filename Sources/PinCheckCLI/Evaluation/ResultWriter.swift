/// Writes results as they come, in the form that was asked for.
struct ResultWriter: Sendable {
    private let options: OutputOptions
    private let notes: [Report.Message]
    private let console: Console
    private let text: TextRenderer
    private var reports: [Report] = []
    private var isFirst = true
    private var lines: LineWriter

    /// A writer for the results of one run; `notes` concern all of them and are said once.
    init(_ options: OutputOptions, notes: [Report.Message], in context: Context) {
        self.options = options
        self.notes = notes
        console = context.console
        lines = LineWriter(context.console.output)
        let style = TextStyle(
            options.color,
            isTerminal: context.console.output.isTerminal,
            environment: context.environment
        )
        text = TextRenderer(style: style, explains: options.explain)
        guard !options.quiet, options.format == .text else { return }
        for note in notes { console.report("Warning: \(note.message)") }
    }

    /// Takes the next result in order.
    mutating func add(_ report: Report) throws(CommandError) {
        guard !options.quiet else { return }
        switch options.format {
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
        guard !options.quiet, options.format == .json else { return }
        try lines.write(text: JSONRenderer.document(reports, exit: exit))
    }
}
