import Base
import NIOCore
import NIOPosix
import Pinning
import X509

/// Makes one probe: resolves, connects, makes the handshake, and delivers exactly one result in time.
///
/// A kept connection then waits, within the same deadline, for one exchange or its end. Sendable because after `init`
/// only the event loop uses it.
final class ProbeAttempt: Attempt, @unchecked Sendable {
    typealias Delivery = @Sendable (ProbeResult) -> Void

    enum Kept {
        case none
        /// The connection waits until its chain is judged, which takes nothing from the time that is left.
        case held(TLSHandler, left: TimeAmount)
        case carrying(HTTPHandler)
        case over(HTTPError)
    }

    private let request: ProbeRequest
    private let prober: Prober
    private let keepsOpen: Bool
    private let watch = ProbeWatch.current
    private var deliver: Delivery?
    /// The exchange to make without TLS; `nil` if a handshake is to be made.
    private var plain: (exchange: HTTPExchange, deliver: HTTPHandler.Delivery)?
    private(set) var kept = Kept.none
    private var isCancelled = false
    let connection: TimedConnection
    private var peer: PeerAddress?
    private var passage: ProxyPassage?
    /// The time when the proxy had connected.
    private var passed: NIODeadline?

    var phase: ProbeError.Phase { request.proxy != nil && passed == nil ? .proxy : connection.phase }

    init(_ request: ProbeRequest, in prober: Prober, keepsOpen: Bool = false) {
        (self.request, self.prober, self.keepsOpen) = (request, prober, keepsOpen)
        connection = TimedConnection(request.firstHop, in: prober)
    }

    func start(_ deliver: @escaping Delivery) {
        guard !isCancelled else { return deliver(.failure(error(.cancelled))) }
        self.deliver = deliver
        prober.add(self)
        watch?("\(request.target): connecting\(request.wayInWords)")
        // The first flight of most servers arrives in one read of this size.
        connection.start(readingAtOnce: 8_192) { result in
            if let result { return self.connectEnded(result) }
            self.end(.deadlineExceeded(timeout: self.request.timeout), kept: .deadlineExceeded)
        }
        // OpenSSL is set up while packets travel; a failure is thrown at its use.
        if plain == nil { _ = try? prober.context() }
    }

    /// Ends the probe, or prevents its start; a result that was delivered stays.
    func cancel() {
        isCancelled = true
        end(.cancelled, kept: .cancelled)
    }

    func carry(_ exchange: HTTPExchange, within limit: Duration, _ deliver: @escaping HTTPHandler.Delivery) {
        if case .held(let tls, _) = kept, let ending = tls.ending { release(ending) }
        guard case .held(let tls, let left) = kept, let channel = connection.channels.first else {
            if case .over(let error) = kept { return deliver(.failure(error)) }
            return deliver(.failure(.closedEarly(received: 0)))
        }
        watch?("\(request.target): sending the request")
        connection.startClock(until: .now() + min(left, TimeAmount(limit)))
        carry(exchange, on: channel, behind: tls, deliver)
    }

    /// Connects, and makes one exchange without TLS.
    func exchangePlainly(_ exchange: HTTPExchange, _ deliver: @escaping HTTPHandler.Delivery) {
        plain = (exchange, deliver)
        start { result in
            guard case .failure(let error) = result else { return }
            deliver(.failure(error.reason == .cancelled ? .cancelled : .noConnection(error)))
        }
    }

    private func carry(
        _ exchange: HTTPExchange, on channel: any Channel, behind tls: TLSHandler? = nil,
        _ deliver: @escaping HTTPHandler.Delivery
    ) {
        let handler = HTTPHandler(exchange) {
            self.connection.stopClock()
        } ended: { result in
            self.release(.closedEarly(received: 0))
            deliver(result)
        }
        kept = .carrying(handler)
        do {
            try channel.pipeline.syncOperations.addHandlers(
                handler.handlers(), position: tls.map { .after($0) } ?? .last)
        } catch { return handler.end(.closedEarly(received: 0)) }
        tls?.begin()
        handler.send()
    }

    func close() { if case .held = kept { release(.cancelled) } }

    private func end(_ reason: ProbeError.Reason, kept error: HTTPError) {
        switch kept {
        case .none: fail(reason)
        case .held: release(error)
        case .carrying(let handler): handler.end(error)
        case .over: break
        }
    }

    private func release(_ error: HTTPError) {
        kept = .over(error)
        prober.remove(self)
        connection.end()
    }

