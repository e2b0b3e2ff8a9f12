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
        var bytes: [UInt8] = []
        try node(of: value, keepsKeys: keepsKeys).write(to: &bytes, depth: depth)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A value on one line, with a newline at its end.
    static func line(_ value: some Encodable) throws(CommandError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8_192)
        try node(of: value, keepsKeys: false).write(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func node(of value: some Encodable, keepsKeys: Bool) throws(CommandError) -> JSONNode {
        do {
            return try JSONNodeEncoder.node(of: value, keepsKeys: keepsKeys)
        } catch {
            throw .software("the result cannot be written as JSON: \(error)")
        }
    }
}
