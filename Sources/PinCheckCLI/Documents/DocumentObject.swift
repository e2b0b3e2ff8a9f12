/// An object of a document, written and described by the table of its keys.
protocol DocumentObject: DocumentValue {
    static var fields: DocumentFields<Self> { get }
    /// What it is called among the definitions of a schema, `nil` for one that is described where it stands.
    static var definition: String? { get }
    /// What it is, where its key does not say so.
    static var meaning: String? { get }
}

extension DocumentObject {
    static var definition: String? { nil }
    static var meaning: String? { nil }

    /// Writes every key of the table.
    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) {
        output.beginObject()
        for field in Self.fields.written { try field.write(self, to: &output) }
        output.endObject()
    }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        guard let definition else { return schemaOfObject(in: &definitions) }
        return definitions.reference(to: definition) { schemaOfObject(in: &$0) }
    }

    /// The schema itself and no reference to it.
    static func schemaOfObject(in definitions: inout SchemaDefinitions) -> JSONNode {
        var properties: [String: JSONNode] = [:]
        for field in fields.rows { properties[field.key] = field.schema(in: &definitions) }
        let node: JSONNode = [
            "type": "object", "required": .array(fields.rows.map { .text($0.key) }), "properties": .object(properties),
        ]
        return meaning.map { node.adding("description", .text($0)) } ?? node
    }
}
