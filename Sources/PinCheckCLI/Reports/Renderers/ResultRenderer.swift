import Base

/// One form in which results are written; it knows reports and nothing else.
protocol ResultRenderer: Sendable {
    /// Whether results are taken as they come rather than in the order of the targets.
    var takesAnyOrder: Bool { get }

    /// What can be written as soon as a result is there; empty for a form that needs all of them first.
    mutating func text(for report: Report) throws(CommandError) -> String

    /// What is written after the last result; `exit` is the status of the whole run.
    mutating func ending(exit: ExitStatus) throws(CommandError) -> String
}

extension ResultRenderer {
    var takesAnyOrder: Bool { false }

    mutating func ending(exit: ExitStatus) throws(CommandError) -> String { "" }
}

extension OutputForm {
    func renderer(_ settings: OutputSettings, to stream: OutputStream, in context: Context) -> any ResultRenderer {
        switch self {
        case .text:
            let style = TextStyle(settings.color, isTerminal: stream.isTerminal, environment: context.environment)
            return TextResultRenderer(
                text: TextRenderer(style: style, explains: settings.explains, layout: stream.layout),
                hasAll: !settings.tellsChangesAlone)
        case .json: return JSONResultRenderer()
        case .jsonl: return JSONLinesRenderer()
        case .nagios: return NagiosRenderer()
        case .prometheus: return PrometheusRenderer(now: context.now)
        case .junit: return JUnitRenderer()
        case .github: return GitHubRenderer()
        case .html: return HTMLRenderer(explains: settings.explains)
        }
    }
}
