import Base

/// Writes values as JSON documents.
enum JSONRenderer {
    static func document(_ value: some JSONWritable) throws(CommandError) -> String {
        String(decoding: try bytes(of: value, depth: 0, endsLine: true), as: UTF8.self)
    }

    /// A value as it stands in a document, `depth` levels deep; the first line has no indentation and the last no newline.
    static func text(_ value: some JSONWritable, depth: Int) throws(CommandError) -> String {
        String(decoding: try bytes(of: value, depth: depth), as: UTF8.self)
    }

    static func line(_ value: some JSONWritable) throws(CommandError) -> String {
        String(decoding: try bytes(of: value, depth: nil, endsLine: true), as: UTF8.self)
    }

    private static func bytes(
        of value: some JSONWritable, depth: Int?, endsLine: Bool = false
    ) throws(CommandError) -> [UInt8] {
        var output = JSONOutput(depth: depth)
        do throws(JSONOutput.NoNumber) { try value.write(to: &output) } catch {
            throw .software("the result cannot be written as JSON, which has no number for \(error.value)")
        }
        if endsLine { output.endLine() }
        return output.bytes
    }
}
