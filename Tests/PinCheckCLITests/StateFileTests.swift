import Foundation
import LoopbackLab
import PinChecking
import Testing

@testable import PinCheckCLI

/// The file of `--state`: what changed since the last run, and nothing else, is told.
@Suite(.endsSomeTime) struct StateFileTests {
    @Test func onlyWhatHasChangedIsToldAndTheStatusIsThatOfAll() async throws {
        let files = try TemporaryDirectory()
        let state = "\(files.path)/state"
        let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
        func check(_ port: UInt16, pin: String, _ more: String...) async -> Outcome {
            await pincheck(
                [
                    StandardPKI.serverName, "127.0.0.1:1", "--connect",
                    "\(StandardPKI.serverName):443:127.0.0.1:\(port)", "--anchors", anchors, "--pins", pin, "--client",
                    "okhttp", "--timeout", "30", "--state", state,
                ] + more)
        }
        let target = "\(StandardPKI.serverName):443"
        let port = try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            let first = await check(server.port, pin: pki.leaf.pin)
            #expect(first.status == .unreachable)
            #expect(first.output.contains("PASS  \(target)") && first.output.contains("UNREACHABLE  127.0.0.1:1"))
            let same = await check(server.port, pin: pki.leaf.pin)
            #expect(same.status == .unreachable && same.output.isEmpty && same.errors.isEmpty, "\(same)")
            let other = await check(server.port, pin: pki.junk.pin)
            #expect(other.status == .fail && other.output.contains("FAIL  \(target)"))
            #expect(!other.output.contains("UNREACHABLE") && !other.output.contains("2 targets"))
            let still = await check(server.port, pin: pki.junk.pin)
            #expect(still.status == .fail && still.output.isEmpty && still.errors.isEmpty, "\(still)")
            let brief = await check(server.port, pin: pki.leaf.pin, "-f", "brief")
            #expect(brief.output.hasPrefix("PASS  \(target) → 127.0.0.1:\(server.port)  "), "\(brief.output)")
            #expect(brief.output.count { $0 == "\n" } == 1)
            let back = await check(server.port, pin: pki.junk.pin, "-f", "brief")
            #expect(back.status == .fail && back.output.hasPrefix("FAIL  "))
            let refused = await check(server.port, pin: pki.leaf.pin, "--format", "json")
            #expect(refused.status == .usage && refused.errors.contains("json tells everything"))
            return server.port
        }
        await check(port, pin: pki.junk.pin).expect(.unreachable, "UNREACHABLE  \(target)")
        let lines = try contents(ofFile: state).split(separator: "\n")
        #expect(lines.first == "pincheck-state 1" && lines.count == 3)
        // The key that was served last is known although there was no answer.
        #expect(
            lines.contains { $0.contains("\t\(pki.leaf.pin)\t") && $0.hasSuffix("\t\(target) → 127.0.0.1:\(port)") })
    }

    /// The last outcome and this one, and whether that is a change.
    static let changes: [(old: (String, String, String), new: (String, String, String), isChange: Bool)] = [
        (("PASS", "a", "k"), ("PASS", "a", "k"), false), (("PASS", "a", "k"), ("FAIL", "b", "k"), true),
        (("FAIL", "a", "k"), ("FAIL", "b", "k"), true), (("UNREACHABLE", "a", ""), ("UNREACHABLE", "b", ""), false),
        (("UNREACHABLE", "a", "k"), ("PASS", "b", "k"), true), (("PASS", "a", "k"), ("PASS", "a", "l"), true),
        (("PASS", "a", ""), ("PASS", "a", "l"), false),
    ]

    @Test(arguments: changes) func whatCountsAsAChange(
        old: (String, String, String), new: (String, String, String), isChange: Bool
    ) {
        func outcome(_ fields: (String, String, String)) -> StateFile.Outcome {
            StateFile.Outcome(status: fields.0, reason: fields.1, pin: fields.2, since: "")
        }
        #expect(outcome(new).isSame(as: outcome(old)) != isChange)
    }

    @Test func targetsOfOtherRunsStayInTheFile() throws {
        let files = try TemporaryDirectory()
        let path = "\(files.path)/state"
        var (one, other) = (try StateFile(path, at: "s"), try StateFile(path, at: "s"))
        var report = RendererTests.passing()
        report.target = "other.example.com:443"
        var isChanged = [one.isChanged([RendererTests.passing()]), other.isChanged([report])]
        #expect(isChanged == [true, true])
        try one.write()
        try other.write()
        var next = try StateFile(path, at: "t")
        isChanged = [next.isChanged([RendererTests.passing()]), next.isChanged([report])]
        #expect(isChanged == [false, false])
    }

    @Test func aStateHasOneLineATarget() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/\u{301}state"
        var (one, other) = (RendererTests.passing(), RendererTests.failing())
        (one.target, other.target) = ("a\n\u{301}\t\u{301}b", "c")
        var state = try StateFile(path, at: "s")
        var isChanged = state.isChanged([one, other])
        #expect(isChanged)
        try state.write()
        var next = try StateFile(path, at: "t")
        isChanged = next.isChanged([one, other])
        #expect(!isChanged)
        #expect(try contents(ofFile: path).split(separator: "\n").count == 3)
    }

    @Test(arguments: [
        ("hello\n", "is not a file of --state"), ("pincheck-state 2\n", "a later version"),
        ("pincheck-state 1\nPASS\tx\n", "state:2: is not a line of a state"),
    ]) func aStateThatCannotBeReadIsKnownBeforeAnythingIsContacted(text: String, message: String) async throws {
        let files = try TemporaryDirectory()
        let state = try files.write(text, to: "state")
        await pincheck("127.0.0.1:1", "--state", state).expect(.data, errors: message)
        #expect(try contents(ofFile: state) == text)
    }
}

