#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A terminal, a pipe or a device, which is written to as it is.
package final class OpenFile: Sendable {
    private let descriptor: Int32
    private let closes: Bool

    /// Opens what stands at `path`; `nil` for a file, a directory, and where nothing is.
    package init?(at path: String) throws(WriteFailure) {
        if let descriptor = AtomicFile.descriptor(named: path) {
            self.descriptor = descriptor
            closes = false
            return
        }
        guard [.pipe, .special].contains(FileKind(at: path)) else { return nil }
        descriptor = Descriptor.openForWriting(path)
        closes = true
        guard descriptor >= 0 else { throw WriteFailure(opening: errno) }
    }

    deinit { if closes, descriptor >= 0 { close(descriptor) } }

    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes all of `bytes`.
    package func write(_ bytes: [UInt8]) throws(OutputError) { try Descriptor.write(bytes, to: descriptor) }
}
