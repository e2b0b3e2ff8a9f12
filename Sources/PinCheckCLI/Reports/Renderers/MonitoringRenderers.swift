import Base
import PinChecking
import TLSProbe
import X509

/// Writes metrics; labels contain configured values, addresses and facts of the leaf, escaped and of bounded length.
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
        pincheck_has_backup_pin Whether everything that has to match does and has a backup pin (1).
        pincheck_warnings How many warnings there are.
        pincheck_warning A warning, by its id (1).
        pincheck_certificate_not_after_timestamp_seconds \
        The end of validity of each certificate that the verdict rests on, 0 for the leaf.
        pincheck_certificate_not_before_timestamp_seconds \
        The start of validity of each certificate that the verdict rests on, 0 for the leaf.
        pincheck_address_info The address that the name stood for in this check (1).
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
            if let value { page.add(MetricPage.series("pincheck_" + name, labels + more), value) }
        }
        if let address = report.address, !report.isOneOfSeveral { add("address_info", 1, [("address", address)]) }
        // A connection shown for comparison must not raise an alert on the target.
        if report.counts {
            add("status", report.status.rawValue)
            let isSetUp = report.status == .data && report.reason.id != "bad-entry"
            add("reached", report.verdict != .none || report.status == .pass || isSetUp ? 1 : 0)
        }
        var names: [String?: UniqueNames] = [:]
        for client in report.clients where report.counts && client.verdict != .none {
            let name = names[client.device, default: UniqueNames()].name(MetricPage.label(client.nameWithSettings))
            add(
                "accepted", client.verdict == .accept ? 1 : 0,
                [("client", name)] + (client.device.map { [("device", $0)] } ?? []))
        }
        add("pins_configured", report.pins.count)
        if !report.built.isEmpty { add("pins_matched", report.matchedPins.count) }
        add("warnings", report.attention.count)
        for id in report.warningIDs { add("warning", 1, [("id", id)]) }
        for link in report.needed {
            let place = [("depth", String(link.index))] + (link.path == 1 ? [] : [("path", String(link.path))])
            add("certificate_not_after_timestamp_seconds", link.certificate.notAfter.secondsSinceEpoch, place)
            add("certificate_not_before_timestamp_seconds", link.certificate.notBefore.secondsSinceEpoch, place)
        }
        if let leaf = report.presented.first {
            add("leaf_info", 1, [("spki", leaf.pin), ("issuer", leaf.issuer), ("serial", leaf.serialNumber)])
        }
        if let outlook = report.outlook, !report.pins.isEmpty {
            add("pins_match_until_timestamp_seconds", outlook.pinsMatchUntil?.secondsSinceEpoch)
            add("no_pin_after_timestamp_seconds", outlook.noPinAfter?.secondsSinceEpoch)
            add("has_backup_pin", outlook.hasBackup && !report.matches.isEmpty ? 1 : 0)
        }
        if let times = report.tls?.timings {
            for (phase, time) in [
                ("resolve", times.resolve), ("connect", times.connect), ("handshake", times.handshake),
            ] { add("check_duration_seconds", time.map(decimalSeconds), [("phase", phase)]) }
        }
        add("http_status", report.result.answer?.response?.status)
        add("http_answer_seconds", (report.result.answer?.response?.time).map(decimalSeconds))
    }

    mutating func ending(exit: ExitStatus) -> String {
        page.add("pincheck_run_status", exit.rawValue)
        page.add("pincheck_last_run_timestamp_seconds", now().secondsSinceEpoch)
        return page.text
    }

    /// The labels of a report, numbered from a target's second check on: collectors refuse a file with equal series.
    private mutating func labels(of report: Report) -> MetricPage.Labels {
        var labels = [("target", MetricPage.label(report.target))]
        // An address from DNS changes often, and each change would begin a new series.
        if report.isOneOfSeveral, let address = report.address { labels.append(("address", MetricPage.label(address))) }
        if let label = report.variantLabel { labels.append(("variant", label)) }
        let count = seen["\(labels)", default: 0] + 1
        seen["\(labels)"] = count
        return count == 1 ? labels : labels + [("check", String(count))]
    }
}

