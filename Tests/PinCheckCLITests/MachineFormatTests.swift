import Foundation
import LoopbackLab
@testable import PinCheckCLI
@testable import PinChecking
import Pinning
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The forms for machines, over reports with fixed keys and times.
@Suite(.endsSomeTime) struct MachineFormatTests {
    static func unreachable() -> Report {
        var report = RendererTests.passing()
        report.tls = nil
        report.endpoint?.address = nil
        report.built = []
        report.presented = []
        report.pins.matched = []
        report.clients = []
        report.checks = [
            Report.Check(client: nil, id: "resolve", status: "pass", detail: ""),
            Report.Check(client: nil, id: "connect", status: "fail", detail: "connection refused"),
            Report.Check(client: nil, id: "handshake", status: "skip", detail: "not reached"),
        ]
        report.warnings = []
        report.verdict = .none
        report.reason = Report.Message(id: "refused", message: "connect: connection refused")
        report.exit = .unreachable
        report.monitoring = RendererTests.monitored(.unreachable, report.reason.message)
        return report
    }

    static func text(_ renderer: some ResultRenderer, _ reports: [Report]) throws -> String {
        var renderer = renderer
        var text = ""
        for target in targets(reports) { text += try renderer.text(for: target) }
        return text + (try renderer.ending(exit: .worst(reports.map(\.status))))
    }

    /// The reports by their targets, of whose connections the last says what they have in common.
    static func targets(_ reports: [Report]) -> [[Report]] {
        var targets: [[Report]] = [[]]
        for report in reports {
            targets[targets.count - 1].append(report)
            if report.variant == nil || report.consistency != nil { targets.append([]) }
        }
        return targets.filter { !$0.isEmpty }
    }

    /// A report in which everything that comes from outside is hostile.
    static func hostile() -> Report {
        let evil = "a'=1;2\n::error::b\r##[error]c|d%0A\u{0}\u{1B}[31m\u{202E}\u{FFFE}<![CDATA[`]]>&\"\\{}"
        var report = RendererTests.failing()
        report.target = evil
        report.endpoint?.sni = evil
        report.endpoint?.resolvedName = nil
        report.endpoint?.address = evil
        report.verifyName = evil
        report.tls?.cipher = evil
        report.built[0].certificate.subject = evil
        report.built[0].certificate.key = evil
        report.presented[0].subject = evil
        report.pins.configured[0].origin = evil
        report.checks[0].id = evil
        report.checks[0].status = "fail"
        report.checks[0].detail = evil
        report.clients[0].name = evil
        report.clients[0].verdict = .reject
        report.clients[0].reason = Report.Message(id: "r", message: evil)
        report.clients[0].settings = [ShownSetting("c", .text(evil))]
        report.warnings = [Report.Message(id: evil, message: evil)]
        report.http = Report.HTTP(
            method: "GET", path: evil, host: evil, expected: [evil], asked: true, status: 200, statusLine: evil,
            timeMs: 1.5, asExpected: true, problem: evil)
        report.reason = Report.Message(id: evil, message: evil)
        report.monitoring = RendererTests.monitored(.fail, evil)
        return report
    }

    // MARK: Nagios

    /// A pass without a warning.
    static func calm() -> Report {
        var report = RendererTests.passing()
        report.warnings = []
        report.monitoring = RendererTests.monitored(.pass, report.reason.message)
        return report
    }

