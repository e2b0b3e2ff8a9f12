package enum Descriptor {
    /// Writes `bytes`; after a failure, as on a full disk, an unfinished line is removed from a regular file, unless
    /// another process has added to it meanwhile.
    package static func writeLines(_ bytes: [UInt8], to descriptor: Int32) throws(WriteFailure) {
        let start = end(of: descriptor)
        do { try write(bytes, to: descriptor) } catch {
            if error != .brokenPipe, let start, let end = end(of: descriptor), end > start, end - start <= bytes.count {
                var status = stat()
                let written = bytes[..<(end - start)]
                let whole = written.lastIndex { $0 == "\n" }.map { $0 + 1 } ?? 0
                if fstat(descriptor, &status) == 0, Int(status.st_size) == end,
                    ftruncate(descriptor, off_t(start + whole)) == 0
                {
                    lseek(descriptor, off_t(start + whole), SEEK_SET)
                }
            }
            throw error
        }
    }

    /// The position at which a regular file is written next; `nil` if the descriptor is not a regular file's.
    private static func end(of descriptor: Int32) -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        if fcntl(descriptor, F_GETFL) & O_APPEND != 0 { return Int(status.st_size) }
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position >= 0 ? Int(position) : nil
    }

    /// Opens a file for writing, with `flags` of open(2), without blocking.
    ///
    /// For a pipe without a reader the result is negative and `errno` is ENXIO.
    package static func openForWriting(_ path: String, _ flags: Int32 = 0) -> Int32 {
        open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags, 0o666)
    }

    /// Writes all of `bytes` to an open descriptor; a signal to end the process takes effect only afterwards.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(WriteFailure) {
        try Interruption.deferring { () throws(WriteFailure) in
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
                if count >= 0 {
                    written += count
                } else if errno == EPIPE {
                    throw .brokenPipe
                } else if errno == EAGAIN {
                    // A terminal or pipe that another program left in non-blocking mode.
                    _ = wait(for: POLLOUT, on: descriptor, milliseconds: -1)
                } else if errno != EINTR {
                    throw .system(errno)
                }
            }
        }
    }

    /// Waits by poll(2) for `event` or the end of the other side, at -1 without a limit; `false` if the time ran out.
    package static func wait(for event: some BinaryInteger, on descriptor: Int32, milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let count = poll(&request, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }
}

/// Calls write(2), whose name the method of ``Descriptor`` hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// A terminal, pipe, device or open descriptor, which is written in place; other files are replaced (``AtomicFile``).
package final class OpenFile: Sendable {
    package let descriptor: Int32
    private let ownsDescriptor: Bool

    package init(owning descriptor: Int32) { (self.descriptor, ownsDescriptor) = (descriptor, true) }

    /// Opens the terminal, pipe or device at `path`; `nil` if `path` is a file, a directory or missing.
    package init?(at path: String) throws(WriteFailure) {
        if let descriptor = AtomicFile.descriptor(named: path) {
            (self.descriptor, ownsDescriptor) = (descriptor, false)
            return
        }
        guard [.pipe, .special].contains(FileKind(at: path)) else { return nil }
        (descriptor, ownsDescriptor) = (Descriptor.openForWriting(path), true)
        guard descriptor >= 0 else { throw WriteFailure(opening: errno) }
    }

    deinit { if ownsDescriptor, descriptor >= 0 { close(descriptor) } }

    package var isTerminal: Bool { isatty(descriptor) == 1 }

    package func write(_ bytes: [UInt8]) throws(WriteFailure) { try Descriptor.write(bytes, to: descriptor) }
}
