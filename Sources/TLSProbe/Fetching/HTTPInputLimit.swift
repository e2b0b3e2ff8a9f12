internal import NIOCore

/// Lets no more through than an answer needs, and nothing once the exchange is over.
///
/// The decoder behind it works for each chunk, however small, and for each interim answer: what a server may send is counted before
/// that. Not Sendable: it belongs to the channel's event loop.
final class HTTPInputLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How much more than its body an answer may be, in bytes: the head, TLS, and the frames of chunks.
    private static let overhead = 128 * 1_024

    private var rest: Int
    private let isOver: () -> Bool
    private let exceeded: () -> Void

    init(bodyLimit: Int, isOver: @escaping () -> Bool, exceeded: @escaping () -> Void) {
        rest = bodyLimit + Self.overhead
        self.isOver = isOver
        self.exceeded = exceeded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver() else { return }
        rest -= unwrapInboundIn(data).readableBytes
        guard rest >= 0 else { return exceeded() }
        context.fireChannelRead(data)
    }
}
