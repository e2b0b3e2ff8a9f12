import LoopbackLab
import Base
@testable import PinCheckCLI
@testable import PinChecking
import Pinning
import Testing

/// `--on-change` and the file of `--state`.
@Suite(.endsSomeTime) struct ChangeWatchTests {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    private func context() -> Context {
        let buffer = OutputBuffer()
        return Context(
            console: Console(output: buffer.stream(), errors: buffer.stream()), environment: [:],
            now: { Timestamp(secondsSinceEpoch: LabClock.now) }, readStandardInput: { [] })
    }

    @Test func aCommandRunsWhenAResultIsAnotherThanTheLastTime() async throws {
        try await TemporaryDirectory.scoped { files in
            let log = "\(files.path)/log"
            let state = "\(files.path)/state"
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            func check(_ port: UInt16, pin: String, at time: Int64? = nil) async -> Outcome {
                await pincheck(
                    "\(StandardPKI.serverName)", "--connect", "127.0.0.1:\(port)", "--anchors", anchors, "--pins", pin,
                    "--timeout", "30", "--state", state, "--on-change",
                    "echo \"$PINCHECK_TARGET $PINCHECK_CHANGE: $PINCHECK_OLD_STATUS to $PINCHECK_STATUS,"
                        + " $PINCHECK_REASON_ID\" >>'\(log)'", at: time)
            }
            let target = "\(StandardPKI.serverName):443"
            let port = try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) {
                server async throws -> UInt16 in
                // The port is part of the name: the rest of the runs needs the same server.
                #expect(await check(server.port, pin: pki.leaf.pin).status == .pass)
                #expect(!FileReader.exists(log))
                #expect(await check(server.port, pin: pki.leaf.pin, at: LabClock.now + 60).status == .pass)
                #expect(!FileReader.exists(log))
                #expect(await check(server.port, pin: pki.junk.pin).status == .fail)
                #expect(try contents(ofFile: log) == "\(target) status: PASS to FAIL, pin-mismatch\n")
                #expect(await check(server.port, pin: pki.junk.pin).status == .fail)
                #expect(try contents(ofFile: log).split(separator: "\n").count == 1)
                return server.port
            }
            #expect(await check(port, pin: pki.leaf.pin).status == .unreachable)
            let last = try contents(ofFile: log).split(separator: "\n").last ?? ""
            #expect(last.hasPrefix("\(target) status: FAIL to UNREACHABLE, "))
            let lines = try contents(ofFile: state).split(separator: "\n")
            #expect(lines.first == "pincheck-state 1" && lines.count == 2)
            // The key that was served last is known although there was no answer.
            #expect(lines.last?.contains("\t\(pki.leaf.pin)\t") == true)
            #expect(lines.last?.hasSuffix("\t\(target) → 127.0.0.1:\(port)") == true)
        }
    }

    @Test(
        arguments: [
            (nil, ("PASS", "a", "k"), nil), (nil, ("FAIL", "a", "k"), "first"),
            (("PASS", "a", "k"), ("PASS", "a", "k"), nil), (("PASS", "a", "k"), ("FAIL", "b", "k"), "status"),
            (("FAIL", "a", "k"), ("FAIL", "b", "k"), "reason"),
            (("UNREACHABLE", "a", ""), ("UNREACHABLE", "b", ""), nil),
            (("UNREACHABLE", "a", "k"), ("PASS", "b", "k"), "status"), (("PASS", "a", "k"), ("PASS", "a", "l"), "key"),
            (("PASS", "a", ""), ("PASS", "a", "l"), nil),
        ] as [((String, String, String)?, (String, String, String), String?)]) func whatCountsAsAChange(
            old: (String, String, String)?, new: (String, String, String), change: String?
        )
    {
        func state(_ fields: (String, String, String)) -> TargetState {
            TargetState(status: fields.0, reason: fields.1, pin: fields.2, since: "")
        }
        #expect(ChangeWatch.change(from: old.map(state), to: state(new)) == change)
    }

    @Test func factsReachTheCommandThroughTheEnvironmentAlone() throws {
        try TemporaryDirectory.scoped { files in
            let log = "\(files.path)/log"
            let state = "\(files.path)/state"
            var evil = MachineFormatTests.hostile()
            evil.target = "$(touch '\(files.path)/owned'); `touch '\(files.path)/owned'`\n'\""
            evil.endpoint?.address = nil
            evil.reason.message = "$(touch '\(files.path)/owned')\u{0}\n\u{1B}[31m"
            var watch = ChangeWatch(
                command: "env | grep ^PINCHECK_ | sort >'\(log)'; echo $PINCHECK_TARGET >/dev/null", path: state,
                context: context())
            watch.add(evil, at: 0)
            try watch.finish()
            #expect(!FileReader.exists("\(files.path)/owned"))
            let lines = try contents(ofFile: log)
            #expect(isPlain(lines))
            #expect(
                lines.split(separator: "\n").map { $0.prefix { $0 != "=" } } == [
                    "PINCHECK_ADDRESS", "PINCHECK_CHANGE", "PINCHECK_OLD_PIN", "PINCHECK_OLD_REASON_ID",
                    "PINCHECK_OLD_SINCE", "PINCHECK_OLD_STATUS", "PINCHECK_PIN", "PINCHECK_PORT", "PINCHECK_REASON",
                    "PINCHECK_REASON_ID", "PINCHECK_STATUS", "PINCHECK_TARGET", "PINCHECK_TIME", "PINCHECK_VARIANT",
                ])
            #expect(try StateFile.read(state).count == 1)
            #expect(try contents(ofFile: state).split(separator: "\n").count == 2)
        }
    }

    @Test func runsAtTheSameTimeTellAChangeOnce() async throws {
        try await TemporaryDirectory.scoped { files in
            let log = "\(files.path)/log"
            let state = "\(files.path)/state"
            let context = context()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        var own = RendererTests.failing()
                        own.target = "own\(index).example.com:443"
                        var watch = ChangeWatch(
                            command: "echo $PINCHECK_TARGET >>'\(log)'", path: state, context: context)
                        watch.add(RendererTests.failing(), at: 0)
                        watch.add(own, at: 1)
                        do { try watch.finish() } catch { Issue.record(error) }
                    }
                }
            }
            let told = try contents(ofFile: log).split(separator: "\n").sorted()
            #expect(told == (["api"] + (0..<8).map { "own\($0)" }).map { "\($0).example.com:443" })
            #expect(try StateFile.read(state).count == 9)
        }
    }

    @Test func aCommandThatFailsIsAWarningAndNoVerdict() async throws {
        try await TemporaryDirectory.scoped { files in
            let outcome = await pincheck(
                "127.0.0.1:1", "--timeout", "5", "--state", "\(files.path)/state", "--on-change", "exit 7")
            #expect(outcome.status == .unreachable)
            #expect(outcome.errors.contains("Warning: --on-change: 127.0.0.1:1"))
            #expect(outcome.errors.contains(": the command ended with status 7\n"))
        }
    }

    @Test func commandsEndInOneOfFourWays() {
        func run(_ command: String, _ deadline: Duration = .seconds(30)) -> ShellCommand.End {
            ShellCommand.run(command, variables: [("PINCHECK_X", "a b")], deadline: deadline)
        }
        #expect(run("test \"$PINCHECK_X\" = 'a b' && ! read line") == .exited(0))
        #expect(run("exit 3") == .exited(3))
        #expect(run("kill -9 $$") == .signalled(9))
        #expect(run("sleep 600 & wait", .milliseconds(100)) == .timedOut)
        #expect(run("trap '' TERM; while :; do sleep 600; done", .milliseconds(100)) == .timedOut)
    }

    @Test(arguments: [
        ("hello\n", "is not a file of --state"), ("pincheck-state 2\n", "a later version"),
        ("pincheck-state 1\nPASS\tx\n", "state:2: is not a line of a state"),
    ]) func aStateThatCannotBeReadIsKnownBeforeAnythingIsContacted(text: String, message: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let state = try files.write(text, to: "state")
            let outcome = await pincheck("127.0.0.1:1", "--state", state, "--on-change", "true")
            #expect(outcome.status == .data)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(try contents(ofFile: state) == text)
        }
    }

    @Test(arguments: [
        (["--on-change", "true"], "give --state FILE"), (["--state", "x"], "give it a command"),
        (["--state", "x", "--on-change", " "], "--on-change is empty"),
    ]) func eachOptionNeedsTheOther(arguments: [String], message: String) async {
        let outcome = await pincheck(["127.0.0.1:1"] + arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
}