    private func connectEnded(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let failure):
            let reason = request.firstHop.reason(for: failure)
            fail(request.proxy == nil ? reason : .proxy(.unreachable(reason)))
        case .success(let channel):
            if let plain {
                deliver = nil
                return carry(plain.exchange, on: channel, plain.deliver)
            }
            let address = channel.remoteAddress.flatMap(PeerAddress.init).map { prober.network?.peer(for: $0) ?? $0 }
            watch?("\(request.target): connected to \(address?.description ?? request.target)")
            guard let proxy = request.proxy else {
                peer = address
                return beginHandshake(on: channel)
            }
            passage = address.map { ProxyPassage(address: $0) }
            // An address that the proxy looks up is unknown here.
            if case .address(let ip) = request.destination { peer = PeerAddress(ip: ip, port: request.port) }
            ask(proxy, on: channel)
        }
    }

    private func beginHandshake(on channel: any Channel) {
        do {
            let connection = try TLSConnection(context: prober.context(), request: request)
            let handler = TLSHandler(
                connection: connection, request: request, clock: self.connection, keepsOpen: keepsOpen,
                conclude: handshakeEnded)
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch let failure as OpenSSLSetUpError { fail(.setUpFailed(failure.detail)) } catch {
            // The connection ended before the handler was added.
            fail(.closedEarly(received: 0))
        }
    }

    private func ask(_ proxy: Proxy, on channel: any Channel) {
        let dialogue = ProxyDialogue(with: proxy, to: request.destination, port: request.port)
        let handler = ProxyHandler(dialogue) { failure in
            if let failure { return self.fail(.proxy(failure)) }
            guard self.deliver != nil else { return }
            self.passed = .now()
            self.watch?("\(self.request.target): let through by the proxy")
            self.beginHandshake(on: channel)
        }
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
            guard proxy.kind == .https else { return handler.begin() }
            try protect(proxy, on: channel) { handler.begin() }
        } catch let failure as OpenSSLSetUpError { fail(.setUpFailed(failure.detail)) } catch {
            fail(.proxy(.closedEarly(received: 0)))
        }
    }

    /// Speaks TLS with the proxy itself; the prober judges its chain, not the caller.
    private func protect(_ proxy: Proxy, on channel: any Channel, _ established: @escaping () -> Void) throws {
        let request = request.firstHop
        let connection = try TLSConnection(context: prober.context(), request: request)
        let handler = TLSHandler(connection: connection, request: request, clock: self.connection, keepsOpen: true) {
            handler, outcome in
            switch outcome {
            case .failed(let reason): self.fail(.proxy(.handshake(reason)))
            case .proven(_, completed: false): self.fail(.proxy(.handshake(.clientCertificateRequired)))
            case .proven(let tls, completed: true):
                do throws(ProbeError) {
                    let shown = try self.result(of: tls, completed: true).get()
                    if let objection = self.prober.proxyObjection(shown, proxy.host) {
                        return self.fail(.proxy(.untrusted(objection.why, remedy: objection.remedy)))
                    }
                    self.passage?.tls = shown
                    handler.begin()
                    established()
                } catch { self.fail(.proxy(.handshake(error.reason))) }
            }
        }
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    private func fail(_ reason: ProbeError.Reason) { finish(.failure(error(reason))) }

    private func handshakeEnded(_ handler: TLSHandler, _ outcome: HandshakeOutcome) {
        switch outcome {
        case .failed(let reason): fail(reason)
        case .proven(let handshake, let completed):
            let result = result(of: handshake, completed: completed, at: handler.completed)
            if keepsOpen, deliver != nil, case .success = result {
                kept = completed ? .held(handler, left: connection.stopClock()) : .over(.handshakeNotCompleted)
            }
            finish(result)
        }
    }

    private func result(of handshake: TLSConnection, completed: Bool, at time: NIODeadline? = nil) -> ProbeResult {
        let ended = time ?? .now()
        guard let connected = connection.connected, let firstConnect = connection.firstConnect else {
            return .failure(error(.tlsFailure("it ended before the connection was complete")))
        }
        do {
            guard let presented = try handshake.presentedChain() else { return .failure(error(.noCertificate)) }
            guard let facts = handshake.facts(for: presented.leaf.publicKey.algorithm) else {
                return .failure(error(.tlsFailure("OpenSSL does not report the negotiated parameters")))
            }
            let wasResolved = if case .resolve = request.destination { true } else { false }
            return .success(
                Handshake(
                    peer: peer, proxy: passage, facts: facts, alpn: handshake.applicationProtocol, presented: presented,
                    clientCertificateRequested: handshake.clientCertificateRequested,
                    clientCertificateSent: handshake.clientCertificateSent, handshakeCompleted: completed,
                    staple: handshake.staple,
                    timings: ProbeTimings(
                        resolve: wasResolved ? Duration(firstConnect - connection.started) : nil,
                        connect: Duration(connected - firstConnect), proxy: passed.map { Duration($0 - connected) },
                        handshake: Duration(ended - (passed ?? connected)))))
        } catch { return .failure(self.error(.unreadableCertificate(error.description))) }
    }

    private func finish(_ result: ProbeResult) {
        guard let deliver else { return }
        self.deliver = nil
        watch?(result, of: request.target)
        if case .held = kept {
        } else {
            prober.remove(self)
            connection.end()
        }
        deliver(result)
    }

    private func error(_ reason: ProbeError.Reason) -> ProbeError {
        ProbeError(phase, reason, target: request.target, peer: peer, proxy: request.proxy?.url)
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
