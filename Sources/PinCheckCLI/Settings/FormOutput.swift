import Base

struct FormOutput<Form: RawRepresentable & CaseIterable & Sendable>: Sendable where Form.RawValue == String {
    let form: Form
    let file: String?

    static func read(
        _ texts: [String], default form: Form, fileOfFirst file: String? = nil, standardOutput: FileIdentity? = nil
    ) throws(CommandError) -> [FormOutput] {
        var fileOfFirst = file
        var outputs: [FormOutput] = []
        for text in texts.isEmpty ? [form.rawValue] : texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let form = Form(rawValue: String(parts[0])) else {
                throw CommandError.unknown(form: parts[0], among: Form.allCases.map(\.rawValue)).said(of: "--format")
            }
            var file = parts.count == 2 ? String(parts[1]) : fileOfFirst
            if parts.count == 1 { fileOfFirst = nil }
            guard file?.isEmpty != true else {
                throw .usage("--format: \(quoted(text)) names no file after the '=': write \(form.rawValue)=FILE")
            }
            if let path = file, isStandardOutput(path, standardOutput) { file = nil }
            if let other = outputs.first(where: { isSame($0.file, file) }) {
                throw .usage(
                    "--format \(other.form.rawValue) and --format \(form.rawValue) both go to "
                        + "\(file.map { quoted($0) } ?? "standard output"): write one of them as \(form.rawValue)=FILE")
            }
            outputs.append(FormOutput(form: form, file: file))
        }
        if let fileOfFirst {
            throw .usage("--output: \(quoted(fileOfFirst)) is for no form: every --format names its own file")
        }
        return outputs
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other, one != other else { return one == other }
        return FileIdentity(of: one).map { $0 == FileIdentity(of: other) } ?? false
    }

    /// Whether a path is another name of standard output, which is written to as it is.
    private static func isStandardOutput(_ path: String, _ identity: FileIdentity?) -> Bool {
        if path == "-" || AtomicFile.descriptor(named: path) == 1 { return true }
        guard let identity else { return false }
        return FileIdentity(of: path) == identity
    }
}

extension Settings {
    func outputs(in context: Context) throws(CommandError) -> [FormOutput<OutputForm>] {
        try FormOutput.read(
            formats, default: .text, fileOfFirst: outputs.first, standardOutput: context.console.output.identity)
    }
}

extension [FormOutput<OutputForm>] {
    var exitConvention: ExitConvention { contains { $0.form == .nagios && $0.file == nil } ? .monitoring : .standard }
}

extension CommandError {
    static func unknown(form: some StringProtocol, among forms: [String]) -> CommandError {
        let other = GoneWords.forms[String(form)] == nil ? Command.all.first { $0.forms.contains(String(form)) } : nil
        guard let other else { return unknown(form, among: forms, gone: GoneWords.forms) }
        return .usage(
            "\(quoted(form)) is a form of 'pincheck \(other.name)': choose from \(forms.joined(separator: ", "))")
    }
}
