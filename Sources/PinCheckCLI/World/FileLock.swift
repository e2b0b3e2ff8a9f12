#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A turn with a file that is read, changed and replaced: one process has it at a time.
///
/// The lock is on a file of its own beside it, `.NAME.pincheck-lock`, because the file itself is replaced. It ends with its
/// process.
struct FileLock {
    private let descriptor: Int32

    /// Waits for the turn with the file at `path`.
    ///
    /// - Throws: ``CommandError`` with the status of an output that could not be written.
    init(beside path: String) throws(CommandError) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let lock = directory + "." + path.dropFirst(directory.count) + ".pincheck-lock"
        descriptor = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(path) }
        while flock(descriptor, LOCK_EX) != 0 {
            // A file system without locks has no turns either.
            if errno == EINTR { continue }
            guard errno == ENOLCK || errno == EINVAL || errno == ENOTSUP else {
                let failure = Self.failure(path)
                close(descriptor)
                throw failure
            }
            return
        }
    }

    /// Lets the next have its turn.
    func release() {
        close(descriptor)
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(
            status: .inputOutput,
            description: "cannot lock \(quoted(path)): \(System.message(of: errno))"
        )
    }
}
