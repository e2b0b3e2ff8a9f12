import Base
import NIOCore

/// Has a proxy connect to the server, and then passes bytes through, on the channel's event loop.
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var dialogue: ProxyDialogue
    /// Called once, with `nil` if the proxy has connected, to add the handlers behind this one.
    private let conclude: (ProxyFailure?) -> Void
    private var context: ChannelHandlerContext?
    private var isOpen = false
    private var hasFailed = false
    private var received = 0

    init(_ dialogue: ProxyDialogue, conclude: @escaping (ProxyFailure?) -> Void) {
        (self.dialogue, self.conclude) = (dialogue, conclude)
    }

    /// Sends the first message; the handlers that carry it must have been added.
    func begin() { send(dialogue.opening) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOpen else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        while !isOpen, !hasFailed, bytes.readableBytes > 0 {
            let (step, count) = dialogue.read(bytes.readableBytesView)
            received += count
            bytes.moveReaderIndex(forwardBy: count)
            switch step {
            case .incomplete: break
            case .send(let message): send(message)
            case .failed(let failure): fail(failure)
            case .established:
                isOpen = true
                conclude(nil)
            }
        }
        if isOpen, bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isOpen { context.fireChannelInactive() } else { fail(.closedEarly(received: received)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isOpen { context.fireErrorCaught(error) } else { connectionBroke(error) }
    }

    private func send(_ message: [UInt8]) {
        guard let context else { return }
        let promise = context.writePromise { self.connectionBroke($0) }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: message)), promise: promise)
    }

    private func connectionBroke(_ error: any Error) {
        if case TLSEnding.failed(let reason, _) = error { return fail(.broken(reason)) }
        // Errors other than the system's mean a closed channel, which `channelInactive` reports too.
        guard !isOpen, let error = error as? IOError else { return }
        fail(error.isReset ? .reset : .broken("\(error)"))
    }

    private func fail(_ failure: ProxyFailure) {
        guard !isOpen, !hasFailed else { return }
        hasFailed = true
        conclude(failure)
        context?.close(promise: nil)
    }
}
