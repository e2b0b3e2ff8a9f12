import Base
import PinFormats
package import Pinning
package import TLSProbe
package import X509

/// Gets the keys of servers and files.
package struct KeyCollector: Sendable {
    /// One target, and what its chain is verified by.
    package struct Inquiry: Sendable {
        package let endpoints: [CheckEndpoint]
        package let verifier: OpenSSLPathVerifier
        package let trust: HostPolicy.Trust
        /// Those of them that were given, `nil` for none.
        package let given: TrustStore?
        /// The types of keys that are asked for beside what an ordinary client gets.
        package let keyTypes: [CertificateKeyType]

        package init(
            _ endpoints: [CheckEndpoint], verifier: OpenSSLPathVerifier, trust: HostPolicy.Trust, given: TrustStore?,
            keyTypes: [CertificateKeyType] = []
        ) {
            self.endpoints = endpoints
            self.verifier = verifier
            self.trust = trust
            self.given = given
            self.keyTypes = keyTypes
        }

        /// The connections to an endpoint: an ordinary client's first.
        fileprivate var variants: [Variant] { [.ordinary] + keyTypes.map(Variant.keyType) }

    }

    package let time: Timestamp
    /// How often to try again when there was no answer.
    package let retries: Int

    package init(time: Timestamp, retries: Int) {
        self.time = time
        self.retries = retries
    }

    /// Connects to the endpoints of each target, at most `limit` at the same time, and returns what came of them in their order.
    ///
    /// The timeout is for a target in all, from its first connection on. Each endpoint has one source, and behind it others for keys that it
    /// serves only to clients that ask for their types.
    package func sources(_ targets: [Inquiry], inFlight limit: Int, in surroundings: Surroundings) async -> [KeySource]
    {
        guard targets.contains(where: { !$0.endpoints.isEmpty }) else { return [] }
        let prober = Prober(
            on: surroundings.thread, in: surroundings.network,
            judgingProxiesBy: ServiceTrust.proxyObjection(for: targets.lazy.flatMap(\.endpoints), in: surroundings))
        // Whatever else the process does must not use up the time of a target.
        let found = await withTaskExecutorPreference(prober.executor) {
            await results(
                of: targets, with: RetryingProber(prober: prober),
                inFlight: max(1, min(limit, surroundings.connectionLimit)))
        }
        await prober.shutdown()
        var rest = found[...]
        return targets.flatMap { target in
            target.endpoints.flatMap { endpoint -> [KeySource] in
                let results = rest.prefix(target.variants.count)
                rest = rest.dropFirst(results.count)
                return sources(of: endpoint, target, results)
            }
        }
    }

    /// What the connections to one endpoint came to: the ordinary one, then those that show a key which none before them did.
    private func sources(
        of endpoint: CheckEndpoint, _ target: Inquiry, _ results: ArraySlice<Result<Handshake, ProbeError>>
    ) -> [KeySource] {
        var sources: [KeySource] = []
        var absent: [CertificateKeyType] = []
        for (variant, result) in zip(target.variants, results) {
            var source: KeySource
            switch result {
            case .success(let result):
                source = KeySource(endpoint, result, target, time: time)
                let key = result.presented.leaf.publicKey.spkiSHA256
                if sources.contains(where: { $0.presented?.leaf.publicKey.spkiSHA256 == key }) { continue }
            case .failure(let error):
                if case .keyType(let keyType) = variant, case .keyTypeRefused = error.reason {
                    absent.append(keyType)
                    continue
                }
                // The ordinary connection has said the same.
                if variant != .ordinary, case .unreachable? = sources.first?.standing { continue }
                source = KeySource(endpoint, error)
            }
            if case .keyType(let keyType) = variant { source.keyType = keyType }
            sources.append(source)
        }
        if !sources.isEmpty { sources[0].absentKeyTypes = absent }
        return sources
    }

    /// What the connections to the endpoints of all targets come to, in their order.
    private func results(
        of targets: [Inquiry], with prober: RetryingProber, inFlight limit: Int
    ) async -> [Result<Handshake, ProbeError>] {
        let requests = targets.enumerated().flatMap { index, target in
            target.endpoints.flatMap { endpoint in target.variants.map { (index, $0.request(of: endpoint)) } }
        }
        var deadlines: [Int: Deadline] = [:]
        let work = targets.map { _ in TargetWork() }
        return await withTaskGroup(of: (Int, Result<Handshake, ProbeError>).self) { group in
            var results = [Result<Handshake, ProbeError>?](repeating: nil, count: requests.count)
            var next = 0
            func start() {
                guard next < requests.count else { return }
                let index = next
                let (target, request) = requests[index]
                let deadline = deadlines[target] ?? Deadline(in: request.timeout)
                deadlines[target] = deadline
                next += 1
                group.addTask {
                    await TargetWork.$current.withValue(work[target]) {
                        (index, await result(of: request, until: deadline, with: prober))
                    }
                }
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
        of request: ProbeRequest, until deadline: Deadline, with prober: RetryingProber
    ) async -> Result<Handshake, ProbeError> {
        var request = request
        request.timeout = deadline.remaining
        guard request.timeout > .zero else {
            return .failure(ProbeError(.connect, .noTimeLeft(timeout: deadline.timeout), target: request.target))
        }
        do { return .success(try await prober.probe(request, retries: retries)) } catch {
            return .failure(error.ofPart(of: deadline.timeout))
        }
    }
}
