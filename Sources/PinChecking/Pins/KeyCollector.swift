import PinFormats
package import Pinning
import TLSProbe
import Text
package import X509

/// Gets the keys of servers and files.
package struct KeyCollector: Sendable {
    package let verifier: OpenSSLPathVerifier
    package let trust: Evaluation.Trust
    package let time: Timestamp
    /// How often to try again when there was no answer.
    package let retries: Int

    /// A collector that verifies by these anchors, as of this time.
    package init(
        verifier: OpenSSLPathVerifier,
        trust: Evaluation.Trust,
        time: Timestamp,
        retries: Int
    ) {
        self.verifier = verifier
        self.trust = trust
        self.time = time
        self.retries = retries
    }

    /// Connects to the endpoints of each target, at most `limit` at the same time, and returns what came of them in their order.
    ///
    /// The timeout is for a target in all, from its first connection on.
    package func sources(
        _ targets: [[CheckEndpoint]],
        inFlight limit: Int,
        in surroundings: Surroundings
    ) async -> [KeySource] {
        guard targets.contains(where: { !$0.isEmpty }) else { return [] }
        let prober = Prober(on: surroundings.thread)
        // Whatever else the process does must not use up the time of a target.
        let found = await withTaskExecutorPreference(prober.executor) {
            await results(
                of: targets,
                with: RetryingProber(prober: prober),
                inFlight: max(1, min(limit, surroundings.connectionLimit))
            )
        }
        await prober.shutdown()
        return zip(targets.joined(), found).map { (endpoint, result) -> KeySource in
            switch result {
            case .success(let result):
                return KeySource(endpoint, result, verifier: verifier, trust: trust, time: time)
            case .failure(let error):
                return KeySource(endpoint, error)
            }
        }
    }

    /// What the connections to the endpoints of all targets come to, in their order.
    private func results(
        of targets: [[CheckEndpoint]],
        with prober: RetryingProber,
        inFlight limit: Int
    ) async -> [Result<ProbeResult, ProbeError>] {
        let requests = targets.enumerated().flatMap { target, endpoints in endpoints.map { (target, $0.request) } }
        var deadlines: [Int: Deadline] = [:]
        return await withTaskGroup(of: (Int, Result<ProbeResult, ProbeError>).self) { group in
            var results = [Result<ProbeResult, ProbeError>?](repeating: nil, count: requests.count)
            var next = 0
            func start() {
                guard next < requests.count else { return }
                let index = next
                let (target, request) = requests[index]
                let deadline = deadlines[target] ?? Deadline(in: request.timeout)
                deadlines[target] = deadline
                next += 1
                group.addTask { (index, await result(of: request, until: deadline, with: prober)) }
            }
            for _ in 0..<min(limit, requests.count) { start() }
            for await (index, result) in group {
                results[index] = result
                start()
            }
            return results.compactMap(\.self)
        }
    }

    private func result(
        of request: ProbeRequest,
        until deadline: Deadline,
        with prober: RetryingProber
    ) async -> Result<ProbeResult, ProbeError> {
        var request = request
        request.timeout = deadline.remaining
        guard request.timeout > .zero else {
            return .failure(ProbeError(.connect, .noTimeLeft(timeout: deadline.timeout), target: request.target))
        }
        do {
            return .success(try await prober.probe(request, retries: retries))
        } catch {
            return .failure(error.ofPart(of: deadline.timeout))
        }
    }
}
