import Text

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

    /// The longest that another run takes: its commands have five minutes.
    static let deadline = Duration.seconds(360)

    /// Waits for the turn with the file at `path`, until `deadline` is over.
    ///
    /// - Throws: ``CommandError`` with the status of an output that could not be written.
    init(beside path: String, deadline: Duration = FileLock.deadline) throws(CommandError) {
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
        let name = path[path.utf8.index(path.startIndex, offsetBy: directory.utf8.count)...]
        descriptor = open(
            "\(directory).\(name).pincheck-lock",
            O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
            0o666
        )
        guard descriptor >= 0 else { throw Self.failure(path) }
        let start = ContinuousClock.now
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK {
                guard start.duration(to: .now) < deadline else {
                    close(descriptor)
                    throw CommandError(
                        status: .inputOutput,
                        description:
                            "cannot lock \(quoted(path)): another run has held it for \(deadline.components.seconds) s"
                    )
                }
                // A signal ends the process here: nothing is being written.
                var time = timespec(tv_sec: 0, tv_nsec: 20_000_000)
                nanosleep(&time, nil)
                continue
            }
            // A file system without locks has no turns either.
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
