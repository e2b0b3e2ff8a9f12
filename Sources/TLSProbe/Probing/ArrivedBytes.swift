internal import NIOCore

/// How many bytes the kernel has taken in for a connection, whether or not they were read yet.
///
/// A busy event loop comes late to sockets that were answered in time; a deadline must not be blamed on them.
enum ArrivedBytes {
    #if canImport(Darwin)
    /// `SO_NREAD`: the bytes that can be read now.
    private static let unreadBytes = NIOBSDSocket.Option(rawValue: 0x1020)

    /// The bytes that arrived on `channel`, of which `read` were read.
    ///
    /// Called on the channel's event loop.
    static func count(on channel: any Channel, read: Int) -> Int {
        guard let provider = channel as? any SocketOptionProvider else { return read }
        let unread: Int32? = immediate(provider.unsafeGetSocketOption(level: .socket, name: unreadBytes))
        return read + Int(unread ?? 0)
    }
    #else
    /// The head of the kernel's `struct tcp_info` up to `tcpi_bytes_received`, which glibc's own declaration lacks.
    private typealias TCPInformation = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        UInt64, UInt64, bytesReceived: UInt64
    )
    /// `TCP_INFO`.
    private static let information = NIOBSDSocket.Option(rawValue: 11)

    /// The bytes that arrived on `channel`, of which `read` were read.
    ///
    /// Called on the channel's event loop.
    static func count(on channel: any Channel, read: Int) -> Int {
        guard let provider = channel as? any SocketOptionProvider else { return read }
        let information: TCPInformation? = immediate(provider.unsafeGetSocketOption(level: .tcp, name: information))
        return max(read, Int(clamping: information?.bytesReceived ?? 0))
    }
    #endif

    /// The value of a future that is complete, as NIO's are for options asked for on the event loop.
    private static func immediate<Value>(_ future: EventLoopFuture<Value>) -> Value? {
        var value: Value?
        future.assumeIsolated().whenSuccess { value = $0 }
        return value
    }
}
