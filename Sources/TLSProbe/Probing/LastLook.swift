import Base
import NIOCore

/// The kernel's state of a connection that a busy event loop has not noticed; each call returns at once.
enum LastLook {
    private static let limit = TLSHandler.inputLimit

    /// `true` if the kernel has settled an attempt to connect, so that the event loop will learn its result.
    static func isSettled(_ channel: any Channel) -> Bool {
        look(at: channel) { descriptor in
            // A socket is neither writable nor broken before the other side answers.
            var query = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&query, 1, 0) > 0
        } ?? false
    }

    /// The time since the server's last packet, for which it waited here; `nil` if the system does not know it.
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

    /// Gives all bytes that can be read now, except urgent data, to the channel's handlers, as the event loop would.
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

    private static func look<Value>(at channel: any Channel, _ body: (Int32) -> Value) -> Value? {
        // NIO calls the closure only if it has the transport's type.
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, body)
    }
}
