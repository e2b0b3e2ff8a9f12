import Base

/// A file that grows line by line, so that it holds what is known when the run is broken off.
final class GrowingFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Makes the file at `path`, or empties the one that is there.
    ///
    /// A name of an open descriptor (`/dev/fd/3`) means that descriptor: what stands behind it is added to.
    init(path: String) throws(CommandError) {
        self.path = path
        if let open = AtomicFile.descriptor(named: path) {
            descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
        } else {
            descriptor = Descriptor.openForWriting(path, O_CREAT | O_TRUNC)
        }
        guard descriptor >= 0 else { throw OutputFile.error(WriteFailure(opening: errno), at: path) }
    }

    deinit { close(descriptor) }

    var stream: OutputStream {
        OutputStream(isTerminal: false) { bytes throws(OutputError) in
            do throws(OutputError) { try Descriptor.writeLines(bytes, to: self.descriptor) } catch {
                guard case .failed(let reason) = error else { throw error }
                throw .failed("\(reason) (\(quoted(self.path))): name another file")
            }
        }
    }
}
