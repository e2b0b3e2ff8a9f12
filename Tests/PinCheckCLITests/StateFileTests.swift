import LoopbackLab
import PinChecking
import Testing

@testable import PinCheckCLI

/// The file of `--state`: what changed since the last run, and nothing else, is told.
@Suite(.endsSomeTime) struct StateFileTests {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    @Test func onlyWhatHasChangedIsToldAndTheStatusIsThatOfAll() async throws {
        try await TemporaryDirectory.scoped { files in
            let state = "\(files.path)/state"
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            func check(_ port: UInt16, pin: String, _ more: String...) async -> Outcome {
                await pincheck(
                    [
                        StandardPKI.serverName, "127.0.0.1:1", "--connect",
                        "\(StandardPKI.serverName):443:127.0.0.1:\(port)", "--anchors", anchors, "--pins", pin,
                        "--client", "okhttp", "--timeout", "30", "--state", state,
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
                lines.contains { $0.contains("\t\(pki.leaf.pin)\t") && $0.hasSuffix("\t\(target) → 127.0.0.1:\(port)") }
            )
        }
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
        try TemporaryDirectory.scoped { files in
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
    }

    @Test(arguments: [
        ("hello\n", "is not a file of --state"), ("pincheck-state 2\n", "a later version"),
        ("pincheck-state 1\nPASS\tx\n", "state:2: is not a line of a state"),
    ]) func aStateThatCannotBeReadIsKnownBeforeAnythingIsContacted(text: String, message: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let state = try files.write(text, to: "state")
            await pincheck("127.0.0.1:1", "--state", state).expect(.data, errors: message)
            #expect(try contents(ofFile: state) == text)
        }
    }
}
