#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A turn with a file that is read, changed and replaced: one process has it at a time.
///
/// The lock is on a file of its own beside it, `.NAME.pincheck-lock`, because the file itself is replaced. It ends with its
/// process.
package struct FileLock {
    private let descriptor: Int32

    /// The longest that another run takes: its commands have five minutes.
    package static let deadline = Duration.seconds(360)

    /// Waits for the turn with the file at `path`, until `deadline` is over.
    ///
    /// - Throws: ``WriteFailure/held(_:)`` when the deadline is over, or why the lock cannot be made.
    package init(beside path: String, deadline: Duration = FileLock.deadline) throws(WriteFailure) {
        let target: String
        do throws(ReadFailure) {
            // The file that is replaced stands behind symbolic links, and so does its lock: it may be named in several ways.
            target = try SymbolicLinks.target(of: path)
        } catch { throw WriteFailure(error) }
        descriptor = open(
            PathParts(target).hidden(".pincheck-lock"), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system(errno) }
        let start = ContinuousClock.now
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK {
                guard start.duration(to: .now) < deadline else {
                    close(descriptor)
                    throw .held(deadline)
                }
                // A signal ends the process here: nothing is being written.
                var time = timespec(tv_sec: 0, tv_nsec: 20_000_000)
                nanosleep(&time, nil)
                continue
            }
            // A file system without locks has no turns either.
            guard errno == ENOLCK || errno == EINVAL || errno == ENOTSUP else {
                let code = errno
                close(descriptor)
                throw .system(code)
            }
            return
        }
    }

    /// Lets the next have its turn.
    package func release() { close(descriptor) }
}
