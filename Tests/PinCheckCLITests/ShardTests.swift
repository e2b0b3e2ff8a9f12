import LoopbackLab
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// Parts of the targets, each checked by a run of its own.
@Suite(.endsSomeTime) struct ShardTests {
    private let pki: StandardPKI

    init() throws { pki = try .shared() }

    // MARK: Which part

    @Test func thePartIsTheOneThatAnybodyCanCompute() throws {
        // sha256sum of the text, its first 15 digits, modulo the parts, and 1 more.
        let known: [(target: String, count: Int, index: Int)] = [
            ("api.example.com", 8, 0xd0c_43d3_8850_64d9 % 8 + 1),
            ("api.example.com", 999_983, 0xd0c_43d3_8850_64d9 % 999_983 + 1), ("[2001:db8::1]:8443", 1, 1),
        ]
        for (target, count, index) in known {
            #expect(ShardChoice.part(of: target, among: count) == index, "\(target)")
        }
    }

    @Test(arguments: Seeds.sample(6)) func everyTargetIsInExactlyOnePart(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let targets = (0..<200).map { _ in "h\(UInt32.random(in: 0...999, using: &random)).example.com" }
        let count = Int.random(in: 1...40, using: &random)
        let parts = try (1...count).map { index in
            let shard = try #require(try ShardChoice.read("\(index)/\(count)"))
            return targets.filter(shard.holds)
        }
        #expect(parts.flatMap(\.self).sorted() == targets.sorted())
        // What leaves the list, and what comes to it, moves nothing else.
        let others = targets.filter { _ in Bool.random(using: &random) } + ["new.example.com"]
        for index in 1...count {
            let shard = try #require(try ShardChoice.read("\(index)/\(count)"))
            #expect(
                others.filter(shard.holds).filter(Set(targets).contains)
                    == others.filter(Set(parts[index - 1]).contains))
        }
    }

    @Test(arguments: [
        "0/4", "5/4", "1/0", "0/0", "a/b", "", "/", "1", "1/", "/4", "1/2/3", "-1/4", "+1/4", "1/-4", " 1/4", "1/4 ",
        "1.0/4", "1/1000001", "1/99999999999999999999999999", "99999999999999999999999999/4", "١/٤",
    ]) func anImpossiblePartIsRefused(text: String) async {
        let outcome = await pincheck("127.0.0.1:1", "--shard=\(text)")
        #expect(outcome.status == .usage && outcome.output.isEmpty, "\(outcome)")
        if !text.isEmpty {
            #expect(outcome.errors.hasPrefix("Error: --shard '"), "\(outcome.errors)")
            #expect(outcome.errors.contains("3/8") || outcome.errors.contains("the first is 1/4"), "\(outcome.errors)")
        }
    }

    @Test(arguments: [["--next", "x.csr"], ["--state", "x.json"], ["--baseline", "x.json", "--update"]])
    func whatIsAboutAllTargetsIsRefusedBesideAPart(arguments: [String]) async throws {
        try await TemporaryDirectory.scoped { files in
            let request = try files.write(pki.leaf.pem, to: "x.csr")
            let baseline = try files.write(#"{"schema": "pincheck-snapshot/1", "endpoints": []}"#, to: "x.json")
            let arguments = arguments.map { ["x.csr": request, "x.json": baseline][$0] ?? $0 }
            let watch = arguments.contains("--state") ? ["--on-change", "true"] : []
            let outcome = await pincheck(["127.0.0.1:1", "--shard", "1/2"] + arguments + watch)
            #expect(outcome.status == .usage && outcome.errors.contains("--shard checks a part"), "\(outcome)")
        }
    }

    // MARK: Runs

    /// The targets of lines of results, in their order.
    private func targets(_ text: String) throws -> [String] {
        try text.split(separator: "\n").map { try #require(try JSONValue(String($0))["target"].text) }
    }

    private func shards(_ count: Int, _ run: (String) async throws -> Outcome) async throws -> [Outcome] {
        var outcomes: [Outcome] = []
        for index in 1...count { outcomes.append(try await run("\(index)/\(count)")) }
        return outcomes
    }

    @Test(arguments: [1, 3, 1_000]) func thePartsOfAListAreTheList(window: Int) async throws {
        try await ResumedRunLab.serving(pki) { lab in
            // The same host by two sets of names, and twice the same: all in one part.
            let lines = lab.lines(24) + ["n3.example.com:8443 connect=127.0.0.1:1 sni=b.example.com", lab.lines(6)[5]]
            let list = try lab.files.write(lines.joined(separator: "\n"), to: "list.txt")
            let outcomes = try await shards(5) { shard in
                await pincheck(
                    lab.arguments + ["--targets", list, "--shard", shard, "--format", "jsonl"], targetWindow: window)
            }
            let found = try outcomes.map { try targets($0.output) }
            #expect(found.flatMap(\.self).sorted() == lines.map { String($0.prefix { $0 != " " }) }.sorted())
            #expect(found.count { $0.contains("n3.example.com:8443") } == 1)
            #expect(found.allSatisfy { !$0.isEmpty })
            for (index, outcome) in outcomes.enumerated() {
                #expect(
                    outcome.errors.contains("Note: shard \(index + 1)/5 has \(found[index].count) of 26 targets\n"),
                    "\(outcome.errors)")
                for line in outcome.output.split(separator: "\n") {
                    let shard = try JSONValue(String(line))["shard"]
                    #expect(shard["index"].number == index + 1 && shard["count"].number == 5)
                }
            }
            // What a pipe gives, and what is named, are told apart alike.
            let piped = await pincheck(
                lab.arguments + ["--targets", "-", "--shard", "2/5", "--format", "jsonl"],
                input: Array(lines.joined(separator: "\n").utf8), targetWindow: window)
            #expect(try targets(piped.output).sorted() == found[1].sorted())
            let named = lines.map { String($0.prefix { $0 != " " }) }
            let given = await pincheck(named + ["--shard", "2/5", "-f", "jsonl", "--connect", "127.0.0.1:1"])
            #expect(try targets(given.output).sorted() == found[1].sorted())
        }
    }

    @Test func aPartOfAPolicyHasAllOfAHostsEntries() async throws {
        try await TemporaryDirectory.scoped { files in
            let hosts = (0..<12).map { "'h\($0).example.com': { connect: '127.0.0.1:1', ports: [443, 8443] }" }
            let policy = try files.write("{ hosts: { \(hosts.joined(separator: ", ")) } }", to: "a.json5")
            let other = try files.write(
                "{ hosts: { 'h3.example.com': { connect: '127.0.0.1:1', sni: 'b.example.com' } } }", to: "b.json5")
            let list = try files.write((0..<12).map { "h\($0).example.com" }.joined(separator: "\n"), to: "list.txt")
            for more in [[], ["--targets", list]] {
                let arguments = ["--policy", policy, "--policy", other, "--timeout", "2", "-f", "jsonl"] + more
                let whole = try targets(await pincheck(arguments).output)
                let outcomes = try await shards(4) { await pincheck(arguments + ["--shard", $0]) }
                let found = try outcomes.map { try targets($0.output) }
                #expect(found.flatMap(\.self).sorted() == whole.sorted() && whole.count == 25)
                #expect(found.count { $0.contains { $0.hasPrefix("h3.") } } == 1)
                let entries = try outcomes.flatMap { outcome in
                    try outcome.output.split(separator: "\n").map { try JSONValue(String($0))["shard"]["entry"].text }
                }
                #expect(Set(entries).count == 25)
            }
        }
    }

    @Test func aPartWithoutTargetsIsNoFailureAndSaysSo() async throws {
        let index = ShardChoice.part(of: "127.0.0.1:1", among: 3) % 3 + 1
        for form in ["text", "json", "jsonl", "junit", "github", "markdown", "prometheus"] {
            let outcome = await pincheck("127.0.0.1:1", "--shard", "\(index)/3", "--format", form)
            #expect(outcome.status == .pass, "\(form): \(outcome)")
            #expect(
                outcome.errors == "Note: shard \(index)/3 has none of the 1 target: nothing is to be checked here\n")
        }
        let none = await pincheck("--targets", "-", "--shard", "\(index)/3", input: Array("# nothing\n".utf8))
        #expect(none.status == .noInput, "\(none)")
    }

    @Test func anAddressMayBeForATargetOfAnotherPart() async throws {
        let targets = (0..<9).map { "h\($0).example.com" }
        func run(_ host: String, _ shard: String) async -> Outcome {
            await pincheck(
                targets + ["--connect-to", "\(host):443:127.0.0.1:1", "--shard", shard, "--connect", "127.0.0.1:1"])
        }
        for index in 1...3 {
            #expect([.unreachable, .pass].contains(await run("h4.example.com", "\(index)/3").status))
            #expect(await run("other.example.com", "\(index)/3").status == .usage)
        }
    }

    @Test func aPartGoesOnWithItsFile() async throws {
        try await ResumedRunLab.serving(pki) { lab in
            let first = try await lab.run(lab.lines(30), "--shard", "2/3")
            let count = try lab.written().count
            #expect(first.errors.contains("has \(count) of 30 targets"), "\(first.errors)")
            let unreached = try lab.written().count { $0.hasSuffix("UNREACHABLE") }
            let again = try await lab.run(lab.lines(30), "--shard", "2/3")
            #expect(again.errors.contains("\(count - unreached) of them recorded before"), "\(again.errors)")
            #expect(again.status == first.status)
            #expect(try lab.written().count == count + unreached)
        }
    }
}
