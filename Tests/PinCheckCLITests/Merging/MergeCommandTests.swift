import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// The results of several runs as those of one.
@Suite(.endsSomeTime) struct MergeCommandTests {
    private typealias Item = MergeLab.Item

    /// Of ten targets one is rejected and one is not reached.
    private static func items(_ count: Int, at time: Int64 = MergeLab.now) -> [Item] {
        (0..<count).map { Item($0, $0 % 10 == 3 ? .unreachable : $0 % 10 == 7 ? .fail : .pass, at: time) }
    }

    // MARK: Whatever is put together

    @Test(arguments: Seeds.sample(8)) func partsInWhateverFilesComeToTheWhole(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let statuses: [ExitStatus] = [.pass, .pass, .pass, .fail, .unreachable, .warn, .changed]
        let items = (0..<Int.random(in: 1...60, using: &random)).map { number in
            Item(
                number, statuses.randomElement(using: &random) ?? .pass,
                connections: Int.random(in: 1...3, using: &random))
        }
        let count = Int.random(in: 1...7, using: &random)
        var parts: [[Item]] = Array(repeating: [], count: count)
        for item in items { parts[Int.random(in: 0..<count, using: &random)].append(item) }
        // Some were judged before, to another end; those of now count wherever they stand.
        for item in items where Int.random(in: 0...3, using: &random) == 0 {
            var old = Item(0, statuses.randomElement(using: &random) ?? .pass, at: item.time - 60)
            old = Item(Int(item.target.dropFirst().prefix { $0 != "." }) ?? 0, old.status, at: old.time)
            parts[Int.random(in: 0..<count, using: &random)].append(old)
        }
        for index in parts.indices { parts[index].shuffle(using: &random) }
        let lost = Set(items.filter { _ in Int.random(in: 0...9, using: &random) == 0 }.map(\.target))
        for index in parts.indices { parts[index].removeAll { lost.contains($0.target) } }
        let kept = items.filter { !lost.contains($0.target) }
        try await MergeLab.scoped { lab in
            let paths = try parts.enumerated().map { try lab.write($1, to: "\($0).jsonl", of: 3) }
            let list = try lab.files.write(items.map { "\($0.words[0])\n" }.joined(), to: "list.txt")
            let merged = await pincheck(["merge"] + paths + ["--targets", list, "--format", "jsonl"])
            let found = try MergeLab.said(merged.output)
            let expected = try kept.flatMap { try MergeLab.said(MergeLab.lines($0).joined()) }
            #expect(Set(found).isSuperset(of: expected) && found.count == expected.count + lost.count)
            let missing = found.filter {
                $0.contains(" UNREACHABLE ") && lost.contains(String($0.prefix { $0 != " " }))
            }
            #expect(missing.count == lost.count)
            #expect(merged.status == .worst(kept.map(\.status) + (lost.isEmpty ? [] : [.unreachable])))
            let doubled = parts.joined().count - kept.count
            #expect(merged.errors.contains("left out for ") == (doubled > 0), "\(merged.errors)")
            if doubled > 1 { #expect(merged.errors.contains("Warning: \(doubled) results were left out")) }
            #expect(merged.errors.contains("no result") == (!lost.isEmpty || parts.contains([])), "\(merged.errors)")
        }
    }

    @Test func theExitStatusIsThatOfOneRun() async throws {
        let statuses: [ExitStatus] = [.pass, .warn, .unreachable, .changed, .fail]
        try await MergeLab.scoped { lab in
            var paths: [String] = []
            for (number, status) in statuses.enumerated() {
                paths.append(try lab.write([Item(number, status)], to: "\(number).jsonl", of: 1))
                for order in [paths, paths.reversed()] {
                    #expect(await pincheck(["merge", "-q"] + order).status == status)
                }
                #expect(await pincheck(["merge", "-f", "nagios"] + paths).output.hasPrefix("PINCHECK "))
            }
        }
    }

    @Test func mergedResultsAreResults() async throws {
        try await MergeLab.scoped { lab in
            let items = Self.items(20)
            let paths = [
                try lab.write(Array(items[..<9]), to: "a.jsonl"), try lab.write(Array(items[9...]), to: "b.jsonl"),
            ]
            let all = lab.path("all.jsonl")
            let first = await pincheck(["merge"] + paths + ["-f", "jsonl", "-o", all])
            #expect(first.output.isEmpty && first.status == .fail, "\(first)")
            let text = try paths.map { try contents(ofFile: $0) }.joined()
            #expect(try contents(ofFile: all) == text)
            #expect(await pincheck("merge", all, "-f", "jsonl").output == text)
            // Nothing is written over what is read.
            let same = await pincheck(["merge"] + paths + ["-f", "jsonl", "-o", paths[0]])
            #expect(same.status == .usage && same.errors.contains("name two files"), "\(same.errors)")
        }
    }

    // MARK: What counts

    @Test func ofSeveralResultsTheNewestCounts() async throws {
        let (old, new) = (Item(1, .fail, at: MergeLab.now - 10), Item(1, .pass))
        try await MergeLab.scoped { lab in
            for (first, second) in [(old, new), (new, old)] {
                let paths = [
                    try lab.write([first], to: "a.jsonl", of: 1), try lab.write([second], to: "b.jsonl", of: 1),
                ]
                let merged = await pincheck(["merge"] + paths + ["-f", "jsonl"])
                #expect(merged.status == .pass)
                #expect(
                    merged.errors
                        == "Warning: 1 result was left out for a newer one of its target: n1.example.com:443\n")
            }
            // Of the same moment what stands behind: by the order of the files, then of the lines.
            let paths = [
                try lab.write([Item(1, .fail), Item(1, .warn)], to: "a.jsonl", of: 1),
                try lab.write([Item(1, .pass)], to: "b.jsonl", of: 1),
            ]
            #expect(await pincheck(["merge"] + paths).status == .pass)
            #expect(await pincheck(["merge"] + paths.reversed()).status == .warn)
        }
    }

