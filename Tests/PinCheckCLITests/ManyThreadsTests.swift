import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// Many targets, spread over threads.
@Suite(.endsSomeTime) struct ManyThreadsTests {
    private let pki: StandardPKI

    init() throws { pki = try .shared() }

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

    #if os(Linux)
    @Test(
        .enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"), arguments: [96, 200, 40])
    func theProgramConnectsOnAThreadForEachProcessor(targets: Int) async throws {
        let more = targets < 64 ? 0 : min(targets / 32, ProcessInfo.processInfo.activeProcessorCount) - 1
        try await LoopbackServer.serving(.tarpit) { server in
            // The program is born on the first; it is looked at while the servers keep it waiting.
            let script = """
                for n in $(seq \(targets)); do echo n$n.example connect=127.0.0.1:\(server.port); done >$TMPDIR/list
                $PINCHECK --targets $TMPDIR/list --timeout 60 >$TMPDIR/out 2>&1 &
                for try in $(seq 600); do
                    n=$(cat /proc/$!/task/*/comm 2>/dev/null | grep -c NIO-ELT)
                    test \(more) = 0 && test $(ls /proc/$!/fd 2>/dev/null | wc -l) -gt 30 && break
                    test \(more) -gt 0 && test $n = \(more) && break
                    sleep 0.1
                done
                n=$(cat /proc/$!/task/*/comm 2>/dev/null | grep -c NIO-ELT)
                kill $!
                echo $n
                """
            let outcome = try await BuiltBinary.run(script)
            #expect(outcome.output == "\(more)\n", "\(outcome)")
        }
    }

    @Test(
        .enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"), arguments: [10, 20, 64])
    func threadsTakeNoDescriptorsThatAreNotThere(limit: Int) async throws {
        let pki = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            let script = """
                for n in $(seq 96); do echo api.example.com connect=127.0.0.1:\(server.port); done >$TMPDIR/list
                printf '%s' '\(pki.rootA.pem)' >$TMPDIR/root.pem
                ulimit -n \(limit)
                $PINCHECK --targets $TMPDIR/list --anchors $TMPDIR/root.pem --timeout 300 >$TMPDIR/out 2>&1
                status=$?
                test $status = 0 || grep -m5 -E '^(UNREACHABLE|Error)' $TMPDIR/out
                echo $status
                """
            let outcome = try await BuiltBinary.run(script)
            #expect(outcome.output == "0\n", "\(outcome)")
        }
    }
    #endif

    private func compare(_ list: String, _ anchors: String) async throws {
        let now = LabClock.now
        let base = [
            "--targets", list, "--anchors", anchors, "--pins", pki.leaf.pin, "--sni", StandardPKI.serverName,
            "--verify-name", StandardPKI.serverName, "--timeout", "60",
        ]
        var reports: [String] = []
        for jobs in ["1", "7", "512"] {
            let outcome = await pincheck(base + ["--jobs", jobs], at: now).expect(
                .fail, "\n170 targets: 85 FAIL, 42 UNREACHABLE, 43 PASS")
            reports.append(outcome.output)
        }
        #expect(reports.dropFirst().allSatisfy { $0 == reports[0] })
    }
}