struct MetricPage {
    typealias Labels = [(name: String, value: String)]

    private let families: [(name: String, help: String)]
    private var lines: [String: [String]] = [:]

    /// Reads metric families, each a line with a name and its help; the name of a counter ends in `_total`.
    init(_ families: String) {
        self.families = families.split(separator: "\n").map { line in
            let end = line.firstIndex(of: " ") ?? line.endIndex
            return (String(line[..<end]), String(line[end...].dropFirst()))
        }
    }

    static func series(_ name: String, _ labels: Labels) -> String {
        let pairs = labels.map { $0.name + "=\"" + escaped($0.value) + "\"" }
        return name + (pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}")
    }

    mutating func add(_ series: String, _ value: some CustomStringConvertible) {
        lines[String(series.prefix { $0 != "{" }), default: []].append("\(series) \(value)\n")
    }

    var text: String {
        families.map { name, help in
            guard let lines = lines[name] else { return "" }
            let kind = name.hasSuffix("_total") ? "counter" : "gauge"
            return "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" + lines.joined()
        }.joined()
    }

    private static func escaped(_ text: String) -> String { label(text).replacingBytes(["\\": "\\\\", "\"": "\\\""]) }

    /// A value on one line of at most 200 characters; a longer one ends in `…` and 8 digits of its SHA-256.
    static func label(_ text: String) -> String {
        let text = TerminalText.escaped(text)
        guard text.unicodeScalars.count > longestValue else { return text }
        let digits = Hashing.sha256(text.bytes).hexadecimal.prefix(8)
        return TerminalText.shortened(text, to: longestValue - digits.count) + digits
    }

    private static let longestValue = 200
}

/// Writes the output of a check plugin by the Monitoring Plugins guidelines.
struct NagiosRenderer: ResultRenderer {
    private typealias Entry = (
        status: ExitStatus, gravity: Int, name: String, sentence: String, data: [(label: String, value: String)]
    )

    private var entries: [Entry] = []
    private var total = RunTotal()
    private var target = ""
    private var names = UniqueNames()
    private var statuses: Set<ExitStatus> = []
    private var (warnings, unknown) = (0, 0)
    /// The most bytes of output that Nagios 3 accepts, and the most for lines of entries; the rest is performance data.
    private static let (mostBytes, mostOfLines) = (8_192, 4_096)

    /// Counts every warning, even one that does not change the exit status in other formats.
    mutating func text(for reports: [Report]) -> String {
        total.add(reports) { $0.monitoring.runExit }
        let all = TargetLine(reports, isMonitored: true)
        target = Self.safe(reports[0].target, length: 120) + " " + Self.safe(all.sentence + all.more, length: 600)
        for report in reports {
            statuses.formUnion(report.monitoredStatuses)
            warnings += report.warningIDs.count
            unknown += MonitoringState(report.monitoring.runExit) == .unknown ? 1 : 0
            let gravity = max(
                MonitoringState(report.monitoring.exit).gravity,
                MonitoringState(MonitoringState.worst(report.monitoredStatuses)).gravity)
            let name = names.name(Self.safe(report.title.replacing(" → ", with: " at "), length: 120))
            // The comparison of all addresses is in the first line.
            let line = TargetLine([report], isMonitored: true, compares: false)
            let sentence = report.counts ? line.sentence + line.more : report.withAnswer(report.sentence)
            entries.append(
                (report.monitoring.exit, gravity, name, Self.safe(sentence, length: 400), Self.data(of: report)))
        }
        return ""
    }

