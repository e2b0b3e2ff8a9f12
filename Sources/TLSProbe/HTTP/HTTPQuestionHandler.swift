internal import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A connection that is kept open after its handshake, until it is asked one question or closed.
///
/// Before the question nothing is sent and nothing is read: what the server says meanwhile waits in OpenSSL's buffer. It is the first of
/// a channel's handlers, so that nobody else gets what belongs to it. Not Sendable: it belongs to the channel's event loop.
final class HTTPQuestionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    typealias Delivery = @Sendable (Result<HTTPAnswer, HTTPAnswerError>) -> Void

    /// The most bytes taken on the wire: tickets and the longest head, each in a record that is padded to its 16 KiB.
    static let inputLimit = 256 << 10

    private let connection: TLSConnection
    /// Called once, when the connection is needed no more.
    private var release: (() -> Void)?
    private var context: ChannelHandlerContext?
    private var reader = HTTPHeadReader()
    /// The bytes received on the wire since the handshake, with those that came along with its end.
    private(set) var received: Int
    private var deliver: Delivery?
    private var askedAt: NIODeadline?
    /// What it ended in before there was anybody to tell.
    private(set) var failure: HTTPAnswerError?
    /// Whether the server has closed its side, or the connection broke in the way given.
    private var ending: HTTPAnswerError?

    init(_ connection: TLSConnection, release: @escaping () -> Void) {
        self.connection = connection
        self.release = release
        received = connection.unreadCount
        connection.limitMessages()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        context.channel.readLittleAtATime()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Sends the question and waits for the answer; without a connection left it says at once why there is none.
    func ask(_ question: HTTPQuestion, _ deliver: @escaping Delivery) {
        guard failure == nil, let context else { return deliver(.failure(failure ?? .closedEarly(received: 0))) }
        self.deliver = deliver
        guard received <= Self.inputLimit else { return end(.tooLong(limit: Self.inputLimit)) }
        // What came before: a server that has ended the connection is not asked.
        advance(context)
        guard release != nil else { return }
        guard connection.write(ByteBuffer(bytes: question.bytes)) else {
            return end(.tlsFailure(OpenSSLErrors.take().text))
        }
        askedAt = .now()
        send(context)
    }

    /// Hands the connection over to whoever goes on with it, who takes it out of the pipeline.
    func handOver() throws(HTTPAnswerError) -> TLSConnection {
        if let error = failure ?? ending { throw error }
        guard release != nil, context != nil, askedAt == nil else { throw .closedEarly(received: 0) }
        release = nil
        return connection
    }

    /// Ends the connection; whoever waits for an answer learns that there is none.
    func end(_ error: HTTPAnswerError) { finish(.failure(error)) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard release != nil else { return }
        let bytes = unwrapInboundIn(data)
        received += bytes.readableBytes
        connection.receive(bytes)
        guard received > Self.inputLimit else { return }
        // What there is may be more of the answer.
        if askedAt != nil { advance(context) }
        if release != nil { end(.tooLong(limit: Self.inputLimit)) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { if askedAt != nil { advance(context) } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Anything but an error of the system says that the channel is closed, which comes to `channelInactive` too.
        guard let error = error as? IOError else { return }
        let isReset = error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
        ending = isReset ? .reset : .tlsFailure("the connection broke: \(error)")
    }

    func channelInactive(context: ChannelHandlerContext) {
        // What came before the end counts, and may say why.
        advance(context)
        if release != nil { end(ending ?? .closedEarly(received: reader.count)) }
    }

    private func advance(_ context: ChannelHandlerContext) {
        guard release != nil else { return }
        switch connection.read(allocator: context.channel.allocator) {
        case .data(let data):
            // A server may ask for a new key, which is answered.
            send(context)
            read(data)
        case .end(let data):
            read(data)
            if release != nil { end(.closedEarly(received: reader.count)) }
        case .failed(let data, let errors):
            read(data)
            if release != nil { finish(.failure(HTTPAnswerError(errors)), saysGoodbye: false) }
        case .talkative(let data, let talk):
            read(data)
            if release != nil { end(.tlsFailure(talk)) }
        }
    }

    private func read(_ data: ByteBuffer) {
        guard let askedAt else { return data.readableBytes > 0 ? end(.spokeFirst) : () }
        switch reader.read(data.readableBytesView) {
        case .incomplete: break
        case .failed(let error): end(error)
        case .complete(let status, let line):
            let text = String(decoding: line, as: UTF8.self)
            finish(.success(HTTPAnswer(status: status, statusLine: text, time: Duration(.now() - askedAt))))
        }
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let output = connection.takeOutput(allocator: context.channel.allocator) else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        // NIO reports what goes wrong with a write here and nowhere else.
        promise.futureResult.assumeIsolated().whenFailure { self.errorCaught(context: context, error: $0) }
        context.writeAndFlush(wrapOutboundOut(output), promise: promise)
    }

    /// Ends the connection once; after a fatal error nothing is said any more (RFC 8446, 6.2).
    private func finish(_ result: Result<HTTPAnswer, HTTPAnswerError>, saysGoodbye: Bool = true) {
        guard let release else { return }
        self.release = nil
        if case .failure(let error) = result { failure = error }
        if saysGoodbye, let context {
            connection.close()
            send(context)
        }
        release()
        deliver?(result)
        deliver = nil
    }
}

extension HTTPAnswerError {
    /// Why a connection failed on which a handshake was complete.
    fileprivate init(_ errors: OpenSSLErrors) {
        if let alert = errors.alert { self = .alert(alert) } else { self = .tlsFailure(errors.text) }
    }
}
