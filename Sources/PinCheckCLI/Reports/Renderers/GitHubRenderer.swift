import Base
import PinFormats

/// Workflow commands of GitHub Actions: an annotation for each target that does not pass and for each warning, and the text of
/// each target in a group that can be opened.
struct GitHubRenderer: ResultRenderer {
    private var total = RunTotal()
    /// What is never judged, where something was.
    private var notEmulated: [Report.Message] = []

    init() {}

    func ending(exit: ExitStatus) -> String {
        let notes = notEmulated.map { Self.harmless("  " + Self.data($0.message, length: 400)) + "\n" }
        return (notes.isEmpty ? "" : "::group::What is not judged\n" + notes.joined() + "::endgroup::\n")
            + (total.count > 1 ? total.sentence() + "\n" : "")
    }

    private static func block(_ report: Report) -> String {
        let style = TextStyle(.never, isTerminal: false, environment: [:])
        return TextRenderer(style: style, explains: false, tellsNotEmulated: false).block(report)
    }

    mutating func text(for report: Report) -> String {
        total.add(report, status: report.counts ? report.status : nil)
        let name = report.title
        var lines = ["::group::" + Self.data("\(report.status.name)  \(name)", length: 200)]
        if report.verdict != .none {
            notEmulated += Report.notEmulated.filter { report.notes.contains($0) && !notEmulated.contains($0) }
        }
        lines += Self.block(report).split(separator: "\n").map { Self.harmless(String($0)) }
        lines.append("::endgroup::")
        if report.counts, let command = Self.command(for: report.status) {
            let pins = report.pins.configured.isEmpty ? "" : Self.pins(of: report)
            lines.append(
                "::\(command) title=\(Self.property("pincheck \(report.status.name) \(name)"))::"
                    + Self.data(report.sentence, length: 1_000) + pins)
        }
        for warning in report.attention {
            lines.append(
                "::warning title=\(Self.property("pincheck \(name)"))::" + Self.data(warning.message, length: 1_000))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The kind of annotation: errors for what fails the job.
    private static func command(for status: ExitStatus) -> String? {
        switch status {
        case .pass: nil
        case .warn: "warning"
        default: "error"
        }
    }

    /// The served pins on lines of the annotation, where pins were compared in vain.
    private static func pins(of report: Report) -> String {
        guard report.pins.matched.isEmpty, report.verdict == .reject else { return "" }
        return report.built.map { link in
            "%0Aserved: " + data("\(link.certificate.spkiSha256)  \(link.certificate.subject)", length: 200)
        }.joined()
    }

    private static func data(_ text: String, length: Int) -> String {
        TerminalText.shown(text, to: length).replacingBytes(["%": "%25", "##[": "## ["])
    }

    private static func property(_ text: String) -> String {
        data(text, length: 200).replacingBytes([":": "%3A", ",": "%2C"])
    }

    /// A line of the log that is no command: not in the form with colons, and not in the older one, which counts anywhere.
    private static func harmless(_ line: String) -> String {
        let line = line.replacingBytes(["##[": "## ["])
        return line.utf8.drop { $0 == 0x20 }.starts(with: "::".utf8) ? "·" + line : line
    }
}
