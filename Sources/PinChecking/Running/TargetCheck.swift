import Pinning
import TLSProbe

/// Checks all variants of one target: finds its addresses, connects in every way asked for, judges and compares.
struct TargetCheck: Sendable {
    let checker: Checker
    let check: Check

    private typealias Attempt = (endpoint: CheckEndpoint, variant: Variant)

    /// All connections that say something of their own, with what they differ in.
    func checked() async -> CheckedTarget {
        let deadline = Deadline(in: check.endpoint.request.timeout)
        let judging = JudgingTime(limit: checker.judgingLimit(deadline.remaining))
        // Judging other chains must not use up this target's time.
        let (all, gaps) = await withTaskExecutorPreference(checker.prober.executor) {
            let (attempts, gaps, failed) = await attempts(until: deadline)
            return (await probe(attempts, until: deadline, judging) + failed, gaps)
        }
        judging.allow(checker.judgingLimit(deadline.remaining))
        let connections = (isRecorded ? all : all.shown).map { judged($0, judging) }
        return CheckedTarget(connections, by: check.policy, compared: AddressComparison(of: all, gaps: gaps))
    }

    /// Judges what a connection came to, unless that was done, if there is time left for it.
    private func judged(_ connection: CheckedConnection, _ judging: JudgingTime) -> CheckedConnection {
        guard connection.judged == nil, !connection.isOutOfTime else { return connection }
        return judging.counting { checker.judged(connection, by: check.policy, isOutOfTime: judging.isUsedUp) }
    }

    // MARK: Addresses

    /// What to connect to, families that were not answered, and names that could not be looked up.
    private func attempts(until deadline: Deadline) async -> ([Attempt], [HostAddresses.Gap], [CheckedConnection]) {
        let variants: CheckRequest.Variants
        switch check.ways {
        case .one: return ([(check.endpoint, .ordinary)], [], [])
        case .recorded(let variants): return (Array(zip(check.endpoints, variants)), [], [])
        case .each(let asked): variants = asked
        }
        var found: [CheckEndpoint] = []
        var gaps: [HostAddresses.Gap] = []
        var failed: [CheckedConnection] = []
        for endpoint in check.endpoints {
            guard variants.asksForAddresses, case .resolve(let name, let family) = endpoint.request.destination else {
                found.append(endpoint)
                continue
            }
            do {
                let answer = try await checker.addresses(
                    of: name, family: family, timeout: deadline.remaining, from: variants.service)
                gaps += answer.gaps
                found += answer.addresses.map { address in
                    var found = endpoint
                    found.request.destination = .address(address)
                    found.lookedUpName = name
                    return found
                }
            } catch { failed.append(checker.connection(to: endpoint, .failure(error.ofPart(of: deadline.timeout)))) }
        }
        let attempts = found.flatMap { endpoint in variants.variants(of: endpoint).map { (endpoint, $0) } }
        return (attempts, gaps, failed)
    }

    private var isRecorded: Bool { if case .recorded = check.ways { true } else { false } }

    // MARK: Connections

    /// Makes the connections, those of ordinary clients first, and says of each that there was no time for it once that is so.
    private func probe(
        _ attempts: [Attempt], until deadline: Deadline, _ judging: JudgingTime
    ) async -> [CheckedConnection] {
        let order =
            attempts.indices.filter { attempts[$0].variant == .ordinary }
            + attempts.indices.filter { attempts[$0].variant != .ordinary }
        return await withTaskGroup(of: (Int, CheckedConnection).self) { group in
            var connections = [CheckedConnection?](repeating: nil, count: attempts.count)
            var next = 0
            func startNext() {
                guard next < order.count else { return }
                let index = order[next]
                next += 1
                group.addTask { (index, await connection(of: attempts[index], until: deadline, judging)) }
            }
            for _ in 0..<min(Check.connectionLimit, checker.connectionLimit, order.count) { startNext() }
            for await (index, connection) in group {
                connections[index] = connection
                startNext()
            }
            return connections.compactMap(\.self)
        }
    }

    /// Makes a connection; on that of an ordinary client the server is asked what there is to ask, and judged before.
    private func connection(
        of attempt: Attempt, until deadline: Deadline, _ judging: JudgingTime
    ) async -> CheckedConnection {
        var asked = attempt.endpoint
        asked.request = attempt.variant.request(of: asked)
        let endpoint = asked
        let made = { @Sendable (result: Result<Handshake, ProbeError>) in
            checker.connection(to: endpoint, result.mapError { $0.ofPart(of: deadline.timeout) }, as: attempt.variant)
        }
        var limited = endpoint.request
        limited.timeout = deadline.remaining
        guard limited.timeout > .zero else {
            let reason = ProbeError.Reason.noTimeLeft(timeout: deadline.timeout)
            return made(.failure(ProbeError(.connect, reason, target: endpoint.request.target)))
        }
        guard let exchange = endpoint.exchange, attempt.variant == .ordinary else {
            return made(await checker.result(of: limited, retries: check.retries))
        }
        return await checker.asked(exchange, limited, retries: check.retries) { result in
            // Not where the other connections are made: judging must not keep them waiting.
            await withTaskExecutorPreference(globalConcurrentExecutor) { judged(made(result), judging) }
        }
    }
}
