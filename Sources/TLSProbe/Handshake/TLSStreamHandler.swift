internal import NIOCore
internal import Pinning
internal import X509

/// TLS between the bytes of a channel and the handlers behind it, which come into play once the server's chain was judged.
///
/// Not Sendable: it belongs to the channel's event loop.
final class TLSStreamHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: TLSConnection
    private let request: ProbeRequest
    /// Says `nil` for a chain that is trusted, or why it is not.
    private let objection: (PresentedChain) -> String?
    /// Called once, with `nil` when data can be sent.
    private let established: (TLSStreamError?) -> Void
    private var isEstablished = false
    private var hasEnded = false
    /// Whether close_notify can be sent and was not: from the end of the handshake on (RFC 8446, 6.1).
    private var owesCloseNotify = false

    /// A handler that begins the handshake as soon as it is added to a connected channel.
    init(
        connection: TLSConnection,
        request: ProbeRequest,
        objection: @escaping (PresentedChain) -> String?,
        established: @escaping (TLSStreamError?) -> Void
    ) {
        self.connection = connection
        self.request = request
        self.objection = objection
        self.established = established
    }

    func handlerAdded(context: ChannelHandlerContext) {
        advance(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.receive(unwrapInboundIn(data))
        if isEstablished { deliver(context) } else { advance(context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isEstablished, !hasEnded, connection.write(unwrapOutboundIn(data)) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        send(context, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        sayGoodbye(context)
        context.close(mode: mode, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        owesCloseNotify = false
        if !isEstablished {
            end(.failed(.closedEarly(received: 0)))
        } else if !hasEnded {
            // Without close_notify anybody on the way may have cut the stream: its end is not the end of an answer.
            context.fireErrorCaught(TruncatedStream())
        }
        context.fireChannelInactive()
    }

    private func advance(_ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        switch connection.advance() {
        case .needsInput: send(context, promise: nil)
        case .closed: end(.failed(.closedEarly(received: 0)))
        case .failed(let errors):
            send(context, promise: nil)
            end(.failed(HandshakeDiagnosis.reason(of: errors, request: request)))
        case .complete:
            owesCloseNotify = true
            send(context, promise: nil)
            judge(context)
        }
    }

    private func judge(_ context: ChannelHandlerContext) {
        do {
            guard let chain = try connection.presentedChain() else { return end(.failed(.noCertificate)) }
            if let objection = objection(chain) { return end(.untrusted(objection)) }
        } catch {
            return end(.failed(.unreadableCertificate(error.description)))
        }
        isEstablished = true
        established(nil)
        deliver(context)
    }

    private func deliver(_ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        let data: ByteBuffer
        switch connection.read(allocator: context.channel.allocator) {
        case .data(let read): data = read
        case .end(let read):
            data = read
            hasEnded = true
        case .failed:
            hasEnded = true
            // What follows a fatal error is no goodbye.
            owesCloseNotify = false
            context.fireErrorCaught(TruncatedStream())
            return context.close(promise: nil)
        }
        // A server may ask for a new key, which is answered.
        send(context, promise: nil)
        if data.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(data)) }
        guard hasEnded else { return }
        sayGoodbye(context)
        context.close(promise: nil)
    }

    /// Tells the server that nothing more comes, whoever ends the connection and why.
    ///
    /// What the socket's buffer does not take at once is not waited for.
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

    private func end(_ error: TLSStreamError) {
        guard !hasEnded else { return }
        hasEnded = true
        established(error)
    }

    /// The stream ended without the server saying so (RFC 8446, 6.1).
    private struct TruncatedStream: Error {}
}

/// Why there is no TLS on a channel.
enum TLSStreamError: Error {
    /// The handshake failed.
    case failed(ProbeError.Reason)
    /// The other side's chain is not trusted, for the reason given.
    case untrusted(String)
}
