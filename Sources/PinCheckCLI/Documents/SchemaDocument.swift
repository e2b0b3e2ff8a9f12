import Base

/// A JSON Schema (draft 2020-12) that pincheck ships.
///
/// Those of the documents that it writes allow keys they do not know, because a later pincheck may add some without a new version.
struct SchemaDocument: Sendable {
    /// The name of its file, without `.json`.
    let name: String
    /// What the documents say under `schema`, `nil` for files that users write.
    let identifier: String?
    let text: @Sendable () throws(CommandError) -> String
}

extension SchemaDocument {
    init(
        name: String, identifier: String, meaning: String,
        content: @escaping @Sendable (inout SchemaDefinitions) -> JSONNode
    ) {
        self.init(name: name, identifier: identifier) { () throws(CommandError) in
            var definitions = SchemaDefinitions()
            let node = content(&definitions).adding("$schema", "https://json-schema.org/draft/2020-12/schema").adding(
                "$id", .text("urn:pincheck:schema:\(identifier.replacing("/", with: "-"))")
            ).adding("title", .text(identifier)).adding("description", .text(meaning)).adding(
                "$defs", .object(definitions.nodes))
            return try JSONRenderer.document(node)
        }
    }
}
