extension Prober {
    /// Makes one connection, has what the server presented judged, and asks on the same connection what is then to be asked.
    ///
    /// Until `judge` returns nothing is sent on the connection but the handshake, and without a question only close_notify. The
    /// request's deadline holds over everything, `judge` included: what it leaves is the time for the answer.
    ///
    /// - Returns: what the server presented, what `judge` made of it, and what the server answered, `nil` where it was not asked.
    /// - Throws: ``ProbeError`` when there is no chain whose key the server proved to hold; `judge` is not called then.
    package func probe<Judgement: Sendable>(
        _ request: ProbeRequest, asking judge: @Sendable (Handshake) async -> (Judgement, question: HTTPQuestion?)
    ) async throws(ProbeError) -> (
        result: Handshake, judgement: Judgement, answer: Result<HTTPAnswer, HTTPAnswerError>?
    ) {
        let (result, judgement, end) = try await judged(request, by: judge, ended: HTTPAnswerError.cancelled) {
            (attempt, question, deliver) in attempt.ask(question, deliver)
        }
        return (result, judgement, end)
    }

    /// Makes one connection, has what the server presented judged, and fetches a document on the same connection.
    ///
    /// Until `judge` returns nothing is sent on the connection but the handshake, and without a transfer only close_notify. The
    /// request's deadline holds until the head of the answer is there; from then on the transfer's patience does.
    ///
    /// - Returns: what `judge` made of the server, and how the transfer ended, `nil` where there was none.
    /// - Throws: ``ProbeError`` when there is no chain whose key the server proved to hold; `judge` is not called then.
    package func fetch<Judgement: Sendable>(
        _ request: ProbeRequest, judging judge: @Sendable (Handshake) async -> (Judgement, transfer: Transfer?)
    ) async throws(ProbeError) -> (judgement: Judgement, end: Result<Void, TransferError>?) {
        let (_, judgement, end) = try await judged(request, by: judge, ended: TransferError.cancelled) {
            (attempt, transfer, deliver) in attempt.carry(transfer, deliver)
        }
        return (judgement, end)
    }

    /// Makes one connection and keeps it until what the server presented was judged, for what `judge` then wants done on it.
    ///
    /// - Returns: what the server presented, what `judge` made of it, and what came of the work, `nil` where there was none.
    /// - Throws: ``ProbeError`` when there is no chain whose key the server proved to hold.
    private func judged<Judgement: Sendable, Work: Sendable, Value: Sendable, Failure: Error>(
        _ request: ProbeRequest, by judge: @Sendable (Handshake) async -> (Judgement, Work?), ended: Failure,
        start: @escaping @Sendable (ProbeAttempt, Work, @escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) async throws(ProbeError) -> (result: Handshake, judgement: Judgement, end: Result<Value, Failure>?) {
        let request = try await request.isLookedUpHere ? lookedUp(request) : request
        let attempt = ProbeAttempt(request, in: workshop, keepsOpen: true)
        let result = try await result(of: attempt, to: request)
        let (judgement, work) = await judge(result)
        guard let work else {
            _ = onLoop { attempt.close() }
            return (result, judgement, nil)
        }
        let end: Result<Value, Failure> = await self.result(ended) { deliver in
            start(attempt, work, deliver)
        } cancel: {
            attempt.cancel()
        }
        return (result, judgement, end)
    }
}
