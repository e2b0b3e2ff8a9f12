import HTTPDNS
import Pinning
import TLSProbe
import Text

/// Checks endpoints: connects, judges, reports.
struct Checker: Sendable {
    /// Tells the time.
    let now: @Sendable () -> Timestamp

    private let prober: RetryingProber
    /// How many connections to one target are made at the same time, at least one.
    var connectionsToTarget = TargetVariants.connectionLimit
    /// How much of a processor's time the chains of one target may cost to judge, by its timeout.
    var judgingLimit: @Sendable (_ timeout: Duration) -> Duration = { max($0, .seconds(1)) }
    /// Judges the chain of a service that is asked for addresses over TLS.
    var objection: AddressResolver.Objection = { _, _ in "nobody judges it" }

    /// A checker of about `count` targets that connects on `thread`, or on one of its own.
    init(thread: ProbeThread?, expecting count: Int = 1, now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        prober = RetryingProber(prober: Prober(on: thread, expecting: count))
    }

    /// Checks jobs at the same time, at most `limit` of them, and hands the outcomes of each over as they come, with the position
    /// of the job.
    ///
    /// A checker does this once: afterwards it has let go of its threads.
    func check(
        _ jobs: [CheckJob],
        inFlight limit: Int,
        each: (Int, [CheckOutcome]) throws(CommandError) -> Void
    ) async throws(CommandError) {
        let result: Result<Void, CommandError>
        if jobs.count == 1, jobs[0].variants == nil {
            let outcome = await outcome(of: jobs[0])
            result = Result { () throws(CommandError) in try each(0, [outcome]) }
        } else {
            // Judging one chain or writing to a slow reader must not keep the others' answers waiting.
            result = await withTaskExecutorPreference(globalConcurrentExecutor) {
                await checkAll(jobs, inFlight: limit, each: each)
            }
        }
        await prober.prober.shutdown()
        try result.get()
    }

    private func checkAll(
        _ jobs: [CheckJob],
        inFlight limit: Int,
        each: (Int, [CheckOutcome]) throws(CommandError) -> Void
    ) async -> Result<Void, CommandError> {
        await withTaskGroup(of: (Int, [CheckOutcome]).self) { group in
            var next = 0
            func startNext() {
                guard next < jobs.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await outcomes(of: jobs[index])) }
            }
            for _ in 0..<limit where next < jobs.count { startNext() }
            for await (index, outcomes) in group {
                startNext()
                do throws(CommandError) {
                    try each(index, outcomes)
                } catch {
                    group.cancelAll()
                    return .failure(error)
                }
            }
            return .success(())
        }
    }

    private func outcomes(of job: CheckJob) async -> [CheckOutcome] {
        guard let variants = job.variants else { return [await outcome(of: job)] }
        return await TargetCheck(checker: self, job: job, variants: variants).outcomes()
    }

    /// Checks one endpoint.
    private func outcome(of job: CheckJob) async -> CheckOutcome {
        let result = await result(of: job.endpoint.request, retries: job.retries)
        return CheckOutcome(
            endpoint: job.endpoint,
            variant: .ordinary,
            served: try? result.get(),
            report: report(on: job.endpoint, result, by: job.evaluation)
        )
    }

    /// Connects.
    func result(of request: ProbeRequest, retries: Int) async -> Result<ProbeResult, ProbeError> {
        do {
            return .success(try await prober.probe(request, retries: retries))
        } catch {
            return .failure(error)
        }
    }

    /// What runs the steps between the connections of one target, while the chains of others are judged elsewhere.
    var connectingExecutor: any TaskExecutor { prober.prober.executor }

    /// Asks `service`, or the system's resolver, for all addresses of a name.
    func addresses(
        of name: String,
        family: ProbeRequest.AddressFamily,
        timeout: Duration,
        from service: AddressService?
    ) async throws(ProbeError) -> HostAddresses {
        guard let service else { return try await prober.prober.addresses(of: name, family: family, timeout: timeout) }
        return try await AddressResolver(service, prober: prober.prober, objection: objection)
            .addresses(of: name, family: family, timeout: timeout)
    }

    /// Reports a connection whose chain there was no time to judge.
    func report(unjudged result: ProbeResult, of endpoint: CheckEndpoint, by evaluation: Evaluation?) -> Report {
        let subject = Report.Subject(
            target: endpoint.target,
            endpoint: endpoint.report(peer: result.peer),
            tls: Report.TLS(result),
            referenceName: endpoint.referenceName,
            time: evaluation?.time ?? now()
        )
        let message =
            "no time was left to judge what '\(endpoint.target)' sent: judging its other chains took too long; raise --timeout"
        return Report(
            subject,
            evaluation: evaluation,
            unreachable: Report.Message(id: "no-time", message: message),
            checks: Report.Check.phases(failing: nil, endpoint: endpoint)
        )
    }

    /// Judges what a connection came to, or only reports it where there is nothing to judge it by.
    func report(
        on endpoint: CheckEndpoint,
        _ result: Result<ProbeResult, ProbeError>,
        by evaluation: Evaluation?,
        as variant: Variant = .ordinary
    ) -> Report {
        let time = evaluation?.time ?? now()
        switch result {
        case .success(let result):
            let subject = Report.Subject(
                target: endpoint.target,
                endpoint: endpoint.report(peer: result.peer),
                tls: Report.TLS(result),
                referenceName: endpoint.referenceName,
                time: time,
                omitsServerName: variant == .withoutSNI
            )
            var report =
                if let evaluation {
                    Report(subject, presented: result.presented, by: evaluation)
                } else {
                    Report(unjudged: subject, presented: result.presented.certificates)
                }
            report.checks.insert(contentsOf: Report.Check.phases(failing: nil, endpoint: endpoint), at: 0)
            if let warning = Report.Message.clientCertificate(endpoint.request, result) {
                report.warnings.append(warning)
            }
            if let evaluation { report.applyWarnings(evaluation.outlook) }
            return report
        case .failure(let error):
            let subject = Report.Subject(
                target: endpoint.target,
                endpoint: endpoint.report(peer: error.peer),
                tls: nil,
                referenceName: endpoint.referenceName,
                time: time
            )
            return Report(
                subject,
                evaluation: evaluation,
                unreachable: Report.Message(id: error.id, message: "\(error.phase.rawValue): \(error)"),
                checks: Report.Check.phases(failing: error, endpoint: endpoint)
            )
        }
    }
}

/// What came of one connection.
struct CheckOutcome: Sendable {
    /// Where it went.
    let endpoint: CheckEndpoint
    /// In which way it was made.
    let variant: Variant
    /// What the server sent, `nil` when there was no answer.
    let served: ProbeResult?
    /// The report on it.
    var report: Report
}
