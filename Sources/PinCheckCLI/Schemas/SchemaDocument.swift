import Text

/// A JSON Schema (draft 2020-12) that pincheck ships.
struct SchemaDocument: Sendable {
    /// What `pincheck schema` calls it.
    let name: String
    /// What the documents say under `schema`, `nil` for files that users write.
    let identifier: String?
    /// What it describes.
    let summary: String
    /// Makes the schema, when it is asked for.
    let text: @Sendable () throws(CommandError) -> String

    /// All of them, in the order of the help.
    static var all: [SchemaDocument] { [.report, .pins, .lint, .snapshot, .devices, .policy] }

    /// The schema of policy files.
    static let policy = SchemaDocument(
        name: "policy",
        identifier: nil,
        summary: "the file of --policy",
        text: { () throws(CommandError) in try PolicySchema.document() }
    )
}
