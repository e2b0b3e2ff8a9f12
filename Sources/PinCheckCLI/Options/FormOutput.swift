/// One value of `--format`: a form, and where it goes.
struct FormOutput<Form: RawRepresentable & CaseIterable & Sendable>: Sendable where Form.RawValue == String {
    /// The form.
    let form: Form
    /// The path of the file, `nil` for standard output.
    let file: String?

    /// Reads `FORM` and `FORM=FILE`.
    ///
    /// - Parameters:
    ///   - texts: the values of the option.
    ///   - form: what goes to standard output when there is none.
    /// - Returns: at least one output; at most one of them goes to standard output.
    /// - Throws: ``CommandError`` with the status of a usage error.
    static func read(_ texts: [String], default form: Form) throws(CommandError) -> [FormOutput] {
        var outputs: [FormOutput] = []
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let form = Form(rawValue: String(parts[0])) else {
                let names = Form.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--format \(quoted(parts[0])) is unknown: choose from \(names)")
            }
            let file = parts.count == 2 && parts[1] != "-" ? String(parts[1]) : nil
            guard file?.isEmpty != true else {
                throw .usage("--format \(quoted(text)) names no file after the '=': write \(form.rawValue)=FILE")
            }
            if let other = outputs.first(where: { $0.file == file }) {
                throw .usage(
                    "--format \(other.form.rawValue) and --format \(form.rawValue) both go to "
                        + "\(file.map { quoted($0) } ?? "standard output"): write one of them as \(form.rawValue)=FILE"
                )
            }
            outputs.append(FormOutput(form: form, file: file))
        }
        return outputs.isEmpty ? [FormOutput(form: form, file: nil)] : outputs
    }
}
