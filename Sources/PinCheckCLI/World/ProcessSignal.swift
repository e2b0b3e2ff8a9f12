import Base
import Synchronization
import TLSProbe

package enum ProcessSignal: Sendable {
    /// To end, once what is under way is done (SIGTERM, SIGINT).
    case end
    /// To read its files again (SIGHUP).
    case reload

    /// The end of a pipe that the handler writes to, -1 before there is one.
    private static let writing = Atomic<Int32>(-1)

    /// Takes the signals over from now on, and says which come.
    ///
    /// Once the process was asked to end, another signal ends it at once, as it does any other command.
    static func stream() -> AsyncStream<ProcessSignal> {
        AsyncStream { continuation in
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return continuation.finish() }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            // A handler must not wait for whoever reads.
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            let reading = ends[0]
            writing.store(ends[1], ordering: .sequentiallyConsistent)
            for number in [SIGHUP, SIGTERM, SIGINT] { signal(number) { ProcessSignal.received($0) } }
            let thread = SystemThread {
                var number: UInt8 = 0
                while true {
                    let count = read(reading, &number, 1)
                    if count < 0, errno == EINTR { continue }
                    guard count == 1 else { return continuation.finish() }
                    if Int32(number) == SIGHUP {
                        continuation.yield(.reload)
                    } else {
                        Interruption.install()
                        continuation.yield(.end)
                    }
                }
            }
            guard let thread else { return continuation.finish() }
            thread.detach()
        }
    }

    /// The handler: it may do no more than what signal-safety(7) allows.
    private static func received(_ number: Int32) {
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writing.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }
}
