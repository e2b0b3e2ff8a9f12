internal import NIOCore

/// Lets no more bytes through than a request may have, and none once the connection is over.
///
/// In front of the decoder, which works for each byte. Not Sendable: it belongs to the channel's event loop.
final class RequestBound: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: Int
    private var count = 0
    var isDiscarding = false
    weak var connection: ServedConnection?

    init(limit: Int) { self.limit = limit }

    func reset() { count = 0 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        count += unwrapInboundIn(data).readableBytes
        guard count <= limit else {
            connection?.tooMuchCame()
            return
        }
        connection?.somethingCame()
        context.fireChannelRead(data)
    }
}
