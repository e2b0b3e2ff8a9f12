import Base
import PinChecking
import Pinning

/// Metrics in the text format of Prometheus, for the textfile collector of node_exporter and for scrapes of ``ServeCommand``.
///
/// Labels hold what the user configured and what an address can be; of a certificate only the leaf's, which are escaped and bounded.
struct PrometheusRenderer: ResultRenderer {
    private let now: @Sendable () -> Timestamp
    private var seen: [String: Int] = [:]
    private var page = MetricPage(families)

    private static let families = """
        pincheck_status The exit status of the target: 0 pass, 1 fail, 2 no verdict, 3 warning, 4 changed. Alert on != 0.
        pincheck_reached Whether there was a chain to judge (1), or no verdict (0).
        pincheck_accepted Whether the client accepts the server now, whatever is left of it; absent without a verdict.
        pincheck_pins_configured How many pins are configured.
        pincheck_pins_matched How many of the configured pins are on the chain; absent without a chain.
        pincheck_pins_match_until_timestamp_seconds \
        Until when the pins that match now are sure to; absent when none does.
        pincheck_no_pin_after_timestamp_seconds \
        After when no configured pin is sure to match; absent where a backup has no end.
        pincheck_has_backup_pin Whether everything that has to match does and has a pin in reserve (1).
        pincheck_warnings How many warnings there are.
        pincheck_warning What is warned of, by its id (1).
        pincheck_certificate_not_after_timestamp_seconds \
        The end of validity of each certificate that the verdict rests on, 0 for the leaf.
        pincheck_certificate_not_before_timestamp_seconds \
        The start of validity of each certificate that the verdict rests on, 0 for the leaf.
        pincheck_leaf_info The leaf that was presented: its key's hash, its issuer and its serial number (1).
        pincheck_check_duration_seconds How long each phase of the connection took.
        pincheck_http_status The HTTP status of the answer to --request; absent without one.
        pincheck_http_answer_seconds How long the answer to --request took; absent without one.
        pincheck_run_status The exit status of the whole run: the worst of its targets.
        pincheck_last_run_timestamp_seconds When pincheck wrote these metrics.
        """

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    mutating func text(for reports: [Report]) -> String {
        for report in reports { add(report) }
        return ""
    }

    private mutating func add(_ report: Report) {
        let labels = labels(of: report)
        func add(_ name: String, _ value: (some CustomStringConvertible)?, _ more: MetricPage.Labels = []) {
            if let value { page.add("pincheck_" + name, value, labels + more) }
        }
        func seconds(_ milliseconds: Double?) -> String? { milliseconds.map { decimalSeconds($0 / 1_000) } }
        // What is shown for comparison must set off no alert that is about the target.
        if report.counts { add("status", report.exit.rawValue) }
        add("reached", report.verdict == .none && report.status != .data ? 0 : 1)
        var names: [String?: UniqueNames] = [:]
        for client in report.clients where client.verdict != .none {
            let name = names[client.device, default: UniqueNames()].name(client.nameWithSettings)
            add(
                "accepted", client.verdict == .accept ? 1 : 0,
                [("client", name)] + (client.device.map { [("device", $0)] } ?? []))
        }
        add("pins_configured", report.pins.configured.count)
        if !report.built.isEmpty { add("pins_matched", report.pins.matchedPins.count) }
        add("warnings", report.attention.count)
        for id in report.warningIDs { add("warning", 1, [("id", id)]) }
        for (depth, path, link) in report.neededCertificates {
            let place = [("depth", String(depth))] + (path == 1 ? [] : [("path", String(path))])
            add("certificate_not_after_timestamp_seconds", link.certificate.notAfter.secondsSinceEpoch, place)
            add("certificate_not_before_timestamp_seconds", link.certificate.notBefore.secondsSinceEpoch, place)
        }
        if let leaf = report.presented.first {
            add("leaf_info", 1, [("spki", leaf.spkiSha256), ("issuer", leaf.issuer), ("serial", leaf.serial)])
        }
        if let outlook = report.outlook, !report.pins.configured.isEmpty {
            add("pins_match_until_timestamp_seconds", outlook.pinsMatchUntil?.secondsSinceEpoch)
            add("no_pin_after_timestamp_seconds", outlook.noPinAfter?.secondsSinceEpoch)
            add("has_backup_pin", outlook.hasBackup && !report.pins.matched.isEmpty ? 1 : 0)
        }
        if let times = report.tls?.timingsMs {
            for (phase, time) in [
                ("resolve", times.resolve), ("connect", times.connect), ("handshake", times.handshake),
            ] { add("check_duration_seconds", seconds(time), [("phase", phase)]) }
        }
        add("http_status", report.http?.status)
        add("http_answer_seconds", seconds(report.http?.timeMs))
    }

    mutating func ending(exit: ExitStatus) -> String {
        page.add("pincheck_run_status", exit.rawValue)
        page.add("pincheck_last_run_timestamp_seconds", now().secondsSinceEpoch)
        return page.text
    }

    /// What tells the target from every other.
    ///
    /// Two equal series would make the collector refuse the whole file, so a second check of the same has a number.
    private mutating func labels(of report: Report) -> MetricPage.Labels {
        var labels = [("target", report.target), ("address", report.peer ?? report.endpoint?.address ?? "")]
        if let label = report.variantLabel { labels.append(("variant", label)) }
        let count = seen["\(labels)", default: 0] + 1
        seen["\(labels)"] = count
        return count == 1 ? labels : labels + [("check", String(count))]
    }
}

struct MetricPage: Sendable {
    typealias Labels = [(name: String, value: String)]

    private let families: [(name: String, help: String)]
    private var series: [String: [String]] = [:]

    /// A page of these families, a line each with the name and its help; those that end in `_total` are counters.
    init(_ families: String) {
        self.families = families.split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return (String(parts[0]), String(parts[1]))
        }
    }

    mutating func add(_ name: String, _ value: some CustomStringConvertible, _ labels: Labels = []) {
        let pairs = labels.map { $0.name + "=\"" + Self.escaped($0.value) + "\"" }
        series[name, default: []].append(
            name + (pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}") + " \(value)\n")
    }

    var text: String {
        families.map { name, help in
            guard let lines = series[name] else { return "" }
            let kind = name.hasSuffix("_total") ? "counter" : "gauge"
            return "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" + lines.joined()
        }.joined()
    }

    private static func escaped(_ text: String) -> String {
        TerminalText.shown(text, to: 200).replacingBytes(["\\": "\\\\", "\"": "\\\""])
    }
}
