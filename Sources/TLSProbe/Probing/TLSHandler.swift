import Base
internal import NIOCore
internal import Pinning

enum HandshakeOutcome {
    /// The server proved its key; `completed` is false when it then gave up for want of a client certificate.
    case proven(TLSConnection, completed: Bool)
    /// Anything else.
    case failed(ProbeError.Reason)
}

/// TLS between the bytes of a channel and the handlers behind it: makes the handshake, says how it ended, and closes the channel unless it
/// is to be kept.
///
/// A connection that is kept is held: until ``begin()`` nothing is decrypted or sent, since the chain is judged meanwhile. Handlers behind
/// it catch ``TLSEnding``. When it ends, from whichever side, the server is told that nothing more comes.
///
/// Not Sendable: it belongs to the channel's event loop.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case handshaking
        /// The handshake is complete for this side, and the server has yet to say what it makes of the client's certificate.
        case listening
        case held, open, over
    }

    /// No honest server sends more before the handshake is complete, in bytes.
    static let inputLimit = 4 << 20
    /// The most bytes taken before ``begin()``: tickets, each in a record that is padded to its 16 KiB.
    static let heldLimit = 256 << 10
    /// Enough of the first bytes to recognise what is not TLS.
    private static let openingLength = 16

    private let connection: TLSConnection
    private let request: ProbeRequest
    private let clock: TimedConnection
    private let keepsOpen: Bool
    /// Called once, with the end of the handshake.
    private var conclude: ((TLSHandler, HandshakeOutcome) -> Void)?
    private var state = State.handshaking
    private var context: ChannelHandlerContext?
    private var opening: [UInt8] = []
    /// The bytes received before the end of the handshake, or those since then that are held.
    private(set) var received = 0
    /// Why the connection was over while it was held, `nil` where it is not.
    private(set) var ending: HTTPError?
    private var owesCloseNotify = false
    private let began = NIODeadline.now()
    /// When this side's handshake was complete; `nil` before.
    private(set) var completed: NIODeadline?
    private var silence: Scheduled<Void>?

    /// A handler that begins the handshake as soon as it is added to a connected channel.
    init(
        connection: TLSConnection, request: ProbeRequest, clock: TimedConnection, keepsOpen: Bool = false,
        conclude: @escaping (TLSHandler, HandshakeOutcome) -> Void
    ) {
        (self.connection, self.request, self.clock, self.keepsOpen) = (connection, request, clock, keepsOpen)
        self.conclude = conclude
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        advance(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Reads what came while the connection was held.
    func begin() {
        guard state == .held, ending == nil else { return }
        state = .open
        if let context { deliver(context, expecting: 4_096) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .over, ending == nil else { return }
        let bytes = unwrapInboundIn(data)
        received += bytes.readableBytes
        switch state {
        case .handshaking:
            if opening.count < Self.openingLength {
                let count = min(bytes.readableBytes, Self.openingLength - opening.count)
                opening += bytes.getBytes(at: bytes.readerIndex, length: count) ?? []
            }
            guard received <= Self.inputLimit else { return finish(.failed(.tooMuchData(limit: Self.inputLimit))) }
            connection.receive(bytes)
        case .listening:
            connection.receive(bytes)
            hear(context)
        case .held:
            connection.receive(bytes)
            guard received > Self.heldLimit else { return }
            ending = .tooLong(limit: Self.heldLimit)
            sayGoodbye(context)
            context.close(promise: nil)
        case .open:
            connection.receive(bytes)
            deliver(context, expecting: bytes.readableBytes)
        case .over: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard state == .handshaking else { return context.fireChannelReadComplete() }
        // A record's header has five bytes: before they are there, neither OpenSSL nor anybody else can say what this is.
        if opening.count >= 5, let spoken = PlainProtocol(opening: opening) { return finish(.failed(.notTLS(spoken))) }
        advance(context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state == .open, connection.write(unwrapOutboundIn(data)) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        send(context, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        sayGoodbye(context)
        // All that was wanted is there: what the other side leaves out is no error, of a proxy's connection either.
        if mode == .all, state == .open { state = .over }
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .handshaking: connectionBroke(error)
        case .listening: stopListening(completed: false)
        case .held:
            // What is no error of the system says that the channel is closed.
            guard ending == nil, let error = error as? IOError else { return }
            ending = why(context) ?? (error.isReset ? .reset : .tlsFailure("the connection broke: \(error)"))
        case .open, .over: context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        owesCloseNotify = false
        switch state {
        case .handshaking: end(.closedEarly(received: received))
        case .listening: stopListening(completed: false)
        case .held: return ending = ending ?? why(context) ?? .closedEarly(received: 0)
        // Without close_notify anybody on the way may have cut the stream: its end is not the end of an answer (RFC 8446, 6.1).
        case .open: context.fireErrorCaught(TLSEnding.cut)
        case .over: break
        }
        state = .over
        context.fireChannelInactive()
    }

    // MARK: The handshake

    private func advance(_ context: ChannelHandlerContext) {
        guard state == .handshaking, let step = clock.step(after: received, connection.advance) else { return }
        switch step {
        case .needsInput: sendHandshake(context)
        case .complete:
            completed = .now()
            if !keepsOpen, connection.clientCertificateRequested, connection.version == .tls13 {
                return listen(context)
            }
            // It has ended, whatever becomes of the last bytes: some servers close as soon as they have sent their part.
            if keepsOpen {
                state = .held
                owesCloseNotify = true
                // What the server has sent behind it waits as well.
                received = connection.unreadCount
                connection.limitMessages()
                context.channel.readLittleAtATime()
            } else {
                state = .over
                connection.close()
            }
            sendHandshake(context)
            conclude(.proven(connection, completed: true))
            if !keepsOpen { context.close(promise: nil) }
        case .closed: end(.closedEarly(received: received))
        case .failed(let errors):
            // The alert that says what is wrong with what the server sent.
            sendHandshake(context)
            let reason = connection.reason(of: errors, request: request)
            if errors.alert != nil { end(reason) } else { finish(.failed(reason)) }
        }
    }

    /// Waits for a word of the server on the client's certificate, which TLS 1.3 reads after the handshake of this side (RFC 8446, 4.4.2.4):
    /// a record, an alert or the end, as long as two handshakes take, at most a second.
    private func listen(_ context: ChannelHandlerContext) {
        state = .listening
        let now = NIODeadline.now()
        let twice = TimeAmount.nanoseconds(2 * (now - began).nanoseconds)
        let patience: TimeAmount = min(TimeAmount.seconds(1), max(TimeAmount.milliseconds(100), twice))
        let left = max(TimeAmount.nanoseconds(0), clock.deadline - now)
        clock.stopClock()
        connection.limitMessages()
        silence = context.eventLoop.assumeIsolated().scheduleTask(in: min(patience, left)) {
            self.stopListening(completed: true)
        }
        sendHandshake(context)
        hear(context)
    }

    private func hear(_ context: ChannelHandlerContext) {
        let (data, ending) = connection.read(allocator: context.channel.allocator)
        if ending != nil {
            stopListening(completed: false)
        } else if data.readableBytes > 0 || connection.hasHeard {
            stopListening(completed: true)
        }
    }

    private func stopListening(completed: Bool) {
        guard state == .listening else { return }
        silence?.cancel()
        state = .over
        connection.close()
        if let context { sendHandshake(context) }
        conclude(.proven(connection, completed: completed))
        context?.close(promise: nil)
    }

    /// NIO writes at once; what the socket's buffer does not take is not waited for when the channel closes.
    private func sendHandshake(_ context: ChannelHandlerContext) {
        send(context, promise: context.writePromise { self.connectionBroke($0) })
    }

    private func connectionBroke(_ error: any Error) {
        // The handshake with a server goes through the one with a proxy.
        if case TLSEnding.failed(let reason, _) = error { return end(.proxy(.broken(reason))) }
        // Anything but an error of the system says that the channel is closed, which comes to `channelInactive` too.
        guard let error = error as? IOError else { return }
        end(error.isReset ? .reset : .tlsFailure("the connection broke (\(error))"))
    }

    /// The server ended the connection, in the way `reason` says.
    private func end(_ reason: ProbeError.Reason) {
        guard state == .handshaking else { return }
        if connection.clientCertificateRequested {
            finish(
                connection.keyProvenAtRequest
                    ? .proven(connection, completed: false) : .failed(.clientCertificateRequired))
        } else if let spoken = PlainProtocol(opening: opening) {
            finish(.failed(.notTLS(spoken)))
        } else {
            finish(.failed(reason))
        }
    }

    private func finish(_ outcome: HandshakeOutcome) {
        guard state == .handshaking else { return }
        state = .over
        conclude(outcome)
        context?.close(promise: nil)
    }

    private func conclude(_ outcome: HandshakeOutcome) {
        // It knows its owner: each would keep the other.
        let conclude = conclude
        self.conclude = nil
        conclude?(self, outcome)
    }

    // MARK: Data

    /// What came before the end of a connection that was held, and says why; `nil` for nothing.
    private func why(_ context: ChannelHandlerContext) -> HTTPError? {
        let (data, ending) = connection.read(allocator: context.channel.allocator)
        guard case .failed(let text, let alert) = ending else { return data.readableBytes > 0 ? .spokeFirst : nil }
        return alert.map(HTTPError.alert) ?? .tlsFailure(text)
    }

    private func deliver(_ context: ChannelHandlerContext, expecting count: Int) {
        var (data, ending) = connection.read(allocator: context.channel.allocator, expecting: count)
        // A server may ask for a new key, which is answered. One that asks for ever, or takes no answers, would fill the memory.
        if context.channel.isWritable {
            send(context, promise: nil)
        } else if ending?.isFailure != true {
            ending = .failed("the server takes no answers", nil)
        }
        if ending != nil { state = .over }
        if data.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(data)) }
        guard let ending else { return }
        if ending.isFailure {
            // What follows a fatal error is no goodbye.
            owesCloseNotify = false
            context.fireErrorCaught(ending)
        }
        sayGoodbye(context)
        context.close(promise: nil)
    }

    /// Tells the server that nothing more comes; what the socket's buffer does not take at once is not waited for.
    private func sayGoodbye(_ context: ChannelHandlerContext) {
        guard owesCloseNotify else { return }
        owesCloseNotify = false
        connection.close()
        send(context, promise: nil)
    }

    private func send(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        guard let output = connection.takeOutput(allocator: context.channel.allocator) else {
            promise?.succeed()
            return
        }
        context.writeAndFlush(wrapOutboundOut(output), promise: promise)
    }
}
