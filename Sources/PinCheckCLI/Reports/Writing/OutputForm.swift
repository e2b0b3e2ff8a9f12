import Pinning

enum OutputForm: String, CaseIterable {
    case text, brief, json, jsonl, nagios, prometheus, junit, github, html

    /// `true` if a file of this form is written line by line in any order, not as a whole at the end.
    var isWrittenAsItGrows: Bool { self == .jsonl }
    /// `true` if warnings also go to standard error and unchanged results can be left out.
    var isForPeople: Bool { self == .text || self == .brief }

    func renderer(_ settings: Settings, _ stream: OutputStream, _ context: Context) -> any ResultRenderer {
        let style = context.style(settings.color, on: stream)
        let explains = settings.explains
        return switch self {
        case .text:
            TextResultRenderer(
                text: TextRenderer(style: style, explains: explains, layout: stream.layout),
                hasAll: settings.state == nil)
        case .brief: BriefRenderer(text: TextRenderer(style: style, explains: false))
        case .json, .jsonl: JSONResultRenderer(hasLines: self == .jsonl)
        case .nagios: NagiosRenderer()
        case .prometheus: PrometheusRenderer(now: context.now)
        case .junit: JUnitRenderer()
        case .github: GitHubRenderer()
        case .html: HTMLRenderer(explains: explains, isWhole: stream.isWhole)
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

extension [FormOutput<OutputForm>] {
    var isMonitoring: Bool { contains { $0.form == .nagios && $0.file == nil } }
}
