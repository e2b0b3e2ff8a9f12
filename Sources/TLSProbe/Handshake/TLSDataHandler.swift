internal import NIOCore

/// TLS between the bytes of a channel and the handlers behind it, once the handshake is complete and its chain was judged.
///
/// Those handlers catch ``TLSDataError``. Whoever ends the connection, the server is told that nothing more comes.
///
/// Not Sendable: it belongs to the channel's event loop.
final class TLSDataHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: TLSConnection
    private var context: ChannelHandlerContext?
    private var hasEnded = false
    private var owesCloseNotify = true

    /// A handler for a connection whose handshake is complete; what it has received and not decrypted is read by ``begin()``.
    init(_ connection: TLSConnection) {
        self.connection = connection
        connection.limitMessages()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        context.channel.readLittleAtATime()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Reads what came before the handler was there.
    func begin() { if let context { deliver(context, expecting: 4_096) } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        connection.receive(bytes)
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

    func channelInactive(context: ChannelHandlerContext) {
        owesCloseNotify = false
        // Without close_notify anybody on the way may have cut the stream: its end is not the end of an answer (RFC 8446, 6.1).
        if !hasEnded { context.fireErrorCaught(TLSDataError.closedEarly) }
        hasEnded = true
        context.fireChannelInactive()
    }

    private func deliver(_ context: ChannelHandlerContext, expecting count: Int) {
        guard !hasEnded else { return }
        let data: ByteBuffer
        var failure: String?
        switch connection.read(allocator: context.channel.allocator, expecting: count) {
        case .data(let read): data = read
        case .end(let read):
            data = read
            hasEnded = true
        case .failed(let read, let errors):
            data = read
            failure = errors.text
        case .talkative(let read, let talk):
            data = read
            failure = talk
        }
        // A server may ask for a new key, which is answered. One that asks for ever, or takes no answers, would fill the memory.
        if context.channel.isWritable {
            send(context, promise: nil)
        } else {
            failure = failure ?? "the server takes no answers"
        }
        if data.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(data)) }
        if let failure {
            // What follows a fatal error is no goodbye.
            owesCloseNotify = false
            hasEnded = true
            context.fireErrorCaught(TLSDataError.failed(failure))
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
    /// TLS failed, in OpenSSL's words.
    case failed(String)
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
