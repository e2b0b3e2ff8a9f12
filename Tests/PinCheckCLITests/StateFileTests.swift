import Foundation
import LoopbackLab
import PinChecking
import Testing

@testable import PinCheckCLI

/// The file of `--state`: what changed since the last run, and nothing else, is told.
@Suite(.endsSomeTime) struct StateFileTests {
    private static let runs: [(arguments: String, status: ExitStatus, told: [String], not: [String])] = [
        ("--pins $LEAF", .unreachable, ["PASS  $HOST:443", "UNREACHABLE  127.0.0.1:1"], []),
        ("--pins $LEAF", .unreachable, [""], []),
        ("--pins $JUNK", .fail, ["FAIL  $HOST:443"], ["UNREACHABLE", "2 targets"]), ("--pins $JUNK", .fail, [""], []),
        ("--pins $LEAF -f brief", .unreachable, ["PASS  $HOST:443 → $SERVER  "], ["UNREACHABLE"]),
        ("--pins $JUNK -f brief", .fail, ["FAIL  "], ["UNREACHABLE"]),
        ("--pins $LEAF -f json", .usage, ["json tells everything"], []),
    ]

    @Test func onlyWhatHasChangedIsToldAndTheStatusIsThatOfAll() async throws {
        let line =
            "$HOST 127.0.0.1:1 --connect $HOST:443:$SERVER --anchors @root.pem --client okhttp --timeout 30 --state @state "
        let desk = try await Desk.serving { desk, _ in
            for run in Self.runs {
                let outcome = await desk(line + run.arguments).expect(run.status)
                let said = outcome.output + outcome.errors
                for text in run.told {
                    #expect(text.isEmpty ? said.isEmpty : said.contains(desk.expand(text)), "\(said)")
                }
                for text in run.not { #expect(!said.contains(text), "\(said)") }
                #expect(!run.arguments.hasSuffix("brief") || said.count { $0 == "\n" } == 1)
            }
            return desk
        }
        await desk.expect(line + "--pins $JUNK", "unreachable: UNREACHABLE  $HOST:443")
        let lines = try contents(ofFile: desk.files.path + "/state").split(separator: "\n")
        #expect(lines.first == "pincheck-state 1" && lines.count == 3)
        // The key that was served last is known although there was no answer.
        let end = desk.expand("\t$HOST:443 → $SERVER")
        #expect(lines.contains { $0.contains("\t\(pki.leaf.pin)\t") && $0.hasSuffix(end) })
    }

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

    @Test func aStateHasOneLineATargetAndTargetsOfOtherRunsStay() throws {
        let files = try TemporaryDirectory()
        let path = files.path + "/\u{301}state"
        var (one, other) = (RendererTests.passing(), RendererTests.failing())
        (one.target, other.target) = ("a\n\u{301}\t\u{301}b", "c")
        var states = try [StateFile(path), StateFile(path)]
        var isChanged = [states[0].isChanged([one]), states[1].isChanged([other])]
        #expect(isChanged == [true, true])
        for state in states { try state.write() }
        var next = try StateFile(path)
        isChanged = [next.isChanged([one]), next.isChanged([other])]
        #expect(isChanged == [false, false])
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
@Suite(.hasBuiltBinary, .endsSomeTime) struct KilledUpdateTests {
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
                await pincheck("snapshot", host, "--connect", "127.0.0.1:\(server.port)", "-o", files.path + "/" + name)
                    .status
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

extension StateFile {
    fileprivate init(_ path: String) throws {
        var settings = Settings()
        settings.state = path
        self = try #require(try StateFile(settings, [], at: "2026-10-01T00:00:00Z"))
    }
}
