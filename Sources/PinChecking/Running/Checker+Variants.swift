import Pinning
import TLSProbe

/// Checks all variants of one target: finds its addresses, connects in every way asked for, judges and compares.
extension Checker {
    private typealias Attempt = (endpoint: CheckEndpoint, variant: Variant)

    /// All connections that say something of their own, with what they differ in.
    func checkedVariants(of check: Check) async -> CheckedTarget {
        let deadline = Deadline(in: check.timeout)
        let judging = JudgingTime(limit: judgingLimit(deadline.remaining))
        // Judging other chains must not use up this target's time.
        let (all, gaps) = await withTaskExecutorPreference(prober.executor) {
            let (attempts, gaps, failed) = await attempts(of: check, until: deadline)
            return (await probe(attempts, of: check, until: deadline, judging) + failed, gaps)
        }
        judging.allow(judgingLimit(deadline.remaining))
        let connections = (check.recorded == nil ? all.shown : all).map { judged($0, by: check.policy, judging) }
        return CheckedTarget(connections, by: check.policy, compared: AddressComparison(of: all, gaps: gaps))
    }

    /// Judges what a connection came to, unless that was done, if there is time left for it.
    private func judged(
        _ connection: CheckedConnection, by policy: HostPolicy?, _ judging: JudgingTime
    ) -> CheckedConnection {
        guard connection.judged == nil, !connection.isOutOfTime else { return connection }
        return judging.counting { judged(connection, by: policy, isOutOfTime: judging.isUsedUp) }
    }

    /// What to connect to, families that were not answered, and names that could not be looked up.
    private func attempts(
        of check: Check, until deadline: Deadline
    ) async -> ([Attempt], [HostAddresses.Gap], [CheckedConnection]) {
        if let recorded = check.recorded { return (Array(zip(check.endpoints, recorded)), [], []) }
        let variants = check.variants
        var found: [CheckEndpoint] = []
        var gaps: [HostAddresses.Gap] = []
        var failed: [CheckedConnection] = []
        for endpoint in check.endpoints {
            guard variants.asksForAddresses, case .resolve(let name, let family) = endpoint.request.destination else {
                found.append(endpoint)
                continue
            }
            do {
                let answer = try await addresses(
                    of: name, family: family, timeout: deadline.remaining, from: variants.service)
                gaps += answer.gaps
                found += answer.addresses.map { address in
                    var found = endpoint
                    found.request.destination = .address(address)
                    found.lookedUpName = name
                    return found
                }
            } catch { failed.append(connection(to: endpoint, .failure(error.ofPart(of: deadline.timeout)))) }
        }
        return (found.flatMap { endpoint in variants.variants(of: endpoint).map { (endpoint, $0) } }, gaps, failed)
    }

    /// Makes the connections, those of ordinary clients first, and says of each that there was no time for it once that is so.
    private func probe(
        _ attempts: [Attempt], of check: Check, until deadline: Deadline, _ judging: JudgingTime
    ) async -> [CheckedConnection] {
        let order =
            attempts.indices.filter { attempts[$0].variant == .ordinary }
            + attempts.indices.filter { attempts[$0].variant != .ordinary }
        return await withTaskGroup(of: (Int, CheckedConnection).self) { group in
            var connections = [CheckedConnection?](repeating: nil, count: attempts.count)
            var next = order.makeIterator()
            func startNext() {
                guard let index = next.next() else { return }
                group.addTask { (index, await connection(of: attempts[index], check, until: deadline, judging)) }
            }
            for _ in 0..<min(Check.connectionLimit, connectionLimit, order.count) { startNext() }
            for await (index, connection) in group {
                connections[index] = connection
                startNext()
            }
            return connections.compactMap(\.self)
        }
    }

    /// Makes a connection; on that of an ordinary client the server is asked what there is to ask, and judged before.
    private func connection(
        of attempt: Attempt, _ check: Check, until deadline: Deadline, _ judging: JudgingTime
    ) async -> CheckedConnection {
        var asked = attempt.endpoint
        asked.request = attempt.variant.request(of: asked)
        let endpoint = asked
        let made = { @Sendable (result: Result<Handshake, ProbeError>) in
            connection(to: endpoint, result.mapError { $0.ofPart(of: deadline.timeout) }, as: attempt.variant)
        }
        var limited = endpoint.request
        limited.timeout = deadline.remaining
        guard limited.timeout > .zero else {
            let reason = ProbeError.Reason.noTimeLeft(timeout: deadline.timeout)
            return made(.failure(ProbeError(.connect, reason, target: endpoint.request.target)))
        }
        guard let exchange = endpoint.exchange, attempt.variant == .ordinary else {
            return made(await result(of: limited, retries: check.retries))
        }
        return await self.asked(exchange, limited, retries: check.retries) { result in
            // Not where the other connections are made: judging must not keep them waiting.
            await withTaskExecutorPreference(globalConcurrentExecutor) {
                judged(made(result), by: check.policy, judging)
            }
        }
    }
}