    mutating func ending(exit: ExitStatus) -> String {
        let exit = MonitoringState.worst(statuses.union([exit]))
        let start = "PINCHECK \(MonitoringState(exit).word) - "
        if entries.count == 1, let entry = entries.first {
            let data = entry.data + [("warnings", "\(warnings);;;0")]
            return start + "\(entry.name) \(entry.sentence) | "
                + data.map { "\(Self.label($0.label))=\($0.value)" }.joined(separator: " ") + "\n"
        }
        func rank(_ index: Int) -> (Int, Int) { (-entries[index].gravity, index) }
        let order = entries.indices.sorted { rank($0) < rank($1) }
        var first = start + (total.count == 1 ? target : total.sentence())
        if total.count > 1, let worst = order.first.map({ entries[$0] }), worst.status != .pass {
            first += "; \(worst.name) \(worst.sentence)"
        }
        first +=
            " | targets=\(total.count);;;0 problems=\(total.problems);;;0;\(total.count) warnings=\(warnings);;;0"
            + " unknown=\(unknown);;;0"
        return first + "\n" + rest(order, after: first.utf8.count)
    }

    /// The lines of the entries and their performance data, as many whole ones as the output has room for.
    private func rest(_ order: [Int], after length: Int) -> String {
        // The line that counts the other entries is shorter than 200 bytes.
        let longest = Self.mostBytes - 200
        var (lines, size) = ([String](), length)
        var others = RunTotal()
        for index in order {
            let line = "\(entries[index].status.name) \(entries[index].name) \(entries[index].sentence)"
            if others.count == 0, size + line.utf8.count < min(longest, length + Self.mostOfLines) {
                lines.append(line)
                size += line.utf8.count + 1
            } else {
                others.add("", entries[index].status)
            }
        }
        if others.count > 0 { lines.append("… and \(others.count) more: \(others.shares().listed)") }
        var data: [String] = []
        for index in order {
            let line = entries[index].data.map { "\(Self.label("\(entries[index].name) \($0.label)"))=\($0.value)" }
                .joined(separator: " ")
            guard !line.isEmpty, size + line.utf8.count < longest else { continue }
            data.append(line)
            size += line.utf8.count + 1
        }
        return lines.joined(separator: "\n") + (data.isEmpty ? "" : " | " + data.joined(separator: "\n")) + "\n"
    }

    static func unknown(_ message: String) -> String {
        let line = message.split(separator: "\n").first.map(String.init) ?? ""
        return "PINCHECK \(MonitoringState.unknown.word) - \(safe(line, length: 400))\n"
    }

    /// The performance data: `'label'=value[unit];[warn];[crit];[min];[max]`.
    private static func data(of report: Report) -> [(label: String, value: String)] {
        var data: [(label: String, value: String)] = []
        // The guidelines write U for an unknown value.
        let time = report.duration.map { decimalSeconds($0) + "s" } ?? "U"
        if report.endpoint != nil { data.append(("time", time + ";;;0")) }
        if let time = report.result.answer?.response?.time {
            data.append(("answer_time", decimalSeconds(time) + "s;;;0"))
        }
        for link in report.needed {
            var limits = [range(from: link.warnDays), range(from: link.failDays)]
            while limits.last?.isEmpty == true { limits.removeLast() }
            let days = decimalText(report.evaluatedAt.seconds(to: link.certificate.notAfter) / 864, places: 2)
            let label = "days_\(link.index)" + (link.path == 1 ? "" : "_\(link.path)")
            data.append((label, ([days] + limits).joined(separator: ";")))
        }
        if !report.pins.isEmpty, !report.built.isEmpty {
            data.append(("pins_matched", "\(report.matchedPins.count);;;0;\(report.pins.count)"))
        }
        return data
    }

    /// The threshold `days:` of the guidelines, which alerts below that number; empty without a number.
    private static func range(from days: Double?) -> String {
        guard let days, days.isFinite else { return "" }
        let hundredths = Int64((min(max(days, 0), 1e9) * 100).rounded())
        return (hundredths % 100 == 0 ? "\(hundredths / 100)" : decimalText(hundredths, places: 2)) + ":"
    }

    /// Escapes text so that it neither ends the line nor begins the performance data.
    private static func safe(_ text: String, length: Int) -> String {
        TerminalText.excerpt(text, to: length).replacingBytes(["|": "\\u{7C}"])
    }

    /// A label, quoted if necessary: it may contain anything but an equals sign, and its quotes are doubled.
    private static func label(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0.isAlphanumeric || $0 == "_" }) { return text }
        return "'" + text.replacingBytes(["'": "''", "=": "\\u{3D}"]) + "'"
    }
}
