import Base

/// One output: a form of results, and where it goes.
struct ResultSink {
    private var renderer: any ResultRenderer
    private var lines: LineWriter
    /// What waits to become a file as a whole.
    private var pending: (text: Spool, path: String)?
    /// Whether the output is a file.
    let isFile: Bool
    /// Whether it is the summary of a job, which nobody asked for by a flag and no verdict is lost with.
    let isJobSummary: Bool
    /// What kept a summary from being written; nothing is written to it any more then.
    private(set) var loss: CommandError?

    /// An output of a run.
    init(_ output: FormOutput<OutputForm>, settings: OutputSettings, in context: Context) throws(CommandError) {
        var stream: OutputStream
        if let path = output.file {
            try OutputFile.refuseReadFile(path)
            try OutputFile.refuseMissingDirectory(of: path)
            if output.form.isWrittenAsItGrows {
                stream = try GrowingFile(path: path).stream
            } else {
                let text = Spool(directory: context.environment["TMPDIR"] ?? "/tmp")
                pending = (text, path)
                stream = OutputStream(isTerminal: false) { bytes throws(OutputError) in try text.add(bytes) }
            }
            stream = stream.changing(context.secrets.apply)
        } else {
            stream = context.console.output
            try OutputFile.refuseReadFile(behind: stream)
        }
        isFile = output.file != nil
        isJobSummary = false
        lines = LineWriter(stream)
        renderer = output.form.renderer(settings, to: stream, in: context)
    }

    /// The summary of a job, added to the file that GitHub names.
    init(jobSummary path: String) throws(CommandError) {
        try OutputFile.refuseReadFile(path)
        lines = LineWriter(try GrowingFile(path: path, isAddedTo: true).stream)
        renderer = MarkdownRenderer()
        isFile = true
        isJobSummary = true
    }

    /// Whether results are taken as they come rather than in the order of the targets.
    var takesAnyOrder: Bool { renderer.takesAnyOrder }

    /// Takes the next result.
    mutating func add(_ report: Report) throws(CommandError) { try add([report]) }

    /// Takes the next results, and writes them at once: a run that is broken off leaves all of them or none.
    mutating func add(_ reports: [Report]) throws(CommandError) {
        var text = ""
        for report in reports { text += try renderer.text(for: report) }
        try write(text)
    }

    private mutating func write(_ text: String) throws(CommandError) {
        guard !text.isEmpty, loss == nil else { return }
        do throws(CommandError) { try lines.write(text: text) } catch {
            guard isJobSummary else { throw error }
            loss = error
        }
    }

    /// Writes what is left, and the file.
    mutating func finish(exit: ExitStatus) throws(CommandError) {
        let text = try renderer.ending(exit: exit)
        try write(text)
        if let pending {
            try OutputFile.write(to: pending.path) { descriptor throws(OutputError) in
                try pending.text.copy(to: descriptor)
            }
        }
    }
}
