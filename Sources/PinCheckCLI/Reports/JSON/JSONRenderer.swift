import Text

/// Writes values as JSON documents.
enum JSONRenderer {
    /// A value as a document, with a newline at its end.
    static func document(_ value: some Encodable) throws(CommandError) -> String {
        try text(value, depth: 0) + "\n"
    }

    /// A value as a document whose keys are as they are called in the program, with a newline at its end.
    static func camelCaseDocument(_ value: some Encodable) throws(CommandError) -> String {
        try text(value, depth: 0, keepsKeys: true) + "\n"
    }

    /// A value as it stands in a document, `depth` levels deep; the first line has no indentation and the last no newline.
    static func text(_ value: some Encodable, depth: Int, keepsKeys: Bool = false) throws(CommandError) -> String {
        String(decoding: try bytes(of: value, keepsKeys: keepsKeys, depth: depth), as: UTF8.self)
    }

    /// A value on one line, with a newline at its end.
    static func line(_ value: some Encodable) throws(CommandError) -> String {
        var bytes = try bytes(of: value, keepsKeys: false, depth: nil)
        bytes.append(UInt8(ascii: "\n"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func bytes(
        of value: some Encodable,
        keepsKeys: Bool,
        depth: Int?
    ) throws(CommandError) -> [UInt8] {
        do {
            let writer = JSONWriter(keepsKeys: keepsKeys, depth: depth)
            try writer.write(encoding: value)
            return writer.output.bytes
        } catch {
            throw .software("the result cannot be written as JSON: \(error)")
        }
    }
}
