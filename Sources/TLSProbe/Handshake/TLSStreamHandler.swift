internal import NIOCore
internal import Pinning
internal import X509

/// Opens TLS on a channel: makes the handshake, has the server's chain judged, and leaves its place to a ``TLSDataHandler``.
///
/// Not Sendable: it belongs to the channel's event loop.
final class TLSStreamHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: TLSConnection
    private let request: ProbeRequest
    private let clock: any HandshakeClock
    /// The bytes received so far.
    private var received = 0
    /// Whether a costly step is to be made when it is its turn.
    private var awaitsTurn = false
    /// Says `nil` for a chain that is trusted, or why it is not.
    private let objection: (PresentedChain) -> String?
    /// Called once, with `nil` when data can be sent.
    private var established: ((TLSStreamError?) -> Void)?

    /// A handler that begins the handshake as soon as it is added to a connected channel.
    init(
        connection: TLSConnection, request: ProbeRequest, clock: any HandshakeClock,
        objection: @escaping (PresentedChain) -> String?, established: @escaping (TLSStreamError?) -> Void
    ) {
        self.connection = connection
        self.request = request
        self.clock = clock
        self.objection = objection
        self.established = established
    }

    func handlerAdded(context: ChannelHandlerContext) { advance(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        received += bytes.readableBytes
        guard received <= HandshakeHandler.inputLimit else {
            return end(.failed(.tooMuchData(limit: HandshakeHandler.inputLimit)))
        }
        connection.receive(bytes)
        advance(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failed(.closedEarly(received: 0)))
        context.fireChannelInactive()
    }

    private func advance(_ context: ChannelHandlerContext, atAnyCost: Bool = false) {
        guard established != nil, !awaitsTurn,
            let step = clock.step(after: received, { connection.advance(atAnyCost: atAnyCost) })
        else { return }
        switch step {
        case .needsInput: send(context)
        case .costly:
            awaitsTurn = true
            clock.inTurn {
                self.awaitsTurn = false
                self.advance(context, atAnyCost: true)
            }
        case .closed: end(.failed(.closedEarly(received: 0)))
        case .failed(let errors):
            send(context)
            end(.failed(connection.reason(of: errors, request: request)))
        case .complete:
            send(context)
            do {
                // Before the verdict: a server that is not trusted is told goodbye as well.
                let data = TLSDataHandler(connection)
                let pipeline = context.pipeline.syncOperations
                try pipeline.addHandler(data, position: .after(self))
                pipeline.removeHandler(self, promise: nil)
                judge(data)
            } catch {
                // The channel was gone before the handler was there.
                end(.failed(.closedEarly(received: 0)))
            }
        }
    }

    private func judge(_ data: TLSDataHandler) {
        do {
            guard let chain = try connection.presentedChain() else { return end(.failed(.noCertificate)) }
            if let objection = objection(chain) { return end(.untrusted(objection)) }
        } catch { return end(.failed(.unreadableCertificate(error.description))) }
        end(nil)
        data.begin()
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let output = connection.takeOutput(allocator: context.channel.allocator) else { return }
        context.writeAndFlush(wrapOutboundOut(output), promise: nil)
    }

    private func end(_ error: TLSStreamError?) {
        guard let established else { return }
        self.established = nil
        established(error)
    }
}

/// Why there is no TLS on a channel.
enum TLSStreamError: Error {
    case failed(ProbeError.Reason)
    /// The other side's chain is not trusted, for the reason given.
    case untrusted(String)
}
