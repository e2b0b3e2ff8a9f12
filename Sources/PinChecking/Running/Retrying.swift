import Base
import TLSProbe

extension Prober {
    /// Makes an attempt, and again up to `retries` times; the timeout holds over all attempts and the pauses between them.
    func retrying<Value: Sendable>(
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
