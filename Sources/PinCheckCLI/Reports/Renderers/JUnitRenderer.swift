import Base
import PinChecking
import PinFormats
import Pinning

/// Results as test reports in the XML that JUnit's Ant task made common: a suite for each target, a case for each step of each
/// client, and a last one for the verdict.
///
/// What fails, fails once: all of a client's steps that failed are one case, and so is the verdict where no other case tells it.
struct JUnitRenderer: ResultRenderer {
    /// How a case ended.
    private enum Outcome {
        case passed
        /// With something that is good to know.
        case passedSaying(String)
        case skipped(String)
        case failed(type: String, message: String, details: String)
        case error(type: String, message: String)
    }

    private struct Counts {
        var tests = 0
        var failures = 0
        var errors = 0
        var skipped = 0

        /// What both a suite and all suites say; the schema of Jenkins has no other place for the skipped than a suite.
        var attributes: String { "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\"" }

        mutating func count(_ outcome: Outcome) {
            tests += 1
            switch outcome {
            case .passed, .passedSaying: break
            case .skipped: skipped += 1
            case .failed: failures += 1
            case .error: errors += 1
            }
        }
    }

    private var suites: [String] = []
    private var names = UniqueNames()
    private var total = Counts()
    private var seconds = 0.0

    init() {}

    mutating func text(for report: Report) -> String {
        var counts = Counts()
        let suite = names.name(report.title)
        var cases: [String] = []
        var caseNames = UniqueNames()
        func add(_ owner: String, _ id: String, _ outcome: Outcome, seconds: Double? = nil) {
            counts.count(outcome)
            total.count(outcome)
            // Some readers take all suites as one and drop the second case of a name.
            let name = caseNames.name("\(owner): \(id)")
            cases.append(Self.element(name, of: suite, outcome, seconds: seconds))
        }
        var told: Set<String> = []
        for check in report.checks {
            // A phase that was not needed or not reached is no test.
            guard check.client != nil || check.status != "skip" || check.id == Report.Check.request else { continue }
            var outcome = Self.outcome(of: check, in: report)
            var name = check.id
            if case .failed = outcome, let client = Self.client(of: check, in: report) {
                guard told.insert(client.title).inserted else { continue }
                name = Self.failedSteps(of: client, in: report)
                outcome = .failed(
                    type: client.reason.id, message: client.reason.message,
                    details: told.count == 1 ? Self.details(of: report) : "")
            }
            add(
                check.owner ?? "connection", name, outcome,
                seconds: check.client == nil ? Self.seconds(of: check.id, in: report) : nil)
        }
        for client in report.clients where client.verdict == .none {
            add(client.title, client.reason.id, .skipped(client.reason.message))
        }
        if counts.failures + counts.errors == 0 { add("pincheck", "verdict", Self.verdict(of: report)) }
        addSuite(
            suite, cases + [Self.output(report.attention)], counts, seconds: report.seconds ?? 0, at: report.evaluatedAt
        )
        return ""
    }

    private mutating func addSuite(
        _ suite: String, _ parts: [String], _ counts: Counts, seconds: Double, at time: String
    ) {
        self.seconds += seconds
        // The schema has no place for the zone, which is UTC.
        let timestamp = XMLText.escaped(time.hasSuffix("Z") ? String(time.dropLast()) : time)
        suites.append(
            "  <testsuite name=\"\(XMLText.escaped(suite))\" \(counts.attributes) skipped=\"\(counts.skipped)\""
                + " time=\"\(DecimalText.seconds(seconds))\" timestamp=\"\(timestamp)\">\n" + parts.joined()
                + "  </testsuite>\n")
    }

    /// The report of a run that an error ended: one case, which is erroneous.
    static func ended(by error: CommandError, at time: Timestamp) -> String {
        var renderer = JUnitRenderer()
        let outcome = Outcome.error(type: error.status.name, message: error.description)
        renderer.total.count(outcome)
        renderer.addSuite(
            "pincheck", [element("run", of: "pincheck", outcome, seconds: nil)], renderer.total, seconds: 0,
            at: time.description)
        return renderer.ending(exit: error.status)
    }

