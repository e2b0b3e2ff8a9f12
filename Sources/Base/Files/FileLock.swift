/// A lock on a file (flock(2)), which a run holds from reading the file to replacing it; no other file is needed.
package final class FileLock: Sendable {
    private let descriptor: Int32

    package init(_ path: String) throws(WriteFailure) {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
            guard descriptor >= 0 else { throw WriteFailure(opening: errno) }
            do {
                if try Self.take(descriptor, path) {
                    self.descriptor = descriptor
                    return
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    deinit { close(descriptor) }

    /// Locks the file; `false` if `path` no longer names it, because another run has replaced it meanwhile.
    private static func take(_ descriptor: Int32, _ path: String) throws(WriteFailure) -> Bool {
        try hold(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        return FileKind(status) != .regular || FileIdentity(of: path) == FileIdentity(status)
    }

    static func hold(_ descriptor: Int32) throws(WriteFailure) {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { throw .held }
            // A file system without locks has none to wait for.
            guard errno == ENOLCK || errno == EINVAL || errno == ENOTSUP else { throw .system(errno) }
            break
        }
    }
}
