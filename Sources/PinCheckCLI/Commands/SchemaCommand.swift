import ArgumentParser
import Base

/// `pincheck schema`: the JSON Schema of a document.
struct SchemaCommand: ContextCommand {
    static let name = "schema"
    static let configuration = CommandConfiguration(
        commandName: name, _superCommandName: "pincheck",
        abstract: "Print the JSON Schema of a document that pincheck writes.", usage: "pincheck schema [<name>]",
        discussion: """
            The schemas are in draft 2020-12:
            \(SchemaDocument.all.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n"))

              pincheck schema report > pincheck-1.schema.json
            """)

    @Argument(
        help: ArgumentHelp(
            "The document (default: \(SchemaDocument.report.name)).",
            discussion: "One of \(SchemaDocument.all.map(\.name).joined(separator: ", ")).", valueName: "name"))
    var name = SchemaDocument.report.name

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        guard let document = SchemaDocument.all.first(where: { $0.name == name }) else {
            throw .unknown("the schema \(quoted(name))", name, among: SchemaDocument.all.map(\.name))
        }
        var lines = LineWriter(context.console.output)
        try lines.write(text: try document.text())
        return .pass
    }
}
