import Base
internal import NIOCore

/// TLS between the bytes of a channel and the handlers behind it, once the handshake is complete.
///
/// Until ``begin()`` nothing is decrypted or sent: the chain is judged meanwhile. Handlers behind it catch ``TLSDataError``.
/// Whoever ends the connection, the server is told that nothing more comes.
///
/// Not Sendable: it belongs to the channel's event loop.
final class TLSDataHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes taken before ``begin()``: tickets, each in a record that is padded to its 16 KiB.
    static let heldLimit = 256 << 10

    private let connection: TLSConnection
    private var context: ChannelHandlerContext?
    private var isHeld = true
    /// The bytes that came before ``begin()``.
    private(set) var received: Int
    /// Why the connection was over before ``begin()``, `nil` where it is not.
    private(set) var ending: HTTPError?
    private var hasEnded = false
    private var owesCloseNotify = true

    /// A handler for a connection whose handshake is complete; what it has received and not decrypted is read by ``begin()``.
    init(_ connection: TLSConnection) {
        self.connection = connection
        received = connection.unreadCount
        connection.limitMessages()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        context.channel.readLittleAtATime()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Reads what came before the handler was there.
    func begin() {
        isHeld = false
        if let context { deliver(context, expecting: 4_096) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard ending == nil else { return }
        let bytes = unwrapInboundIn(data)
        connection.receive(bytes)
        if isHeld {
            received += bytes.readableBytes
            guard received > Self.heldLimit else { return }
            ending = .tooLong(limit: Self.heldLimit)
            sayGoodbye(context)
            return context.close(promise: nil)
        }
        deliver(context, expecting: bytes.readableBytes)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasEnded, connection.write(unwrapOutboundIn(data)) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        send(context, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        sayGoodbye(context)
        // Whoever closes has all that was wanted: what the other side leaves out is no error, of a proxy's connection either.
        if mode == .all { hasEnded = true }
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isHeld else { return context.fireErrorCaught(error) }
        // What is no error of the system says that the channel is closed.
        guard ending == nil, let error = error as? IOError else { return }
        ending = why(context) ?? (error.isReset ? .reset : .tlsFailure("the connection broke: \(error)"))
    }

    /// What came before the end of a connection that was held, and says why; `nil` for nothing.
    private func why(_ context: ChannelHandlerContext) -> HTTPError? {
        let (data, ending) = connection.read(allocator: context.channel.allocator)
        guard case .failed(let text, let alert) = ending else { return data.readableBytes > 0 ? .spokeFirst : nil }
        return alert.map(HTTPError.alert) ?? .tlsFailure(text)
    }

    func channelInactive(context: ChannelHandlerContext) {
        owesCloseNotify = false
        guard !isHeld else { return ending = ending ?? why(context) ?? .closedEarly(received: 0) }
        // Without close_notify anybody on the way may have cut the stream: its end is not the end of an answer (RFC 8446, 6.1).
        if !hasEnded { context.fireErrorCaught(TLSDataError.closedEarly) }
        hasEnded = true
        context.fireChannelInactive()
    }

    private func deliver(_ context: ChannelHandlerContext, expecting count: Int) {
        guard !hasEnded else { return }
        let (data, ending) = connection.read(allocator: context.channel.allocator, expecting: count)
        var failure: TLSDataError?
        switch ending {
        case nil: break
        case .closed: hasEnded = true
        case .failed(let text, let alert): failure = .failed(text, alert)
        }
        // A server may ask for a new key, which is answered. One that asks for ever, or takes no answers, would fill the memory.
        if context.channel.isWritable {
            send(context, promise: nil)
        } else {
            failure = failure ?? .failed("the server takes no answers", nil)
        }
        if data.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(data)) }
        if let failure {
            // What follows a fatal error is no goodbye.
            owesCloseNotify = false
            hasEnded = true
            context.fireErrorCaught(failure)
        }
        guard hasEnded else { return }
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

/// Why the data of a connection ended without the server saying so.
enum TLSDataError: Error {
    /// There was no close_notify.
    case closedEarly
    /// TLS failed, in OpenSSL's words, perhaps by an alert of the other side.
    case failed(String, TLSAlert?)
}

extension IOError {
    /// Whether the other side reset the connection.
    var isReset: Bool { errnoCode == ECONNRESET || errnoCode == EPIPE }
}

extension ChannelHandlerContext {
    /// A promise for a write: NIO reports what goes wrong with one there and nowhere else.
    func writePromise(_ failed: @escaping (any Error) -> Void) -> EventLoopPromise<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenFailure(failed)
        return promise
    }
}

extension Channel {
    /// Has the loop look at the others, and at the time, after each read of 16 KiB.
    ///
    /// Records, chunks and heads of a few bytes make much work of little data.
    func readLittleAtATime() {
        try? syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        try? syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16 << 10))
    }
}