/// A run that is killed at any moment leaves the baseline whole.
@Suite(.enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"), .endsSomeTime)
struct KilledUpdateTests {
    /// Kills updates, from before the program is loaded until after it has ended, and compares the file each time.
    private static let script = #"""
        for wait in $WAITS; do
            "$PINCHECK" diff "$FILES/baseline.json" --allow names-added,renewed --update >/dev/null 2>&1 & pid=$!
            sleep "$wait"
            kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
            if cmp -s "$FILES/baseline.json" "$FILES/new.json"; then cp "$FILES/old.json" "$FILES/baseline.json"
            elif ! cmp -s "$FILES/baseline.json" "$FILES/old.json"; then echo "neither the old nor the new file"; exit 1
            fi
            # What was being written stays under its own name, and nothing else.
            rm -f "$FILES"/.baseline.json.pincheck-*
            if [ "$(ls -A "$FILES" | wc -l)" -gt 3 ]; then echo "leftovers: $(ls -A "$FILES")"; exit 1; fi
        done
        "$PINCHECK" diff "$FILES/baseline.json" --allow names-added,renewed --update >/dev/null
        cmp "$FILES/baseline.json" "$FILES/new.json" && ls -A "$FILES"
        """#

    @Test(arguments: Seeds.sample(2)) func aKilledUpdateLeavesTheOldOrTheNewBaseline(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let waits = (0..<5).map { _ in String(Double(Int.random(in: 0..<200, using: &generator)) / 1_000) }
        let files = try TemporaryDirectory()
        // Many names make the file long enough to be caught half written.
        let many = try pki.interA.issue(pki.leaf.template.withManyNames(1_000), key: pki.leaf.key)
        let more = try pki.interA.issue(pki.leaf.template.withManyNames(1_001), key: pki.leaf.key)
        try await LoopbackServer.serving(.presenting([more, pki.interA])) { server in
            func snapshot(_ name: String) async -> ExitStatus {
                await pincheck(
                    "snapshot", StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "-o",
                    files.path + "/" + name
                ).status
            }
            #expect(await snapshot("new.json") == .pass)
            try server.present(TLSServerSettings(presenting: [many, pki.interA]))
            #expect(await snapshot("old.json") == .pass)
            #expect(await snapshot("baseline.json") == .pass)
            try server.present(TLSServerSettings(presenting: [more, pki.interA]))
            let delays = waits.joined(separator: " ")
            let outcome = try await BuiltBinary.run("FILES='\(files.path)'; WAITS='\(delays)'; \(Self.script)")
            #expect(outcome.output == "baseline.json\nnew.json\nold.json\n", "\(outcome.errors)")
            #expect(outcome.status == 0)
        }
    }
}
