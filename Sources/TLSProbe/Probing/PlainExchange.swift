internal import NIOCore

extension Prober {
    /// Makes an exchange without TLS, for a service whose answers are not trusted anyway.
    func exchangePlainly(_ request: ProbeRequest, _ exchange: HTTPExchange) async -> Result<HTTPResponse, HTTPError> {
        let attempt = PlainExchange(request, exchange, in: workshop)
        return await result(HTTPError.cancelled, start: attempt.start, cancel: attempt.cancel)
    }
}

/// One exchange on its way over a connection without TLS.
///
/// Sendable because after `init` everything is touched on the event loop only.
private final class PlainExchange: Attempt, @unchecked Sendable {
    private let request: ProbeRequest
    private let exchange: HTTPExchange
    private let workshop: ProbeWorkshop
    private let connection: TimedConnection
    private var deliver: HTTPHandler.Delivery?
    private var isCancelled = false

    init(_ request: ProbeRequest, _ exchange: HTTPExchange, in workshop: ProbeWorkshop) {
        (self.request, self.exchange, self.workshop) = (request, exchange, workshop)
        connection = TimedConnection(request, in: workshop)
    }

    func start(_ deliver: @escaping HTTPHandler.Delivery) {
        guard !isCancelled else { return deliver(.failure(.cancelled)) }
        self.deliver = deliver
        workshop.add(self)
        connection.start { result in
            if let result { self.connectEnded(result) } else { self.finish(.failure(.deadlineExceeded)) }
        }
    }

    func cancel() {
        isCancelled = true
        finish(.failure(.cancelled))
    }

    private func connectEnded(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let failure):
            let reason = request.reason(for: failure)
            finish(.failure(.noConnection(ProbeError(.connect, reason, target: request.target))))
        case .success(let channel):
            let handler = HTTPHandler(exchange) {
                self.connection.stopClock()
            } ended: {
                self.finish($0)
            }
            do { try channel.pipeline.syncOperations.addHandlers(handler.handlers()) } catch {
                return finish(.failure(.closedEarly(received: 0)))
            }
            handler.send()
        }
    }

    private func finish(_ result: Result<HTTPResponse, HTTPError>) {
        guard let deliver else { return }
        self.deliver = nil
        workshop.remove(self)
        connection.end()
        deliver(result)
    }
}
