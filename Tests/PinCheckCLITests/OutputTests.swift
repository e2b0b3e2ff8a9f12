import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

@Suite(.endsSomeTime) struct OutputTests {
    /// How the process of a line ends; `WRONG` judges the chain by another root.
    private func run(_ line: String, at desk: Desk) async -> (code: Int32, output: String, errors: String) {
        let (output, errors) = (OutputBuffer(), OutputBuffer())
        let line = line.replacing("WRONG", with: "verify @chain.pem --anchors @other.pem --host $HOST")
        let end = await PinCheck.run(desk.words(line), in: .lab(output.stream(), errors: errors.stream()))
        return (end.code, output.text, errors.text)
    }

    private static let critical = "PINCHECK CRITICAL - "
    private static let unknown = "PINCHECK UNKNOWN - "

    @Test(
        arguments: [
            ("VERIFY -f nagios", 0, "PINCHECK OK - "), ("WRONG -f nagios", 2, critical),
            // Standard output has other names, and other forms have the file.
            ("WRONG -f nagios -o -", 2, critical), ("WRONG -f nagios=/dev/stdout", 2, critical),
            ("WRONG -f json -f nagios -o /dev/null", 2, critical), ("WRONG -f nagios -q", 2, ""),
            ("VERIFY -f nagios --warn-before 100000d", 1, "PINCHECK WARNING - "),
            // A client that cannot be set up hides no rejection.
            ("VERIFY -f nagios --pins $JUNK --client okhttp,trustkit", 2, critical),
            ("127.0.0.1:1 --format=nagios --timeout 5", 3, unknown + "127.0.0.1:1 "),
            // What cannot run is unknown, in a line where the system reads.
            ("a..b -f nagios", 3, unknown), ("check -fnagios --no-such-option", 3, unknown),
            ("--format=nagios", 3, unknown), ("-f nagios --targets /nonexistent", 3, unknown),
            ("api.example.com -f nagios --pins sha256/AAAA", 3, unknown), ("-f nagios=- -f text x.example", 3, unknown),
            ("VERIFY -f nagios -f json=/nonexistent/file", 3, unknown + "cannot write '/nonexistent/file'"),
            // Neither help nor a file in the form of plugins is an evaluation.
            ("check -f nagios --help", 3, "OVERVIEW"), ("check --help", 0, "OVERVIEW"), ("WRONG -f nagios=@a", 1, ""),
            ("WRONG -f nagios -o @b", 1, ""), ("a..b -f nagios -o @b", 64, ""),
        ] as [(String, Int32, String)]) func aPluginEndsWithTheCodesOfPlugins(line: String, code: Int32, start: String)
        async throws
    {
        let desk = try Desk()
        let end = await run(line, at: desk)
        #expect(end.code == code && end.output.hasPrefix(start) && end.output.isEmpty == start.isEmpty, "\(end)")
        if start.hasPrefix(Self.unknown), !start.contains("127") {
            #expect(end.output.count { $0 == "\n" } == 1 && end.output.hasSuffix("\n"))
            #expect(end.errors.hasPrefix("Error: ") || end.errors.hasPrefix("Usage"))
        }
        guard code == 1, let name = line.last, "ab".contains(name) else { return }
        #expect(try desk.text("\(name)").hasPrefix(Self.critical))
    }

    @Test func theOutputFileIsForTheFormWithoutOne() async throws {
        let desk = try Desk()
        #expect(await run("VERIFY -o @text", at: desk).output.isEmpty)
        #expect(try desk.text("text").contains("PASS  "))
        let end = await run("VERIFY -f prometheus -o @metrics -f json=-", at: desk)
        #expect(try end.code == 0 && JSONValue(end.output)["verdict"].text == "accept")
        #expect(try desk.text("metrics").contains("\npincheck_run_status 0\n"))
    }

    @Test func quietSilencesStandardOutputAndNoFile() async throws {
        let desk = try Desk()
        let end = await run("VERIFY -q -f junit=@a.xml -f jsonl=@b.jsonl -f json -o @c.json", at: desk)
        #expect(end.code == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
        for name in ["a.xml", "b.jsonl", "c.json"] {
            let text = try desk.text(name)
            #expect(text.contains("intermediate") || text.contains("<testsuites "), "\(name)")
        }
    }
}

@Suite(.endsSomeTime) struct RunTotalTests {
    private func text(_ reports: [Report]) -> String {
        let style = TextStyle(.never, isTerminal: false, environment: [:])
        var renderer = TextResultRenderer(text: TextRenderer(style: style, explains: false))
        let blocks = MachineFormatTests.targets(reports).map { renderer.text(for: $0) }.joined()
        return blocks + renderer.ending(exit: .worst(reports.filter(\.counts).map(\.status)))
    }

    private func report(_ name: String, _ status: ExitStatus) -> Report {
        var report = status == .fail ? RendererTests.failing() : RendererTests.passing()
        report.result.target = name
        if status == .unreachable { report.end(.unreachable, report.reason) }
        return report
    }

    private func connections(to name: String, _ statuses: [ExitStatus]) -> [Report] {
        var reports = statuses.enumerated().map { index, status in
            var report = report(name, status)
            report.result.endpoint = RendererTests.endpoint("203.0.113.\(index)")
            report.result.variant = .ordinary
            return report
        }
        let rejected = statuses.count { $0 == .fail }
        reports[reports.count - 1].result.consistency = AddressComparison(
            addresses: statuses.count, verdicts: statuses.map { $0 == .fail ? .rejected : .accepted },
            isConsistent: rejected == 0)
        return reports
    }

    @Test func ofManyThoseThatFailAreNamedAgain() {
        let passing = (1...9).map { report("host-\($0):443", .pass) }
        let bad = [report("dead:443", .unreachable), report("stale:443", .fail)]
        let text = text(Array(passing.prefix(4)) + bad + passing.suffix(5))
        #expect(
            text.hasSuffix(
                "\n11 targets: 1 FAIL, 1 UNREACHABLE, 9 PASS (9 with warnings)\n  FAIL  stale:443\n  UNREACHABLE  dead:443\n"
            ), "\(text)")
    }

    @Test func aTargetIsOneHoweverManyAddressesItHas() throws {
        let reports = connections(to: "edge.example:443", [.pass, .fail, .pass]) + [report("b:443", .pass)]
        #expect(
            text(reports).contains(
                "\nFAIL  edge.example:443  3 addresses: 2 accepted, 1 rejected; afnetworking: no configured pin"))
        #expect(text(reports).hasSuffix("\n2 targets: 1 FAIL, 1 PASS (1 with warnings)\n"), "\(text(reports))")
        var calm = reports
        for index in calm.indices { calm[index].change { $0.findings = [] } }
        var nagios = NagiosRenderer()
        for target in MachineFormatTests.targets(calm) { _ = nagios.text(for: target) }
        let lines = nagios.ending(exit: .fail).split(separator: "\n")
        #expect(
            lines.first?.hasPrefix("PINCHECK CRITICAL - 2 targets: 1 FAIL, 1 PASS; edge.example:443 at 203.0.113.1 ")
                == true)
        #expect(lines.first?.contains(" | targets=2;;;0 problems=1;;;0;2") == true, "\(lines.first ?? "")")
    }
}

extension AddressComparison {
    init(addresses: Int, verdicts: [PinChecking.Outcome], isConsistent: Bool = true) {
        self.init(of: [])
        (self.addresses, self.isConsistent) = (addresses, isConsistent)
        (self.verdicts, outcomes) = (verdicts, verdicts)
    }
}
