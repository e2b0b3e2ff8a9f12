import Base

/// Writes lines to a stream until its reader goes away.
struct LineWriter {
    private let stream: OutputStream
    private var isCutOff = false

    init(_ stream: OutputStream) { self.stream = stream }

    mutating func write(_ line: String) throws(CommandError) { try write(text: line + "\n") }

    /// Writes text as it is.
    ///
    /// A reader that went away has seen enough: the rest is dropped and the verdict still counts.
    mutating func write(text: String) throws(CommandError) {
        guard !isCutOff else { return }
        do throws(OutputError) { try stream.write(text) } catch {
            switch error {
            case .brokenPipe: isCutOff = true
            case .failed(let reason):
                throw CommandError(status: .inputOutput, description: "the result could not be written: \(reason)")
            }
        }
    }
}
