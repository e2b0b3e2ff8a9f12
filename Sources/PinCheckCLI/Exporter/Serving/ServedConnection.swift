internal import NIOCore
internal import NIOHTTP1

/// One connection: requests one after the other, each within its bounds, each answered before the next is read.
///
/// Not Sendable: it belongs to the channel's event loop.
final class ServedConnection: ChannelInboundHandler, PlacedConnection {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    typealias Respond = @Sendable (ServedRequest) async -> ServedAnswer

    private enum Phase {
        /// No byte of a request is there.
        case waiting
        /// A part of a request is there.
        case reading
        /// A request is being answered.
        case answering
        /// The last answer is on its way, or was taken.
        case ending
    }

    private let room: ConnectionRoom
    private let bound: RequestBound
    private let limits: ServerLimits
    private let respond: Respond
    private let tell: @Sendable (ServerEvent) -> Void

    private var phase = Phase.waiting
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var task: Task<Void, Never>?
    private var head: HTTPRequestHead?
    /// What came behind a request that is not answered yet.
    private var pending = CircularBuffer<HTTPServerRequestPart>()
    private var isBroken = false
    private var isInputClosed = false
    private(set) var lastActivity = ContinuousClock.now

    init(
        in room: ConnectionRoom, behind bound: RequestBound, _ limits: ServerLimits, respond: @escaping Respond,
        tell: @escaping @Sendable (ServerEvent) -> Void
    ) {
        self.room = room
        self.bound = bound
        self.limits = limits
        self.respond = respond
        self.tell = tell
    }

    var isIdle: Bool { phase != .answering }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        bound.connection = self
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        tell(.opened)
        guard room.enter(self) != nil else { return refuse(503, "all connections are in use: try again later") }
        guard !room.isEnding else { return context.close(promise: nil) }
        setTimer(limits.requestTime)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        task?.cancel()
        task = nil
        pending.removeAll()
        phase = .ending
        room.leave(self)
        tell(.closed)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch phase {
        case .answering: pending.append(part)
        case .waiting, .reading: take(part)
        case .ending: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        isInputClosed = true
        switch phase {
        case .waiting: context.close(promise: nil)
        case .reading: refuse(400, "the request has no end")
        case .answering: break
        case .ending: if bound.isDiscarding { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.close(promise: nil) }
        switch phase {
        case .waiting, .reading: refuse(400, "this is no request in HTTP/1.1")
        case .answering: isBroken = true
        case .ending: break
        }
    }

    // MARK: Requests

    /// A byte came.
    func somethingCame() {
        lastActivity = .now
        guard phase == .waiting else { return }
        phase = .reading
        setTimer(limits.requestTime)
    }

    func tooMuchCame() {
        switch phase {
        case .waiting, .reading:
            refuse(head == nil ? 431 : 413, "a request has at most \(limits.requestBytes) bytes here")
        case .answering:
            isBroken = true
            bound.isDiscarding = true
        case .ending: break
        }
    }

    private func take(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head):
            phase = .reading
            self.head = head
        // What comes with a request plays no part, and is bounded.
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            begin(head)
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        guard let context else { return }
        phase = .answering
        timer?.cancel()
        setReading(false)
        let isInReserve = room.settle(self) == .reserve
        // Behind an upgrade the decoder reads nothing any more.
        let isKept =
            !isInReserve && head.isKeepAlive && head.method != .CONNECT && !head.headers.contains(name: "Upgrade")
        let request = ServedRequest(
            method: head.method.rawValue, place: head.uri, timeouts: head.headers[ScrapeTimeout.header],
            client: context.remoteAddress?.ipAddress ?? "", arrival: .now, isInReserve: isInReserve)
        let loop = context.eventLoop
        let connection = NIOLoopBound(self, eventLoop: loop)
        let respond = respond
        let hasBody = head.method != .HEAD
        room.beginAnswer()
        task = Task(executorPreference: globalConcurrentExecutor) {
            let answer = await respond(request)
            loop.execute {
                connection.value.write(answer, hasBody: hasBody, isKept: isKept)
                connection.value.room.endAnswer()
            }
        }
    }

    // MARK: Answers

    private func write(_ answer: ServedAnswer, hasBody: Bool, isKept: Bool) {
        task = nil
        guard phase == .answering, let context, context.channel.isActive else { return }
        send(answer, hasBody: hasBody, isKept: isKept && !room.isEnding && !isBroken) { [self] isKept in
            if isKept { goOn() } else { sayGoodbye() }
        }
    }

    /// Answers what is no request, and ends the connection.
    private func refuse(_ status: Int, _ reason: String) {
        guard phase != .ending, phase != .answering else { return }
        phase = .ending
        tell(.refused(status))
        bound.isDiscarding = true
        send(ServedAnswer(status: status, body: reason + "\n"), hasBody: true, isKept: false) { [self] _ in sayGoodbye()
        }
    }

    private func send(
        _ answer: ServedAnswer, hasBody: Bool, isKept: Bool, then next: @escaping (_ isKept: Bool) -> Void
    ) {
        guard let context else { return }
        var headers = HTTPHeaders([
            ("Content-Type", answer.type), ("Content-Length", String(answer.body.utf8.count)),
            ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
        ])
        if let allow = answer.allow { headers.add(name: "Allow", value: allow) }
        if !isKept { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if hasBody { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil) }
        setTimer(limits.answerTime)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { next(isKept) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private func goOn() {
        guard phase == .answering else { return }
        phase = .waiting
        lastActivity = .now
        bound.reset()
        while phase != .answering, let part = pending.popFirst() { take(part) }
        guard phase != .answering else { return }
        if isBroken { return refuse(400, "this is no request in HTTP/1.1") }
        guard !isInputClosed, !room.isEnding else {
            context?.close(promise: nil)
            return
        }
        setTimer(phase == .reading ? limits.requestTime : limits.idleTime)
        setReading(true)
    }

    /// Ends the connection once the other side has what was sent: what it still sends would take the answer with it.
    private func sayGoodbye() {
        guard let context else { return }
        phase = .ending
        guard !isInputClosed else { return context.close(promise: nil) }
        bound.isDiscarding = true
        context.close(mode: .output, promise: nil)
        setReading(true)
        setTimer(limits.farewellTime)
    }

    // MARK: The end

    func drop(_ reason: ServerEvent.Reason) {
        tell(.dropped(reason))
        room.leave(self)
        context?.close(promise: nil)
    }

    func endWhenIdle() { if phase == .waiting || phase == .reading { context?.close(promise: nil) } }

    private func timeIsUp() {
        switch phase {
        case .reading: refuse(408, "the request took longer than \(limits.requestTime.components.seconds) s to come")
        case .waiting: context?.close(promise: nil)
        // The answer was taken, and the other side does not end the connection.
        case .ending where bound.isDiscarding && !isAnswerPending: context?.close(promise: nil)
        case .answering, .ending: drop(.slow)
        }
    }

    /// Whether a part of an answer was not taken yet.
    private var isAnswerPending: Bool { context?.channel.isWritable == false }

    private func setTimer(_ time: Duration) {
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self] in self?.timeIsUp()
        }
    }

    private func setReading(_ isOn: Bool) { try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn) }
}
