import Base
import NIOCore
import Pinning

/// Speaks TLS between a channel and the handlers behind it: makes the handshake, and closes or keeps the channel.
///
/// A kept connection is held: until ``begin()`` nothing is decrypted or sent, because its chain is judged meanwhile.
/// Handlers behind it catch ``TLSEnding``. The server receives close_notify at the end.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case handshaking
        /// The handshake is complete on this side; the server may still reject the client's certificate.
        case listening
        case held, open, over
    }

    /// The most bytes before the end of the handshake; no honest server sends as many.
    static let inputLimit = 4 << 20
    /// The most bytes before ``begin()``: tickets, each in a record that may be padded to 16 KiB.
    static let heldLimit = 256 << 10
    /// The number of first bytes that are kept to recognise another protocol than TLS.
    private static let openingLength = 16

    private let connection: TLSConnection
    private let request: ProbeRequest
    private let clock: TimedConnection
    private let keepsOpen: Bool
    private var conclude: ((TLSHandler, HandshakeOutcome) -> Void)?
    private var state = State.handshaking
    private var context: ChannelHandlerContext?
    private var opening: [UInt8] = []
    /// The bytes received in the handshake, or while the connection is held.
    private(set) var received = 0
    /// The reason why a held connection has ended; `nil` while it is open.
    private(set) var ending: HTTPError?
    private var owesCloseNotify = false
    private let began = NIODeadline.now()
    /// The time when this side completed the handshake.
    private(set) var completed: NIODeadline?
    private var silence: Scheduled<Void>?

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

    /// Ends the holding, and reads the bytes that arrived meanwhile.
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
        // The header of a record has five bytes: fewer do not show the protocol.
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
        // The exchange is complete: an end without close_notify is not an error, not on a proxy's connection either.
        if mode == .all, state == .open { state = .over }
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .handshaking: connectionBroke(error)
        case .listening: stopListening(completed: false)
        case .held:
            // Errors other than the system's mean a closed channel.
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
        // Without close_notify an attacker may have cut the answer (RFC 8446, 6.1).
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
            // The handshake is complete even if its last bytes are lost: some servers close after their part.
            if keepsOpen {
                state = .held
                owesCloseNotify = true
                // Bytes that the server sent after the handshake wait as well.
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
            // The alert about the server's mistake.
            sendHandshake(context)
            let reason = connection.reason(of: errors, request: request)
            if errors.alert != nil { end(reason) } else { finish(.failed(reason)) }
        }
    }

    /// Waits for the server's reaction to the client's certificate in TLS 1.3 (RFC 8446, 4.4.2.4).
    ///
    /// The wait for a record, an alert or the end is as long as two handshakes, at most a second.
    private func listen(_ context: ChannelHandlerContext) {
        state = .listening
        let now = NIODeadline.now()
        let patience = min(.seconds(1), max(.milliseconds(100), 2 * (now - began)))
        let left = max(.zero, clock.deadline - now)
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
        let isHeard = ending != nil || data.readableBytes > 0 || connection.hasHeard
        if isHeard { stopListening(completed: ending == nil) }
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

    /// Sends at once; bytes beyond the socket's buffer are lost if the channel closes.
    private func sendHandshake(_ context: ChannelHandlerContext) {
        send(context, promise: context.writePromise { self.connectionBroke($0) })
    }

    private func connectionBroke(_ error: any Error) {
        // The TLS connection to the proxy, through which this handshake goes, has failed.
        if case TLSEnding.failed(let reason, _) = error { return end(.proxy(.broken(reason))) }
        // Errors other than the system's mean a closed channel, which `channelInactive` reports too.
        guard let error = error as? IOError else { return }
        end(error.isReset ? .reset : .tlsFailure("the connection broke (\(error))"))
    }

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
        // Taken out before the call: the closure and its owner would keep each other.
        let conclude = conclude
        self.conclude = nil
        conclude?(self, outcome)
    }

    // MARK: Data

    /// The reason in the bytes before the end of a held connection; `nil` if they contain none.
    private func why(_ context: ChannelHandlerContext) -> HTTPError? {
        let (data, ending) = connection.read(allocator: context.channel.allocator)
        guard case .failed(let text, let alert) = ending else { return data.readableBytes > 0 ? .spokeFirst : nil }
        return alert.map(HTTPError.alert) ?? .tlsFailure(text)
    }

    private func deliver(_ context: ChannelHandlerContext, expecting count: Int) {
        var (data, ending) = connection.read(allocator: context.channel.allocator, expecting: count)
        // Requests for new keys are answered, but not if the server reads no answers, which would fill the memory.
        if context.channel.isWritable {
            send(context, promise: nil)
        } else if ending?.isFailure != true {
            ending = .failed("the server takes no answers", nil)
        }
        if ending != nil { state = .over }
        if data.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(data)) }
        guard let ending else { return }
        if ending.isFailure {
            owesCloseNotify = false
            context.fireErrorCaught(ending)
        }
        sayGoodbye(context)
        context.close(promise: nil)
    }

    /// Sends close_notify, without waiting for bytes beyond the socket's buffer.
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
