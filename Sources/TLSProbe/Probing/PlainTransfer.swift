internal import NIOCore

extension Prober {
    /// Fetches a document without TLS, where that was asked for.
    package func fetchPlainly(_ request: ProbeRequest, _ transfer: Transfer) async throws(TransferError) {
        let attempt = PlainTransfer(request, transfer, in: workshop)
        try await result(TransferError.cancelled) { deliver in
            attempt.start(deliver)
        } cancel: {
            attempt.cancel()
        }.get()
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
            do { try channel.pipeline.syncOperations.addHandlers(handler.handlers()) } catch {
                return end(.closedEarly)
            }
            handler.ask()
        }
    }

    private func end(_ error: TransferError) { if let handler { handler.end(error) } else { finish(.failure(error)) } }

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
