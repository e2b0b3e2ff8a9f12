import Base
import Foundation
import LoopbackLab
import Testing

@testable import PinCheckCLI
@testable import PinChecking

@Suite(.endsSomeTime) struct StateFileTests {
    private static let runs: [(arguments: String, status: ExitStatus, told: [String], not: [String])] = [
        (
            "--pins $LEAF --pins $NEXT", .unreachable,
            ["2 targets are new: 1 UNREACHABLE, 1 PASS\n", "UNREACHABLE  127.0.0.1:1"], ["PASS  $HOST"]
        ), ("--pins $LEAF --pins $NEXT", .unreachable, [""], []),
        ("--pins $JUNK", .fail, ["FAIL  $HOST:443"], ["UNREACHABLE", "2 targets"]), ("--pins $JUNK", .fail, [""], []),
        ("--pins $LEAF --pins $NEXT -f brief", .unreachable, ["PASS  $HOST:443 → $SERVER  "], ["UNREACHABLE"]),
        ("--pins $JUNK -f brief", .fail, ["FAIL  "], ["UNREACHABLE"]),
        ("--pins $LEAF -f json", .usage, ["json tells everything: write json=FILE beside it"], []),
        ("--pins $LEAF -f json=all.json", .usage, ["--state tells on standard output: add -f text"], []),
        ("--pins $LEAF -o all.txt", .usage, ["--state tells on standard output: add -f text"], []),
        ("--pins $JUNK -q", .usage, ["leave out one of the two"], []),
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
                for text in run.not { #expect(!said.contains(desk.expand(text)), "\(said)") }
                #expect(!run.arguments.hasSuffix("brief") || said.count { $0 == "\n" } == 1)
            }
            // A file holds everything.
            await desk(line + "--pins $JUNK -f brief -f json=@all.json").expect(.fail, "", errors: "")
            let all = try JSONValue(desk.text("all.json"))
            #expect(all["results"].array.count == 2)
            return desk
        }
        await desk.expect(line + "--pins $JUNK", "unreachable: UNREACHABLE  $HOST:443")
        let lines = try desk.text("state").split(separator: "\n")
        #expect(lines.first == "pincheck-state 2" && lines.count == 3)
        // The key that was served last is known although there was no answer.
        let end = desk.expand("\t$HOST:443 → $SERVER")
        #expect(lines.contains { $0.contains("\t\(pki.leaf.pin)\t") && $0.hasSuffix(end) })
        let lock = try FileLock(desk.files.path + "/state")
        await desk(line + "--pins $JUNK").expect(.inputOutput, errors: "another run with this state is under way")
        withExtendedLifetime(lock) {}
    }

    /// Runs of one target, each with what it finds and so many hours after the one before it, and whether it is told.
    private static let changes: [[(found: StateFile.Outcome, after: Double, isTold: Bool)]] = [
        [(found("PASS"), 0, false), (found("PASS"), 1, false), (found("FAIL", "b"), 1, true)],
        [
            (found("FAIL"), 0, true), (found("FAIL"), 1, false), (found("FAIL"), 24, true),
            (found("FAIL", "b"), 1, true), (found("FAIL", "b"), 23, false), (found("FAIL", "b"), 0.99, true),
        ], [(found("UNREACHABLE"), 0, true), (found("UNREACHABLE", "b"), 1, false), (found("PASS"), 1, true)],
        [(found("PASS", ["no-backup-pin": nil]), 0, true), (found("PASS", ["no-backup-pin": nil]), 30, false)],
        [(found("PASS"), 0, false), (found("PASS", ["no-backup-pin": nil]), 1, true), (found("PASS"), 1, true)],
        [(found("PASS"), 0, false)]
            + [(14, true), (12, false), (7, true), (7, false), (3, true), (1, true), (0, true), (0, false)].map {
                (found("PASS", ["expires-soon": $0.0]), 1, $0.1)
            },
        // After a renewal the days count anew.
        [
            (found("PASS", ["expires-soon": 3]), 0, true), (found("PASS", ["expires-soon": 25]), 1, false),
            (found("PASS", ["expires-soon": 12]), 1, true),
        ],
        // The clock was ahead when it was told.
        [(found("FAIL"), 0, true), (found("FAIL"), -48, true), (found("FAIL"), 1, false)],
        // A key that nobody pins: told once, and then known.
        [(found("PASS", key: "k"), 0, false), (found("PASS", key: "l"), 1, true), (found("PASS", key: "k"), 1, false)],
        [(found("PASS", key: "k"), 0, false), (found("PASS", key: "l", isPinned: true), 1, false)],
        [(found("UNREACHABLE"), 0, true), (found("UNREACHABLE", key: "l"), 1, false)],
    ]

    private static func found(
        _ status: String, _ reason: String = "a", _ ids: [String: Int?] = [:], key: String? = nil,
        isPinned: Bool = false
    ) -> StateFile.Outcome {
        StateFile.Outcome(status: status, reason: reason, keys: key.map { [$0] } ?? [], ids: ids, isPinned: isPinned)
    }

    private static func found(_ status: String, _ ids: [String: Int?]) -> StateFile.Outcome { found(status, "a", ids) }

    @Test(arguments: changes.indices) func whatIsTold(index: Int) {
        var (last, time) = (StateFile.Outcome?.none, Timestamp("2026-10-01T00:00:00Z"))
        for (step, (found, hours, isTold)) in Self.changes[index].enumerated() {
            time = Timestamp(secondsSinceEpoch: time.secondsSinceEpoch + Int64(hours * 3_600))
            #expect(found.isToTell(after: last, at: time) == isTold, "step \(step)")
            last = found.kept(after: last, isTold: isTold, at: time.description)
        }
    }

    @Test func aStateHasOneLineATargetAndTargetsOfOtherRunsStay() throws {
        let files = try TemporaryDirectory()
        let path = files.path + "/\u{301}state"
        var (one, other) = (RendererTests.passing(), RendererTests.failing())
        (one.result.target, other.result.target) = ("a\n\u{301}\t\u{301}b", "c")
        for (reports, isTold) in [([one], true), ([other], true), ([one, other], false)] {
            var state = try StateFile(path)
            for report in reports { #expect(state.isToTell([report]) == isTold) }
            try state.write()
        }
        #expect(try contents(ofFile: path).split(separator: "\n").count == 3)
    }

    /// Addresses that a look-up gave in turn, `nil` where a family could not be looked up, and whether that is told.
    private static let turns: [(addresses: [String?], isTold: Bool)] = [
        (["203.0.113.7", "203.0.113.8"], true), (["203.0.113.8", "203.0.113.9"], false), (["203.0.113.7", nil], true),
        (["203.0.113.7"], false), (["203.0.113.9", nil], true), (["203.0.113.9", nil], false),
    ]

    @Test func addressesThatAreLookedUpTakeTurnsAndAFaultThatComesAgainIsToldAgain() throws {
        let files = try TemporaryDirectory()
        for (step, turn) in Self.turns.enumerated() {
            var state = try StateFile(files.path + "/state")
            let reports = turn.addresses.map { address in
                var report = address == nil ? MachineFormatTests.unreachable() : RendererTests.passing()
                report.result.target = "a:443"
                report.result.endpoint = RendererTests.endpoint(address ?? "")
                report.result.variant = address == nil ? .family(isIPv6: true) : .ordinary
                return report
            }
            #expect(state.isToTell(reports) == turn.isTold && state.new.count == (step == 0 ? 1 : 0), "step \(step)")
            try state.write()
        }
    }

    @Test func aBadEntryIsToldAgainOnceItWasMended() throws {
        let files = try TemporaryDirectory()
        for (step, isBad) in [true, false, true].enumerated() {
            var (state, report) = (try StateFile(files.path + "/state"), RendererTests.passing())
            if isBad {
                (report.result.target, report.result.endpoint) = ("hosts:2", nil)
                report.end(.notSetUp, Reason("bad-entry", "is no target"))
            }
            let isTold = state.isToTell([report])
            #expect(isTold || !isBad, "step \(step)")
            try state.write()
        }
    }

    @Test(arguments: [
        ("hello\n", "is not a file of --state: remove it to start anew"),
        ("pincheck-state 1\n", "is a state of another version of pincheck: remove it to start anew"),
        ("pincheck-state 2\nPASS\tx\n", "state:2: is not a line of a state"),
    ]) func aStateThatCannotBeReadIsKnownBeforeAnythingIsContacted(text: String, message: String) async throws {
        let files = try TemporaryDirectory()
        let state = try files.write(text, to: "state")
        await pincheck("127.0.0.1:1", "--state", state).expect(.data, errors: message)
        #expect(try contents(ofFile: state) == text)
        try #require(truncate(state, 65 << 20) == 0)
        await pincheck("127.0.0.1:1", "--state", state).expect(.data, errors: ": remove it to start anew")
        let pipe = files.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        await pincheck("127.0.0.1:1", "--state", pipe).expect(.usage, errors: "is a pipe: name a file")
    }
}

extension StateFile {
    fileprivate init(_ path: String) throws {
        var settings = Settings()
        settings.state = path
        self = try #require(try StateFile(settings, [], at: "2026-10-01T00:00:00Z"))
    }
}
