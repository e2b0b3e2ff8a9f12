/// A JSON Schema (draft 2020-12) that pincheck ships, as text in the program.
struct SchemaDocument: Sendable {
    /// What `pincheck schema` calls it.
    let name: String
    /// What the documents say under `schema`.
    let identifier: String
    /// What it describes.
    let summary: String
    /// The schema.
    let text: String

    /// All of them, in the order of the help.
    static var all: [SchemaDocument] { [.report] }
}
