/// One key of an object of a document: what is written there, and what the schema says of it.
///
/// Keys, values and schema come from this row alone, so they cannot differ.
struct DocumentField<Owner>: Sendable {
    let key: String
    private let writeValue: @Sendable (Owner, inout JSONOutput) throws(JSONOutput.NoNumber) -> Void
    private let valueSchema: @Sendable (inout SchemaDefinitions) -> JSONNode

    /// A key that is always there.
    init<Value: DocumentValue>(
        _ key: String, _ value: @escaping @Sendable (Owner) -> Value, _ meaning: String? = nil,
        as form: ValueForm? = nil
    ) {
        self.key = key
        writeValue = { (owner, output) throws(JSONOutput.NoNumber) in try value(owner).write(to: &output) }
        valueSchema = { definitions in
            let node = Value.schema(as: form, in: &definitions)
            return meaning.map { node.adding("description", .text($0)) } ?? node
        }
    }

    /// A key of a part that is written as if it were the whole's own.
    init<Part>(_ field: DocumentField<Part>, of part: @escaping @Sendable (Owner) -> Part) {
        key = field.key
        writeValue = { (owner, output) throws(JSONOutput.NoNumber) in try field.writeValue(part(owner), &output) }
        valueSchema = field.valueSchema
    }

    /// Writes the key and the value that `owner` has for it.
    func write(_ owner: Owner, to output: inout JSONOutput) throws(JSONOutput.NoNumber) {
        output.beginMember(key)
        try writeValue(owner, &output)
    }

    func schema(in definitions: inout SchemaDefinitions) -> JSONNode { valueSchema(&definitions) }
}

/// The table of an object's keys.
struct DocumentFields<Owner>: Sendable, ExpressibleByArrayLiteral {
    /// The rows in the order of the documentation.
    let rows: [DocumentField<Owner>]
    /// The same in the order of their keys, in which they are written.
    let written: [DocumentField<Owner>]

    init(_ rows: [DocumentField<Owner>]) {
        self.rows = rows
        written = rows.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    init(arrayLiteral rows: DocumentField<Owner>...) { self.init(rows) }
}