    mutating func ending(exit: ExitStatus) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pincheck\" \(total.attributes)"
            + " time=\"\(DecimalText.seconds(seconds))\">\n" + suites.joined() + "</testsuites>\n"
    }

    /// A step that failed is a failure only where it made the client reject the server.
    private static func outcome(of check: Report.Check, in report: Report) -> Outcome {
        switch check.status {
        case "pass": return check.id == Report.Check.request ? .passedSaying(check.detail) : .passed
        case "skip": return .skipped(check.detail)
        default: break
        }
        guard report.counts else { return .skipped("does not count: \(check.detail)") }
        guard check.client != nil else {
            guard check.id == Report.Check.request else { return .error(type: check.id, message: check.detail) }
            return .failed(type: report.reason.id, message: check.detail, details: "")
        }
        if client(of: check, in: report)?.verdict == .reject {
            return .failed(type: check.id, message: check.detail, details: "")
        }
        return .skipped("failed, and the client accepts all the same: \(check.detail)")
    }

    private static func verdict(of report: Report) -> Outcome {
        guard report.counts || report.status == .pass else { return .skipped("does not count: \(report.sentence)") }
        switch report.status {
        case .pass: return .passed
        case .fail, .warn, .changed:
            return .failed(type: report.reason.id, message: report.sentence, details: details(of: report))
        default: return .error(type: report.reason.id, message: report.sentence)
        }
    }

    /// The whole report as text, for whoever reads on.
    private static func details(of report: Report) -> String {
        let style = TextStyle(.never, isTerminal: false, environment: [:])
        return TextRenderer(style: style, explains: true, tellsNotEmulated: false).block(report)
    }

    /// The names of all steps that failed for a client, as in `name, trust`.
    private static func failedSteps(of client: Report.Client, in report: Report) -> String {
        report.checks.filter { $0.client == client.name && $0.device == client.device && $0.status == "fail" }.map(\.id)
            .joined(separator: ", ")
    }

    private static func client(of check: Report.Check, in report: Report) -> Report.Client? {
        report.clients.first { $0.name == check.client && $0.device == check.device }
    }

    /// What is warned of, as the output of a suite: a test that is skipped would be one that was not made.
    private static func output(_ warnings: [Report.Message]) -> String {
        guard !warnings.isEmpty else { return "" }
        let lines = warnings.map { "warning \(XMLText.escaped($0.id)): \(XMLText.escaped($0.message))" }
        return "    <system-out>\(lines.joined(separator: "\n"))</system-out>\n"
    }

    private static func seconds(of phase: String, in report: Report) -> Double? {
        guard let timings = report.tls?.timingsMs else { return nil }
        let milliseconds =
            switch phase {
            case Report.Check.request: report.http?.timeMs
            case "resolve": timings.resolve
            case "connect": timings.connect
            case "handshake": timings.handshake
            default: nil as Double?
            }
        return milliseconds.map { $0 / 1_000 }
    }

    private static func element(_ name: String, of suite: String, _ outcome: Outcome, seconds: Double?) -> String {
        let start =
            "    <testcase name=\"\(XMLText.escaped(name))\" classname=\"\(XMLText.escaped(suite))\""
            + " time=\"\(DecimalText.seconds(seconds ?? 0))\""
        switch outcome {
        case .passed: return start + "/>\n"
        case .passedSaying(let message):
            let output = "<system-out>\(XMLText.escaped(message))</system-out>"
            return start + ">\n      \(output)\n    </testcase>\n"
        case .skipped(let message):
            return start + ">\n      <skipped message=\"\(XMLText.escaped(message))\"/>\n    </testcase>\n"
        case .failed(let type, let message, let details):
            return start + ">\n      " + problem("failure", type: type, message: message, details: details)
                + "\n    </testcase>\n"
        case .error(let type, let message):
            return start + ">\n      " + problem("error", type: type, message: message, details: "")
                + "\n    </testcase>\n"
        }
    }

    private static func problem(_ element: String, type: String, message: String, details: String) -> String {
        let attributes = "type=\"\(XMLText.escaped(type))\" message=\"\(XMLText.escaped(message))\""
        guard !details.isEmpty else { return "<\(element) \(attributes)/>" }
        let lines = details.split(separator: "\n").map { XMLText.escaped(String($0), length: 2_000) }
        return "<\(element) \(attributes)>\(lines.joined(separator: "\n"))</\(element)>"
    }
}

/// Text in XML 1.0.
enum XMLText {
    /// The text for an attribute or an element.
    ///
    /// Characters that XML has no place for, and those that fool readers, are written as `\u{1B}` first.
    static func escaped(_ text: String, length: Int = 600) -> String {
        let text = TerminalText.shown(text, to: length)
        guard text.utf8.contains(where: { [0x22, 0x26, 0x27, 0x3C, 0x3E].contains($0) }) else { return text }
        return text.replacingBytes(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
    }
}
