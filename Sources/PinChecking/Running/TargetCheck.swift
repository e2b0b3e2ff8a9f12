import Pinning
import TLSProbe

/// Checks all variants of one target: finds its addresses, connects in every way asked for, judges and compares.
struct TargetCheck: Sendable {
    let checker: Checker
    let check: Check
    let variants: TargetVariants

    /// All connections that say something of their own, with what they differ in.
    func checked() async -> CheckedTarget {
        let deadline = Deadline(in: check.endpoint.request.timeout)
        let judging = JudgingTime(limit: checker.judgingLimit(deadline.remaining))
        // Judging other chains must not use up this target's time.
        let (outcomes, gaps) = await withTaskExecutorPreference(checker.prober.executor) {
            await connect(until: deadline, judging)
        }
        judging.allow(checker.judgingLimit(deadline.remaining))
        let connections = (variants.recorded == nil ? shown(outcomes) : outcomes).map { outcome in
            outcome.checked ?? judged(outcome.result, of: outcome.endpoint, as: outcome.variant, judging)
        }
        return CheckedTarget(connections, by: check.policy, compared: TargetComparison(of: outcomes, gaps: gaps))
    }

    /// Judges what a connection came to, if there is time left for it.
    private func judged(
        _ result: Result<Handshake, ProbeError>, of endpoint: CheckEndpoint, as variant: Variant, _ judging: JudgingTime
    ) -> CheckedConnection {
        judging.counting {
            checker.checked(endpoint, result, by: check.policy, as: variant, isOutOfTime: judging.isUsedUp)
        }
    }

    /// Makes all connections within the target's timeout, the lookups and services before them included.
    private func connect(
        until deadline: Deadline, _ judging: JudgingTime
    ) async -> ([VariantOutcome], [HostAddresses.Gap]) {
        let (attempts, gaps, failed) = await attempts(until: deadline)
        return (await probe(attempts, until: deadline, judging) + failed, gaps)
    }

    // MARK: Addresses

    /// What to connect to, families that were not answered, and names that could not be looked up.
    private func attempts(until deadline: Deadline) async -> ([VariantAttempt], [HostAddresses.Gap], [VariantOutcome]) {
        if let recorded = variants.recorded { return (recorded, [], []) }
        let (endpoints, gaps, failed) = await findAddresses(until: deadline)
        let attempts = endpoints.flatMap { endpoint in
            variants.settings.variants(of: endpoint).map { VariantAttempt(endpoint: endpoint, variant: $0) }
        }
        return (attempts, gaps, failed)
    }

    /// The endpoints to connect to, families that were not answered, and names that could not be looked up.
    private func findAddresses(
        until deadline: Deadline
    ) async -> ([CheckEndpoint], [HostAddresses.Gap], [VariantOutcome]) {
        var found: [CheckEndpoint] = []
        var gaps: [HostAddresses.Gap] = []
        var failed: [VariantOutcome] = []
        for endpoint in variants.endpoints {
            guard case .resolve(let name, let family) = endpoint.request.destination, variants.looksUp(endpoint) else {
                found.append(endpoint)
                continue
            }
            do {
                let answer = try await checker.addresses(
                    of: name, family: family, timeout: deadline.remaining, from: variants.settings.service)
                gaps += answer.gaps
                found += answer.addresses.map { endpoint.connecting(to: $0, lookedUpAs: name) }
            } catch {
                let failure = error.ofPart(of: deadline.timeout)
                failed.append(VariantOutcome(endpoint: endpoint, variant: .ordinary, result: .failure(failure)))
            }
        }
        return (found, gaps, failed)
    }

    // MARK: Connections

    /// Makes the connections, those of ordinary clients first, and says of each that there was no time for it once that is so.
    private func probe(
        _ attempts: [VariantAttempt], until deadline: Deadline, _ judging: JudgingTime
    ) async -> [VariantOutcome] {
        let order =
            attempts.indices.filter { attempts[$0].variant == .ordinary }
            + attempts.indices.filter { attempts[$0].variant != .ordinary }
        return await withTaskGroup(of: (Int, VariantOutcome).self) { group in
            var outcomes = [VariantOutcome?](repeating: nil, count: attempts.count)
            var next = 0
            func startNext() {
                guard next < order.count else { return }
                let index = order[next]
                next += 1
                group.addTask { (index, await outcome(of: attempts[index], until: deadline, judging)) }
            }
            for _ in 0..<min(checker.connectionsToTarget, order.count) { startNext() }
            for await (index, outcome) in group {
                outcomes[index] = outcome
                startNext()
            }
            return outcomes.compactMap(\.self)
        }
    }

    /// Makes a connection; on that of an ordinary client the server is asked what there is to ask.
    private func outcome(
        of attempt: VariantAttempt, until deadline: Deadline, _ judging: JudgingTime
    ) async -> VariantOutcome {
        let variant = attempt.variant
        let endpoint = attempt.endpoint.with(variant.request(of: attempt.endpoint))
        let remaining = deadline.remaining
        guard remaining > .zero else {
            let reason = ProbeError.Reason.noTimeLeft(timeout: deadline.timeout)
            let failure = ProbeError(.connect, reason, target: endpoint.request.target)
            return VariantOutcome(endpoint: endpoint, variant: variant, result: .failure(failure))
        }
        var limited = endpoint.request
        limited.timeout = remaining
        guard let exchange = endpoint.exchange, variant == .ordinary else {
            let result = await checker.result(of: limited, retries: check.retries)
            return VariantOutcome(
                endpoint: endpoint, variant: variant, result: result.mapError { $0.ofPart(of: deadline.timeout) })
        }
        let connection = await checker.asked(exchange, limited, retries: check.retries) { result in
            // Not where the other connections are made: judging must not keep them waiting.
            await withTaskExecutorPreference(globalConcurrentExecutor) {
                judged(result.mapError { $0.ofPart(of: deadline.timeout) }, of: endpoint, as: variant, judging)
            }
        }
        return VariantOutcome(endpoint: endpoint, variant: variant, result: connection.result, checked: connection)
    }

    // MARK: What is shown

    /// The outcomes that say something of their own, in their order.
    ///
    /// What a server does not offer is no failure, and an address that cannot be reached is said to be so once.
    private func shown(_ outcomes: [VariantOutcome]) -> [VariantOutcome] {
        let serving = Set(outcomes.filter(\.isServing).map(\.place))
        let ordinary = Dictionary(
            outcomes.filter { $0.variant == .ordinary }.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
        return outcomes.filter { outcome in
            guard outcome.variant != .ordinary, !outcome.isServing else { return true }
            guard outcome.variant.counts, !outcome.isRefused(whereOthersWork: serving.contains(outcome.place)) else {
                return false
            }
            guard !outcome.isUntried || serving.contains(outcome.place) else { return false }
            return !(ordinary[outcome.place].map(outcome.failed) ?? false)
        }
    }
}

extension CheckEndpoint {
    fileprivate func connecting(to address: IPAddress, lookedUpAs name: String) -> CheckEndpoint {
        var request = request
        request.destination = .address(address)
        var endpoint = with(request)
        endpoint.lookedUpName = name
        return endpoint
    }

    fileprivate func with(_ request: ProbeRequest) -> CheckEndpoint {
        var endpoint = self
        endpoint.request = request
        return endpoint
    }
}
