internal import NIOCore
internal import NIOPosix
internal import Pinning
internal import X509

/// One probe on its way: resolves, connects, has the handshake made, and delivers exactly one result, in time.
///
/// Sendable because after `init` everything is touched on the event loop only.
final class ProbeAttempt: Attempt, @unchecked Sendable {
    typealias Delivery = @Sendable (Result<ProbeResult, ProbeError>) -> Void

    private let request: ProbeRequest
    private let workshop: ProbeWorkshop
    private var deliver: Delivery?
    private var isCancelled = false
    private(set) var phase: ProbeError.Phase
    /// Where the workshop keeps this attempt.
    var position = 0
    private var deadline: NIOScheduledCallback?
    private var resolver: SystemResolver?
    /// Every channel that was made: happy eyeballs may try several addresses at a time.
    private var channels: [any Channel] = []
    private var handler: HandshakeHandler?
    private var peer: PeerAddress?
    private var started = NIODeadline.now()
    private var firstConnect: NIODeadline?
    private var connected: NIODeadline?

    init(_ request: ProbeRequest, in workshop: ProbeWorkshop) {
        self.request = request
        self.workshop = workshop
        self.phase = if case .resolve = request.destination { .resolve } else { .connect }
    }

    /// Begins to connect and starts the clock.
    func start(_ deliver: @escaping Delivery) {
        guard !isCancelled else { return deliver(.failure(error(.cancelled))) }
        self.deliver = deliver
        started = .now()
        // A year is for ever, and cannot overflow the clock.
        let timeout = min(TimeAmount(request.timeout), .hours(24 * 365))
        // Scheduling fails only when the event loop has ended, and with it every attempt.
        deadline = try? workshop.loop.scheduleCallback(at: started + timeout, handler: self)
        workshop.add(self)
        let bootstrap = ClientBootstrap(group: workshop.loop)
            // The first flight of most servers in one read.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8192))
            // This attempt's own deadline comes first; NIO's is there to end its bookkeeping.
            .connectTimeout(timeout + .seconds(1))
            .channelInitializer { self.begin($0) }
        resolver = request.resolver(in: workshop)
        request.connect(with: bootstrap, resolver: resolver, on: workshop.loop).whenComplete { self.connectEnded($0) }
        // While the packets travel.
        workshop.prepareContext()
    }

    /// Ends the probe, or keeps it from starting; a result that was delivered stays.
    func cancel() {
        isCancelled = true
        finish(.failure(error(.cancelled)))
    }

    /// A socket was made for an address and is about to be connected.
    private func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
        // Happy eyeballs cannot be stopped from outside; without channels it comes to its end by itself.
        guard deliver != nil else { return channel.eventLoop.makeFailedFuture(CancellationError()) }
        if firstConnect == nil { firstConnect = .now() }
        phase = .connect
        channels.append(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
    }

    private func connectEnded(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let failure): finish(.failure(error(request.reason(for: failure))))
        case .success(let channel):
            guard deliver != nil else { return channel.close(promise: nil) }
            connected = .now()
            phase = .handshake
            // Happy eyeballs closes the others.
            channels = [channel]
            peer = channel.remoteAddress.flatMap(PeerAddress.init)
            do {
                let connection = try TLSConnection(context: workshop.context(), request: request)
                let handler = HandshakeHandler(connection: connection, request: request) { self.handshakeEnded($0) }
                self.handler = handler
                try channel.pipeline.syncOperations.addHandler(handler)
            } catch let failure as OpenSSLSetUpError {
                finish(.failure(error(.setUpFailed(failure.detail))))
            } catch {
                // The connection was gone before the handler was there.
                finish(.failure(self.error(.closedEarly(received: 0))))
            }
        }
    }

    private func handshakeEnded(_ outcome: HandshakeOutcome) {
        switch outcome {
        case .failed(let reason): finish(.failure(error(reason)))
        case .proven(let connection, let completed): finish(result(of: connection, completed: completed))
        }
    }

    private func result(of connection: TLSConnection, completed: Bool) -> Result<ProbeResult, ProbeError> {
        let ended = NIODeadline.now()
        guard let peer, let version = connection.version, let cipher = connection.cipher, let connected,
            let firstConnect
        else { return .failure(error(.tlsFailure("OpenSSL does not say what was negotiated"))) }
        guard connection.presentedCount <= TLSContext.certificateCountLimit else {
            return .failure(error(.tooManyCertificates(limit: TLSContext.certificateCountLimit)))
        }
        do {
            guard let presented = try connection.presentedChain() else { return .failure(error(.noCertificate)) }
            let wasResolved = if case .resolve = request.destination { true } else { false }
            return .success(
                ProbeResult(
                    peer: peer,
                    tlsVersion: version,
                    cipher: cipher,
                    group: connection.group,
                    alpn: connection.applicationProtocol,
                    presented: presented,
                    clientCertificateRequested: connection.clientCertificateRequested,
                    clientCertificateSent: connection.clientCertificateSent,
                    handshakeCompleted: completed,
                    timings: ProbeTimings(
                        resolve: wasResolved ? Duration(firstConnect - started) : nil,
                        connect: Duration(connected - firstConnect),
                        handshake: Duration(ended - connected)
                    )
                )
            )
        } catch {
            return .failure(self.error(.unreadableCertificate(error.description)))
        }
    }

    private func finish(_ result: Result<ProbeResult, ProbeError>) {
        guard let deliver else { return }
        self.deliver = nil
        workshop.remove(self)
        deadline?.cancel()
        resolver?.cancelQueries()
        for channel in channels { channel.close(promise: nil) }
        channels = []
        handler = nil
        deliver(result)
    }

    private func error(_ reason: ProbeError.Reason) -> ProbeError {
        ProbeError(phase, reason, target: request.target, peer: peer)
    }
}

extension ProbeAttempt: NIOScheduledCallbackHandler {
    /// The deadline: nothing is waited for any more, but what the server sent in time still counts.
    func handleScheduledCallback(eventLoop: some EventLoop) {
        let reason = ProbeError.Reason.deadlineExceeded(timeout: request.timeout)
        if let handler, let channel = channels.first {
            handler.stop(afterReading: ArrivedBytes.count(on: channel, read: handler.received), because: reason)
        } else {
            finish(.failure(error(reason)))
        }
    }
}

extension PeerAddress {
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress, let ip = IPAddress(text), let port = address.port,
            let port = UInt16(exactly: port)
        else { return nil }
        self.init(ip: ip, port: port)
    }
}
