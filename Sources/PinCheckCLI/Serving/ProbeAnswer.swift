import PinChecking
import Pinning

/// What a probe came to, as it is told to whoever scrapes and to the log.
struct ProbeAnswer {
    /// The worst status of all connections to the target that count.
    let status: ExitStatus
    let worst: Report?
    let text: String
    /// Whether there was no connection because this process has no descriptor or port left, which says nothing about the target.
    let isOutOfResources: Bool

    init(_ target: CheckedTarget, in time: Duration, now: @escaping @Sendable () -> Timestamp) {
        let reports = target.results().map { Report($0) }
        let status = ExitStatus.worst(reports.filter(\.counts).map(\.status))
        self.status = status
        worst = reports.first { $0.counts && $0.status == status } ?? reports.first
        isOutOfResources = reports.contains { $0.verdict == .none && $0.reason.id == "local-limit" }
        var renderer = PrometheusRenderer(now: now)
        var text = reports.map { renderer.text(for: $0) }.joined() + renderer.ending(exit: status)
        var success = MetricFamily(
            name: "pincheck_probe_success",
            help: "Whether the target passes (1): every client accepts it, and nothing is wrong that was asked about.")
        success.add([], status == .pass ? 1 : 0)
        var duration = MetricFamily(
            name: "pincheck_probe_duration_seconds", help: "How long the probe took, from its request on.")
        duration.add([], DecimalText.seconds(time / .seconds(1)))
        text += success.text + duration.text
        self.text = text
    }
}
