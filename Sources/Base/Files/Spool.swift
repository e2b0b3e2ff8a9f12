internal import Synchronization

/// Text that waits until it is complete; what is more than memory should hold waits in a file without a name, which is gone with
/// the process however it ends.
package final class Spool: Sendable {
    /// How much is kept in memory, in bytes.
    package static let memory = 4 * 1_024 * 1_024

    private struct State {
        var bytes: [UInt8] = []
        /// The file, negative before there is one.
        var descriptor: Int32 = -1
    }

    private let state = Mutex(State())
    private let directory: String

    package init(directory: String) { self.directory = directory }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes more bytes.
    package func add(_ bytes: [UInt8]) throws(OutputError) {
        let directory = directory
        try state.withLock { state throws(OutputError) in
            state.bytes += bytes
            guard state.bytes.count > Self.memory else { return }
            if state.descriptor < 0 { state.descriptor = try Self.makeFile(in: directory) }
            try Descriptor.write(state.bytes, to: state.descriptor)
            state.bytes = []
        }
    }

    /// Writes everything to an open descriptor.
    package func copy(to output: Int32) throws(OutputError) {
        try state.withLock { state throws(OutputError) in
            if state.descriptor >= 0 { try Self.copy(from: state.descriptor, to: output) }
            try Descriptor.write(state.bytes, to: output)
        }
    }

    private static func copy(from descriptor: Int32, to output: Int32) throws(OutputError) {
        var chunk = [UInt8](repeating: 0, count: 1_024 * 1_024)
        var offset: off_t = 0
        while true {
            let count = pread(descriptor, &chunk, chunk.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed(SystemError.message(of: errno)) }
            guard count > 0 else { return }
            try Descriptor.write(Array(chunk[..<count]), to: output)
            offset += off_t(count)
        }
    }

    private static func makeFile(in directory: String) throws(OutputError) -> Int32 {
        var template = Array((directory + "/pincheck-XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw .failed("no temporary file can be made in \(quoted(directory)): \(SystemError.message(of: errno))")
        }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}
