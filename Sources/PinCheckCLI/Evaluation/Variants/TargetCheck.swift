import HTTPDNS
import Pinning
import TLSProbe

/// Checks all variants of one target: finds its addresses, connects in every way asked for, judges and compares.
struct TargetCheck: Sendable {
    let checker: Checker
    let job: CheckJob
    let variants: TargetVariants

    /// What was served, the report on the last with the target's consistency.
    func outcomes() async -> [CheckOutcome] {
        // Judging other chains must not use up this target's time.
        let (outcomes, gaps) = await withTaskExecutorPreference(checker.connectingExecutor) { await connect() }
        var checked: [CheckOutcome] = []
        let judging = JudgingTime(limit: checker.judgingLimit(job.endpoint.request.timeout))
        for outcome in variants.recorded == nil ? shown(outcomes) : outcomes {
            var report = report(on: outcome, within: judging)
            report.variant = Report.Variant(outcome.variant)
            if !outcome.variant.counts, report.verdict != .accept { report.exit = Report.Exit(.warn) }
            checked.append(
                CheckOutcome(
                    endpoint: outcome.endpoint,
                    variant: outcome.variant,
                    served: try? outcome.result.get(),
                    report: report
                )
            )
        }
        guard !checked.isEmpty else { return checked }
        var consistency = Report.Consistency(of: outcomes, gaps: gaps, reports: checked.map(\.report))
        let warnings = consistency.findings.filter { $0.level == .warning }.map {
            Report.Message(id: $0.id, message: $0.message)
        }
        // What differs at recorded endpoints is a change or was there before.
        if job.evaluation?.outlook.failsOnWarning ?? false, variants.recorded == nil, let warning = warnings.first,
            let index = checked.lastIndex(where: { $0.report.counts }), checked[index].report.status == .pass
        {
            checked[index].report.demote(to: .warn, warning)
            consistency.exit = Report.Exit(.worst(checked.map(\.report).filter(\.counts).map(\.status)))
        }
        let last = checked.count - 1
        checked[last].report.consistency = consistency
        checked[last].report.warnings += warnings
        return checked
    }

    /// Judges what was served as long as there is time for it.
    private func report(on outcome: VariantOutcome, within judging: JudgingTime) -> Report {
        if case .success(let result) = outcome.result, judging.isUsedUp {
            return checker.report(unjudged: result, of: outcome.endpoint, by: job.evaluation)
        }
        return checker.report(on: outcome.endpoint, outcome.result, by: job.evaluation, as: outcome.variant)
    }

    /// Makes all connections within the target's timeout, the lookups and services before them included.
    private func connect() async -> ([VariantOutcome], [HostAddresses.Gap]) {
        let deadline = Deadline(in: job.endpoint.request.timeout)
        let (attempts, gaps, failed) = await attempts(until: deadline)
        return (await probe(attempts, until: deadline) + failed, gaps)
    }

    // MARK: Addresses

    /// What to connect to, families that were not answered, and names that could not be looked up.
    private func attempts(until deadline: Deadline) async -> ([VariantAttempt], [HostAddresses.Gap], [VariantOutcome]) {
        if let recorded = variants.recorded { return (recorded, [], []) }
        let (endpoints, gaps, failed) = await findAddresses(until: deadline)
        let attempts = endpoints.flatMap { endpoint in
            variants.settings.variants(of: endpoint.request).map { VariantAttempt(endpoint: endpoint, variant: $0) }
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
                    of: name,
                    family: family,
                    timeout: deadline.remaining,
                    from: variants.settings.service
                )
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
    private func probe(_ attempts: [VariantAttempt], until deadline: Deadline) async -> [VariantOutcome] {
        let order =
            attempts.indices.filter { attempts[$0].variant == .ordinary }
            + attempts.indices.filter { attempts[$0].variant != .ordinary }
        return await withTaskGroup(of: (Int, VariantOutcome).self) { group in
            var outcomes = [VariantOutcome?](repeating: nil, count: attempts.count)
            var next = 0
            func startNext() {
                guard next < order.count else { return }
                let index = order[next]
                let (endpoint, variant) = (attempts[index].endpoint, attempts[index].variant)
                next += 1
                group.addTask {
                    let request = variant.request(from: endpoint.request)
                    let result = await result(of: request, until: deadline)
                    let varied = endpoint.with(request)
                    return (index, VariantOutcome(endpoint: varied, variant: variant, result: result))
                }
            }
            for _ in 0..<min(checker.connectionsToTarget, order.count) { startNext() }
            for await (index, outcome) in group {
                outcomes[index] = outcome
                startNext()
            }
            return outcomes.compactMap(\.self)
        }
    }

    private func result(of request: ProbeRequest, until deadline: Deadline) async -> Result<ProbeResult, ProbeError> {
        guard deadline.remaining > .zero else {
            return .failure(ProbeError(.connect, .noTimeLeft(timeout: deadline.timeout), target: request.target))
        }
        var request = request
        request.timeout = deadline.remaining
        return await checker.result(of: request, retries: job.retries).mapError { $0.ofPart(of: deadline.timeout) }
    }

    // MARK: What is shown

    /// The outcomes that say something of their own, in their order.
    ///
    /// What a server does not offer is no failure, and an address that cannot be reached is said to be so once.
    private func shown(_ outcomes: [VariantOutcome]) -> [VariantOutcome] {
        let serving = Set(outcomes.filter(\.isServing).map(\.place))
        let ordinary = Dictionary(
            outcomes.filter { $0.variant == .ordinary }.map { ($0.place, $0) },
            uniquingKeysWith: { first, _ in first }
        )
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

extension VariantOutcome {
    /// Whether there is a chain.
    var isServing: Bool { if case .success = result { true } else { false } }

    /// What all variants of one endpoint have in common.
    var place: String { endpoint.request.target }
}

extension CheckEndpoint {
    /// The endpoint at one of its name's addresses.
    fileprivate func connecting(to address: IPAddress, lookedUpAs name: String) -> CheckEndpoint {
        var request = request
        request.destination = .address(address)
        var endpoint = with(request)
        endpoint.lookedUpName = name
        return endpoint
    }

    /// The endpoint with another request.
    fileprivate func with(_ request: ProbeRequest) -> CheckEndpoint {
        var endpoint = self
        endpoint.request = request
        return endpoint
    }
}
