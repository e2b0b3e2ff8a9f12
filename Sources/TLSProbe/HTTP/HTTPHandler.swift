import Base
import NIOCore
import NIOHTTP1

/// Sends one request over a channel and passes the response to its receiver, within limits, on the event loop.
final class HTTPHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    typealias Delivery = @Sendable (HTTPResult) -> Void

    /// The most bytes of all heads and trailers.
    private static let overheadLimit = 128 << 10
    /// The most bytes around each byte of a body: a chunk of three bytes has five.
    private static let overheadShare = 2

    private let exchange: HTTPExchange
    /// Called after the head, from which on ``HTTPExchange/patience`` counts.
    private let answered: () -> Void
    private var ended: ((HTTPResult) -> Void)?
    private var context: ChannelHandlerContext?
    private var watch: Scheduled<Void>?
    /// The time of the request: earlier bytes do not answer it.
    private var asked: NIODeadline?
    private var reader = HTTPHeadReader()
    /// The last head, at first with its status line alone.
    private var head: HTTPResponse?
    private var received = 0
    private var bodyCount = 0

    init(_ exchange: HTTPExchange, answered: @escaping () -> Void, ended: @escaping (HTTPResult) -> Void) {
        (self.exchange, self.answered, self.ended) = (exchange, answered, ended)
    }

    /// The handlers for HTTP, this one last, behind those for TLS.
    func handlers() -> [any ChannelHandler] {
        [HTTPInputCheck(self), HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()), self]
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        context.channel.readLittleAtATime()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func send() {
        guard let context, ended != nil else { return end(.closedEarly(received: 0)) }
        asked = .now()
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: exchange.request.path)
        for field in exchange.request.allFields { head.headers.add(name: field.name, value: field.value) }
        let promise = context.writePromise { self.errorCaught(context: context, error: $0) }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func end(_ error: HTTPError) { finish(.failure(error)) }

    /// `true` if the bytes may go to the decoder, which does work for each chunk and also accepts RTSP and ICE.
    fileprivate func admits(_ bytes: ByteBuffer) -> Bool {
        guard ended != nil else { return false }
        guard let asked else {
            end(.spokeFirst)
            return false
        }
        if head == nil {
            switch reader.read(bytes.readableBytesView) {
            case .incomplete: break
            case .failed(let error): end(error)
            case .complete(let status, let line):
                let line = String(utf8: line)
                let head = HTTPResponse(status: status, statusLine: line, time: Duration(.now() - asked))
                self.head = head
                if exchange.receiver == nil { finish(.success(head)) }
            }
        }
        // Only the bytes before this read have been decoded.
        if received - bodyCount > Self.overheadLimit + Self.overheadShare * bodyCount { end(.tooMuchOverhead) }
        received += bytes.readableBytes
        return ended != nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard ended != nil, let receiver = exchange.receiver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, receiver)
        case .body(let part):
            bodyCount += part.readableBytes
            if !part.withUnsafeReadableBytes({ receiver.receive($0) }) { end(.stopped) }
        case .end: if let head { finish(.success(head)) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case TLSEnding.failed(_, let alert?): end(.alert(alert))
        case TLSEnding.failed(let text, nil): end(.tlsFailure(text))
        case let error as IOError where error.isReset: end(.reset)
        case HTTPParserError.invalidEOFState: end(closed)
        // The trailers overflow if there is a head.
        case HTTPParserError.headerOverflow: end(head == nil ? .tooLong(limit: HTTPHeadReader.limit) : .tooMuchOverhead)
        // The second error means a response without a request.
        case is HTTPParserError, is NIOHTTPDecoderError: end(.malformed)
        default: end(closed)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { end(closed) }

    private var closed: HTTPError { head == nil ? .closedEarly(received: reader.count) : .cutOff }

    private func begin(_ decoded: HTTPResponseHead, _ receiver: any HTTPReceiver) {
        guard let read = head, read.status == decoded.status.code else { return end(.malformed) }
        // The request allows no other coding, so coded chunks are not the document. HTTP/1.0 has no chunks: a sender of
        // that version forwards fields that it does not understand (RFC 9112, 6.1).
        let codings = decoded.headers["Transfer-Encoding"]
        let knowsChunks = decoded.version != .http1_0
        guard decoded.status != .switchingProtocols, codings.allSatisfy({ knowsChunks && $0.lowercased() == "chunked" })
        else { return end(.malformed) }
        let fields = decoded.headers.map { HTTPField(unchecked: $0.name, $0.value) }
        let head = HTTPResponse(status: read.status, statusLine: read.statusLine, fields: fields, time: read.time)
        self.head = head
        if exchange.patience != nil { answered() }
        guard receiver.receive(head) else { return end(.stopped) }
        if let patience = exchange.patience { waitForMore(patience) }
    }

    private func waitForMore(_ patience: Duration) {
        guard let loop = context?.eventLoop, ended != nil else { return }
        let count = bodyCount
        let time = NIODeadline.now() + TimeAmount(patience)
        watch = loop.assumeIsolated().scheduleTask(deadline: time) {
            // If the loop comes here late, the receiver kept it, and the server could not send.
            guard self.bodyCount > count || NIODeadline.now() > time + .seconds(1) else {
                return self.end(.tooSlow(patience))
            }
            self.waitForMore(patience)
        }
    }

    private func finish(_ result: HTTPResult) {
        guard let ended else { return }
        self.ended = nil
        watch?.cancel()
        ended(result)
    }
}

/// Passes on the bytes that the handler admits.
private final class HTTPInputCheck: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let handler: HTTPHandler

    init(_ handler: HTTPHandler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if handler.admits(unwrapInboundIn(data)) { context.fireChannelRead(data) }
    }
}

package struct HTTPExchange {
    package let request: HTTPRequest
    /// The receiver of the response; `nil` if only its head is wanted.
    let receiver: (any HTTPReceiver)?
    /// The longest pause of the body; `nil` if the connection's deadline covers the whole response.
    let patience: Duration?

    package init(_ request: HTTPRequest, for receiver: (any HTTPReceiver)? = nil, patience: Duration? = nil) {
        (self.request, self.receiver, self.patience) = (request, receiver, patience)
    }
}

/// Receives a response in parts, on the event loop.
package protocol HTTPReceiver: AnyObject, Sendable {
    /// Takes the head; `false` ends the exchange without its body.
    func receive(_ head: HTTPResponse) -> Bool

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}
