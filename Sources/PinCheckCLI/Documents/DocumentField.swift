/// One key of an object of a document: what is written there, and what the schema says of it.
///
/// Keys, values and schema come from this row alone, so they cannot differ.
struct DocumentField<Owner>: Sendable {
    /// The key as it is written, in snake case.
    let key: String
    private let writeValue: @Sendable (Owner, inout KeyedEncodingContainer<DocumentKey>) throws -> Void
    private let valueSchema: @Sendable (inout SchemaDefinitions) -> SchemaNode

    /// A key that is always there.
    ///
    /// - Parameters:
    ///   - key: in snake case.
    ///   - value: what is written; an optional without a value is written as `null`.
    ///   - meaning: what it says, where the key and its values do not say that themselves.
    ///   - form: which values of its type there are.
    init<Value: DocumentValue>(
        _ key: String,
        _ value: @escaping @Sendable (Owner) -> Value,
        _ meaning: String? = nil,
        as form: ValueForm? = nil
    ) {
        self.key = key
        writeValue = { owner, container in try container.encode(value(owner), forKey: DocumentKey(stringValue: key)) }
        valueSchema = { definitions in
            let node = Value.schema(as: form, in: &definitions)
            return meaning.map { node.adding("description", .text($0)) } ?? node
        }
    }

    /// A key of a part that is written as if it were the whole's own.
    init<Part>(_ field: DocumentField<Part>, of part: @escaping @Sendable (Owner) -> Part) {
        key = field.key
        writeValue = { owner, container in try field.write(part(owner), to: &container) }
        valueSchema = field.valueSchema
    }

    /// Writes the key and the value that `owner` has for it.
    func write(_ owner: Owner, to container: inout KeyedEncodingContainer<DocumentKey>) throws {
        try writeValue(owner, &container)
    }

    /// What the value may be.
    func schema(in definitions: inout SchemaDefinitions) -> SchemaNode { valueSchema(&definitions) }
}

/// A key of a document.
struct DocumentKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
