import Base
import PinChecking
import TLSProbe

/// Writes tests with their outcomes in the XML that JUnit's Ant task made common.
struct JUnitDocument {
    enum Outcome {
        case passed(String?)
        case skipped(String)
        case failed(type: String, message: String, details: String)
        case error(type: String, message: String)

        var isTrouble: Bool {
            switch self {
            case .failed, .error: true
            case .passed, .skipped: false
            }
        }
    }

    private typealias Counts = (tests: Int, failures: Int, errors: Int, skipped: Int)

    private var suites: [String] = []
    private var (suiteNames, caseNames) = (UniqueNames(), UniqueNames())
    private var total: Counts = (0, 0, 0, 0)
    private let began = ContinuousClock.now

    /// Adds a suite with its cases; warnings are in `output`, because skipped tests would count as not made.
    mutating func add(
        _ suite: String, of classname: String, _ cases: [(name: String, outcome: Outcome)], output: [String] = [],
        seconds: Double = 0, at time: Timestamp
    ) {
        let before = total
        var lines: [String] = []
        for (name, outcome) in cases {
            total.tests += 1
            switch outcome {
            case .passed: break
            case .skipped: total.skipped += 1
            case .failed: total.failures += 1
            case .error: total.errors += 1
            }
            // Some readers merge all suites, and drop the second case of a name.
            let name = caseNames.name("\(classname)\n\(name)").dropFirst(classname.count + 1)
            let start =
                "    <testcase name=\"\(xmlEscaped(String(name)))\" classname=\"\(xmlEscaped(classname))\" time=\"0.000000\""
            lines.append(start + (Self.body(outcome).map { ">\n      \($0)\n    </testcase>\n" } ?? "/>\n"))
        }
        if !output.isEmpty {
            lines.append("    <system-out>\(output.map { xmlEscaped($0) }.joined(separator: "\n"))</system-out>\n")
        }
        // The schema has no room for the zone, which is UTC.
        suites.append(
            "  <testsuite name=\"\(xmlEscaped(suiteNames.name(suite)))\" \(attributes(since: before))"
                + " skipped=\"\(total.skipped - before.skipped)\""
                + " time=\"\(decimalSeconds(seconds))\" timestamp=\"\(time.description.dropLast())\">\n"
                + lines.joined() + "  </testsuite>\n")
    }

    /// The attributes of a suite and of all suites; Jenkins' schema allows `skipped` only on a suite.
    private func attributes(since before: Counts = (0, 0, 0, 0)) -> String {
        "tests=\"\(total.tests - before.tests)\" failures=\"\(total.failures - before.failures)\""
            + " errors=\"\(total.errors - before.errors)\""
    }

    var text: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pincheck\" \(attributes())"
            + " time=\"\(decimalSeconds((ContinuousClock.now - began).seconds))\">\n" + suites.joined()
            + "</testsuites>\n"
    }

    private static func body(_ outcome: Outcome) -> String? {
        switch outcome {
        case .passed(let message): return message.map { "<system-out>\(xmlEscaped($0))</system-out>" }
        case .skipped(let message): return "<skipped message=\"\(xmlEscaped(message))\"/>"
        case .error(let type, let message):
            return "<error type=\"\(xmlEscaped(type))\" message=\"\(xmlEscaped(message))\"/>"
        case .failed(let type, let message, let details):
            let start = "<failure type=\"\(xmlEscaped(type))\" message=\"\(xmlEscaped(message))\""
            guard !details.isEmpty else { return start + "/>" }
            let lines = details.split(separator: "\n").map { xmlEscaped(String($0), length: 2_000) }
            return start + ">\(lines.joined(separator: "\n"))</failure>"
        }
    }
}

/// Writes a suite for each target and a case for each client; the verdict has a case if no client's case fails.
struct JUnitRenderer: ResultRenderer {
    private var document = JUnitDocument()

    mutating func text(for reports: [Report]) -> String {
        guard let first = reports.first else { return "" }
        let summary = VariantSummary(reports)
        var cases = reports.flatMap(Self.cases)
        var warnings = reports.flatMap(\.attention)
        var told: [String] = []
        if let summary {
            let line = TargetLine(reports)
            let sentence = line.sentence + line.more
            if cases.contains(where: \.outcome.isTrouble) {
                told = ["\(line.status.name) \(first.target) \(sentence)"]
            } else {
                let outcome = Self.outcome(line.status, Reason(line.status.name, sentence))
                cases.append(("target", line.status == .pass ? .passed(sentence) : outcome))
            }
            warnings += summary.consistency.findings.filter { $0.level == .warning }.map(\.reason)
        }
        let output = told + warnings.map { "warning \($0.id): \($0.told)" }.distinct
        let host = first.target.hasSuffix(":443") ? String(first.target.dropLast(4)) : first.target
        document.add(
            summary == nil ? first.title : first.target, of: host, cases, output: output,
            // The connections to one target are made at the same time.
            seconds: reports.compactMap(\.seconds).max() ?? 0, at: first.evaluatedAt)
        return ""
    }

