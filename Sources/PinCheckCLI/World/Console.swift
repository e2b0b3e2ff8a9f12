package import Base

/// Where a command writes: the result to `output`, everything else to `errors`.
package struct Console: Sendable {
    /// Standard output: the result and nothing else.
    package let output: OutputStream
    package let errors: OutputStream
    var style = TextStyle(.never, isTerminal: false, environment: [:])

    package init(output: OutputStream, errors: OutputStream) {
        self.output = output
        self.errors = errors
    }

    /// Writes a message to standard error, and a line break behind it.
    ///
    /// A standard error that cannot be written to is no reason to end otherwise.
    func report(_ message: SafeText) { try? errors.write(errors.layout.folded(colored(message.description)) + "\n") }

    /// A message with its first word in the colour of what it says.
    private func colored(_ text: String) -> String {
        guard style.isColored else { return text }
        for (word, paint) in [("Error:", style.bad), ("Warning:", style.doubtful)] where text.hasPrefix(word) {
            return paint(word) + text.dropFirst(word.count)
        }
        return text
    }

    /// Writes `Error: ` and the description to standard error.
    func report(_ error: CommandError) { report("Error: \(error.message)") }
}

/// A stream of text that can fail.
package struct OutputStream: Sendable {
    package let isTerminal: Bool
    package let isFile: Bool
    package let layout: TextLayout
    /// What tells the file, pipe or terminal behind the stream from others, `nil` where there is none.
    let identity: FileIdentity?
    private let writeBytes: @Sendable ([UInt8]) throws(OutputError) -> Void

    /// A stream that hands its bytes to `writeBytes`.
    package init(
        isTerminal: Bool, isFile: Bool = false, layout: TextLayout = TextLayout(), identity: FileIdentity? = nil,
        writeBytes: @escaping @Sendable ([UInt8]) throws(OutputError) -> Void
    ) {
        self.isTerminal = isTerminal
        self.isFile = isFile
        self.layout = layout
        self.identity = identity
        self.writeBytes = writeBytes
    }

    /// Writes all of `text` as UTF-8.
    package func write(_ text: String) throws(OutputError) { try writeBytes(Array(text.utf8)) }

    /// Writes bytes as they are.
    func write(_ bytes: [UInt8]) throws(OutputError) { try writeBytes(bytes) }
}
