internal import Synchronization

/// Collects what is written to a stream.
package final class OutputBuffer: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    /// An empty buffer.
    package init() {}

    /// Everything written so far.
    package var text: String {
        String(decoding: bytes.withLock { $0 }, as: UTF8.self)
    }

    /// A stream into the buffer.
    package func stream(isTerminal: Bool = false) -> OutputStream {
        OutputStream(isTerminal: isTerminal) { bytes throws(OutputError) in
            self.bytes.withLock { $0 += bytes }
        }
    }
}
