import Base
import TLSProbe

extension Prober {
    /// Probes, and again up to `retries` times; the timeout holds over all attempts and the pauses between them.
    func probe(_ request: ProbeRequest, retries: Int) async throws(ProbeError) -> Handshake {
        try await retrying(request, retries) { (request) throws(ProbeError) in try await probe(request) }
    }

    /// Probes and asks as ``probe(_:judging:)`` does, again where there was nothing to judge.
    func probe<Judged: Sendable>(
        _ request: ProbeRequest, retries: Int,
        judging judge: @Sendable (Handshake) async -> (Judged, exchange: HTTPExchange?)
    ) async throws(ProbeError) -> (judged: Judged, response: Result<HTTPResponse, HTTPError>?) {
        try await retrying(request, retries) { (request) throws(ProbeError) in
            let (_, judged, response) = try await probe(request, judging: judge)
            return (judged, response)
        }
    }

    private func retrying<Value: Sendable>(
        _ request: ProbeRequest, _ retries: Int, _ attempt: (ProbeRequest) async throws(ProbeError) -> Value
    ) async throws(ProbeError) -> Value {
        let deadline = Deadline(in: request.timeout)
        var request = request
        var pause = Duration.milliseconds(100)
        var count = 0
        while true {
            do { return try await attempt(request) } catch {
                guard count < retries, deadline.remaining > pause, error.mayPass,
                    (try? await Task.sleep(for: pause)) != nil
                else { throw error.ofPart(of: deadline.timeout) }
            }
            count += 1
            ProbeWatch.current?("\(request.target): trying again (\(count) of \(retries))")
            pause = min(pause * 2, .seconds(1))
            request.timeout = max(.milliseconds(1), deadline.remaining)
        }
    }
}

extension ProbeError {
    /// Whether another attempt could end otherwise; what a server does not have it does not have then either.
    fileprivate var mayPass: Bool {
        switch reason {
        case .cancelled, .noTimeLeft, .keyTypeRefused, .offerRefused, .protocolVersion: false
        case .proxy(let failure): failure.mayPass
        default: true
        }
    }
}
