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
