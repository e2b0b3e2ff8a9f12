#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Reads from pipes such as `<(…)` without ever waiting for a writer that may not come.
///
/// They are opened with `O_NONBLOCK`: `open` returns at once, `read` gives nothing while there is no writer.
package enum Pipe {
    /// How long a first writer is waited for, in milliseconds: one that was started just now opens within that.
    static let patience: Int32 = 1_000

    /// Waits until there is something to read or no writer left (`poll`), for ever with -1; returns whether that came to pass.
    package static func waitForInput(on descriptor: Int32, milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&request, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            return count != 0
        }
    }
}
