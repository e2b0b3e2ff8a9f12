import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves HTTP/1.1 without TLS: all connections are on one thread, and the answers are computed elsewhere.
final class ScrapeServer: Sendable {
    struct Request {
        let head: HTTPRequestHead
        let client: String
        let arrival: ContinuousClock.Instant

        var place: String { head.uri }
    }

    struct Answer: Hashable {
        let status: Int
        let body: String
        var type = "text/plain; charset=utf-8"
    }

    fileprivate final class Room {
        var listeners: [any Channel] = []
        var connections: [ObjectIdentifier: any Channel] = [:]
        /// The answers that are being computed, even after their connection has ended.
        var answers: [ObjectIdentifier: Task<Void, Never>] = [:]
        var isEnding = false
    }

    fileprivate static let headBytes = 16 << 10
    private let group: MultiThreadedEventLoopGroup
    private let loop: any EventLoop
    fileprivate let room: NIOLoopBoundBox<Room>
    /// The most open connections; further ones are closed at once.
    fileprivate let mostConnections: Int
    /// The time for a request to arrive after the last answer, and for an answer to be read.
    fileprivate let requestTime: Duration
    fileprivate let metrics: ServeMetrics
    fileprivate let respond: @Sendable (Request) async -> Answer

    init(
        connections: Int = 512, requestTime: Duration = .seconds(10), _ metrics: ServeMetrics,
        respond: @escaping @Sendable (Request) async -> Answer
    ) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        room = .makeBoxSendingValue(Room(), eventLoop: loop)
        mostConnections = connections
        self.requestTime = requestTime
        self.metrics = metrics
        self.respond = respond
    }

    func listen(address: String, port: Int) async throws -> Int {
        var limit = NIOHTTPDecoderLimitConfiguration()
        limit.maxHeaderFieldSize = Self.headBytes
        limit.maxHeaderListSize = Self.headBytes
        let bootstrap = ServerBootstrap(group: loop).serverChannelOption(.backlog, value: 512).serverChannelOption(
            .socketOption(.so_reuseaddr), value: 1
        ).childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // One read can contain many small requests, which take much more memory.
            .childChannelOption(.maxMessagesPerRead, value: 1).childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4_096)
            ).childChannelInitializer { [limit] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(
                        withErrorHandling: true, withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limit
                    )
                    try pipeline.addHandler(ServedConnection(self))
                }
            }
        let channel = try await bootstrap.bind(host: address, port: port).get()
        try await loop.submit { self.room.value.listeners.append(channel) }.get()
        return channel.localAddress?.port ?? port
    }

    /// Accepts no more requests, finishes the answers under way, and closes the connections after `time` at the latest.
    func end(within time: Duration) async {
        let connections = loop.flatSubmit { [self] in
            let room = room.value
            room.isEnding = true
            for listener in room.listeners { listener.close(promise: nil) }
            let open = Array(room.connections.values)
            let alarm = loop.scheduleTask(in: TimeAmount(time)) { for channel in open { channel.close(promise: nil) } }
            for channel in open { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
            return EventLoopFuture.andAllComplete(open.map(\.closeFuture), on: loop).always { _ in alarm.cancel() }
        }
        try? await connections.get()
        let answers = try? await loop.submit { Array(self.room.value.answers.values) }.get()
        for answer in answers ?? [] { await answer.value }
        try? await group.shutdownGracefully()
    }
}

/// Answers one request before the next is read, on the channel's event loop.
private final class ServedConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: ScrapeServer
    private var head: HTTPRequestHead?
    private var isWhole = false
    private var isBroken = false
    private var deadline: Scheduled<Void>?

    init(_ server: ScrapeServer) { self.server = server }

    private var room: ScrapeServer.Room { server.room.value }

    func channelActive(context: ChannelHandlerContext) {
        room.connections[ObjectIdentifier(self)] = context.channel
        server.metrics.set("connections", room.connections.count)
        guard !room.isEnding, room.connections.count <= server.mostConnections else {
            return context.close(promise: nil)
        }
        setDeadline(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        room.answers[ObjectIdentifier(self)]?.cancel()
        room.connections[ObjectIdentifier(self)] = nil
        server.metrics.set("connections", room.connections.count)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            isWhole = false
        // The body of a request is ignored, and its time counts as the request's.
        case .body: break
        case .end:
            isWhole = true
            begin(in: context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { begin(in: context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The handler before this one has answered the error; the end of the connection can be another error.
        if error is HTTPParserError, !isBroken { server.metrics.count("requests_total", [("code", "400")]) }
        isBroken = true
        context.close(promise: nil)
    }

    /// Starts the answer to a request, unless the client has not read earlier answers yet.
    private func begin(in context: ChannelHandlerContext) {
        guard isWhole, let head, context.channel.isWritable else { return }
        self.head = nil
        deadline?.cancel()
        let request = ScrapeServer.Request(head: head, client: context.remoteAddress?.ipAddress ?? "", arrival: .now)
        let (loop, respond) = (context.eventLoop, server.respond)
        let place = NIOLoopBound((self, context), eventLoop: loop)
        room.answers[ObjectIdentifier(self)] = Task(executorPreference: globalConcurrentExecutor) {
            let answer = await respond(request)
            loop.execute {
                let (connection, context) = place.value
                connection.room.answers[ObjectIdentifier(connection)] = nil
                connection.send(answer, to: head, in: context)
            }
        }
    }

    private func send(_ answer: ScrapeServer.Answer, to request: HTTPRequestHead, in context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        server.metrics.count("requests_total", [("code", String(answer.status))])
        // The decoder reads nothing after an upgrade.
        let isLast = !request.isKeepAlive || request.method == .CONNECT || request.headers.contains(name: "Upgrade")
        var headers = HTTPHeaders([
            ("Content-Type", answer.type), ("Content-Length", String(answer.body.utf8.count)),
            ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
        ])
        if answer.status == 405 { headers.add(name: "Allow", value: "GET, HEAD") }
        if isLast { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: headers)
        setDeadline(context)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        if isLast { written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private func setDeadline(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(server.requestTime)) {
            context.close(promise: nil)
        }
    }
}
