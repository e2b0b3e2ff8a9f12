/// A lock on a file (flock(2)) that a run holds from reading the file to writing it anew; no other file is left beside it.
///
/// Sendable because the descriptor never changes.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Holds the file at `path`, which is made empty if it is missing; what is no file needs no turns.
    ///
    /// - Throws: ``WriteFailure/held`` if another run has it.
    package init(_ path: String) throws(WriteFailure) {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
            guard descriptor >= 0 else { throw WriteFailure(opening: errno) }
            do throws(WriteFailure) {
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

    /// Whether the path still names the file once it is held: another run may have replaced it meanwhile.
    private static func take(_ descriptor: Int32, _ path: String) throws(WriteFailure) -> Bool {
        try hold(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        return FileKind(status) != .regular || FileIdentity(of: path) == FileIdentity(status)
    }

    /// Locks an open file, and never waits for it.
    static func hold(_ descriptor: Int32) throws(WriteFailure) {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { throw .held }
            // A file system without locks has no turns either.
            guard errno == ENOLCK || errno == EINVAL || errno == ENOTSUP else { throw .system(errno) }
            break
        }
    }
}
