import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct ManyTargetsTests {
    /// Runs beside a list of so many targets, of which one in ten answers and the others are refused.
    private func serving(
        _ count: Int,
        _ body: (_ desk: Desk, _ lines: [String], _ ask: (String, String) async -> Outcome) async throws -> Void
    ) async throws {
        try await Desk.serving { desk, server in
            let lines = (0..<count).map { number in
                "n\(number).example.com:8443 verify-name=$HOST connect=127.0.0.1:" + (number % 10 == 3 ? "$PORT" : "1")
            }
            try await body(desk, lines) { line, input in
                await desk("--anchors @root.pem --jobs 8 -f jsonl " + line, input: input, targetWindow: 7)
            }
        }
    }

    private func results(_ text: String) throws -> [String: [String]] {
        var results: [String: [String]] = [:]
        for line in text.split(separator: "\n") {
            let result = try JSONValue(String(line))
            results[try #require(result["target"].text), default: []].append(try #require(result["exit"]["name"].text))
        }
        return results
    }

    private func expected(_ count: Int) -> [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map {
                ("n\($0).example.com:8443", [$0 % 10 == 3 ? "PASS" : "UNREACHABLE"])
            })
    }

    @Test(arguments: [1, 16, 99, 100, 101], ["@list.txt", "-"]) func aListIsCheckedWhole(window: Int, list: String)
        async throws
    {
        try await serving(100) { desk, lines, _ in
            let text = lines.joined(separator: "\n")
            try desk.write(text, to: "list.txt")
            let outcome = await desk(
                "--anchors @root.pem --jobs 8 --targets \(list) -f text=@text -f jsonl", input: text,
                targetWindow: window
            ).expect(.unreachable)
            let found = try results(outcome.output)
            #expect(found == expected(100))
            let ends = try desk.text("text").split(separator: "\n").filter {
                $0.hasPrefix("PASS") || $0.hasPrefix("UNREACHABLE")
            }
            #expect(ends.count == 100)
            for (number, end) in ends.enumerated() { #expect(end.contains("n\(number).example.com:8443"), "\(end)") }
        }
    }

    @Test func aMistakeFarDownIsToldFirstAndTheOthersAreChecked() async throws {
        try await serving(50) { desk, lines, ask in
            let list = (lines + ["a..b"]).joined(separator: "\n")
            try desk.write(list, to: "list.txt")
            await ask("--targets @list.txt", "").expect(.data, "list.txt:51", errors: "list.txt:51: ")
            // Of a pipe nobody knows what comes.
            await ask("--targets -", list).expect(.data, errors: "standard input:51: ")
        }
    }

    @Test func anAddressMayBeForATargetFarDown() async throws {
        try await serving(40) { desk, lines, ask in
            try desk.write((lines + ["far.example.com"]).joined(separator: "\n"), to: "list.txt")
            let far = await ask("--targets @list.txt --connect-to far.example.com:443:127.0.0.1:1", "")
            let ended = try results(far.output)["far.example.com:443"]
            #expect(ended == ["UNREACHABLE"])
            await ask("--targets @list.txt --connect-to other.example.com:443:127.0.0.1:1", "").expect(
                .usage, errors: "other.example.com:443")
        }
    }

    @Test func aCompressedListIsRefused() async throws {
        await pincheck("--targets", "-", input: [0x1F, 0x8B, 0x08, 0x00, 0x0A]).expect(
            .data, "", errors: "zcat FILE | pincheck --targets -")
    }
}

@Suite(.endsSomeTime) struct ManyThreadsTests {
    @Test func theReportIsTheSameForEveryNumberOfThreads() async throws {
        let behaviors: [ServerBehavior] = [
            .presenting(served), .presenting([rsaLeaf, pki.interA]), .presenting([pki.rogue, pki.rogueI]), .alert(40),
        ]
        let now = LabClock.now
        try await LoopbackServer.serving(all: behaviors) { servers in
            // Five threads are worth their while from 160 targets on.
            let lines = (0..<170).map { "n\($0).example.com connect=\(servers[$0 % 4].place)" }
            let desk = try Desk(["list": lines.joined(separator: "\n")])
            let line =
                "--targets @list --anchors @root.pem --pins $LEAF --sni $HOST --verify-name $HOST --timeout 60 --jobs "
            var reports: Set<String> = []
            for jobs in ["1", "7", "512"] {
                let outcome = await desk(line + jobs, at: now).expect(
                    .fail, "\n170 targets: 85 FAIL, 42 UNREACHABLE, 43 PASS")
                reports.insert(outcome.output)
            }
            #expect(reports.count == 1)
        }
    }

    #if os(Linux)
    @Test(.hasBuiltBinary, arguments: [10, 20, 64]) func threadsTakeNoDescriptorsThatAreNotThere(limit: Int)
        async throws
    {
        try await LoopbackServer.serving(.presenting(served)) { server in
            let script = """
                for n in $(seq 96); do echo api.example.com connect=127.0.0.1:\(server.port); done >$TMPDIR/list
                printf '%s' '\(pki.rootA.pem)' >$TMPDIR/root.pem
                # Those of programs that other tests start at the same time.
                exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
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
}
