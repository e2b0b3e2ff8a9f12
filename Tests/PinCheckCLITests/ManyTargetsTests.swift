import LoopbackLab
@testable import PinCheckCLI
import Testing

/// Lists that are longer than what is read of them at once.
@Suite(.endsSomeTime) struct ManyTargetsTests {
    private let pki: StandardPKI
    private let now = String(LabClock.now)

    init() throws { pki = try .shared() }

    /// A list of so many targets, of which one in ten answers and the others are refused.
    private func serving(
        _ count: Int,
        _ body: (_ files: TemporaryDirectory, _ lines: [String], _ arguments: [String]) async throws -> Void
    ) async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let lines = (0..<count).map { number in
                    "n\(number).example.com:8443 verify-name=\(StandardPKI.serverName) connect=127.0.0.1:"
                        + (number % 10 == 3 ? "\(server.port)" : "1")
                }
                try await body(files, lines, ["--anchors", anchors, "--jobs", "8", "--at", now])
            }
        }
    }

    /// The targets of results in JSON Lines, and how each ended.
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

    @Test(arguments: [1, 16, 99, 100, 101]) func aListIsCheckedWholeHoweverLittleOfItIsReadAtOnce(window: Int)
        async throws
    {
        try await serving(100) { files, lines, arguments in
            let list = try files.write(lines.joined(separator: "\n"), to: "list.txt")
            let arguments = arguments + ["--targets", list, "--format", "text=\(files.path)/text", "--format", "jsonl"]
            let outcome = await pincheck(arguments, targetWindow: window).expect(.unreachable)
            #expect(try results(outcome.output) == expected(100))
            // In the order of the list.
            let ends = try contents(ofFile: files.path + "/text").split(separator: "\n").filter {
                $0.hasPrefix("PASS") || $0.hasPrefix("UNREACHABLE")
            }
            #expect(ends.count == 100)
            for (number, end) in ends.enumerated() { #expect(end.contains("n\(number).example.com:8443"), "\(end)") }
        }
    }

    @Test func whatAPipeGivesIsCheckedAsItComes() async throws {
        try await serving(60) { _, lines, arguments in
            let outcome = await pincheck(
                arguments + ["--targets", "-", "--format", "jsonl"], input: Array(lines.joined(separator: "\n").utf8),
                targetWindow: 7
            ).expect(.unreachable)
            let found = try results(outcome.output)
            #expect(found == expected(60))
        }
    }

    @Test func aMistakeFarDownIsRefusedBeforeAnythingIsChecked() async throws {
        try await serving(50) { files, lines, arguments in
            let list = try files.write((lines + ["a..b"]).joined(separator: "\n"), to: "list.txt")
            await pincheck(arguments + ["--targets", list, "--format", "jsonl"], targetWindow: 7).expect(
                .data, "", errors: "list.txt:51: ")
            // Of a pipe nobody knows what comes.
            await pincheck(
                arguments + ["--targets", "-", "--format", "jsonl"],
                input: Array((lines + ["a..b"]).joined(separator: "\n").utf8), targetWindow: 7
            ).expect(.data, errors: "standard input:51: ")
        }
    }

    @Test func anAddressMayBeForATargetFarDown() async throws {
        try await serving(40) { files, lines, arguments in
            let list = try files.write((lines + ["far.example.com"]).joined(separator: "\n"), to: "list.txt")
            func run(_ host: String) async -> Outcome {
                await pincheck(
                    arguments + ["--targets", list, "--connect-to", "\(host):443:127.0.0.1:1", "--format", "jsonl"],
                    targetWindow: 7)
            }
            #expect(try results(await run("far.example.com").output)["far.example.com:443"] == ["UNREACHABLE"])
            await run("other.example.com").expect(.usage, errors: "other.example.com:443")
        }
    }

    @Test func aCompressedListIsRefused() async throws {
        await pincheck("--targets", "-", input: [0x1F, 0x8B, 0x08, 0x00, 0x0A]).expect(
            .data, "", errors: "zcat FILE | pincheck --targets -")
    }
}
