/// An object of a document, written and described by the table of its keys.
protocol DocumentObject: DocumentValue {
    /// The rows of the table, in the order of the documentation.
    static var fields: [DocumentField<Self>] { get }
    /// What it is called among the definitions of a schema, `nil` for one that is described where it stands.
    static var definition: String? { get }
    /// What it is, where its key does not say so.
    static var meaning: String? { get }
}

extension DocumentObject {
    static var definition: String? { nil }
    static var meaning: String? { nil }

    /// Writes every key of the table.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DocumentKey.self)
        for field in Self.fields { try field.write(self, to: &container) }
    }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> SchemaNode {
        guard let definition else { return schemaOfObject(in: &definitions) }
        return definitions.reference(to: definition) { schemaOfObject(in: &$0) }
    }

    /// The schema itself and no reference to it.
    static func schemaOfObject(in definitions: inout SchemaDefinitions) -> SchemaNode {
        var properties: [String: SchemaNode] = [:]
        for field in fields { properties[field.key] = field.schema(in: &definitions) }
        let node: SchemaNode = [
            "type": "object",
            "required": .array(fields.map { .text($0.key) }),
            "properties": .object(properties),
        ]
        return meaning.map { node.adding("description", .text($0)) } ?? node
    }
}
