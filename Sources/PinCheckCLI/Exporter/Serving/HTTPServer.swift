internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// A server for scrapes: HTTP/1.1 in the clear, as far as scrapes need it.
///
/// All connections are on one thread; what answers them runs elsewhere.
package final class HTTPServer: Sendable {
    /// Why nothing can be listened to.
    package struct ListenError: Error, Sendable { package let code: Int32 }

    private let group: MultiThreadedEventLoopGroup
    private let loop: any EventLoop
    private let room: NIOLoopBoundBox<ConnectionRoom>
    private let hasEnded = Mutex(false)
    private let limits: ServerLimits
    private let respond: @Sendable (ServedRequest) async -> ServedAnswer
    private let tell: @Sendable (ServerEvent) -> Void

    package init(
        _ limits: ServerLimits, tell: @escaping @Sendable (ServerEvent) -> Void,
        respond: @escaping @Sendable (ServedRequest) async -> ServedAnswer
    ) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        room = .makeBoxSendingValue(ConnectionRoom(limit: limits.connections, reserve: limits.reserve), eventLoop: loop)
        self.limits = limits
        self.tell = tell
        self.respond = respond
    }

    /// Listens at an address; port 0 is one that is free.
    package func listen(address: String, port: Int) async throws(ListenError) -> Int {
        let (room, limits, respond, tell) = (room, limits, respond, tell)
        let bootstrap = ServerBootstrap(group: loop).serverChannelOption(.backlog, value: 512).serverChannelOption(
            .socketOption(.so_reuseaddr), value: 1
        ).childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Whoever sends one request and closes its side waits for the answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // No more than this is read before it is looked at.
            .childChannelOption(.maxMessagesPerRead, value: 1).childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8_192)
            ).childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let bound = RequestBound(limit: limits.requestBytes)
                    try channel.pipeline.syncOperations.addHandlers([
                        bound, HTTPResponseEncoder(),
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        ServedConnection(in: room.value, behind: bound, limits, respond: respond, tell: tell),
                    ])
                }
            }
        do {
            let channel = try await bootstrap.bind(host: address, port: port).get()
            try await loop.submit { room.value.add(channel) }.get()
            return channel.localAddress?.port ?? port
        } catch let error as IOError { throw ListenError(code: error.errnoCode) } catch { throw ListenError(code: 0) }
    }

    /// Ends: nothing is accepted any more, what is under way is answered, but no longer than for `time`.
    package func end(within time: Duration) async {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        let (room, loop) = (room, loop)
        let isEmpty = loop.makePromise(of: Void.self)
        loop.execute {
            room.value.end(isEmpty)
            let alarm = loop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { room.value.closeAll() }
            isEmpty.futureResult.assumeIsolated().whenComplete { _ in alarm.cancel() }
        }
        try? await isEmpty.futureResult.get()
        try? await group.shutdownGracefully()
    }
}
