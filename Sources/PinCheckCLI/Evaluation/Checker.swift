import Pinning
import TLSProbe

/// Checks endpoints: connects, judges, reports.
struct Checker: Sendable {
    /// What chains are judged by.
    let evaluation: Evaluation
    /// Tells the time.
    let now: @Sendable () -> Timestamp

    private let prober: RetryingProber

    /// A checker that connects on `thread`, or on one of its own.
    init(
        evaluation: Evaluation,
        retries: Int,
        thread: ProbeThread?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.evaluation = evaluation
        self.now = now
        prober = RetryingProber(retries: retries, prober: Prober(on: thread))
    }

    /// Checks endpoints at the same time, at most `limit` of them, and hands the reports over in the order of the endpoints.
    ///
    /// A checker does this once: afterwards it has let go of its threads.
    ///
    /// - Returns: the worst status.
    func check(
        _ jobs: [CheckJob],
        inFlight limit: Int,
        each: (Report) throws(CommandError) -> Void
    ) async throws(CommandError) -> ExitStatus {
        let result: Result<ExitStatus, CommandError>
        if jobs.count == 1 {
            let report = await report(on: jobs[0])
            result = Result { () throws(CommandError) in
                try each(report)
                return report.status
            }
        } else {
            // Judging one chain or writing to a slow reader must not keep the others' answers waiting.
            result = await withTaskExecutorPreference(globalConcurrentExecutor) {
                await checkAll(jobs, inFlight: limit, each: each)
            }
        }
        await prober.prober.shutdown()
        return try result.get()
    }

    private func checkAll(
        _ jobs: [CheckJob],
        inFlight limit: Int,
        each: (Report) throws(CommandError) -> Void
    ) async -> Result<ExitStatus, CommandError> {
        var statuses: [ExitStatus] = []
        var failure: CommandError?
        await withTaskGroup(of: (Int, Report).self) { group in
            var waiting: [Int: Report] = [:]
            var nextToStart = 0
            var nextToReport = 0
            func startNext() {
                guard nextToStart < jobs.count else { return }
                let index = nextToStart
                nextToStart += 1
                group.addTask { (index, await report(on: jobs[index])) }
            }
            for _ in 0..<limit where nextToStart < jobs.count { startNext() }
            for await (index, report) in group {
                waiting[index] = report
                startNext()
                while let report = waiting.removeValue(forKey: nextToReport) {
                    nextToReport += 1
                    if !statuses.contains(report.status) { statuses.append(report.status) }
                    do throws(CommandError) {
                        try each(report)
                    } catch {
                        failure = error
                        group.cancelAll()
                        return
                    }
                }
            }
        }
        if let failure { return .failure(failure) }
        return .success(.worst(statuses))
    }

    /// Checks one endpoint.
    private func report(on job: CheckJob) async -> Report {
        do {
            let result = try await prober.probe(job)
            let subject = Report.Subject(
                target: job.target,
                endpoint: job.endpoint(peer: result.peer),
                tls: Report.TLS(result),
                referenceName: job.referenceName,
                time: evaluation.time ?? now()
            )
            var report = Report(subject, presented: result.presented, by: evaluation)
            report.checks.insert(contentsOf: Report.Check.phases(failing: nil, job: job), at: 0)
            return report
        } catch {
            let subject = Report.Subject(
                target: job.target,
                endpoint: job.endpoint(peer: error.peer),
                tls: nil,
                referenceName: job.referenceName,
                time: evaluation.time ?? now()
            )
            return Report(
                subject,
                evaluation: evaluation,
                unreachable: Report.Message(id: error.id, message: "\(error.phase.rawValue): \(error)"),
                checks: Report.Check.phases(failing: error, job: job)
            )
        }
    }
}
