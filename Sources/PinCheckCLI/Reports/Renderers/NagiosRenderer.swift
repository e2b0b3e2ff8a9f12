import Base
import PinChecking
import Pinning

/// The answer of a check plugin, by the Monitoring Plugins guidelines: one line for the run, then a line for each of several
/// targets, and performance data behind a bar.
struct NagiosRenderer: ResultRenderer {
    private typealias Entry = (
        status: ExitStatus, name: String, sentence: String, data: [(label: String, value: String)]
    )

    private var entries: [Entry] = []
    private var total = RunTotal()
    private var sentence: String?
    private var names = UniqueNames()
    private var status = ExitStatus.pass

    /// A warning is what a monitoring system is there to tell, whether or not it changes the exit status of other forms.
    mutating func text(for reports: [Report]) -> String {
        total.add(reports, status: \.monitored.runExit)
        if let summary = VariantSummary(reports) {
            sentence = "\(Self.safe(reports[0].target, length: 120)) \(summary.sentence)"
        }
        for report in reports {
            status = .worst([status, report.monitored.runExit])
            entries.append(
                (
                    status: report.monitored.exit,
                    name: names.name(Self.safe(report.title.replacing(" → ", with: " at "), length: 120)),
                    sentence: Self.safe(report.withAnswer(report.sentence(for: report.monitored.reason)), length: 400),
                    data: Self.data(of: report)
                ))
        }
        return ""
    }

    mutating func ending(exit: ExitStatus) -> String {
        let exit = ExitStatus.worst([exit, status])
        let start = "PINCHECK \(MonitoringState(exit).word) - "
        if entries.count == 1, let entry = entries.first {
            let data = entry.data.map { "\(Self.label($0.label))=\($0.value)" }.joined(separator: " ")
            return start + "\(entry.name) \(entry.sentence)" + (data.isEmpty ? "" : " | " + data) + "\n"
        }
        // A target is one however many connections it takes.
        var first = start + (total.count == 1 ? sentence ?? "" : total.sentence())
        let problems = entries.filter { $0.status != .pass }
        if let worst = problems.first(where: { $0.status == exit }) { first += "; \(worst.name) \(worst.sentence)" }
        let lines = (problems + entries.filter { $0.status == .pass }).map {
            "\($0.status.name) \($0.name) \($0.sentence)"
        }
        let data = entries.map { entry in
            entry.data.map { "\(Self.label("\(entry.name) \($0.label)"))=\($0.value)" }.joined(separator: " ")
        }.filter { !$0.isEmpty }
        return first + " | targets=\(total.count);;;0 problems=\(total.problems);;;0;\(total.count)\n"
            + lines.joined(separator: "\n") + (data.isEmpty ? "" : " | " + data.joined(separator: "\n")) + "\n"
    }

    static func unknown(_ message: String) -> String {
        let line = message.split(separator: "\n").first.map(String.init) ?? ""
        return "PINCHECK \(MonitoringState.unknown.word) - \(safe(line, length: 400))\n"
    }

    /// The performance data: `'label'=value[unit];[warn];[crit];[min];[max]`.
    private static func data(of report: Report) -> [(label: String, value: String)] {
        var data: [(label: String, value: String)] = []
        if let seconds = report.seconds { data.append(("time", decimalSeconds(seconds) + "s;;;0")) }
        if let milliseconds = report.http?.timeMs {
            data.append(("answer_time", decimalSeconds(milliseconds / 1_000) + "s;;;0"))
        }
        for (depth, path, link) in report.neededCertificates {
            var limits = [range(from: link.warnDays), range(from: link.failDays)]
            while limits.last?.isEmpty == true { limits.removeLast() }
            data.append(
                (
                    "days_\(depth)" + (path == 1 ? "" : "_\(path)"),
                    ([days(left: link, at: report.evaluatedAt)] + limits).joined(separator: ";")
                ))
        }
        if !report.pins.configured.isEmpty, !report.built.isEmpty {
            data.append(("pins_matched", "\(report.pins.matchedPins.count);;;0;\(report.pins.configured.count)"))
        }
        return data
    }

    /// The days left: whole ones, or hundredths where a limit falls between two days and must not seem to be crossed.
    private static func days(left link: Report.ChainLink, at time: Timestamp) -> String {
        let isFine = [link.warnDays, link.failDays].contains { $0.map { $0 != $0.rounded() } ?? false }
        guard isFine, link.certificate.notAfter >= time else { return String(link.certificate.daysLeft) }
        return decimalText(time.seconds(to: link.certificate.notAfter) / 864, places: 2)
    }

    /// The range from a number to infinity, below which there is an alert; empty without a number.
    private static func range(from days: Double?) -> String {
        guard let days, days.isFinite else { return "" }
        let hundredths = Int64((min(max(days, 0), 1e9) * 100).rounded())
        return (hundredths % 100 == 0 ? "\(hundredths / 100)" : decimalText(hundredths, places: 2)) + ":"
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
