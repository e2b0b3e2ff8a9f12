import Pinning
import TLSProbe

extension Checker {
    func checkedVariants(of check: Check) async -> CheckedTarget {
        let deadline = Deadline(in: check.timeout)
        let judging = JudgingTime(limit: judgingLimit(deadline.remaining))
        // The judging of other chains must not use up this target's time.
        let (all, absent) = await withTaskExecutorPreference(prober.executor) {
            let (attempts, absent, failed) = await attempts(of: check, until: deadline)
            return (await probe(attempts, of: check, until: deadline, judging) + failed, absent)
        }
        judging.allow(judgingLimit(deadline.remaining))
        let connections = all.connections(expecting: check.expected).map { connection in
            connection.isTold ? judge(connection, by: check.policy, judging) : connection
        }
        // Recorded variants are reported with any outcome.
        return CheckedTarget(
            check.recorded == nil ? connections.filter(\.isTold) : connections, by: check.policy,
            compared: AddressComparison(of: connections, absent: absent))
    }

    private func judge(
        _ connection: CheckedConnection, by policy: HostPolicy?, _ judging: JudgingTime
    ) -> CheckedConnection {
        guard connection.judged == nil, !connection.isOutOfTime else { return connection }
        return judging.counting { judge(connection, by: policy, isOutOfTime: judging.isUsedUp) }
    }

    /// The connections to make, the families without an address of a name, and the failed look-ups.
    private func attempts(
        of check: Check, until deadline: Deadline
    ) async -> ([Attempt], [Variant], [CheckedConnection]) {
        if let recorded = check.recorded { return (Array(zip(check.endpoints, recorded)), [], []) }
        let variants = check.variants
        var found: [CheckEndpoint] = []
        var absent: [Variant] = []
        var failed: [CheckedConnection] = []
        for endpoint in check.endpoints {
            guard variants.asksForAddresses, case .resolve(let name, let family) = endpoint.request.destination else {
                found.append(endpoint)
                continue
            }
            func fail(_ error: ProbeError, as variant: Variant = .ordinary) {
                let result = ProbeResult.failure(error.ofPart(of: deadline.timeout))
                failed.append(CheckedConnection(endpoint: endpoint, variant: variant, result: result, time: now()))
            }
            switch await addresses(of: name, family, by: endpoint.request, check, until: deadline) {
            case .failure(let error): fail(error)
            case .success(let answer):
                for (family, isIPv6) in [(AddressFamily.ipv4, false), (.ipv6, true)] {
                    guard let failure = answer.others[family] else { continue }
                    let variant = Variant.family(isIPv6: isIPv6)
                    if let failure { fail(failure, as: variant) } else { absent.append(variant) }
                }
                found += answer.addresses.map { address in
                    var found = endpoint
                    found.request.destination = .address(address)
                    found.lookedUpName = name
                    return found
                }
            }
        }
        return (found.flatMap { endpoint in variants.variants(of: endpoint).map { (endpoint, $0) } }, absent, failed)
    }

    /// Looks up all addresses of a name; retries if a family is unknown, and settles for the known ones.
    private func addresses(
        of name: String, _ family: AddressFamily, by request: ProbeRequest, _ check: Check, until deadline: Deadline
    ) async -> Result<HostAddresses, ProbeError> {
        var request = request
        request.timeout = deadline.remaining
        var partial: HostAddresses?
        let resolver = check.variants.service.map { AddressResolver($0, prober: prober, objection: objection) }
        do throws(ProbeError) {
            return .success(
                try await request.retrying(check.retries) { (request) throws(ProbeError) in
                    let answer =
                        if let resolver {
                            try await resolver.addresses(of: name, family: family, timeout: request.timeout)
                        } else { try await prober.addresses(of: name, family: family, timeout: request.timeout) }
                    partial = answer
                    for case let failure?? in answer.others.values { throw failure }
                    return answer
                })
        } catch { return partial.map(Result.success) ?? .failure(error) }
    }

    /// Makes the connections, ordinary clients' first; a connection without time left fails.
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

    /// Makes a connection; it is judged at once if it may carry a request.
    private func connection(
        of attempt: Attempt, _ check: Check, until deadline: Deadline, _ judging: JudgingTime
    ) async -> CheckedConnection {
        await connection(of: attempt, check, until: deadline) { connection in
            guard connection.endpoint.exchange != nil, attempt.variant == .ordinary else { return connection }
            // Judging runs on other threads, so that it does not delay the other connections.
            return await withTaskExecutorPreference(globalConcurrentExecutor) {
                judge(connection, by: check.policy, judging)
            }
        }
    }
}