    /// The outcome of a case for a report, or for all reports of a target; a failure's details are the report's text.
    private static func outcome(
        _ status: ExitStatus, _ reason: Reason, of report: Report? = nil, hasDetails: Bool = true
    ) -> JUnitDocument.Outcome {
        guard status != .pass else { return .passed(nil) }
        guard report?.counts ?? true else { return .skipped("does not count: \(reason.told)") }
        guard [.fail, .warn, .changed].contains(status) else { return .error(type: reason.id, message: reason.told) }
        let details = hasDetails ? report.map(TextRenderer.plain(explains: true).block) : nil
        return .failed(type: reason.id, message: reason.told, details: details ?? "")
    }

    private static func cases(_ report: Report) -> [(name: String, outcome: JUnitDocument.Outcome)] {
        var cases: [(name: String, outcome: JUnitDocument.Outcome)] = []
        let place = report.variant == nil ? "" : String(report.title.dropFirst(report.target.count))
        var isTold = false
        // Without any verdict, a single case has the reason.
        for client in report.clients.allSatisfy({ $0.verdict == .none }) ? [] : report.clients {
            let status: ExitStatus =
                switch client.verdict {
                case .accept: .pass
                case .reject: .fail
                case .none: .unreachable
                }
            let outcome = outcome(status, client.reason, of: report, hasDetails: !isTold)
            isTold = isTold || outcome.isTrouble
            cases.append((client.title + place, outcome))
        }
        if let answer = report.result.answer?.response?.statusLine, !isTold, report.status == .pass {
            cases.append(("request" + place, .passed(answer)))
        }
        if !isTold, report.status != .pass || cases.isEmpty {
            let reason = Reason(report.reason.id, report.withAnswer(report.sentence))
            cases.append(("verdict" + place, outcome(report.status, reason, of: report)))
        }
        return cases
    }

    func ending(exit: ExitStatus) -> String { document.text }
}

/// Escapes for XML; characters that XML forbids or that fool readers become `\u{1B}` first.
func xmlEscaped(_ text: String, length: Int = 600) -> String {
    let text = TerminalText.excerpt(text, to: length)
    guard text.utf8.contains(where: { [0x22, 0x26, 0x27, 0x3C, 0x3E].contains($0) }) else { return text }
    return text.replacingBytes(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
}

/// Writes annotations, `::error file=…,title=…::message`; `%`, CR, LF, and in properties `:` and `,` are escaped.
struct GitHubRenderer: ResultRenderer {
    private var total = RunTotal()

    func ending(exit: ExitStatus) -> String { total.count > 1 ? total.sentence() + "\n" : "" }

    mutating func text(for reports: [Report]) -> String {
        total.add(reports)
        let end = VariantSummary(reports).map { TextRenderer.plain(explains: false).conclusion($0) } ?? ""
        let lines = end.split(separator: "\n").map { Self.harmless(String($0)) + "\n" }
        return reports.map { self.lines(for: $0) }.joined() + lines.joined()
    }

    private func lines(for report: Report) -> String {
        let name = report.title
        var lines = ["::group::" + Self.data("\(report.status.name)  \(name)", length: 200)]
        lines += TextRenderer.plain(explains: false).block(report).split(separator: "\n").map {
            Self.harmless(String($0))
        }
        lines.append("::endgroup::")
        if report.counts, report.status != .pass {
            let command = report.status == .warn ? "warning" : "error"
            lines.append(
                Self.command(command, [("title", "pincheck \(report.status.name) \(name)")], report.sentence))
        }
        for warning in report.attention {
            lines.append(Self.command("warning", [("title", "pincheck \(name)")], warning.told))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Keeps a log line from being read as a command: the form `::` counts at its start, the older `##[` anywhere.
    private static func harmless(_ line: String) -> String {
        let line = line.replacingBytes(["##[": "## ["])
        return line.utf8.drop { $0 == 0x20 }.starts(with: "::".utf8) ? "·" + line : line
    }

    static func command(
        _ command: String, _ properties: [(name: String, value: String)], _ message: String, length: Int = 1_000
    ) -> String {
        let list = properties.map { name, value in
            // A path must not be shortened.
            let text = data(value, length: name == "file" ? 4_096 : 200)
            return name + "=" + text.replacingBytes([":": "%3A", ",": "%2C"])
        }
        return "::\(command) \(list.joined(separator: ","))::" + data(message, length: length)
    }

    private static func data(_ text: String, length: Int) -> String {
        TerminalText.excerpt(text, to: length).replacingBytes(["%": "%25", "##[": "## ["])
    }
}
