package import Base
internal import Synchronization

/// Collects what is written to a stream.
package final class OutputBuffer: Sendable {
    private let contents = Mutex<[UInt8]>([])

    package init() {}

    /// Everything written so far.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes of ``text``.
    var bytes: [UInt8] { contents.withLock { $0 } }

    package func stream(
        isTerminal: Bool = false, isFile: Bool = false, layout: TextLayout = TextLayout()
    ) -> OutputStream {
        OutputStream(isTerminal: isTerminal, isFile: isFile, layout: layout) { bytes throws(OutputError) in
            self.contents.withLock { $0 += bytes }
        }
    }
}
