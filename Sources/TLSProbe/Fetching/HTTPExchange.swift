internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Pinning

/// One GET on its way: connects, asks, and delivers exactly one result, in time.
///
/// Sendable because after `init` everything is touched on the event loop only.
final class HTTPExchange: Attempt, @unchecked Sendable {
    typealias Delivery = @Sendable (Result<[UInt8], HTTPFetchError>) -> Void

    private let fetch: HTTPFetch
    private let request: ProbeRequest
    private let workshop: ProbeWorkshop
    private var deliver: Delivery?
    private var isCancelled = false
    private let connection: TimedConnection
    var position = 0

    init(_ fetch: HTTPFetch, in workshop: ProbeWorkshop) {
        self.fetch = fetch
        self.request = fetch.request
        self.workshop = workshop
        connection = TimedConnection(request, in: workshop)
    }

    func start(_ deliver: @escaping Delivery) {
        guard !isCancelled else { return deliver(.failure(.cancelled)) }
        self.deliver = deliver
        workshop.add(self)
        let events = TimedConnection.Events { result in
            self.connectEnded(result)
        } timedOut: {
            self.finish(.failure(.deadlineExceeded(timeout: self.fetch.timeout)))
        }
        connection.start(events)
    }

    func cancel() {
        isCancelled = true
        finish(.failure(.cancelled))
    }

    private func connectEnded(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let failure): fail(.connect, request.reason(for: failure))
        case .success(let channel):
            do { try prepare(channel.pipeline.syncOperations, on: channel) } catch let failure as OpenSSLSetUpError {
                fail(.handshake, .setUpFailed(failure.detail))
            } catch {
                // The connection was gone before the handlers were there.
                finish(.failure(.closedEarly))
            }
        }
    }

    private func prepare(_ pipeline: ChannelPipeline.SynchronousOperations, on channel: any Channel) throws {
        try pipeline.addHandler(HTTPRequestEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPResponseDecoder()))
        try pipeline.addHandler(HTTPBodyHandler(sizeLimit: fetch.sizeLimit) { self.finish($0) })
        let limit = HTTPInputLimit(bodyLimit: fetch.sizeLimit) {
            self.deliver == nil
        } exceeded: {
            self.finish(.failure(.tooLarge(limit: self.fetch.sizeLimit)))
        }
        guard fetch.location.isSecure else {
            try pipeline.addHandler(limit, position: .first)
            return ask(on: channel)
        }
        let connection = try TLSConnection(context: workshop.context(), request: request)
        let handler = TLSStreamHandler(
            connection: connection, request: request, clock: self.connection, objection: fetch.objection
        ) { error in
            switch error {
            case nil: self.ask(on: channel)
            case .failed(let reason): self.fail(.handshake, reason)
            case .untrusted(let objection): self.finish(.failure(.untrusted(objection)))
            }
        }
        try pipeline.addHandler(handler, position: .first)
        try pipeline.addHandler(limit, position: .first)
    }

    private func ask(on channel: any Channel) {
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: fetch.location.authority)
        headers.add(name: "Accept", value: fetch.mediaType ?? "*/*")
        headers.add(name: "Connection", value: "close")
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: fetch.location.path, headers: headers)
        let pipeline = channel.pipeline.syncOperations
        pipeline.write(NIOAny(HTTPClientRequestPart.head(head)), promise: nil)
        pipeline.writeAndFlush(NIOAny(HTTPClientRequestPart.end(nil)), promise: nil)
    }

    private func fail(_ phase: ProbeError.Phase, _ reason: ProbeError.Reason) {
        finish(.failure(.noConnection(ProbeError(phase, reason, target: request.target))))
    }

    private func finish(_ result: Result<[UInt8], HTTPFetchError>) {
        guard let deliver else { return }
        self.deliver = nil
        workshop.remove(self)
        connection.end()
        deliver(result)
    }
}

/// Takes the body of one response with status 200, and no more of it than allowed.
///
/// Not Sendable: it belongs to the channel's event loop.
private final class HTTPBodyHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let sizeLimit: Int
    private let conclude: (Result<[UInt8], HTTPFetchError>) -> Void
    private var body: [UInt8] = []

    init(sizeLimit: Int, conclude: @escaping (Result<[UInt8], HTTPFetchError>) -> Void) {
        self.sizeLimit = sizeLimit
        self.conclude = conclude
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let code = Int(head.status.code)
            if (300..<400).contains(code) {
                conclude(.failure(.redirect(head.headers.first(name: "Location"))))
            } else if code >= 200, code != 200 {
                conclude(.failure(.status(code)))
            }
        case .body(let part):
            guard body.count + part.readableBytes <= sizeLimit else {
                return conclude(.failure(.tooLarge(limit: sizeLimit)))
            }
            body += part.readableBytesView
        case .end: conclude(.success(body))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState: conclude(.failure(.closedEarly))
        case is HTTPParserError: conclude(.failure(.notHTTP))
        case TLSDataError.failed(let reason): conclude(.failure(.tlsFailure(reason)))
        default: conclude(.failure(.closedEarly))
        }
    }

    func channelInactive(context: ChannelHandlerContext) { conclude(.failure(.closedEarly)) }
}
