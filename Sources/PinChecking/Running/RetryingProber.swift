import Base
import TLSProbe

/// Makes connections, again when there was no answer.
struct RetryingProber: Sendable {
    let prober: Prober

    /// Probes, and again up to `retries` times; the timeout holds over all attempts and the pauses between them.
    func probe(_ request: ProbeRequest, retries: Int) async throws(ProbeError) -> Handshake {
        try await retrying(request, retries: retries) { (request) throws(ProbeError) in try await prober.probe(request)
        }
    }

    /// Probes and asks as ``Prober/probe(_:asking:)`` does, again where there was nothing to judge.
    func probe<Judgement: Sendable>(
        _ request: ProbeRequest, retries: Int,
        asking judge: @Sendable (Handshake) async -> (Judgement, question: HTTPQuestion?)
    ) async throws(ProbeError) -> (judgement: Judgement, answer: Result<HTTPAnswer, HTTPAnswerError>?) {
        try await retrying(request, retries: retries) { (request) throws(ProbeError) in
            let (_, judgement, answer) = try await prober.probe(request, asking: judge)
            return (judgement, answer)
        }
    }

    private func retrying<Value: Sendable>(
        _ request: ProbeRequest, retries: Int, _ attempt: (ProbeRequest) async throws(ProbeError) -> Value
    ) async throws(ProbeError) -> Value {
        let clock = ContinuousClock()
        let timeout = request.timeout
        let deadline = clock.now.advanced(by: timeout)
        var request = request
        var pause = Duration.milliseconds(100)
        var count = 0
        while true {
            do { return try await attempt(request) } catch {
                let remaining = clock.now.duration(to: deadline)
                guard count < retries, remaining > pause, error.mayPass else { throw error.ofPart(of: timeout) }
                do { try await Task.sleep(for: pause, clock: clock) } catch is CancellationError {
                    throw error.ofPart(of: timeout)
                } catch {}
            }
            count += 1
            ProbeWatch.current?("\(request.target): trying again (\(count) of \(retries))")
            pause = min(pause * 2, .seconds(1))
            request.timeout = max(.milliseconds(1), clock.now.duration(to: deadline))
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