    @Test func aTargetThatIsListedTwiceInDifferentWordsIsTwo() async throws {
        try await MergeLab.scoped { lab in
            var other = Item(1, .fail)
            other.words += ["client=okhttp"]
            let path = try lab.write([Item(1, .pass), other], to: "a.jsonl", of: 1)
            let merged = await pincheck("merge", path, "-f", "jsonl")
            #expect(try MergeLab.said(merged.output).count == 2 && merged.status == .fail && merged.errors.isEmpty)
            let list = try lab.files.write("n1.example.com\nn1.example.com client=okhttp # now\n", to: "list.txt")
            let listed = await pincheck("merge", path, "-f", "jsonl", "--targets", list)
            #expect(listed.output == merged.output && listed.errors.isEmpty, "\(listed)")
            // Other flags are another run, whose results are no newer ones of this.
            let another = try lab.files.write(try MergeLab.lines(Item(1, .pass), of: 1, asking: "x").joined(), to: "b")
            #expect(try MergeLab.said(await pincheck("merge", path, another, "-f", "jsonl").output).count == 3)
        }
    }

    @Test func resultsOfWholeRunsAreToldApartByWhatTheyShow() async throws {
        try await MergeLab.scoped { lab in
            func merge(_ reports: [Report]) async throws -> Outcome {
                var paths: [String] = []
                for (index, report) in reports.enumerated() {
                    var report = report
                    report.evaluatedAt = Timestamp(secondsSinceEpoch: MergeLab.now + Int64(index)).description
                    paths.append(try lab.files.write(try JSONRenderer.line(report), to: "\(index).jsonl"))
                }
                return await pincheck(["merge"] + paths + ["-f", "jsonl"])
            }
            let (passing, failing) = (RendererTests.passing(), RendererTests.failing())
            #expect(try await merge([failing, passing]).status == .pass)
            // A client's answer is none of another client's, and pins are no others.
            var other = passing
            other.clients[0].name = "okhttp"
            #expect(try await merge([failing, other]).status == .fail)
            other = passing
            other.pins.configured[1].pin = passing.pins.configured[0].pin
            #expect(try await merge([failing, other]).status == .fail)
            other = passing
            other.endpoint?.sni = nil
            #expect(try await merge([failing, other]).status == .fail)
            // What was not reached names no client.
            var unreached = MachineFormatTests.unreachable()
            unreached.pins.configured = passing.pins.configured
            #expect(try await merge([unreached, passing]).status == .pass)
            let late = try await merge([passing, unreached])
            #expect(late.status == .unreachable && late.errors.contains("1 result was left out"), "\(late)")
            other = passing
            other.clients[0].name = "okhttp"
            #expect(try MergeLab.said(try await merge([passing, other, unreached]).output).count == 3)
        }
    }

    // MARK: What is missing

