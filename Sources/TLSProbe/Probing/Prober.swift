import NIOCore
import NIOPosix
import Synchronization

/// Connects to servers and returns the certificates that they present, many at a time on one thread.
///
/// Verifies only that the server has the key of its leaf. Sends only the handshake, close_notify, and the one request
/// of a ``HeldConnection``. Call ``shutdown()`` after the last probe, unless the process ends.
///
/// Sendable because all state that changes is behind a lock or only used on the event loop.
package final class Prober: @unchecked Sendable {
    let loop: any EventLoop
    /// The prober's own thread; `nil` if it runs on another owner's.
    private let group: MultiThreadedEventLoopGroup?
    /// Runs tasks between the steps of connections until ``shutdown()``, so that no other thread's work delays them.
    package let executor: any TaskExecutor
    private let isOpen = Mutex(true)
    let lookups: LookupThreads
    let network: StagedNetwork?
    let proxyObjection: ServiceObjection
    /// The number of this loop among those that share many probes; `nil` if there are few probes.
    private let numberAmongMany: Int?
    private(set) var attempts: [ObjectIdentifier: any Attempt] = [:]
    private var madeContext: TLSContext?

    /// A prober on `thread`, or on a new one.
    init(
        on thread: ProbeThread? = nil, in network: StagedNetwork? = nil, lookups: LookupThreads = LookupThreads(),
        numberAmongMany number: Int? = nil, judgingProxiesBy objection: ServiceObjection? = nil
    ) {
        if let thread {
            (group, loop) = (nil, thread.loop)
        } else {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            (self.group, loop) = (group, group.next())
        }
        executor = thread ?? ProbeThread(loop: loop)
        (self.network, self.lookups, numberAmongMany) = (network, lookups, number)
        proxyObjection = objection ?? { _, _ in ("there are no roots to check it with", nil) }
    }

    /// Makes one connection, within the request's deadline; cancelling the task closes it.
    ///
    /// - Throws: ``ProbeError`` unless there is a chain whose key the server proved to have.
    package func probe(_ request: ProbeRequest) async throws(ProbeError) -> Handshake {
        try await attempt(request, keepsOpen: false).handshake
    }

    /// Makes one connection within the request's deadline, and keeps it open for one exchange.
    package func hold(
        _ request: ProbeRequest
    ) async throws(ProbeError) -> (handshake: Handshake, connection: HeldConnection) {
        let (attempt, handshake) = try await attempt(request, keepsOpen: true)
        return (handshake, HeldConnection(attempt: attempt, prober: self))
    }

    private func attempt(
        _ request: ProbeRequest, keepsOpen: Bool
    ) async throws(ProbeError) -> (attempt: ProbeAttempt, handshake: Handshake) {
        let request = try await lookedUp(request)
        let attempt = ProbeAttempt(request, in: self, keepsOpen: keepsOpen)
        let ended = ProbeError(.connect, .cancelled, target: request.target)
        return (attempt, try await result(ended, start: attempt.start, cancel: attempt.cancel).get())
    }

    /// Looks up all addresses of a host, at least one, within `timeout`; cancelling the task ends the look-up.
    package func addresses(
        of host: String, family: AddressFamily = .any, timeout: Duration
    ) async throws(ProbeError) -> HostAddresses {
        let search = AddressSearch(host: host, family: family, timeout: timeout, in: self)
        let ended = ProbeError(.resolve, .cancelled, target: host)
        return try await result(ended, start: search.start, cancel: search.cancel).get()
    }

    /// The request with the first address of its host, if its proxy takes only addresses.
    private func lookedUp(_ request: ProbeRequest) async throws(ProbeError) -> ProbeRequest {
        guard request.proxy?.kind == .socks5, case .resolve(let host, let family) = request.destination else {
            return request
        }
        let clock = ContinuousClock()
        let start = clock.now
        let answer = try await addresses(of: host, family: family, timeout: request.timeout)
        var request = request
        request.timeout = max(.milliseconds(1), request.timeout - start.duration(to: clock.now))
        // A look-up gives at least one address.
        if let address = answer.addresses.first { request.destination = .address(address) }
        return request
    }

    /// Waits for the result of work on the event loop, which may be cancelled there; `ended` if the loop has ended.
    func result<Value: Sendable, Failure: Error>(
        _ ended: Failure, start: @escaping @Sendable (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void,
        cancel: @escaping @Sendable () -> Void
    ) async -> Result<Value, Failure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
                if !onLoop({ start { continuation.resume(returning: $0) } }) {
                    continuation.resume(returning: .failure(ended))
                }
            }
        } onCancel: {
            _ = onLoop(cancel)
        }
    }

    /// Cancels the probes under way and ends the prober's own thread, without waiting for look-ups.
    func shutdown() async {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        try? await loop.submit { for attempt in self.attempts.values { attempt.cancel() } }.get()
        try? await group?.shutdownGracefully()
    }

    /// Runs `work` on the event loop; `false` if the loop has ended.
    func onLoop(_ work: @escaping @Sendable () -> Void) -> Bool {
        // The lock keeps work from a loop that is about to end.
        isOpen.withLock { isOpen in
            if isOpen { loop.execute(work) }
            return isOpen
        }
    }

    // MARK: On the event loop

    func add(_ attempt: any Attempt) { attempts[ObjectIdentifier(attempt)] = attempt }

    func remove(_ attempt: any Attempt) { attempts[ObjectIdentifier(attempt)] = nil }

    func context() throws(OpenSSLSetUpError) -> TLSContext {
        if let madeContext { return madeContext }
        let context = try TLSContext(in: numberAmongMany.flatMap { TLSContext.library(ofLoop: $0) })
        madeContext = context
        return context
    }
}

/// A connection after its handshake, over which no data was sent yet.
package struct HeldConnection {
    fileprivate let attempt: ProbeAttempt
    fileprivate let prober: Prober

    package func close() { _ = prober.onLoop { attempt.close() } }

    /// Makes the exchange within `limit` and the time that was left after the handshake, of which judging takes nothing.
    package func carry(_ exchange: HTTPExchange, within limit: Duration) async -> HTTPResult {
        await prober.result(
            HTTPError.cancelled, start: { attempt.carry(exchange, within: limit, $0) }, cancel: attempt.cancel)
    }
}
