import Base
import PinChecking
import TLSProbe

/// Writes tests with their outcomes in the XML that JUnit's Ant task made common.
struct JUnitDocument {
    typealias Case = (name: String, outcome: Outcome)

    /// The outcome of a case: the element that counts it, and its contents.
    struct Outcome {
        fileprivate let element: String
        fileprivate let body: String?
        var isTrouble: Bool { ["failure", "error"].contains(element) }

        static func passed(_ message: String?) -> Outcome {
            Outcome(element: "", body: message.map { "<system-out>\(xmlEscaped($0))</system-out>" })
        }

        static func skipped(_ message: String) -> Outcome {
            Outcome(element: "skipped", body: "<skipped message=\"\(xmlEscaped(message))\"/>")
        }

        /// A `failure` or an `error`.
        static func trouble(_ element: String, type: String, message: String, details: String = "") -> Outcome {
            let start = "<\(element) type=\"\(xmlEscaped(type))\" message=\"\(xmlEscaped(message))\""
            let lines = details.split(separator: "\n").map { xmlEscaped(String($0), length: 2_000) }
            let end = lines.isEmpty ? "/>" : ">\(lines.joined(separator: "\n"))</\(element)>"
            return Outcome(element: element, body: start + end)
        }
    }

    private var suites: [String] = []
    private var (suiteNames, caseNames) = (UniqueNames(), UniqueNames())
    private var elements: [String] = []
    private let began = ContinuousClock.now

    /// Adds a suite with its cases; warnings are in `output`, because skipped tests would count as not made.
    mutating func add(
        _ suite: String, of classname: String, _ cases: [Case], output: [String] = [], took duration: Duration = .zero,
        at time: Timestamp
    ) {
        let own = cases.map(\.outcome.element)
        elements += own
        var lines = cases.map { name, outcome in
            // Some readers merge all suites, and drop the second case of a name.
            let name = caseNames.name("\(classname)\n\(name)").dropFirst(classname.count + 1)
            let start =
                "    <testcase name=\"\(xmlEscaped(String(name)))\" classname=\"\(xmlEscaped(classname))\" time=\"0.000000\""
            return start + (outcome.body.map { ">\n      \($0)\n    </testcase>\n" } ?? "/>\n")
        }
        if !output.isEmpty {
            lines.append("    <system-out>\(output.map { xmlEscaped($0) }.joined(separator: "\n"))</system-out>\n")
        }
        // The schema has no room for the zone, which is UTC; Jenkins' allows `skipped` only on a suite.
        suites.append(
            "  <testsuite name=\"\(xmlEscaped(suiteNames.name(suite)))\" \(Self.counts(own))"
                + " skipped=\"\(own.count { $0 == "skipped" })\""
                + " time=\"\(decimalSeconds(duration))\" timestamp=\"\(time.description.dropLast())\">\n"
                + lines.joined() + "  </testsuite>\n")
    }

    private static func counts(_ elements: [String]) -> String {
        let troubles = ["failure", "error"].map { trouble in " \(trouble)s=\"\(elements.count { $0 == trouble })\"" }
        return "tests=\"\(elements.count)\"" + troubles.joined()
    }

    var text: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pincheck\" \(Self.counts(elements))"
            + " time=\"\(decimalSeconds(ContinuousClock.now - began))\">\n" + suites.joined() + "</testsuites>\n"
    }
}

/// Writes a suite for each target and a case for each client; the verdict has a case if no client's case fails.
struct JUnitRenderer: ResultRenderer {
    private var document = JUnitDocument()

    mutating func text(for reports: [Report]) -> String {
        let first = reports[0]
        var cases = reports.flatMap(\.cases)
        var warnings = reports.flatMap(\.attention)
        var told: [String] = []
        if let comparison = reports.comparison {
            let line = TargetLine(reports)
            let sentence = line.sentence + line.more
            if cases.contains(where: \.outcome.isTrouble) {
                told = ["\(line.status.name) \(first.target) \(sentence)"]
            } else {
                let outcome = Self.outcome(line.status, Reason(line.status.name, sentence))
                cases.append(("target", line.status == .pass ? .passed(sentence) : outcome))
            }
            warnings += comparison.warnings.map(\.reason)
        }
        let output = told + warnings.map { "warning \($0.id): \($0.told)" }.distinct
        let host = first.target.hasSuffix(":443") ? String(first.target.dropLast(4)) : first.target
        document.add(
            reports.name, of: host, cases, output: output,
            // The connections to one target are made at the same time.
            took: reports.compactMap(\.duration).max() ?? .zero, at: first.evaluatedAt)
        return ""
    }

    /// The outcome of a case for a report, or for all reports of a target; a failure's details are the report's text.
    fileprivate static func outcome(
        _ status: ExitStatus, _ reason: Reason, of report: Report? = nil, hasDetails: Bool = true
    ) -> JUnitDocument.Outcome {
        guard status != .pass else { return .passed(nil) }
        guard report?.counts ?? true else { return .skipped("does not count: \(reason.told)") }
        let isFailure = [.fail, .warn, .changed].contains(status)
        let details = isFailure && hasDetails ? report.map(TextRenderer.plain(explains: true).block) : nil
        return .trouble(isFailure ? "failure" : "error", type: reason.id, message: reason.told, details: details ?? "")
    }

    func ending(exit: ExitStatus) -> String { document.text }
}

extension Report {
    fileprivate var cases: [JUnitDocument.Case] {
        var cases: [JUnitDocument.Case] = []
        let place = variant == nil ? "" : String(title.dropFirst(target.count))
        var isTold = false
        // Without any verdict, a single case has the reason.
        for client in clients.allSatisfy({ $0.verdict == .none }) ? [] : clients {
            let status: ExitStatus =
                switch client.verdict {
                case .accept: .pass
                case .reject: .fail
                case .none: .unreachable
                }
            let outcome = JUnitRenderer.outcome(status, client.reason, of: self, hasDetails: !isTold)
            isTold = isTold || outcome.isTrouble
            cases.append((client.title + place, outcome))
        }
        if let answer = result.answer?.response?.statusLine, !isTold, status == .pass {
            cases.append(("request" + place, .passed(answer)))
        }
        if !isTold, status != .pass || cases.isEmpty {
            let told = Reason(reason.id, withAnswer(sentence))
            cases.append(("verdict" + place, JUnitRenderer.outcome(status, told, of: self)))
        }
        return cases
    }
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
        let end = reports.comparison == nil ? "" : TextRenderer.plain().conclusion(reports)
        return reports.map { lines(for: $0) }.joined() + Self.harmless(end).map { $0 + "\n" }.joined()
    }

    private func lines(for report: Report) -> String {
        let name = report.title
        var lines = ["::group::" + Self.data("\(report.status.name)  \(name)", length: 200)]
        lines += Self.harmless(TextRenderer.plain().block(report))
        lines.append("::endgroup::")
        if report.counts, report.status != .pass {
            let command = report.status == .warn ? "warning" : "error"
            lines.append(Self.command(command, [("title", "pincheck \(report.status.name) \(name)")], report.sentence))
        }
        for warning in report.attention {
            lines.append(Self.command("warning", [("title", "pincheck \(name)")], warning.told))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Keeps log lines from being read as commands: the form `::` counts at their start, the older `##[` anywhere.
    private static func harmless(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            let line = String(line).replacingBytes(["##[": "## ["])
            return line.utf8.drop { $0 == 0x20 }.starts(with: "::".utf8) ? "·" + line : line
        }
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