    @Test func nagiosHasOneLineForOneTarget() throws {
        #expect(
            try Self.text(NagiosRenderer(), [Self.calm()])
                == "PINCHECK OK - api.example.com:443 afnetworking: public key pin matched at depth 0"
                + " | time=0.004750s;;;0 days_0=89 days_1=3649 pins_matched=1;;;0;2\n")
        #expect(
            try Self.text(NagiosRenderer(), [Self.unreachable()])
                == "PINCHECK UNKNOWN - api.example.com:443 connect: connection refused\n")
        #expect(NagiosRenderer.unknown("a|b\nc") == "PINCHECK UNKNOWN - a\\u{7C}b\n")
    }

    @Test func nagiosSaysTheThresholdsThatTheUserSet() throws {
        var report = Self.calm()
        report.built[0].warnDays = 30
        report.built[0].failDays = 7
        report.built[1].warnDays = 0.5
        let text = try Self.text(NagiosRenderer(), [report])
        #expect(text.contains(" days_0=89;30:;7: days_1=89.00;0.50: pins_matched=1;;;0;2\n"), "\(text)")
    }

    @Test func nagiosWarnsWithoutBeingAskedToAndItsDataAgree() throws {
        let warned = try Self.text(NagiosRenderer(), [RendererTests.passing()])
        #expect(
            warned.hasPrefix("PINCHECK WARNING - api.example.com:443 afnetworking: accepted, but take care | "),
            "\(warned)")
        // 18 h are left: more than 12 h, and less than a whole day.
        var report = Self.calm()
        report.built[0].certificate.notAfter = "2026-10-04T18:00:00Z"
        report.built[0].certificate.daysLeft = 0
        report.built[0].warnDays = 0.5
        let text = try Self.text(NagiosRenderer(), [report])
        #expect(text.hasPrefix("PINCHECK OK - ") && text.contains(" days_0=0.75;0.50: "), "\(text)")
    }

    @Test func whatIsShownForComparisonSetsOffNoAlert() throws {
        var without = Self.calm()
        without.variant = Report.Variant(label: "no SNI", counts: false)
        without.exit = .warn
        let time = Timestamp(secondsSinceEpoch: 0)
        let metrics = try Self.text(PrometheusRenderer(now: { time }), [Self.calm(), without])
        #expect(metrics.ranges(of: "\npincheck_status{").count == 1)
    }

    @Test func nagiosHasALineForEachOfSeveralWithTheWorstOnTop() throws {
        var other = RendererTests.failing()
        other.endpoint?.resolvedName = nil
        #expect(
            try Self.text(NagiosRenderer(), [Self.calm(), other, Self.unreachable()]) == """
                PINCHECK CRITICAL - 3 targets: 1 FAIL, 1 UNREACHABLE, 1 PASS; api.example.com:443 at 203.0.113.7 \
                afnetworking: no configured pin is on the chain | targets=3;;;0 problems=2;;;0;3
                FAIL api.example.com:443 at 203.0.113.7 afnetworking: no configured pin is on the chain
                UNREACHABLE api.example.com:443 #2 connect: connection refused
                PASS api.example.com:443 afnetworking: public key pin matched at depth 0 \
                | 'api.example.com:443 time'=0.004750s;;;0 'api.example.com:443 days_0'=89 \
                'api.example.com:443 days_1'=3649 'api.example.com:443 pins_matched'=1;;;0;2
                'api.example.com:443 at 203.0.113.7 time'=0.004750s;;;0 'api.example.com:443 at 203.0.113.7 days_0'=89 \
                'api.example.com:443 at 203.0.113.7 days_1'=3649 'api.example.com:443 at 203.0.113.7 pins_matched'=0;;;0;2

                """)
    }

    @Test func nagiosTextsNeitherEndTheLineNorBeginTheData() throws {
        let one = try Self.text(NagiosRenderer(), [Self.hostile()])
        #expect(one.count { $0 == "\n" } == 1 && one.count { $0 == "|" } == 1)
        let several = try Self.text(NagiosRenderer(), [Self.hostile(), Self.hostile()])
        #expect(several.count { $0 == "\n" } == 4 && several.count { $0 == "|" } == 2)
        #expect(isPlain(one + several))
        // The guidelines' form of the data: a label in quotes, which are doubled in it, and no equals sign.
        let datum = /'(?:[^'=]|'')+'=[0-9.]+s?(?:;;;0(?:;2)?)?/
        let lines = several.split(separator: "\n").suffix(2).map { $0.split(separator: " | ").last ?? "" }
        for line in lines { #expect(line.matches(of: datum).map { String($0.output) }.joined(separator: " ") == line) }
    }

    @Test(arguments: [
        (ExitStatus.pass, Int32(0)), (.warn, 1), (.fail, 2), (.changed, 2), (.unreachable, 3), (.usage, 3), (.data, 3),
        (.noInput, 3), (.software, 3), (.inputOutput, 3),
    ]) func monitoringHasFourStates(status: ExitStatus, code: Int32) {
        #expect(ExitConvention.monitoring.code(for: status) == code)
        #expect(ExitConvention.standard.code(for: status) == status.rawValue)
    }

    // MARK: Prometheus

    @Test func prometheusHasEachMetricOnce() throws {
        let time = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let text = try Self.text(PrometheusRenderer(now: { time }), [RendererTests.passing(), Self.unreachable()])
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("# HELP") }.joined(separator: "\n")
        let labels = #"target="api.example.com:443",address="203.0.113.7""#
        let none = #"target="api.example.com:443",address="""#
        let leaf = try #require(RendererTests.passing().presented.first)
        #expect(
            lines == """
                # TYPE pincheck_status gauge
                pincheck_status{\(labels)} 0
                pincheck_status{\(none)} 2
                # TYPE pincheck_reached gauge
                pincheck_reached{\(labels)} 1
                pincheck_reached{\(none)} 0
                # TYPE pincheck_accepted gauge
                pincheck_accepted{\(labels),client="afnetworking"} 1
                # TYPE pincheck_pins_configured gauge
                pincheck_pins_configured{\(labels)} 2
                pincheck_pins_configured{\(none)} 2
                # TYPE pincheck_pins_matched gauge
                pincheck_pins_matched{\(labels)} 1
                # TYPE pincheck_warnings gauge
                pincheck_warnings{\(labels)} 1
                pincheck_warnings{\(none)} 0
                # TYPE pincheck_warning gauge
                pincheck_warning{\(labels),id="w"} 1
                # TYPE pincheck_certificate_not_after_timestamp_seconds gauge
                pincheck_certificate_not_after_timestamp_seconds{\(labels),depth="0"} 1798761600
                pincheck_certificate_not_after_timestamp_seconds{\(labels),depth="1"} 1798761600
                # TYPE pincheck_certificate_not_before_timestamp_seconds gauge
                pincheck_certificate_not_before_timestamp_seconds{\(labels),depth="0"} 1767225600
                pincheck_certificate_not_before_timestamp_seconds{\(labels),depth="1"} 1767225600
                # TYPE pincheck_leaf_info gauge
                pincheck_leaf_info{\(labels),spki="\(leaf.spkiSha256)",issuer="\(leaf.issuer)",serial="\(leaf.serial)"} 1
                # TYPE pincheck_check_duration_seconds gauge
                pincheck_check_duration_seconds{\(labels),phase="connect"} 0.001250
                pincheck_check_duration_seconds{\(labels),phase="handshake"} 0.003500
                # TYPE pincheck_run_status gauge
                pincheck_run_status 2
                # TYPE pincheck_last_run_timestamp_seconds gauge
                pincheck_last_run_timestamp_seconds 1800000000
                """)
    }

    @Test func prometheusSeriesAreDifferentAndTheirLabelsClosed() throws {
        let time = Timestamp(secondsSinceEpoch: 0)
        let text = try Self.text(
            PrometheusRenderer(now: { time }), [Self.hostile(), Self.hostile(), Self.unreachable()])
        #expect(isPlain(text))
        let sample = /[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\[\\"])*"(?:,|(?=\})))+\})? [0-9.]+/
        let series = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for line in series { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
        #expect(Set(series.map { $0.prefix(upTo: $0.lastIndex(of: " ") ?? $0.endIndex) }).count == series.count)
    }

    @Test func prometheusKnowsTheEndOfThePins() throws {
        var report = RendererTests.passing()
        report.outlook = Report.Outlook(
            level: .warn, pinsMatchUntil: "2027-01-01T00:00:00Z", noPinAfter: "2027-01-01T00:00:00Z", hasBackup: false,
            pins: [], findings: [Report.Outlook.Finding(id: "ends", level: .warn, message: "no backup", isTold: false)])
        let time = Timestamp(secondsSinceEpoch: 0)
        let text = try Self.text(PrometheusRenderer(now: { time }), [report])
        let labels = #"target="api.example.com:443",address="203.0.113.7""#
        #expect(text.contains("\npincheck_pins_match_until_timestamp_seconds{\(labels)} 1798761600\n"))
        #expect(text.contains("\npincheck_no_pin_after_timestamp_seconds{\(labels)} 1798761600\n"))
        #expect(text.contains("\npincheck_has_backup_pin{\(labels)} 0\n"))
        #expect(text.contains("\npincheck_warnings{\(labels)} 2\n"))
        #expect(text.contains("\npincheck_warning{\(labels),id=\"ends\"} 1\n"))
        let annotations = try Self.text(GitHubRenderer(), [report])
        #expect(annotations.contains("\n::warning title=pincheck api.example.com%3A443::no backup\n"))
    }

    // MARK: Brief

    @Test func briefHasALineATarget() throws {
        let style = TextStyle(.never, isTerminal: false, environment: [:])
        let renderer = BriefRenderer(text: TextRenderer(style: style, explains: false))
        let text = try Self.text(renderer, [RendererTests.passing(), RendererTests.failing(), Self.unreachable()])
        #expect(
            text == """
                PASS  api.example.com:443  89 d  afnetworking: public key pin matched at depth 0
                FAIL  api.example.com:443  89 d  afnetworking: no configured pin is on the chain
                UNREACHABLE  api.example.com:443  -  connect: connection refused

                """)
        #expect(try Self.text(renderer, [Self.hostile()]).count { $0 == "\n" } == 1)
    }

    // MARK: JUnit

    @Test func junitHasASuiteATargetAndACaseAClient() throws {
        var failing = RendererTests.failing()
        failing.clients[0].verdict = .reject
        failing.clients[0].reason = failing.reason
        let text = try Self.text(JUnitRenderer(), [failing, Self.unreachable(), Self.calm()])
        let details = text.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.drop { $0 == " " }.hasPrefix("<") }
        #expect(!details.isEmpty)
        let lines = text.split(separator: "\n").filter { $0.drop { $0 == " " }.hasPrefix("<") }
        #expect(
            lines.joined(separator: "\n") == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="pincheck" tests="3" failures="1" errors="1" time="0.009500">
                  <testsuite name="api.example.com:443" tests="1" failures="1" errors="0" skipped="0" time="0.004750" \
                timestamp="2026-10-04T00:00:00">
                    <testcase name="afnetworking" classname="api.example.com" time="0.000000">
                      <failure type="pin-mismatch" message="no configured pin is on the chain">\
                api.example.com:443 → 203.0.113.7   SNI api.example.com   TLSv1.3 TLS_AES_256_GCM_SHA384
                    </testcase>
                    <system-out>warning w: take care</system-out>
                  </testsuite>
                  <testsuite name="api.example.com:443 #2" tests="1" failures="0" errors="1" skipped="0" time="0.000000" \
                timestamp="2026-10-04T00:00:00">
                    <testcase name="verdict" classname="api.example.com" time="0.000000">
                      <error type="refused" message="connect: connection refused"/>
                    </testcase>
                  </testsuite>
                  <testsuite name="api.example.com:443 #3" tests="1" failures="0" errors="0" skipped="0" time="0.004750" \
                timestamp="2026-10-04T00:00:00">
                    <testcase name="afnetworking #2" classname="api.example.com" time="0.000000"/>
                  </testsuite>
                </testsuites>
                """)
    }

    @Test func aVerdictThatNoClientTellsIsACase() throws {
        var report = Self.calm()
        report.exit = .changed
        report.reason = Report.Message(id: "rekeyed", message: "the key is another")
        let text = try Self.text(JUnitRenderer(), [report])
        #expect(text.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""))
        #expect(text.contains("<testcase name=\"verdict\" classname=\"api.example.com\""), "\(text)")
        #expect(text.contains("<failure type=\"rekeyed\""))
    }

    @Test func junitIsWellFormedWhateverItHolds() throws {
        let text = try Self.text(JUnitRenderer(), [Self.hostile(), Self.hostile(), RendererTests.passing()])
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(isPlain(text))
    }

    // MARK: GitHub

    @Test func gitHubGetsAnAnnotationForWhatDoesNotPass() throws {
        let text = try Self.text(
            GitHubRenderer(), [RendererTests.passing(), RendererTests.failing(), Self.unreachable()])
        let served =
            "%0Aserved: sha256/NSQoeTIWAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQGfk=  CN=api.example.com"
            + "%0Aserved: sha256/hIEayVYDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAw/M=  CN=Example Root"
        let commands = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("::") }
        let expected = [
            "::group::PASS  api.example.com:443", "::endgroup::",
            "::warning title=pincheck api.example.com%3A443::take care", "::group::FAIL  api.example.com:443",
            "::endgroup::",
            "::error title=pincheck FAIL api.example.com%3A443::afnetworking: no configured pin is on the chain"
                + served, "::warning title=pincheck api.example.com%3A443::take care",
            "::group::UNREACHABLE  api.example.com:443", "::endgroup::",
            "::error title=pincheck UNREACHABLE api.example.com%3A443::connect: connection refused",
        ]
        #expect(commands == expected)
    }

    @Test func whatIsNeverJudgedIsSaidOnce() throws {
        var reports = [RendererTests.passing(), RendererTests.failing(), Self.unreachable()]
        for index in reports.indices { reports[index].notes += Report.notEmulated }
        let text = try Self.text(GitHubRenderer(), reports)
        for note in Report.notEmulated { #expect(text.split(separator: note.message).count == 2, "\(text)") }
        #expect(text.contains("::group::What is not judged\n"))
        // Nothing was judged of a server that was not reached.
        #expect(try !Self.text(GitHubRenderer(), [Self.unreachable()]).contains("not judged"))
    }

    @Test func noTextFromOutsideIsACommand() throws {
        var report = Self.hostile()
        report.reason = Report.Message(id: report.reason.id, message: "::add-mask::x")
        report.clients = []
        report.target = "  ::set-output::y"
        let text = try Self.text(GitHubRenderer(), [report, Self.hostile()])
        #expect(isPlain(text))
        #expect(!text.contains("##["))
        let commands = text.split(separator: "\n").filter { $0.drop { $0 == " " }.hasPrefix("::") }
        let known = ["::group::", "::endgroup::", "::error title=", "::warning title="]
        #expect(commands.allSatisfy { line in known.contains { line.hasPrefix($0) } })
        #expect(commands.count == 8)
        // A percent sign that is not one of ours could become the end of the line.
        #expect(commands.allSatisfy { !$0.contains("d%0A") })
    }

    /// What ended the run is where the results would have been, and not only on standard error.
    @Test(arguments: [("bad.txt", "DATA"), ("none.txt", "NOINPUT")])
    func aFileThatEndsTheRunIsAnAnnotationAndAnErroneousCase(pins: String, name: String) async throws {
        try await TemporaryDirectory.scoped { files in
            _ = try files.write("sha256/AAAA\n", to: "bad.txt")
            let (path, report) = ("\(files.path)/\(pins)", "\(files.path)/report.xml")
            let line = ["127.0.0.1:1", "--pins", path, "-f", "github", "-f", "junit=\(report)"]
            let end = await pincheck(line)
            #expect(end.status.name == name && end.errors.hasPrefix("Error: "))
            #expect(end.output.hasPrefix("::error title=pincheck \(name)::") && end.output.contains(path))
            #expect(end.output.split(separator: "\n").count == 1)
            let xml = try String(contentsOfFile: report, encoding: .utf8)
            let suites = try XMLDocument(data: Data(xml.utf8)).rootElement()
            let error = try suites?.nodes(forXPath: "testsuite/testcase/error").first as? XMLElement
            #expect(suites?.attribute(forName: "errors")?.stringValue == "1")
            #expect(error?.attribute(forName: "type")?.stringValue == name)
            #expect(error?.attribute(forName: "message")?.stringValue?.contains(path) == true)
            let other = await pincheck("127.0.0.1:1", "--pins", path, "-q", "-f", "github")
            #expect(other.output.isEmpty && other.status == end.status)
        }
    }
}
