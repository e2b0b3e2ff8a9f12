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

    /// Connects to every endpoint, at most `limit` at the same time, and returns what came of them in their order.
    package func sources(
        _ endpoints: [CheckEndpoint],
        inFlight limit: Int,
        in surroundings: Surroundings
    ) async -> [KeySource] {
        guard !endpoints.isEmpty else { return [] }
        let prober = Prober(on: surroundings.thread)
        let sources = await sources(
            endpoints,
            with: RetryingProber(prober: prober),
            inFlight: max(1, min(limit, surroundings.connectionLimit))
        )
        await prober.shutdown()
        return sources
    }

    private func sources(
        _ endpoints: [CheckEndpoint],
        with prober: RetryingProber,
        inFlight limit: Int
    ) async -> [KeySource] {
        if let endpoint = endpoints.first, endpoints.count == 1 { return [await source(endpoint, with: prober)] }
        return await withTaskGroup(of: (Int, KeySource).self) { group in
            var sources = [KeySource?](repeating: nil, count: endpoints.count)
            var next = 0
            func start() {
                guard next < endpoints.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await source(endpoints[index], with: prober)) }
            }
            for _ in 0..<min(limit, endpoints.count) { start() }
            for await (index, source) in group {
                sources[index] = source
                start()
            }
            return sources.compactMap { $0 }
        }
    }

    private func source(_ endpoint: CheckEndpoint, with prober: RetryingProber) async -> KeySource {
        do {
            let result = try await prober.probe(endpoint.request, retries: retries)
            return KeySource(endpoint, result, verifier: verifier, trust: trust, time: time)
        } catch {
            return KeySource(endpoint, error)
        }
    }
}
