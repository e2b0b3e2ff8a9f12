import Pinning

struct OutputForm: RawRepresentable, CaseIterable, Sendable {
    let rawValue: String
    /// `true` if a file of this form is written line by line in any order, not as a whole at the end.
    var isWrittenAsItGrows = false
    /// `true` if warnings also go to standard error and unchanged results can be left out.
    var isForPeople = false
    var ended: (@Sendable (Problem, Timestamp) -> String)?
    let renderer: @Sendable (Settings, OutputStream, Context) -> any ResultRenderer
    static let allCases: [OutputForm] = [.text, .brief, .json, .jsonl, .nagios, .prometheus, .junit, .github, .html]
}

extension OutputForm {
    init?(rawValue: String) {
        guard let form = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = form
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
    var isMonitoring: Bool { contains { $0.form.rawValue == OutputForm.nagios.rawValue && $0.file == nil } }
}
