import Base
import Pinning

/// The answer of a check plugin, by the Monitoring Plugins guidelines: one line for the run, then a line for each of several
/// targets, and performance data behind a bar.
struct NagiosRenderer: ResultRenderer {
    private struct Entry {
        let status: ExitStatus
        let name: String
        let sentence: String
        let measurements: [Measurement]

        /// The performance data; of one of several targets its name goes before each label.
        func data(isOneOfSeveral: Bool) -> String {
            measurements.map { $0.text(of: isOneOfSeveral ? name : nil) }.joined(separator: " ")
        }
    }

    /// One value of the performance data: `'label'=value[unit];[warn];[crit];[min];[max]`.
    private struct Measurement {
        let label: String
        let value: String
        var warning = ""
        var critical = ""
        var minimum = ""
        var maximum = ""

        func text(of target: String?) -> String {
            let name = (target.map { $0 + " " } ?? "") + label
            var fields = [NagiosRenderer.label(name) + "=" + value, warning, critical, minimum, maximum]
            while fields.last?.isEmpty == true { fields.removeLast() }
            return fields.joined(separator: ";")
        }
    }

    private var entries: [Entry] = []
    private var total = RunTotal()
    /// What the connections to the last target came to.
    private var sentence: String?
    private var names = UniqueNames()
    private var status = ExitStatus.pass

    init() {}

    /// A warning is what a monitoring system is there to tell, whether or not it changes the exit status of other forms.
    mutating func text(for reports: [Report]) -> String {
        total.add(reports, status: \.monitored.runExit)
        if let summary = VariantSummary(reports) {
            sentence = "\(Self.safe(reports[0].target, length: 120)) \(summary.sentence)"
        }
        for report in reports {
            status = .worst([status, report.monitored.runExit])
            entries.append(
                Entry(
                    status: report.monitored.exit,
                    name: names.name(Self.safe(report.title.replacing(" → ", with: " at "), length: 120)),
                    sentence: Self.safe(report.withAnswer(report.sentence(for: report.monitored.reason)), length: 400),
                    measurements: Self.measurements(of: report)))
        }
        return ""
    }

    mutating func ending(exit: ExitStatus) -> String {
        let exit = ExitStatus.worst([exit, status])
        let start = "PINCHECK \(MonitoringState(exit).word) - "
        if entries.count == 1, let entry = entries.first {
            let data = entry.data(isOneOfSeveral: false)
            return start + "\(entry.name) \(entry.sentence)" + (data.isEmpty ? "" : " | " + data) + "\n"
        }
        // A target is one however many connections it takes.
        var first = start + (total.count == 1 ? sentence ?? "" : total.sentence())
        let problems = entries.filter { $0.status != .pass }
        if let worst = problems.first(where: { $0.status == exit }) { first += "; \(worst.name) \(worst.sentence)" }
        let lines = (problems + entries.filter { $0.status == .pass }).map {
            "\($0.status.name) \($0.name) \($0.sentence)"
        }
        let data = entries.map { $0.data(isOneOfSeveral: true) }.filter { !$0.isEmpty }
        return first + " | targets=\(total.count);;;0 problems=\(total.problems);;;0;\(total.count)\n"
            + lines.joined(separator: "\n") + (data.isEmpty ? "" : " | " + data.joined(separator: "\n")) + "\n"
    }

    /// The line of a run that came to no result.
    static func unknown(_ message: String) -> String {
        let line = message.split(separator: "\n").first.map(String.init) ?? ""
        return "PINCHECK \(MonitoringState.unknown.word) - \(safe(line, length: 400))\n"
    }

    private static func measurements(of report: Report) -> [Measurement] {
        var result: [Measurement] = []
        if let seconds = report.seconds {
            result.append(Measurement(label: "time", value: DecimalText.seconds(seconds) + "s", minimum: "0"))
        }
        if let milliseconds = report.http?.timeMs {
            let value = DecimalText.seconds(milliseconds / 1_000) + "s"
            result.append(Measurement(label: "answer_time", value: value, minimum: "0"))
        }
        for place in report.neededCertificates {
            let link = place.link
            result.append(
                Measurement(
                    label: "days_\(place.depth)" + (place.path == 1 ? "" : "_\(place.path)"),
                    value: days(left: link, at: report.evaluatedAt), warning: range(from: link.warnDays),
                    critical: range(from: link.failDays)))
        }
        if !report.pins.configured.isEmpty, !report.built.isEmpty {
            result.append(
                Measurement(
                    label: "pins_matched", value: String(Set(report.pins.matched.map(\.pin)).count), minimum: "0",
                    maximum: String(report.pins.configured.count)))
        }
        return result
    }

    /// The days left: whole ones, or hundredths where a limit falls between two days and must not seem to be crossed.
    private static func days(left link: Report.ChainLink, at time: Timestamp) -> String {
        let isFine = [link.warnDays, link.failDays].contains { $0.map { $0 != $0.rounded() } ?? false }
        guard isFine, link.certificate.notAfter >= time else { return String(link.certificate.daysLeft) }
        return DecimalText.text(time.seconds(to: link.certificate.notAfter) / 864, places: 2)
    }

    /// The range from a number to infinity, below which there is an alert; empty without a number.
    private static func range(from days: Double?) -> String {
        guard let days, days.isFinite else { return "" }
        let hundredths = Int64((min(max(days, 0), 1e9) * 100).rounded())
        return (hundredths % 100 == 0 ? "\(hundredths / 100)" : DecimalText.text(hundredths, places: 2)) + ":"
    }

    /// Text that neither ends the line nor begins the performance data.
    private static func safe(_ text: String, length: Int) -> String {
        TerminalText.shown(text, to: length).replacingBytes(["|": "\\u{7C}"])
    }

    /// A label in quotes where it needs them: it may hold all but an equals sign, and its quotes are doubled.
    private static func label(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        guard !isWord else { return text }
        return "'" + text.replacingBytes(["'": "''", "=": "\\u{3D}"]) + "'"
    }
}
