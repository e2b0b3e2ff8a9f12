import Base
import PinFormats
import Pinning

/// Metrics in the text format of Prometheus, for the textfile collector of node_exporter and for scrapes of ``ServeCommand``.
///
/// Labels hold what the user configured and what an address can be; nothing of a certificate, which could be anything.
struct PrometheusRenderer: ResultRenderer {
    private let now: @Sendable () -> Timestamp
    private var seen: [String: Int] = [:]
    private var status = MetricFamily(
        name: "pincheck_status",
        help: "The exit status of the target: 0 pass, 1 fail, 2 no verdict, 3 warning, 4 changed. Alert on != 0.")
    private var reached = MetricFamily(
        name: "pincheck_reached", help: "Whether there was a chain to judge (1), or no verdict (0).")
    private var accepted = MetricFamily(
        name: "pincheck_accepted",
        help: "Whether the client accepts the server now, whatever is left of it; absent without a verdict.")
    private var configured = MetricFamily(name: "pincheck_pins_configured", help: "How many pins are configured.")
    private var matched = MetricFamily(
        name: "pincheck_pins_matched", help: "How many of the configured pins are on the chain; absent without a chain."
    )
    private var warnings = MetricFamily(name: "pincheck_warnings", help: "How many warnings there are.")
    private var warning = MetricFamily(name: "pincheck_warning", help: "What is warned of, by its id (1).")
    private var notAfter = MetricFamily(
        name: "pincheck_certificate_not_after_timestamp_seconds",
        help: "The end of validity of each certificate that the verdict rests on, 0 for the leaf.")
    private var notBefore = MetricFamily(
        name: "pincheck_certificate_not_before_timestamp_seconds",
        help: "The start of validity of each certificate that the verdict rests on, 0 for the leaf.")
    private var matchUntil = MetricFamily(
        name: "pincheck_pins_match_until_timestamp_seconds",
        help: "Until when the pins that match now are sure to; absent when none does.")
    private var noPinAfter = MetricFamily(
        name: "pincheck_no_pin_after_timestamp_seconds",
        help: "After when no configured pin is sure to match; absent where a backup has no end.")
    private var backup = MetricFamily(
        name: "pincheck_has_backup_pin", help: "Whether everything that has to match does and has a pin in reserve (1)."
    )
    private var duration = MetricFamily(
        name: "pincheck_check_duration_seconds", help: "How long each phase of the connection took.")
    private var answer = MetricFamily(
        name: "pincheck_http_status", help: "The HTTP status of the answer to --request; absent without one.")
    private var answerTime = MetricFamily(
        name: "pincheck_http_answer_seconds", help: "How long the answer to --request took; absent without one.")

    /// A renderer that asks for the time when the run is over.
    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    mutating func text(for report: Report) -> String {
        let labels = labels(of: report)
        // What is shown for comparison must set off no alert that is about the target.
        if report.counts { status.add(labels, report.exit.code) }
        reached.add(labels, report.verdict == .none ? 0 : 1)
        var clients = ClientNames()
        for client in report.clients where client.verdict != .none {
            accepted.add(
                labels + [("client", clients.name(client.nameWithSettings, of: client.device))]
                    + (client.device.map { [("device", $0)] } ?? []), client.verdict == .accept ? 1 : 0)
        }
        configured.add(labels, report.pins.configured.count)
        if !report.built.isEmpty { matched.add(labels, Set(report.pins.matched.map(\.pin)).count) }
        warnings.add(labels, report.attention.count)
        for id in report.warningIDs { warning.add(labels + [("id", id)], 1) }
        for place in report.neededCertificates {
            let path = place.path == 1 ? [] : [("path", String(place.path))]
            let labels = labels + [("depth", String(place.depth))] + path
            let link = place.link
            notAfter.add(labels, time: link.certificate.notAfter)
            notBefore.add(labels, time: link.certificate.notBefore)
        }
        if let outlook = report.outlook, !report.pins.configured.isEmpty {
            if let time = outlook.pinsMatchUntil { matchUntil.add(labels, time: time) }
            if let time = outlook.noPinAfter { noPinAfter.add(labels, time: time) }
            backup.add(labels, outlook.hasBackup && !report.pins.matched.isEmpty ? 1 : 0)
        }
        if let timings = report.tls?.timingsMs {
            let phases = [("resolve", timings.resolve), ("connect", timings.connect), ("handshake", timings.handshake)]
            for case (let phase, let milliseconds?) in phases {
                duration.add(labels + [("phase", phase)], DecimalText.seconds(milliseconds / 1_000))
            }
        }
        if let status = report.http?.status { answer.add(labels, status) }
        if let milliseconds = report.http?.timeMs { answerTime.add(labels, DecimalText.seconds(milliseconds / 1_000)) }
        return ""
    }

    mutating func ending(exit: ExitStatus) -> String {
        var lastRun = MetricFamily(
            name: "pincheck_last_run_timestamp_seconds", help: "When pincheck wrote these metrics.")
        lastRun.add([], now().secondsSinceEpoch)
        var worst = MetricFamily(
            name: "pincheck_run_status", help: "The exit status of the whole run: the worst of its targets.")
        worst.add([], exit.rawValue)
        let families = [
            status, reached, accepted, configured, matched, matchUntil, noPinAfter, backup, warnings, warning, notAfter,
            notBefore, duration, answer, answerTime, worst, lastRun,
        ]
        return families.map(\.text).joined()
    }

    /// What tells the target from every other.
    ///
    /// Two equal series would make the collector refuse the whole file, so a second check of the same has a number.
    private mutating func labels(of report: Report) -> MetricFamily.Labels {
        var labels = [("target", report.target), ("address", report.peer ?? report.endpoint?.address ?? "")]
        if let label = report.variantLabel { labels.append(("variant", label)) }
        let count = seen["\(labels)", default: 0] + 1
        seen["\(labels)"] = count
        return count == 1 ? labels : labels + [("check", String(count))]
    }
}

/// The names of clients, made different from each other on each device.
private struct ClientNames {
    private var names: [String?: UniqueNames] = [:]

    mutating func name(_ text: String, of device: String?) -> String {
        names[device, default: UniqueNames()].name(text)
    }
}

extension MetricFamily {
    /// Adds a moment in RFC 3339.
    fileprivate mutating func add(_ labels: Labels, time: String) {
        guard let time = try? TimeText.read(time) else { return }
        add(labels, time.secondsSinceEpoch)
    }
}
