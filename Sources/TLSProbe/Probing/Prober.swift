internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Connects to servers and returns the certificates they present, many at a time on one thread.
///
/// Nothing is verified but that the server holds the key of its leaf, and nothing is sent but the handshake and close_notify, or the one
/// request of ``probe(_:judging:)``.
/// Call ``shutdown()`` when no more probes are wanted; a process about to exit need not.
package final class Prober: Sendable {
    /// `nil` on a thread of somebody else's.
    private let group: MultiThreadedEventLoopGroup?
    let workshop: ProbeWorkshop
    /// Runs tasks between the steps of connections, so that work on other threads cannot keep them waiting; until ``shutdown()``.
    package let executor: any TaskExecutor
    /// `false` once the event loop takes no more work.
    private let isOpen = Mutex(true)

    /// A prober on `thread`, or on one of its own.
    ///
    /// OpenSSL is set up by the first probe, while its packets travel.
    package convenience init(
        on thread: ProbeThread? = nil, in network: StagedNetwork? = nil,
        judgingProxiesBy objection: ProxyObjection? = nil
    ) {
        self.init(on: thread, in: network, lookups: LookupThreads(), numberAmongMany: nil, judgingProxiesBy: objection)
    }

    init(
        on thread: ProbeThread?, in network: StagedNetwork?, lookups: LookupThreads, numberAmongMany number: Int?,
        judgingProxiesBy objection: ProxyObjection? = nil
    ) {
        let loop: any EventLoop
        if let thread {
            group = nil
            loop = thread.loop
        } else {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            self.group = group
            loop = group.next()
        }
        executor = thread ?? LoopExecutor(loop: loop)
        workshop = ProbeWorkshop(
            loop: loop, lookups: lookups, network: network, numberAmongMany: number,
            proxyObjection: objection ?? { _, _ in "nobody judges it" })
    }

    /// Makes one connection, within the request's deadline whatever the server does.
    ///
    /// Cancelling the task closes the connection and ends in ``ProbeError/Reason/cancelled``.
    ///
    /// - Throws: ``ProbeError`` when there is no chain whose key the server proved to hold.
    package func probe(_ request: ProbeRequest) async throws(ProbeError) -> Handshake {
        let request = try await request.isLookedUpHere ? lookedUp(request) : request
        return try await result(of: ProbeAttempt(request, in: workshop), to: request)
    }

    /// Starts an attempt and waits for what the server presents.
    func result(of attempt: ProbeAttempt, to request: ProbeRequest) async throws(ProbeError) -> Handshake {
        try await result(ProbeError(.connect, .cancelled, target: request.target)) { deliver in
            attempt.start(deliver)
        } cancel: {
            attempt.cancel()
        }.get()
    }

    /// Looks up all addresses of a host, within `timeout` whatever the resolver does.
    ///
    /// Cancelling the task abandons the lookup and ends in ``ProbeError/Reason/cancelled``.
    ///
    /// - Returns: the addresses; at least one.
    package func addresses(
        of host: String, family: ProbeRequest.AddressFamily = .any, timeout: Duration
    ) async throws(ProbeError) -> HostAddresses {
        let search = AddressSearch(host: host, family: family, timeout: timeout, in: workshop)
        return try await result(ProbeError(.resolve, .cancelled, target: host)) { deliver in
            search.start(deliver)
        } cancel: {
            search.cancel()
        }.get()
    }

    /// The request to the first address of its host, for a proxy that is given no names.
    func lookedUp(_ request: ProbeRequest) async throws(ProbeError) -> ProbeRequest {
        guard case .resolve(let host, let family) = request.destination else { return request }
        let clock = ContinuousClock()
        let start = clock.now
        let answer = try await addresses(of: host, family: family, timeout: request.timeout)
        var request = request
        request.timeout = max(.milliseconds(1), request.timeout - start.duration(to: clock.now))
        // There is one at least.
        if let address = answer.addresses.first { request.destination = .address(address) }
        return request
    }

    /// Waits for the one result of something that is started and perhaps cancelled on the event loop.
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

    /// Cancels the probes under way and ends the thread unless it is somebody else's; a resolver that does not answer is not waited for.
    package func shutdown() async {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        let workshop = workshop
        try? await workshop.loop.submit { for attempt in workshop.attempts { attempt.cancel() } }.get()
        try? await group?.shutdownGracefully()
    }

    /// Runs `work` on the event loop; returns false when that has ended.
    func onLoop(_ work: @escaping @Sendable () -> Void) -> Bool {
        // Under the lock, so that nothing is handed to a loop that is about to end.
        isOpen.withLock { isOpen in
            if isOpen { workshop.loop.execute(work) }
            return isOpen
        }
    }
}

/// An event loop that runs the steps of tasks.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension Prober {
    /// Makes one connection, has what the server presented judged, and on the same connection the exchange that is then wanted.
    ///
    /// Until `judge` returns nothing is sent on the connection but the handshake, and without an exchange only close_notify. The
    /// request's deadline holds over everything, `judge` included: what it leaves is the time for the response, or for its head
    /// where the exchange has a patience of its own.
    ///
    /// - Returns: what the server presented, what `judge` made of it, and how the exchange ended, `nil` where there was none.
    /// - Throws: ``ProbeError`` when there is no chain whose key the server proved to hold; `judge` is not called then.
    package func probe<Judgement: Sendable>(
        _ request: ProbeRequest, judging judge: @Sendable (Handshake) async -> (Judgement, exchange: HTTPExchange?)
    ) async throws(ProbeError) -> (
        handshake: Handshake, judgement: Judgement, response: Result<HTTPResponse, HTTPError>?
    ) {
        let request = try await request.isLookedUpHere ? lookedUp(request) : request
        let attempt = ProbeAttempt(request, in: workshop, keepsOpen: true)
        let handshake = try await result(of: attempt, to: request)
        let (judgement, exchange) = await judge(handshake)
        guard let exchange else {
            _ = onLoop { attempt.close() }
            return (handshake, judgement, nil)
        }
        let response = await result(HTTPError.cancelled) { deliver in
            attempt.carry(exchange, deliver)
        } cancel: {
            attempt.cancel()
        }
        return (handshake, judgement, response)
    }
}
