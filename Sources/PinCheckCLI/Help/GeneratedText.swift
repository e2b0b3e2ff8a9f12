import Base
import Pinning

/// What packagers ask the program for: completions, pages of the manual and schemas.
enum GeneratedText {
    /// The text that the arguments ask for, `nil` when they ask for something else.
    static func asked(for arguments: [String], at time: Timestamp) throws(CommandError) -> String? {
        guard let first = arguments.first, arguments.count <= 2 else { return nil }
        let parts = first.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let value = parts.count == 2 ? parts[1] : arguments.count == 2 ? arguments[1] : nil
        switch parts[0] {
        case "--generate-completion-script":
            let shells = CompletionScript.allCases.map(\.rawValue)
            guard let value else {
                throw .usage(
                    "--generate-completion-script names no shell: write \(shells.joined(separator: ", ")) behind it")
            }
            guard let shell = CompletionScript(rawValue: value) else {
                throw .unknown("the shell \(quoted(value))", value, among: shells)
            }
            return shell.text(of: try .program())
        case "--generate-manual":
            let program = try CommandDescription.program()
            guard let value else { return ManualPage.names(of: program).joined(separator: "\n") + "\n" }
            guard let page = ManualPage(named: value, of: program) else {
                throw .unknown("the page \(quoted(value)) of the manual", value, among: ManualPage.names(of: program))
            }
            return page.text(at: time)
        case "--generate-schema":
            let names = SchemaDocument.all.map(\.name)
            guard let value else { return names.joined(separator: "\n") + "\n" }
            guard let schema = SchemaDocument.all.first(where: { $0.name == value }) else {
                throw .unknown("the schema \(quoted(value))", value, among: names)
            }
            return try schema.text()
        default: return nil
        }
    }
}
