internal import NIOCore
internal import NIOHTTP1

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Asks for a document and hands it to its receiver as it comes, no slower than allowed.
///
/// Not Sendable: it belongs to the channel's event loop.
final class TransferHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    typealias Delivery = @Sendable (Result<Void, TransferError>) -> Void

    private let transfer: Transfer
    /// Called once, when the head is there.
    private let answered: () -> Void
    /// Called once, when the connection is needed no more.
    private var release: (() -> Void)?
    private var deliver: Delivery?
    private var context: ChannelHandlerContext?
    private var watch: Scheduled<Void>?
    /// Whether the request was sent: what comes before is no answer to it.
    private var hasAsked = false
    /// How many bytes of the body have come.
    private(set) var bodyCount = 0
    private var countAtLastLook = 0

    /// A handler that asks by ``ask()``.
    init(
        _ transfer: Transfer, answered: @escaping () -> Void, release: @escaping () -> Void, deliver: @escaping Delivery
    ) {
        self.transfer = transfer
        self.answered = answered
        self.release = release
        self.deliver = deliver
    }

    /// The handlers that speak HTTP on a channel, this one last; those of TLS go before them.
    func handlers() -> [any ChannelHandler] {
        [
            OverheadLimit {
                self.bodyCount
            } exceeded: {
                self.end(.tooLong)
            }, HeadCheck(failed: { self.end(.notHTTP) }, exceeded: { self.end(.tooLong) }), HTTPRequestEncoder(),
            ByteToMessageHandler(HTTPResponseDecoder()), self,
        ]
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        context.channel.readLittleAtATime()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func ask() {
        guard let context, release != nil else { return end(.closedEarly) }
        hasAsked = true
        let question = transfer.question
        var head = HTTPRequestHead(
            version: .http1_1, method: question.method == .head ? .HEAD : .GET, uri: question.location.path)
        for field in question.allFields { head.headers.add(name: field.name, value: field.value) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func end(_ error: TransferError) { finish(.failure(error)) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard release != nil else { return }
        guard hasAsked else { return end(.notHTTP) }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let part):
            bodyCount += part.readableBytes
            if !part.withUnsafeReadableBytes({ transfer.receiver.receive($0) }) { end(.stopped) }
        case .end: finish(.success(()))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case TLSDataError.closedEarly: end(.closedEarly)
        case TLSDataError.failed(let text): end(.tlsFailure(text))
        case let error as IOError:
            end(error.errnoCode == ECONNRESET || error.errnoCode == EPIPE ? .reset : .closedEarly)
        case let error as HTTPParserError:
            switch error {
            case .invalidEOFState: end(.closedEarly)
            case .headerOverflow: end(.tooLong)
            default: end(.notHTTP)
            }
        // An answer to nothing.
        case is NIOHTTPDecoderError: end(.notHTTP)
        default: end(.closedEarly)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { end(.closedEarly) }

    private func begin(_ head: HTTPResponseHead) {
        answered()
        let fields = head.headers.map { HTTPField(unchecked: $0.name, $0.value) }
        let answer = TransferHead(status: Int(head.status.code), reason: head.status.reasonPhrase, fields: fields)
        // Chunks of what was coded as well, which nobody asked for, are not the document, and before HTTP/1.1 there are none: who
        // sends them passes on what it does not understand (RFC 9112, 6.1).
        let codings = head.headers["Transfer-Encoding"]
        let knowsChunks = head.version != .http1_0
        guard head.status != .switchingProtocols, codings.allSatisfy({ knowsChunks && $0.lowercased() == "chunked" })
        else { return end(.notHTTP) }
        guard transfer.receiver.receive(answer) else { return end(.stopped) }
        lookLater()
    }

    /// Ends the transfer when too little came since the last look.
    private func lookLater() {
        let patience = transfer.patience
        guard let loop = context?.eventLoop, release != nil else { return }
        countAtLastLook = bodyCount
        let time = NIODeadline.now() + TimeAmount(patience.time)
        watch = loop.assumeIsolated().scheduleTask(deadline: time) {
            // A loop that comes here late was kept by the receiver: the server could send nothing.
            let isLate = NIODeadline.now() > time + .seconds(1)
            guard isLate || self.bodyCount - self.countAtLastLook >= patience.bytes else {
                return self.end(.tooSlow(patience.time))
            }
            self.lookLater()
        }
    }

    private func finish(_ result: Result<Void, TransferError>) {
        guard let release else { return }
        self.release = nil
        watch?.cancel()
        context?.close(promise: nil)
        release()
        deliver?(result)
        deliver = nil
    }
}

/// Lets no more through than a document and what may reasonably stand around it.
///
/// The decoder behind it works for each chunk, however small, and for each interim answer. Not Sendable: it belongs to the channel's
/// event loop.
private final class OverheadLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How many bytes all heads and trailers may have.
    private static let limit = 128 * 1_024
    /// How many bytes there may be around each byte of a body: chunks of three bytes have five.
    private static let share = 2

    private let bodyCount: () -> Int
    private let exceeded: () -> Void
    private var count = 0

    init(bodyCount: @escaping () -> Int, exceeded: @escaping () -> Void) {
        self.bodyCount = bodyCount
        self.exceeded = exceeded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let body = bodyCount()
        // What came before this read has been decoded.
        guard count - body <= Self.limit + Self.share * body else { return exceeded() }
        count += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }
}

/// Lets nothing through but heads that begin as an answer of HTTP does, a few interim ones and the last: the decoder behind it takes
/// RTSP and ICE for it too.
///
/// Not Sendable: it belongs to the channel's event loop.
private final class HeadCheck: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let name = Array("HTTP/".utf8)
    private static let codePosition = 9

    /// How many interim answers are taken; each costs the decoder as much as a head with many fields.
    private static let interimLimit = 64

    private let failed: () -> Void
    private let exceeded: () -> Void
    private var interimCount = 0
    /// How many bytes of a head have come, up to the first digit of its status code.
    private var count = 0
    /// Whether nothing but a line break has come of the line.
    private var isLineEmpty = false
    /// Whether the head that no other follows has begun.
    private var isLast = false

    init(failed: @escaping () -> Void, exceeded: @escaping () -> Void) {
        self.failed = failed
        self.exceeded = exceeded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isLast {
            for byte in unwrapInboundIn(data).readableBytesView {
                guard look(at: byte) else { return failed() }
                guard interimCount <= Self.interimLimit else { return exceeded() }
                if isLast { break }
            }
        }
        context.fireChannelRead(data)
    }

    /// Whether the head may go on with a byte.
    private func look(at byte: UInt8) -> Bool {
        if count <= Self.codePosition {
            if count < Self.name.count, byte != Self.name[count] { return false }
            if count == Self.codePosition {
                isLast = byte != UInt8(ascii: "1")
                if !isLast { interimCount += 1 }
            }
            count += 1
            isLineEmpty = false
        } else if byte == UInt8(ascii: "\n") {
            if isLineEmpty { count = 0 }
            isLineEmpty = true
        } else if byte != UInt8(ascii: "\r") {
            isLineEmpty = false
        }
        return true
    }
}
