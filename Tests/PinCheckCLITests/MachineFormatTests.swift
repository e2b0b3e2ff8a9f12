import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite(.endsSomeTime) struct MachineFormatTests {
    static func unreachable() -> Report {
        var report = RendererTests.passing()
        report.tls = nil
        report.result.endpoint = RendererTests.endpoint("")
        report.built = []
        report.presented = []
        report.matches = []
        report.clients = []
        report.result.findings = []
        report.end(.unreachable, Reason("refused", "connect: connection refused"))
        return report
    }

    static func text(_ renderer: some ResultRenderer, _ reports: [Report]) throws -> String {
        var renderer = renderer
        var text = ""
        for target in targets(reports) { text += renderer.text(for: target) }
        return text + renderer.ending(exit: .worst(reports.map(\.status)))
    }

    private static func metrics(_ reports: [Report]) throws -> String {
        try text(PrometheusRenderer { Timestamp(secondsSinceEpoch: 0) }, reports)
    }

    /// The reports by their targets, of whose connections the last says what they have in common.
    static func targets(_ reports: [Report]) -> [[Report]] {
        var targets: [[Report]] = [[]]
        for report in reports {
            targets[targets.count - 1].append(report)
            if report.variant == nil || report.result.consistency != nil { targets.append([]) }
        }
        return targets.filter { !$0.isEmpty }
    }

    private static let special = ["|", "`", "'", "\"", "\\", "=", "<", "&", "%0A", "##[error]", "::error::", ",", ":"]

    /// Texts that forms must not take for their own, and special strings that combine into other characters, but into no other bytes.
    static let evils = [
        "a'=1;2\n::error::b\r##[error]c|d%0A\u{0}\u{1B}[31m\u{202E}\u{FFFE}<![CDATA[`]]>&\"\\{}",
        special.map { "\($0)\u{301}x \u{D4E}\($0)y" }.joined(separator: " "),
    ]

    static func hostile(_ evil: String = evils[0]) -> Report {
        var report = RendererTests.failing()
        report.result.target = evil
        report.result.endpoint = RendererTests.endpoint(sni: evil)
        report.result.referenceName = .name(.dns(evil))
        report.tls = RendererTests.handshake(evil)
        report.presented[0] = RendererTests.certificate(0, evil, key: evil)
        report.built[0].certificate = report.presented[0].certificate
        report.pins[0] = RendererTests.pin(RendererTests.leafPin, from: evil)
        report.clients[0].name = evil
        report.clients[0].verdict = .reject
        report.clients[0].reason = Reason("r", evil)
        report.clients[0].settings = [("c", .text(evil))]
        report.clients[0].trace = [TraceStep(number: 1, id: "pins", status: .fail, detail: evil)]
        report.change {
            $0.findings = [.warning(.leafOnly, evil)]
            $0.answer = try? RendererTests.answer(evil)
            $0.verdict = Ending(.rejected, Reason(evil, evil))
        }
        return report
    }

    static func calm() -> Report {
        var report = RendererTests.passing()
        report.change { $0.findings = [] }
        return report
    }

    @Test func nagiosWarnsWithoutBeingAskedToAndItsDataAgree() throws {
        let warned = try Self.text(NagiosRenderer(), [RendererTests.passing()])
        #expect(
            warned.hasPrefix("PINCHECK WARNING - api.example.com:443 afnetworking: accepted, but take care | time="),
            "\(warned)")
        // 18 h are left: more than 12 h, and less than a whole day.
        var report = Self.calm()
        report.built[0].certificate = RendererTests.certificate(to: "2026-10-04T18:00:00Z").certificate
        report.built[0].warnDays = 0.5
        let text = try Self.text(NagiosRenderer(), [report])
        #expect(text.hasPrefix("PINCHECK OK - ") && text.contains(" days_0=0.75;0.50: "), "\(text)")
    }

    @Test func nagiosHasTheWorstFirstAndFitsItsBuffer() throws {
        let reports = (1...70).map { number in
            var report = number == 70 ? RendererTests.failing() : Self.calm()
            report.result.target = "host-\(number).\(String(repeating: "x", count: 60)).example:443"
            return report
        }
        let text = try Self.text(NagiosRenderer(), reports)
        let lines = text.split(separator: "\n")
        #expect(lines[0].hasPrefix("PINCHECK CRITICAL - 70 targets: 1 FAIL, 69 PASS; host-70."), "\(lines[0])")
        #expect(lines[1].hasPrefix("FAIL host-70.") && text.utf8.count <= 8_192, "\(text.utf8.count)")
        #expect(text.contains("\n… and ") && text.contains(" more: "), "\(text)")
        // A rejection beside a client that cannot be set up is above what was not reached.
        var inPart = RendererTests.failing()
        inPart.end(.rejectedInPart, inPart.reason)
        let parts = try Self.text(NagiosRenderer(), [Self.unreachable(), inPart]).split(separator: "\n")
        #expect(parts[0].hasPrefix("PINCHECK CRITICAL - 2 targets: ") && parts[1].hasPrefix("DATA "), "\(parts)")
        var two = RendererTests.passing()
        two.change { $0.findings.append(.warning(.noBackupPin, "one key is pinned")) }
        let warned = try Self.text(NagiosRenderer(), [two])
        #expect(warned.contains("; and 1 more: no-backup-pin | ") && warned.contains(" warnings=2;;;0\n"), "\(warned)")
    }

    @Test func targetsOfOneNameAreToldApart() throws {
        let reports = [Self.calm(), Self.unreachable()]
        for text in [try Self.text(NagiosRenderer(), reports), try Self.text(JUnitRenderer(), reports)] {
            #expect(text.contains("api.example.com:443 #2"), "\(text)")
        }
    }

    @Test func whatIsShownForComparisonSetsOffNoAlert() throws {
        var without = Self.calm()
        without.result.variant = .withoutSNI
        without.end(.needsAttention, without.reason)
        let metrics = try Self.metrics([Self.calm(), without])
        for name in ["status", "accepted", "reached"] {
            #expect(metrics.ranges(of: "\npincheck_\(name){").count == 1, "\(name)")
        }
        #expect(metrics.ranges(of: "\npincheck_leaf_info{").count == 2)
    }

    /// The address that a name stands for changes with every answer of DNS: it is told, and is no label of what is alerted on.
    @Test func anAddressThatWasLookedUpIsNoLabel() throws {
        var looked = Self.calm()
        looked.result.endpoint = RendererTests.endpoint("203.0.113.7", resolved: "api.example.com")
        var given = looked
        given.result.endpoint = RendererTests.endpoint("203.0.113.7", resolved: nil)
        let text = try Self.metrics([looked, given])
        let target = #"target="api.example.com:443""#
        #expect(text.contains("pincheck_reached{\(target)} 1\n"), "\(text)")
        #expect(text.contains(#"pincheck_address_info{\#(target),address="203.0.113.7"} 1"#), "\(text)")
        #expect(text.contains(#"pincheck_reached{\#(target),address="203.0.113.7"} 1"#), "\(text)")
        #expect(text.ranges(of: "pincheck_address_info{").count == 1)
    }

    @Test func valuesThatAreCutDiffer() throws {
        let reports = ["a", "b"].map { end in
            var report = Self.calm()
            report.result.target = String(repeating: "x", count: 199) + end + ".example.com:443"
            return report
        }
        let text = try Self.metrics(reports)
        let series = text.split(separator: "\n").filter { $0.hasPrefix("pincheck_status{") }
        #expect(series.count == 2 && Set(series).count == 2)
        #expect(series.allSatisfy { $0.contains(/target="x{191}…[0-9a-f]{8}"/) && !$0.contains("check=") }, "\(series)")
    }

    private static func count(_ text: String, in scalars: [Unicode.Scalar]) -> Int {
        scalars.indices.count { scalars[$0...].starts(with: text.unicodeScalars) }
    }

    @Test(arguments: evils) func nagiosTextsNeitherEndTheLineNorBeginTheData(evil: String) throws {
        let one = try Self.text(NagiosRenderer(), [Self.hostile(evil)])
        #expect(
            Self.count("\n", in: Array(one.unicodeScalars)) == 1 && Self.count("|", in: Array(one.unicodeScalars)) == 1)
        let several = try Self.text(NagiosRenderer(), [Self.hostile(evil), Self.hostile(evil)])
        let scalars = Array(several.unicodeScalars)
        #expect(Self.count("\n", in: scalars) == 4 && Self.count("|", in: scalars) == 2)
        #expect(isPlain(one + several))
        // The guidelines' form of the data: a label in quotes, which are doubled in it, and no equals sign.
        let datum = /'(?:[^'=]|'')+'=(?:[0-9.]+s?|U)(?:;;;0(?:;2)?)?/.matchingSemantics(.unicodeScalar)
        for line in scalars.split(separator: "\n").suffix(2) {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: line.split(separator: "|").last ?? [])
            let data = String(text).trimmingPrefix(" ")
            #expect(data.matches(of: datum).map { String($0.output) }.joined(separator: " ") == data)
        }
    }

    @Test(arguments: [
        (ExitStatus.pass, Int32(0)), (.warn, 1), (.fail, 2), (.changed, 2), (.unreachable, 3), (.usage, 3), (.data, 3),
        (.noInput, 3), (.software, 3), (.inputOutput, 3),
    ]) func monitoringHasFourStates(status: ExitStatus, code: Int32) {
        #expect(RunEnd(status: status, isMonitoring: true).code == code)
        #expect(RunEnd(status: status, isMonitoring: false).code == status.rawValue)
    }

    @Test(arguments: evils) func prometheusSeriesAreDifferentAndTheirLabelsClosed(evil: String) throws {
        let hostile = Self.hostile(evil)
        let text = try Self.metrics([hostile, hostile, Self.unreachable()])
        #expect(isPlain(text))
        let sample = /[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\[\\"n])*"(?:,|(?=\})))+\})? [0-9.]+/.matchingSemantics(
            .unicodeScalar)
        let series = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for line in series { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
        #expect(Set(series.map { $0.prefix(upTo: $0.lastIndex(of: " ") ?? $0.endIndex) }).count == series.count)
    }

    @Test(arguments: evils) func junitAndJSONAreWellFormedWhateverTheyHold(evil: String) throws {
        let text = try Self.text(JUnitRenderer(), [Self.hostile(evil), Self.hostile(evil), RendererTests.passing()])
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(isPlain(text))
        let json = try Self.text(JSONResultRenderer(), [Self.hostile(evil)])
        #expect(throws: Never.self) { try JSONValue(json) }
    }

    @Test(arguments: evils) func noTextFromOutsideIsACommand(evil: String) throws {
        var report = Self.hostile(evil)
        report.end(.rejected, Reason(report.reason.id, "::add-mask::x"))
        report.clients = []
        report.result.target = "  ::set-output::y"
        let text = try Self.text(GitHubRenderer(), [report, Self.hostile(evil)])
        #expect(isPlain(text) && Self.count("##[", in: Array(text.unicodeScalars)) == 0)
        let commands = text.unicodeScalars.split(separator: "\n").map { $0.drop { $0 == " " } }.filter {
            $0.starts(with: "::".unicodeScalars)
        }
        let known = ["::group::", "::endgroup::", "::error title=", "::warning title="]
        #expect(commands.allSatisfy { line in known.contains { line.starts(with: $0.unicodeScalars) } })
        #expect(commands.count == 8)
        for command in commands.map(Array.init) {
            // A percent sign that is not one of ours could become the end of the line.
            #expect(Self.count("%0A", in: command) == 0)
            // A property ends at the first comma or colon: the target's own do not end it.
            let title = "::error title=".unicodeScalars
            guard command.starts(with: title) else { continue }
            let property = command.dropFirst(title.count).prefix { $0 != ":" && $0 != "," }
            #expect(property.starts(with: "pincheck ".unicodeScalars) && property.count > 15)
        }
    }
}
