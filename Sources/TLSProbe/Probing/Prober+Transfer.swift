internal import NIOCore

extension Prober {
    /// Makes one connection, has what the server presented judged, and fetches a document on the same connection.
    ///
    /// Until `judge` returns nothing is sent on the connection but the handshake, and without a transfer only close_notify. The
    /// request's deadline holds until the head of the answer is there; from then on the transfer's patience does.
    ///
    /// - Parameters:
    ///   - request: the connection to make.
    ///   - judge: judges what the server presented, and says what to fetch from a server that is accepted, `nil` for nothing.
    /// - Returns: what `judge` made of the server, and how the transfer ended, `nil` where there was none.
    /// - Throws: ``ProbeError`` when there is no chain whose key the server proved to hold; `judge` is not called then.
    package func fetch<Judgement: Sendable>(
        _ request: ProbeRequest,
        judging judge: @Sendable (ProbeResult) async -> (Judgement, transfer: Transfer?)
    ) async throws(ProbeError) -> (judgement: Judgement, end: Result<Void, TransferError>?) {
        let request = try await request.isLookedUpHere ? lookedUp(request) : request
        let attempt = ProbeAttempt(request, in: workshop, keepsOpen: true)
        let cancel: @Sendable () -> Void = { attempt.cancel() }
        let result = try await result(
            ProbeError(.connect, .cancelled, target: request.target),
            start: { deliver in attempt.start(deliver) },
            cancel: cancel
        )
        let (judgement, transfer) = await judge(result)
        guard let transfer else {
            _ = onLoop { attempt.close() }
            return (judgement, nil)
        }
        do throws(TransferError) {
            try await self.result(
                TransferError.cancelled,
                start: { deliver in attempt.carry(transfer, deliver) },
                cancel: cancel
            )
            return (judgement, .success(()))
        } catch {
            return (judgement, .failure(error))
        }
    }

    /// Fetches a document without TLS, where that was asked for.
    ///
    /// - Parameters:
    ///   - request: the connection to make; nothing of it is about TLS.
    ///   - transfer: what to fetch.
    /// - Throws: ``TransferError``.
    package func fetchPlainly(_ request: ProbeRequest, _ transfer: Transfer) async throws(TransferError) {
        let attempt = PlainTransfer(request, transfer, in: workshop)
        try await result(
            TransferError.cancelled,
            start: { deliver in attempt.start(deliver) },
            cancel: { attempt.cancel() }
        )
    }
}

/// One document on its way over a connection without TLS.
///
/// Sendable because after `init` everything is touched on the event loop only.
private final class PlainTransfer: Attempt, @unchecked Sendable {
    private let request: ProbeRequest
    private let transfer: Transfer
    private let workshop: ProbeWorkshop
    private let connection: TimedConnection
    private var deliver: TransferHandler.Delivery?
    private var handler: TransferHandler?
    private var isCancelled = false
    var position = 0

    init(_ request: ProbeRequest, _ transfer: Transfer, in workshop: ProbeWorkshop) {
        self.request = request
        self.transfer = transfer
        self.workshop = workshop
        connection = TimedConnection(request, in: workshop)
    }

    func start(_ deliver: @escaping TransferHandler.Delivery) {
        guard !isCancelled else { return deliver(.failure(.cancelled)) }
        self.deliver = deliver
        workshop.add(self)
        let events = TimedConnection.Events { result in
            self.connectEnded(result)
        } timedOut: {
            self.end(.deadlineExceeded)
        }
        connection.start(events)
    }

    func cancel() {
        isCancelled = true
        end(.cancelled)
    }

    private func connectEnded(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let failure):
            let reason = request.reason(for: failure)
            finish(.failure(.noConnection(ProbeError(.connect, reason, target: request.target))))
        case .success(let channel):
            let handler = TransferHandler(transfer) {
                self.connection.stopClock()
            } release: {
            } deliver: {
                self.finish($0)
            }
            self.handler = handler
            do {
                try channel.pipeline.syncOperations.addHandlers(handler.handlers())
            } catch {
                return end(.closedEarly)
            }
            handler.ask()
        }
    }

    private func end(_ error: TransferError) {
        if let handler { handler.end(error) } else { finish(.failure(error)) }
    }

    private func finish(_ result: Result<Void, TransferError>) {
        guard let deliver else { return }
        self.deliver = nil
        // It knows whom to tell: each would keep the other.
        handler = nil
        workshop.remove(self)
        connection.end()
        deliver(result)
    }
}
