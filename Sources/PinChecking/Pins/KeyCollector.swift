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
        let sources = await sources(
            targets,
            with: RetryingProber(prober: prober),
            inFlight: max(1, min(limit, surroundings.connectionLimit))
        )
        await prober.shutdown()
        return sources
    }

    private func sources(
        _ targets: [[CheckEndpoint]],
        with prober: RetryingProber,
        inFlight limit: Int
    ) async -> [KeySource] {
        let endpoints = targets.enumerated().flatMap { target, endpoints in endpoints.map { (target, $0) } }
        var deadlines: [Int: Deadline] = [:]
        return await withTaskGroup(of: (Int, KeySource).self) { group in
            var sources = [KeySource?](repeating: nil, count: endpoints.count)
            var next = 0
            func start() {
                guard next < endpoints.count else { return }
                let index = next
                let (target, endpoint) = endpoints[index]
                let deadline = deadlines[target] ?? Deadline(in: endpoint.request.timeout)
                deadlines[target] = deadline
                next += 1
                group.addTask { (index, await source(endpoint, until: deadline, with: prober)) }
            }
            for _ in 0..<min(limit, endpoints.count) { start() }
            for await (index, source) in group {
                sources[index] = source
                start()
            }
            return sources.compactMap { $0 }
        }
    }

    private func source(
        _ endpoint: CheckEndpoint,
        until deadline: Deadline,
        with prober: RetryingProber
    ) async -> KeySource {
        var request = endpoint.request
        request.timeout = deadline.remaining
        guard request.timeout > .zero else {
            let error = ProbeError(.connect, .noTimeLeft(timeout: deadline.timeout), target: request.target)
            return KeySource(endpoint, error)
        }
        do {
            let result = try await prober.probe(request, retries: retries)
            return KeySource(endpoint, result, verifier: verifier, trust: trust, time: time)
        } catch {
            return KeySource(endpoint, error.ofPart(of: deadline.timeout))
        }
    }
}