    @Test func whatTheListHasAndNoFileIsNamedInEveryForm() async throws {
        try await MergeLab.scoped { lab in
            let items = Self.items(8).filter { $0.status == .pass }
            let path = try lab.write(Array(items.dropFirst(2)), to: "a.jsonl")
            let list = try lab.files.write(items.map { "\($0.words[0]) # \($0)\n" }.joined(), to: "list.txt")
            for form in OutputForm.allCases.map(\.rawValue) {
                let merged = await pincheck("merge", path, "--targets", list, "-f", form)
                #expect(merged.status == .unreachable, "\(form)")
                for item in items.prefix(2) {
                    #expect(merged.output.contains(item.target), "\(form): \(merged.output)")
                }
                #expect(
                    merged.errors
                        == "Warning: 2 targets of the list have no result: n0.example.com:443, n1.example.com:443\n",
                    "\(form)")
            }
            // Where it stands, and in which part it would have been.
            let text = await pincheck("merge", path, "--targets", list, "-f", "jsonl").output
            let missing = try #require(text.split(separator: "\n").last.map { try JSONValue(String($0)) })
            #expect(missing["reason"]["message"].text?.hasSuffix("list.txt:2)") == true)
            #expect(missing["shard"]["index"].number == ShardChoice.part(of: "n1.example.com", among: 4))
            // Put together with the result that was missing, that counts, however old it is.
            let merged = try lab.files.write(text, to: "merged.jsonl")
            let late = try lab.write(
                items.prefix(2).map { Item($0 == items[0] ? 0 : 1, .pass, at: 1_000) }, to: "b.jsonl")
            for files in [[merged, late], [late, merged]] {
                let whole = await pincheck(["merge"] + files + ["--targets", list])
                #expect(whole.status == .pass && whole.errors.isEmpty, "\(whole)")
            }
        }
    }

    @Test func partsOfRunsThatAskedSomethingElseAreNotPutTogether() async throws {
        try await MergeLab.scoped { lab in
            func part(_ index: Int, of count: Int, asking run: String) throws -> String {
                let number = try #require(
                    (0..<1_000).first { ShardChoice.part(of: "n\($0).example.com", among: count) == index })
                let lines = try MergeLab.lines(Item(number, .pass), of: count, asking: run)
                return try lab.files.write(lines.joined(), to: "\(run)-\(index)-\(count).jsonl")
            }
            let first = try part(1, of: 2, asking: "a")
            let warning = "Warning: 2 shards have no result (--targets names their targets): "
            let other = await pincheck("merge", "-q", first, try part(2, of: 2, asking: "b"))
            #expect(other.status == .unreachable && other.errors.hasPrefix(warning), "\(other)")
            #expect(other.errors.contains("1/2") && other.errors.contains("2/2"))
            // A run that is whole says nothing of another.
            let whole = await pincheck("merge", "-q", first, try part(1, of: 1, asking: "b"))
            #expect(whole.status == .unreachable && whole.errors.contains("1 shard has no result"), "\(whole)")
            let both = await pincheck("merge", "-q", first, try part(2, of: 2, asking: "a"))
            #expect(both.status == .pass && both.errors.isEmpty, "\(both)")
            // A list that both have results of does not make them one.
            let names = (1...2).compactMap { index in
                (0..<1_000).lazy.map { "n\($0).example.com" }.first { ShardChoice.part(of: $0, among: 2) == index }
            }
            let list = try lab.files.write(names.joined(separator: "\n"), to: "list.txt")
            let listed = await pincheck("merge", "-q", first, try part(2, of: 2, asking: "b"), "--targets", list)
            #expect(listed.status == .unreachable, "\(listed)")
            #expect(
                listed.errors.hasPrefix(
                    "Warning: the files are of runs that asked different things of their targets (pins, clients, settings)\n"
                        + warning), "\(listed.errors)")
        }
    }

    @Test func aPartWithoutResultsIsNamed() async throws {
        try await MergeLab.scoped { lab in
            let items = Self.items(60).filter { $0.status == .pass }
            let parts = (1...4).map { index in items.filter { ShardChoice.part(of: $0.words[0], among: 4) == index } }
            let paths = try parts.enumerated().map { try lab.write($1, to: "\($0).jsonl") }
            #expect(await pincheck(["merge", "-q"] + paths).status == .pass)
            let merged = await pincheck(["merge", "-q", paths[0], paths[3]])
            #expect(merged.status == .unreachable)
            #expect(merged.errors == "Warning: 2 shards have no result (--targets names their targets): 2/4, 3/4\n")
            // A part that no target of the list is in is none that is missing.
            let list = try lab.files.write((parts[0] + parts[3]).map { "\($0.words[0])\n" }.joined(), to: "list.txt")
            let listed = await pincheck("merge", "-q", paths[0], paths[3], "--targets", list)
            #expect(listed.status == .pass && listed.errors.isEmpty, "\(listed)")
            let more = await pincheck(["merge", "-q"] + paths + ["--targets", list])
            let count = parts[1].count + parts[2].count
            #expect(more.status == .pass)
            #expect(more.errors.hasPrefix("Warning: \(count) targets with results are not in the list: "), "\(more)")
            // Parts of another number, all of which are there.
            let whole = try lab.write(items, to: "whole.jsonl", of: 1)
            let again = await pincheck("merge", "-q", paths[0], whole)
            #expect(again.status == .pass && !again.errors.contains("no result"), "\(again.errors)")
        }
    }

    @Test func aResultWithoutAllOfItsConnectionsDoesNotCount() async throws {
        try await MergeLab.scoped { lab in
            let (whole, other) = (Item(1, .pass, connections: 3), Item(2, .pass))
            let lines = try MergeLab.lines(whole, of: 1)
            for kept in [[0], [0, 1], [1]] {
                let text = (kept.map { lines[$0] } + (try MergeLab.lines(other, of: 1))).joined()
                let path = try lab.files.write(text, to: "a.jsonl")
                let list = try lab.files.write("n1.example.com\nn2.example.com\n", to: "list.txt")
                let merged = await pincheck("merge", path, "--targets", list, "-f", "jsonl")
                #expect(merged.status == .unreachable, "\(merged)")
                #expect(merged.errors.contains("1 target has only some of its results, which do not count: n1."))
                #expect(await pincheck("merge", "-q", path).status == .unreachable)
                let late = try lab.write([whole], to: "b.jsonl", of: 1)
                #expect(await pincheck("merge", path, late, "--targets", list).status == .pass)
            }
        }
    }
}
