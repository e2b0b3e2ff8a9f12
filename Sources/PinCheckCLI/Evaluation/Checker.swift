import Pinning
import TLSProbe

/// Checks endpoints: connects, judges, reports.
struct Checker: Sendable {
    /// Tells the time.
    let now: @Sendable () -> Timestamp

    private let prober: RetryingProber

    /// A checker that connects on `thread`, or on one of its own.
    init(thread: ProbeThread?, now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        prober = RetryingProber(prober: Prober(on: thread))
    }

    /// Checks endpoints at the same time, at most `limit` of them, and hands each report over as it comes, with the position of
    /// its endpoint.
    ///
    /// A checker does this once: afterwards it has let go of its threads.
    func check(
        _ jobs: [CheckJob],
        inFlight limit: Int,
        each: (Int, Report) throws(CommandError) -> Void
    ) async throws(CommandError) {
        let result: Result<Void, CommandError>
        if jobs.count == 1 {
            let report = await report(on: jobs[0])
            result = Result { () throws(CommandError) in try each(0, report) }
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
        each: (Int, Report) throws(CommandError) -> Void
    ) async -> Result<Void, CommandError> {
        await withTaskGroup(of: (Int, Report).self) { group in
            var next = 0
            func startNext() {
                guard next < jobs.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await report(on: jobs[index])) }
            }
            for _ in 0..<limit where next < jobs.count { startNext() }
            for await (index, report) in group {
                startNext()
                do throws(CommandError) {
                    try each(index, report)
                } catch {
                    group.cancelAll()
                    return .failure(error)
                }
            }
            return .success(())
        }
    }

    /// Checks one endpoint.
    private func report(on job: CheckJob) async -> Report {
        let endpoint = job.endpoint
        let evaluation = job.evaluation
        do {
            let result = try await prober.probe(endpoint, retries: job.retries)
            let subject = Report.Subject(
                target: endpoint.target,
                endpoint: endpoint.report(peer: result.peer),
                tls: Report.TLS(result),
                referenceName: endpoint.referenceName,
                time: evaluation.time ?? now()
            )
            var report = Report(subject, presented: result.presented, by: evaluation)
            report.checks.insert(contentsOf: Report.Check.phases(failing: nil, endpoint: endpoint), at: 0)
            return report
        } catch {
            let subject = Report.Subject(
                target: endpoint.target,
                endpoint: endpoint.report(peer: error.peer),
                tls: nil,
                referenceName: endpoint.referenceName,
                time: evaluation.time ?? now()
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
