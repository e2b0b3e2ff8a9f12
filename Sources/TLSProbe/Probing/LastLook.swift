import Base
internal import NIOCore

/// What the kernel has done for a connection while a busy event loop had not come to it.
///
/// Each question is answered at once: what a server sends, or leaves, never makes anybody wait here.
enum LastLook {
    /// No more is read at once, in bytes: as much as a handshake may have in all.
    private static let limit = TLSHandler.inputLimit

    /// Whether the kernel has settled an attempt to connect, one way or the other, so that the event loop will hear of it.
    static func isSettled(_ channel: any Channel) -> Bool {
        look(at: channel) { descriptor in
            // While an answer is missing, a socket is neither writable nor broken.
            var query = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&query, 1, 0) > 0
        } ?? false
    }

    /// How long ago the other side was last heard of, `nil` where the system does not say.
    ///
    /// Asked when the event loop learns that it is connected: how long the answer to the connection request lay here.
    static func silence(of channel: any Channel) -> TimeAmount? {
        #if canImport(Darwin)
        nil
        #else
        look(at: channel) { descriptor in
            var information = tcp_info()
            var length = socklen_t(MemoryLayout<tcp_info>.size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &length) == 0 else { return nil }
            return .milliseconds(Int64(information.tcpi_last_ack_recv))
        } ?? nil
        #endif
    }

    /// Hands everything that can be read now to the channel's handlers, as if the event loop had come to it.
    ///
    /// Only what read(2) gives counts: urgent data, which a kernel counts among the bytes it received, is none of it.
    static func deliver(on channel: any Channel) {
        let pipeline = channel.pipeline.syncOperations
        var hasRead = false
        var rest = limit
        while rest > 0 {
            var bytes = channel.allocator.buffer(capacity: min(rest, 65_536))
            let count = look(at: channel) { descriptor in
                bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { space in
                    // The event loop's sockets never block.
                    max(0, recv(descriptor, space.baseAddress, space.count, 0))
                }
            }
            guard let count, count > 0 else { break }
            rest -= count
            hasRead = true
            pipeline.fireChannelRead(NIOAny(bytes))
        }
        if hasRead { pipeline.fireChannelReadComplete() }
    }

    /// What `body` finds out from the channel's socket, `nil` once that is closed.
    private static func look<Value>(at channel: any Channel, _ body: (Int32) -> Value) -> Value? {
        // The closure has to have the transport's type, or NIO does not call it.
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, body)
    }
}
