/// Writes a value as JSON while its containers hand over what it holds.
///
/// What is written is a value, changed by one call for each thing that comes: the language then makes sure once, and not for each
/// byte, that nobody else changes it.
final class JSONWriter {
    /// What has been written.
    var output: JSONOutput

    /// A writer of one value; see `JSONOutput`.
    init(keepsKeys: Bool, depth: Int?) {
        output = JSONOutput(keepsKeys: keepsKeys, depth: depth)
    }

    /// Writes a value.
    ///
    /// - Throws: what the value throws, and `EncodingError` for a number that JSON cannot express.
    func write<Value: Encodable>(encoding value: Value) throws {
        // Text is most of a report: it need not go the long way, and comparing types costs less than asking for a cast.
        if Value.self == String.self, let text = value as? String { return output.write(text) }
        output.begin()
        try value.encode(to: JSONValueEncoder(writer: self))
        output.end()
    }
}
