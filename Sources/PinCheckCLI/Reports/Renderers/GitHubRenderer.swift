import Base

/// Workflow commands of GitHub Actions: an annotation for each target that does not pass and for each warning, and the text of
/// each target in a group that can be opened.
///
/// An annotation is made from `::error file=…,line=…,title=…::message`: in messages `%`, CR and LF are escaped, in properties also `:`
/// and `,`.
struct GitHubRenderer: ResultRenderer {
    private var total = RunTotal()
    private var notEmulated: [Report.Message] = []

    func ending(exit: ExitStatus) -> String {
        let notes = notEmulated.map { Self.harmless("  " + Self.data($0.message, length: 400)) + "\n" }
        return (notes.isEmpty ? "" : "::group::What is not judged\n" + notes.joined() + "::endgroup::\n")
            + (total.count > 1 ? total.sentence() + "\n" : "")
    }

    static func ended(by error: CommandError) -> String {
        Self.command("error", [("title", "pincheck \(error.status.name)")], error.description) + "\n"
    }

    mutating func text(for reports: [Report]) -> String {
        total.add(reports)
        return reports.map { lines(for: $0) }.joined()
    }

    private mutating func lines(for report: Report) -> String {
        let name = report.title
        var lines = ["::group::" + Self.data("\(report.status.name)  \(name)", length: 200)]
        if report.verdict != .none {
            notEmulated += Report.notEmulated.filter { report.notes.contains($0) && !notEmulated.contains($0) }
        }
        lines += TextRenderer.plain(explains: false).block(report).split(separator: "\n").map {
            Self.harmless(String($0))
        }
        lines.append("::endgroup::")
        if report.counts, report.status != .pass {
            let command = report.status == .warn ? "warning" : "error"
            let pins = report.pins.configured.isEmpty ? "" : Self.pins(of: report)
            lines.append(
                Self.command(command, [("title", "pincheck \(report.status.name) \(name)")], report.sentence) + pins)
        }
        for warning in report.attention {
            lines.append(Self.command("warning", [("title", "pincheck \(name)")], warning.message))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func pins(of report: Report) -> String {
        guard report.pins.matched.isEmpty, report.verdict == .reject else { return "" }
        return report.built.map { link in
            "%0Aserved: " + Self.data("\(link.certificate.spkiSha256)  \(link.certificate.subject)", length: 200)
        }.joined()
    }

    /// A line of the log that is no command: not in the form with colons, and not in the older one, which counts anywhere.
    private static func harmless(_ line: String) -> String {
        let line = line.replacingBytes(["##[": "## ["])
        return line.utf8.drop { $0 == 0x20 }.starts(with: "::".utf8) ? "·" + line : line
    }

    static func command(
        _ command: String, _ properties: [(name: String, value: String)], _ message: String, length: Int = 1_000
    ) -> String {
        let list = properties.map { name, value in
            // A path has to be whole.
            let text = data(value, length: name == "file" ? 4_096 : 200)
            return name + "=" + text.replacingBytes([":": "%3A", ",": "%2C"])
        }
        return "::\(command) \(list.joined(separator: ","))::" + data(message, length: length)
    }

    private static func data(_ text: String, length: Int) -> String {
        TerminalText.shown(text, to: length).replacingBytes(["%": "%25", "##[": "## ["])
    }
}
