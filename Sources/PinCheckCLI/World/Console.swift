/// Where a command writes: the result to `output`, everything else to `errors`.
package struct Console: Sendable {
    /// Standard output: the result and nothing else.
    package let output: OutputStream
    /// Standard error: warnings, errors and progress.
    package let errors: OutputStream

    /// A console over two streams.
    package init(output: OutputStream, errors: OutputStream) {
        self.output = output
        self.errors = errors
    }

    /// Writes lines to standard error, each escaped.
    ///
    /// A standard error that cannot be written to is no reason to end otherwise.
    func report(_ message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.map { TerminalText.escaped(String($0)) }.joined(separator: "\n")
        try? errors.write(text + "\n")
    }

    /// Writes `Error: ` and the description to standard error.
    func report(_ error: CommandError) {
        report("Error: \(error.description)")
    }
}

/// A stream of text that can fail.
package struct OutputStream: Sendable {
    /// Whether the stream ends at a terminal.
    package let isTerminal: Bool
    /// Whether the stream goes to a file.
    package let isFile: Bool
    private let writeBytes: @Sendable ([UInt8]) throws(OutputError) -> Void

    /// A stream that hands its bytes to `writeBytes`.
    package init(
        isTerminal: Bool,
        isFile: Bool = false,
        writeBytes: @escaping @Sendable ([UInt8]) throws(OutputError) -> Void
    ) {
        self.isTerminal = isTerminal
        self.isFile = isFile
        self.writeBytes = writeBytes
    }

    /// Writes all of `text` as UTF-8.
    package func write(_ text: String) throws(OutputError) {
        try writeBytes(Array(text.utf8))
    }
}

/// Why text could not be written.
package enum OutputError: Error, Hashable {
    /// The reader went away (`EPIPE`): it has seen enough, so this is no fault.
    case brokenPipe
    /// Anything else, in the words of the system.
    case failed(String)
}
