import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// What a run comes to: how many targets, and which did not pass. A whole run is in ``GoldenTests`` (`check-several`).
@Suite(.endsSomeTime) struct RunTotalTests {
    private func text(_ reports: [Report]) -> String {
        let style = TextStyle(.never, isTerminal: false, environment: [:])
        var renderer = TextResultRenderer(text: TextRenderer(style: style, explains: false))
        let blocks = MachineFormatTests.targets(reports).map { renderer.text(for: $0) }.joined()
        return blocks + renderer.ending(exit: .worst(reports.filter(\.counts).map(\.status)))
    }

    private func report(_ name: String, _ status: ExitStatus) -> Report {
        var report = status == .fail ? RendererTests.failing() : RendererTests.passing()
        report.target = name
        report.status = status
        return report
    }

    private func connections(to name: String, _ statuses: [ExitStatus]) -> [Report] {
        var reports = statuses.enumerated().map { index, status in
            var report = report(name, status)
            report.endpoint = RendererTests.endpoint("203.0.113.\(index)")
            report.variant = .ordinary
            return report
        }
        let rejected = statuses.count { $0 == .fail }
        reports[reports.count - 1].consistency = AddressComparison(
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
        for index in calm.indices {
            calm[index].monitoring = RendererTests.monitored(calm[index].status, calm[index].reason.message)
        }
        var nagios = NagiosRenderer()
        for target in MachineFormatTests.targets(calm) { _ = nagios.text(for: target) }
        let lines = try nagios.ending(exit: .fail).split(separator: "\n")
        #expect(
            lines.first?.hasPrefix("PINCHECK CRITICAL - 2 targets: 1 FAIL, 1 PASS; edge.example:443 at 203.0.113.1 ")
                == true)
        #expect(lines.first?.contains(" | targets=2;;;0 problems=1;;;0;2") == true, "\(lines.first ?? "")")
        var alone = NagiosRenderer()
        _ = alone.text(for: Array(calm.dropLast()))
        let line = try alone.ending(exit: .fail)
        #expect(line.hasPrefix("PINCHECK CRITICAL - edge.example:443 3 addresses: 2 accepted, 1 rejected; "), "\(line)")
    }
}

extension AddressComparison {
    /// What so many addresses come to.
    init(addresses: Int, verdicts: [PinChecking.Outcome], isConsistent: Bool = true) {
        self.init(of: [])
        (self.addresses, self.isConsistent) = (addresses, isConsistent)
        (self.verdicts, outcomes) = (verdicts, verdicts)
    }
}
