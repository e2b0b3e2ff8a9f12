import Base
import PinChecking

struct ResultWriter {
    private let notes: [Reason]
    private var hasSaidNotes = false
    private var state: StateFile?
    private let console: Console
    private let saysWarnings: Bool
    private var sinks: [ResultSink] = []
    private var waiting: [Int: [Report]] = [:]
    private var nextInOrder = 0
    private var statuses: Set<ExitStatus> = []
    private let progress: ProgressLine?
    private let countsWarnings: Bool

    init(
        _ settings: Settings, _ outputs: [FormOutput<OutputForm>], notes: [Finding], total: Int = 1,
        state: StateFile? = nil, in context: Context
    ) throws(Problem) {
        countsWarnings = outputs.isMonitoring
        let outputs = outputs.filter { !settings.isQuiet || $0.file != nil }
        // The lines of `--verbose` would break the progress line.
        progress =
            settings.isVerbose
            ? nil
            : ProgressLine(
                total: total, console: context.console, hasResultOnOutput: outputs.contains { $0.file == nil },
                environment: context.environment)
        // Findings of the level `note` are in each result.
        self.notes = notes.filter { $0.level == .warning }.map(\.reason)
        console = context.console
        saysWarnings = outputs.contains { $0.file == nil && $0.form.isForPeople }
        for output in outputs { sinks.append(try ResultSink(output, settings, in: context)) }
        self.state = state
        if state == nil { sayNotes() }
    }

    private mutating func sayNotes() {
        guard saysWarnings, !hasSaidNotes else { return }
        hasSaidNotes = true
        for note in notes {
            progress?.erase()
            console.report("Warning: \(note.told)")
        }
    }

    var needsOrder: Bool { saysWarnings || state != nil || sinks.contains { !$0.takesAnyOrder } }

    /// Writes the results for the target at `position`, from 0 without gaps: one, or one for each variant.
    mutating func add(_ results: [CheckResult], at position: Int = 0) throws(Problem) {
        let reports = Report.all(of: results)
        defer { progress?.count(ExitStatus.worst(reports.filter(\.counts).map(\.status))) }
        for report in reports {
            if report.counts { statuses.insert(report.status) }
            if countsWarnings { statuses.formUnion(report.monitoredStatuses) }
        }
        for index in sinks.indices where sinks[index].takesAnyOrder { try sinks[index].add(reports) }
        guard needsOrder else { return }
        guard position == nextInOrder else {
            waiting[position] = reports
            return
        }
        try addInOrder(reports)
        while let reports = waiting.removeValue(forKey: nextInOrder) { try addInOrder(reports) }
    }

    private mutating func addInOrder(_ reports: [Report]) throws(Problem) {
        nextInOrder += 1
        let isTold = state?.isToTell(reports) ?? true
        if isTold { sayNotes() }
        var said: Set<Reason> = []
        for report in reports where saysWarnings && isTold {
            // The text itself shows differences between variants; a warning about several variants is reported once.
            for warning in report.warnings
            where !notes.contains(warning)
                && !(report.result.consistency?.findings ?? []).contains(where: { $0.reason == warning })
                && said.insert(warning).inserted
            {
                progress?.erase()
                console.report("Warning: \(Self.subject(of: warning, in: reports)): \(warning.told)")
            }
        }
        // A file contains every result, even one that `--state` does not tell again.
        for index in sinks.indices where !sinks[index].takesAnyOrder && (isTold || sinks[index].isFile) {
            try sinks[index].add(reports)
        }
    }

    /// The subject of a warning: the target, or the connections that have it if others do not.
    private static func subject(of warning: Reason, in reports: [Report]) -> String {
        let holders = reports.filter { $0.warnings.contains(warning) }
        let served = reports.filter { !$0.presented.isEmpty }
        let isOfAll = reports.count == 1 || holders.count >= max(served.count, 2)
        return isOfAll ? reports.first?.target ?? "" : holders.title
    }

