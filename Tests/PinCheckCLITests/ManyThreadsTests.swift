import LoopbackLab
import PinCheckCLI
import Testing

/// Many targets, spread over threads.
@Suite(.endsSomeTime) struct ManyThreadsTests {
    private let pki: StandardPKI

    init() throws {
        pki = try .shared()
    }

    @Test func theReportIsTheSameForEveryNumberOfThreads() async throws {
        let key = try LabKey.shared(.rsa(bits: 2_048), label: "many threads")
        let rsa = try pki.interA.issue(.leaf(StandardPKI.serverName), key: key)
        let behaviors: [ServerBehavior] = [
            .presenting([pki.leaf, pki.interA]), .presenting([rsa, pki.interA]), .presenting([pki.rogue, pki.rogueI]),
            .alert(40),
        ]
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(behaviors[0]) { first in
                try await LoopbackServer.serving(behaviors[1]) { second in
                    try await LoopbackServer.serving(behaviors[2]) { third in
                        try await LoopbackServer.serving(behaviors[3]) { fourth in
                            let ports = [first.port, second.port, third.port, fourth.port]
                            // Five threads are worth their while from 160 targets on.
                            let lines = (0..<170).map { number in
                                "n\(number).example.com connect=127.0.0.1:\(ports[number % 4])"
                            }
                            let list = try files.write(lines.joined(separator: "\n"), to: "list.txt")
                            try await self.compare(list, anchors)
                        }
                    }
                }
            }
        }
    }

    private func compare(_ list: String, _ anchors: String) async throws {
        let now = LabClock.now
        let base = [
            "--targets", list, "--anchors", anchors, "--pins", pki.leaf.pin, "--sni", StandardPKI.serverName,
            "--verify-name", StandardPKI.serverName, "--timeout", "60",
        ]
        var reports: [String] = []
        for loops in ["1", "2", "5"] {
            let outcome = await pincheck(base + ["--loops", loops], at: now)
            #expect(outcome.status == .fail)
            #expect(
                outcome.output.contains("\n170 targets: 85 FAIL, 42 UNREACHABLE, 43 PASS"),
                "\(outcome.output.suffix(300))"
            )
            reports.append(outcome.output)
        }
        #expect(reports.dropFirst().allSatisfy { $0 == reports[0] })
    }
}
