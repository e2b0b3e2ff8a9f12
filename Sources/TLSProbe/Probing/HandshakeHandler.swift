import Base
internal import NIOCore

enum HandshakeOutcome {
    /// The server proved its key; `completed` is false when it then gave up for want of a client certificate.
    case proven(TLSConnection, completed: Bool)
    /// Anything else.
    case failed(ProbeError.Reason)
}

/// Makes a TLS handshake over the channel it is added to, says how it ended, and closes the channel unless it is to be kept.
///
/// What comes through a connection that is kept, from the ``TLSDataHandler`` before it, passes on to the handlers behind.
///
/// Not Sendable: it belongs to the channel's event loop.
final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// No honest server sends more before the handshake is complete, in bytes.
    static let inputLimit = 4 << 20

    /// Enough of the first bytes to recognise what is not TLS.
    private static let openingLength = 16

    private let request: ProbeRequest
    private let clock: TimedConnection
    private let keepsOpen: Bool
    private let conclude: (HandshakeOutcome) -> Void
    /// `nil` once the handshake has ended.
    private var connection: TLSConnection?
    private var context: ChannelHandlerContext?
    private var opening: [UInt8] = []
    /// The bytes received so far.
    private var received = 0

    /// A handler that begins the handshake as soon as it is added to a connected channel.
    init(
        connection: TLSConnection, request: ProbeRequest, clock: TimedConnection, keepsOpen: Bool = false,
        conclude: @escaping (HandshakeOutcome) -> Void
    ) {
        (self.connection, self.request, self.clock, self.keepsOpen) = (connection, request, clock, keepsOpen)
        self.conclude = conclude
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        advance(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let connection else { return context.fireChannelRead(data) }
        let bytes = unwrapInboundIn(data)
        received += bytes.readableBytes
        if opening.count < Self.openingLength {
            let count = min(bytes.readableBytes, Self.openingLength - opening.count)
            opening += bytes.getBytes(at: bytes.readerIndex, length: count) ?? []
        }
        guard received <= Self.inputLimit else { return finish(.failed(.tooMuchData(limit: Self.inputLimit))) }
        connection.receive(bytes)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard connection != nil else { return context.fireChannelReadComplete() }
        // A record's header has five bytes: before they are there, neither OpenSSL nor anybody else can say what this is.
        if opening.count >= 5, let spoken = PlainProtocol(opening: opening) { return finish(.failed(.notTLS(spoken))) }
        advance(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.closedEarly(received: received))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if connection == nil { context.fireErrorCaught(error) } else { connectionBroke(error) }
    }

    private func advance(_ context: ChannelHandlerContext) {
        guard let connection, let step = clock.step(after: received, connection.advance) else { return }
        switch step {
        case .needsInput: send(from: connection, context)
        case .complete:
            // It has ended, whatever becomes of the last bytes: some servers close as soon as they have sent their part.
            self.connection = nil
            if !keepsOpen { connection.close() }
            send(from: connection, context)
            conclude(.proven(connection, completed: true))
            if !keepsOpen { context.close(promise: nil) }
        case .closed: end(.closedEarly(received: received))
        case .failed(let errors):
            // The alert that says what is wrong with what the server sent.
            send(from: connection, context)
            let reason = connection.reason(of: errors, request: request)
            if case .alert = reason { end(reason) } else { finish(.failed(reason)) }
        }
    }

    /// NIO writes at once; what the socket's buffer does not take is not waited for when the channel closes.
    private func send(from connection: TLSConnection, _ context: ChannelHandlerContext) {
        guard let output = connection.takeOutput(allocator: context.channel.allocator) else { return }
        let promise = context.writePromise { self.connectionBroke($0) }
        context.writeAndFlush(wrapOutboundOut(output), promise: promise)
    }

    private func connectionBroke(_ error: any Error) {
        // The handshake with a server goes through the one with a proxy.
        if case TLSDataError.failed(let reason, _) = error { return end(.proxy(.broken(reason))) }
        // Anything but an error of the system says that the channel is closed, which comes to `channelInactive` too.
        guard let error = error as? IOError else { return }
        end(error.isReset ? .reset : .tlsFailure("the connection broke (\(error))"))
    }

    /// The server ended the connection, in the way `reason` says.
    private func end(_ reason: ProbeError.Reason) {
        guard let connection else { return }
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
        guard connection != nil else { return }
        connection = nil
        conclude(outcome)
        context?.close(promise: nil)
    }
}