    mutating func finish() throws(Problem) -> ExitStatus {
        progress?.erase()
        let status = countsWarnings && !statuses.isEmpty ? MonitoringState.worst(statuses) : .worst(statuses)
        // Files are finished first, so that standard output tells the truth about them.
        for index in sinks.indices where sinks[index].isFile { try sinks[index].finish(exit: status) }
        let news = state.flatMap { $0.new.count > 0 ? $0.new.sentence("new") + "\n" : nil }
        for index in sinks.indices where !sinks[index].isFile { try sinks[index].finish(exit: status, after: news) }
        // A change that could not be written is reported again by the next run.
        try state?.write()
        return status
    }
}

struct ResultSink {
    private var renderer: any ResultRenderer
    private let stream: OutputStream
    /// The text held for a file that is replaced as a whole, and with `--state`, whose first line counts new targets.
    private var held: String?
    private let output: FormOutput<OutputForm>
    var isFile: Bool { output.file != nil }
    var takesAnyOrder: Bool { output.form.isWrittenAsItGrows }

    init(_ output: FormOutput<OutputForm>, _ settings: Settings, in context: Context) throws(Problem) {
        var settings = settings
        if let path = output.file {
            settings.state = nil
            try OutputFile.refuseReadFile(path)
            try OutputFile.refuseMissingDirectory(of: path)
            stream = output.isWhole ? OutputStream(isTerminal: false) { _ in } : try .growingFile(at: path)
        } else {
            stream = context.console.output
            try OutputFile.refuseReadFile(behind: stream)
        }
        if settings.state != nil || output.isWhole { held = "" }
        self.output = output
        renderer = output.renderer(settings, stream, context)
    }

    /// Writes the next results at once: an interrupted run leaves all of them or none.
    mutating func add(_ reports: [Report]) throws(Problem) {
        let text = renderer.text(for: reports)
        if held != nil { held? += text } else if !text.isEmpty { try stream.write(text) }
    }

    mutating func finish(exit: ExitStatus, after news: String? = nil) throws(Problem) {
        let text = (news ?? "") + (held ?? "") + renderer.ending(exit: exit)
        if let path = output.file, output.isWhole {
            try OutputFile.write(text, to: path)
        } else if !text.isEmpty {
            try stream.write(text)
        }
    }
}

enum OutputForm: String, CaseIterable {
    case text, brief, json, jsonl, nagios, prometheus, junit, github, html

    /// `true` if a file of this form grows line by line in any order.
    var isWrittenAsItGrows: Bool { self == .jsonl }
    /// `true` if warnings also go to standard error and unchanged results can be left out.
    var isForPeople: Bool { self == .text || self == .brief }
}

extension FormOutput<OutputForm> {
    /// `true` if the output is a file that is replaced as a whole at the end of the run.
    var isWhole: Bool { file != nil && !form.isWrittenAsItGrows }

    func renderer(_ settings: Settings, _ stream: OutputStream, _ context: Context) -> any ResultRenderer {
        let text = TextRenderer.on(stream, settings, in: context)
        return switch form {
        case .text: TextResultRenderer(text: text, hasAll: settings.state == nil)
        case .brief: BriefRenderer(text: text)
        case .json, .jsonl: JSONResultRenderer(hasLines: form == .jsonl)
        case .nagios: NagiosRenderer()
        case .prometheus: PrometheusRenderer(now: context.now)
        case .junit: JUnitRenderer()
        case .github: GitHubRenderer()
        case .html: HTMLRenderer(explains: settings.explains, isWhole: isWhole)
        }
    }
}

extension OptionGroup {
    static let output = OptionGroup("Output") {
        Option.format(OutputForm.self, of: "result")
        output("The file for the form that names none.", "It is replaced as a whole; jsonl grows line by line.")
        explain
        Option("--quiet", "-q", help: "Write no result to standard output.", "Files are written all the same.") {
            $0.isQuiet = $1.isOn
        }
        Option.color
    }

    static func output(_ help: String, _ detail: String) -> Option {
        Option("--output", "-o", of: "file", .written, help: help, detail) { $0.outputs = [$1.text] }
    }
}

extension Settings {
    func outputs(in context: Context) throws(Problem) -> [FormOutput<OutputForm>] {
        try FormOutput.read(formats, fileOfFirst: outputs.first, standardOutput: context.console.output.identity)
    }
}

extension [FormOutput<OutputForm>] { var isMonitoring: Bool { contains { $0.form == .nagios && $0.file == nil } } }
