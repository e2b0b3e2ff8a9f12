import Base
import PinChecking
import Pinning

struct ResultWriter {
    private let notes: [Report.Message]
    private var hasSaidNotes = false
    private var state: StateFile?
    private let console: Console
    private let saysWarnings: Bool
    private var sinks: [ResultSink] = []
    private var waiting: [Int: [Report]] = [:]
    private var nextInOrder = 0
    private var statuses: Set<ExitStatus> = []
    private let progress: ProgressLine?
    /// Whether every warning makes a difference to how the run ends, as it does to a monitoring system.
    private let countsWarnings: Bool

    init(
        _ settings: Settings, _ outputs: [FormOutput<OutputForm>], notes: [Finding], total: Int? = 1,
        state: StateFile? = nil, in context: Context
    ) throws(CommandError) {
        countsWarnings = outputs.exitConvention == .monitoring
        let outputs = outputs.filter { !settings.isQuiet || $0.file != nil }
        // What is said of every step would be in its way.
        progress =
            settings.isVerbose
            ? nil
            : ProgressLine(
                total: total, console: context.console, hasResultOnOutput: outputs.contains { $0.file == nil },
                environment: context.environment)
        // What is only good to know stands with each result.
        self.notes = notes.filter { $0.level == .warning }.map { Report.Message($0.reason) }
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
            console.report("Warning: \(note.message)")
        }
    }

    var needsOrder: Bool { saysWarnings || state != nil || sinks.contains { !$0.takesAnyOrder } }

    /// Takes the results for the target at `position`, counted from 0 without gaps: one, or one for each of its variants.
    mutating func add(_ results: [CheckResult], at position: Int = 0) throws(CommandError) {
        let reports = results.map { Report($0) }
        defer { progress?.count(ExitStatus.worst(reports.filter(\.counts).map(\.status))) }
        for report in reports {
            if report.counts { statuses.insert(report.status) }
            if countsWarnings { statuses.insert(report.monitored.runExit) }
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

    private mutating func addInOrder(_ reports: [Report]) throws(CommandError) {
        nextInOrder += 1
        guard state?.isChanged(reports) ?? true else { return }
        sayNotes()
        var said: Set<Report.Message> = []
        for report in reports where saysWarnings {
            // The text itself says what the variants of a target differ in, and most warnings are about all of them.
            for warning in report.warnings
            where !notes.contains(warning) && !(report.consistency?.says(warning) ?? false)
                && said.insert(warning).inserted
            {
                progress?.erase()
                console.report("Warning: \(Self.subject(of: warning, in: reports)): \(warning.message)")
            }
        }
        for index in sinks.indices where !sinks[index].takesAnyOrder { try sinks[index].add(reports) }
    }

    /// What a warning is about: the target, or those of its connections that have it where others do not.
    private static func subject(of warning: Report.Message, in reports: [Report]) -> String {
        func places(_ reports: [Report]) -> [String] { reports.compactMap { $0.peer ?? $0.endpoint?.address }.distinct }
        let holders = reports.filter { $0.warnings.contains(warning) }
        let served = reports.filter { !$0.presented.isEmpty }
        guard let first = holders.first, reports.count > 1, holders.count < max(served.count, 2) else {
            return reports.first?.target ?? ""
        }
        guard holders.count > 1 else { return first.title }
        guard places(holders).count < places(served).count else {
            return first.target + ", " + listed(holders.compactMap { $0.variant?.name }.distinct)
        }
        return first.target + " → " + listed(places(holders))
    }

    mutating func finish() throws(CommandError) -> ExitStatus {
        progress?.erase()
        let status = ExitStatus.worst(statuses)
        // What standard output says of the run has to be true of its files.
        for index in sinks.indices where sinks[index].isFile { try sinks[index].finish(exit: status) }
        for index in sinks.indices where !sinks[index].isFile { try sinks[index].finish(exit: status) }
        // Of what could not be told the next run says that it has changed.
        try state?.write()
        return status
    }
}

struct ResultSink {
    private var renderer: any ResultRenderer
    private let stream: OutputStream
    private var pending: (text: Spool, path: String)?
    let isFile: Bool
    let takesAnyOrder: Bool

    init(_ output: FormOutput<OutputForm>, _ settings: Settings, in context: Context) throws(CommandError) {
        if let path = output.file {
            try OutputFile.refuseReadFile(path)
            try OutputFile.refuseMissingDirectory(of: path)
            if output.form.isWrittenAsItGrows {
                stream = try .growingFile(at: path)
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
        takesAnyOrder = output.form == .jsonl
        renderer = output.form.renderer(settings, to: stream, in: context)
    }

    /// Takes the next results, and writes them at once: a run that is broken off leaves all of them or none.
    mutating func add(_ reports: [Report]) throws(CommandError) {
        let text = try renderer.text(for: reports)
        if !text.isEmpty { try stream.write(text) }
    }

    mutating func finish(exit: ExitStatus) throws(CommandError) {
        let text = try renderer.ending(exit: exit)
        if !text.isEmpty { try stream.write(text) }
        if let pending {
            try OutputFile.write(to: pending.path) { descriptor throws(OutputError) in
                try pending.text.copy(to: descriptor)
            }
        }
    }
}

extension OutputForm {
    func renderer(_ settings: Settings, to stream: OutputStream, in context: Context) -> any ResultRenderer {
        switch self {
        case .text:
            let style = context.style(settings.color, on: stream)
            return TextResultRenderer(
                text: TextRenderer(style: style, explains: settings.explains, layout: stream.layout),
                hasAll: settings.state == nil)
        case .brief:
            return BriefRenderer(text: TextRenderer(style: context.style(settings.color, on: stream), explains: false))
        case .json, .jsonl: return JSONResultRenderer(hasLines: self == .jsonl)
        case .nagios: return NagiosRenderer()
        case .prometheus: return PrometheusRenderer(now: context.now)
        case .junit: return JUnitRenderer()
        case .github: return GitHubRenderer()
        case .html: return HTMLRenderer(explains: settings.explains)
        }
    }
}

/// What the last run found of each target, below a line with the version of the form.
///
///     PASS	pin-matched	sha256/NSQo…	2026-11-21T08:00:00Z	api.example.com:443
struct StateFile {
    struct Outcome: Hashable, Sendable {
        var status: String
        var reason: String
        /// The pin of the leaf's key, empty when no certificate was ever seen.
        var pin: String
        var since: String

        /// Why there is no verdict depends on the weather.
        func isSame(as old: Outcome) -> Bool {
            status == old.status && (reason == old.reason || status == ExitStatus.unreachable.name)
                && (pin == old.pin || old.pin.isEmpty)
        }
    }

    private static let word = "pincheck-state"
    private static let version = 1

    private let path: String
    private let time: String
    private let old: [String: Outcome]
    private var found: [String: Outcome] = [:]
    private var names = UniqueNames()

    static func named(
        by settings: Settings, _ outputs: [FormOutput<OutputForm>], at time: Timestamp
    ) throws(CommandError) -> StateFile? {
        guard let path = settings.state else { return nil }
        if let form = outputs.first(where: { !$0.form.isForPeople })?.form.rawValue {
            throw .usage("--state tells what has changed, and \(form) tells everything: leave out one of the two")
        }
        try OutputFile.refuseReadFile(path)
        // No result is written over it.
        ReadLog.current?.add(path)
        return try StateFile(path, at: time.description)
    }

    /// Reads the file at `path`, so that a broken one is known at once; without one everything is a change.
    init(_ path: String, at time: String) throws(CommandError) {
        try OutputFile.refuseMissingDirectory(of: path)
        (self.path, self.time) = (path, time)
        old = try Self.read(path)
    }

    /// Takes the results of the next target in the order of the run, and says whether one of them is a change.
    mutating func isChanged(_ reports: [Report]) -> Bool {
        var isChanged = false
        for report in reports where report.counts {
            let name = names.name(Self.field(report.distinctName))
            var outcome = Outcome(
                status: report.status.name, reason: report.reason.id, pin: report.presented.first?.spkiSha256 ?? "",
                since: time)
            let last = old[name]
            if outcome.pin.isEmpty { outcome.pin = last?.pin ?? "" }
            if let last, outcome.isSame(as: last) { outcome.since = last.since } else { isChanged = true }
            found[name] = outcome
        }
        return isChanged
    }

    func write() throws(CommandError) {
        let outcomes = try Self.read(path).merging(found) { $1 }
        let lines = outcomes.sorted { $0.key < $1.key }.map { target, outcome in
            [outcome.status, outcome.reason, outcome.pin, outcome.since, target].map(Self.field).joined(separator: "\t")
                + "\n"
        }
        try OutputFile.write(Array("\(Self.word) \(Self.version)\n\(lines.joined())".utf8), to: path)
    }

    private static func read(_ path: String) throws(CommandError) -> [String: Outcome] {
        switch FileKind(at: path) {
        case .absent, .inaccessible: return [:]
        default: break
        }
        let text = String(decoding: try CommandError.contents(ofFile: path), as: UTF8.self)
        guard !text.isEmpty else { return [:] }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
        let head = lines.popFirst()?.split(separator: " ") ?? []
        guard head.count == 2, head[0] == word, let number = Int(head[1]) else {
            throw .data("\(quoted(path)) is not a file of --state: name another, which will be made")
        }
        guard number <= version else {
            throw .data(
                "\(quoted(path)) was written by a later version of pincheck: update pincheck, or name another file")
        }
        var outcomes: [String: Outcome] = [:]
        for (index, line) in lines.enumerated() {
            let fields = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5 else {
                throw .data("\(path):\(index + 2): is not a line of a state: remove the file to start anew")
            }
            outcomes[fields[4]] = Outcome(status: fields[0], reason: fields[1], pin: fields[2], since: fields[3])
        }
        return outcomes
    }

    private static func field(_ text: String) -> String { TerminalText.shown(text, to: 400) }
}

extension Report {
    /// The title, with the names where they are not the usual ones: what tells two checks of one target apart from run to run.
    fileprivate var distinctName: String {
        var text = title
        guard let endpoint else { return verifyName.map { text + ", name \($0)" } ?? text }
        if endpoint.sni != verifyName, endpoint.sni != nil || endpoint.resolvedName != nil {
            text += endpoint.sni.map { ", SNI \($0)" } ?? ", no SNI"
        }
        if let verifyName, verifyName != endpoint.host { text += ", name \(verifyName)" }
        return text
    }
}
