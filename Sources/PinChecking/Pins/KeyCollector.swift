import PinFormats
package import Pinning
import TLSProbe
import Text
package import X509

/// Gets the keys of servers and files.
package struct KeyCollector: Sendable {
    /// One target, and what its chain is verified by.
    package struct Inquiry: Sendable {
        /// The endpoints of the target.
        package let endpoints: [CheckEndpoint]
        /// Holds the anchors.
        package let verifier: OpenSSLPathVerifier
        /// What the anchors are called.
        package let trust: Evaluation.Trust
        /// Those of them that were given, `nil` for none.
        package let given: TrustStore?

        /// Asks the endpoints of one target.
        package init(
            _ endpoints: [CheckEndpoint],
            verifier: OpenSSLPathVerifier,
            trust: Evaluation.Trust,
            given: TrustStore?
        ) {
            self.endpoints = endpoints
            self.verifier = verifier
            self.trust = trust
            self.given = given
        }

        /// Asks the endpoints of one target, whose chain is verified by what the host is judged by.
        package init(_ endpoints: [CheckEndpoint], by evaluation: Evaluation) {
            self.init(
                endpoints,
                verifier: evaluation.verifier,
                trust: evaluation.devices[0].trust,
                given: evaluation.givenRoots
            )
        }
    }

    package let time: Timestamp
    /// How often to try again when there was no answer.
    package let retries: Int

    /// A collector that verifies as of this time.
    package init(time: Timestamp, retries: Int) {
        self.time = time
        self.retries = retries
    }

    /// Connects to the endpoints of each target, at most `limit` at the same time, and returns what came of them in their order.
    ///
    /// The timeout is for a target in all, from its first connection on.
    package func sources(
        _ targets: [Inquiry],
        inFlight limit: Int,
        in surroundings: Surroundings
    ) async -> [KeySource] {
        guard targets.contains(where: { !$0.endpoints.isEmpty }) else { return [] }
        let prober = Prober(on: surroundings.thread, in: surroundings.network)
        // Whatever else the process does must not use up the time of a target.
        let found = await withTaskExecutorPreference(prober.executor) {
            await results(
                of: targets.map(\.endpoints),
                with: RetryingProber(prober: prober),
                inFlight: max(1, min(limit, surroundings.connectionLimit))
            )
        }
        await prober.shutdown()
        let asked = targets.flatMap { target in target.endpoints.map { ($0, target) } }
        return zip(asked, found).map { (asked, result) -> KeySource in
            let (endpoint, target) = asked
            switch result {
            case .success(let result):
                return KeySource(endpoint, result, target, time: time)
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
