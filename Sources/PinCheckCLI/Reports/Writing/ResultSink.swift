import Base

/// One output: a form of results, and where it goes.
struct ResultSink {
    private var renderer: any ResultRenderer
    private var lines: LineWriter
    /// What waits to become a file as a whole.
    private var pending: (text: Spool, path: String)?
    let isFile: Bool

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
        } else {
            stream = context.console.output
            try OutputFile.refuseReadFile(behind: stream)
        }
        isFile = output.file != nil
        lines = LineWriter(stream)
        renderer = output.form.renderer(settings, to: stream, in: context)
    }

    /// Whether results are taken as they come rather than in the order of the targets.
    var takesAnyOrder: Bool { renderer.takesAnyOrder }

    mutating func add(_ report: Report) throws(CommandError) { try add([report]) }

    /// Takes the next results, and writes them at once: a run that is broken off leaves all of them or none.
    mutating func add(_ reports: [Report]) throws(CommandError) {
        var text = ""
        for report in reports { text += try renderer.text(for: report) }
        if !text.isEmpty { try lines.write(text: text) }
    }

    mutating func finish(exit: ExitStatus) throws(CommandError) {
        let text = try renderer.ending(exit: exit)
        if !text.isEmpty { try lines.write(text: text) }
        if let pending {
            try OutputFile.write(to: pending.path) { descriptor throws(OutputError) in
                try pending.text.copy(to: descriptor)
            }
        }
    }
}
