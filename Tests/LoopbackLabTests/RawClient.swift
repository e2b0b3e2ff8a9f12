import Dispatch
import LoopbackLab

/// The value of `errno` when nothing listens on a port.
let connectionRefused = ECONNREFUSED

/// A TCP client of a few system calls, for servers that do not speak TLS, or not to the end.
enum RawClient {
    /// How a connection came to its end.
    enum Ending: Sendable, Hashable {
        /// The server closed its side in order.
        case closed
        /// The server reset the connection.
        case reset
        /// Nothing came for as long as the client was ready to wait.
        case silence
        /// As many bytes came as the client wanted.
        case enough
        /// There was no connection at all; the value of `errno`, 0 when connecting came to no end in time.
        case notConnected(Int32)
    }

    /// Connects, sends `bytes`, and reads until the connection is over, `limit` bytes came, or nothing came for `patience`.
    ///
    /// Silence is expected after `expecting` bytes and listened to for 50 ms only. What comes before has the whole patience, since
    /// the server may have to wait for a processor.
    static func exchange(
        _ address: String = "127.0.0.1", port: UInt16, sending bytes: [UInt8] = [], limit: Int = .max,
        expecting: Int = .max, patience milliseconds: Int32 = 30_000
    ) async -> (received: [UInt8], ending: Ending) {
        // On a thread of its own, because it blocks.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: converse(address, port, bytes, limit, expecting, milliseconds))
            }
        }
    }

    private static func converse(
        _ address: String, _ port: UInt16, _ bytes: [UInt8], _ limit: Int, _ expected: Int, _ patience: Int32
    ) -> (received: [UInt8], ending: Ending) {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        let status = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 {
            guard errno == EINPROGRESS else { return ([], .notConnected(errno)) }
            guard isReady(descriptor, POLLOUT, patience) else { return ([], .notConnected(0)) }
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
            if code == ECONNRESET { return ([], .reset) }
            guard code == 0 else { return ([], .notConnected(code)) }
        }
        if !bytes.isEmpty, send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 { return ([], .reset) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while received.count < limit {
            guard isReady(descriptor, POLLIN, received.count < expected ? patience : min(50, patience)) else {
                return (received, .silence)
            }
            let count = recv(descriptor, &buffer, min(buffer.count, limit - received.count), 0)
            if count == 0 { return (received, .closed) }
            if count < 0 { return (received, .reset) }
            received += buffer.prefix(count)
        }
        return (received, .enough)
    }

    private static func isReady(_ descriptor: Int32, _ event: some BinaryInteger, _ patience: Int32) -> Bool {
        var interest = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&interest, 1, patience) == 1
    }
}
