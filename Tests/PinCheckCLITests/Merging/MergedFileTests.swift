import LoopbackLab
import Base
import Testing

@testable import PinCheckCLI

/// Files that are no results, or no longer all of them.
@Suite(.endsSomeTime) struct MergedFileTests {
    private typealias Item = MergeLab.Item

    private func merge(_ paths: String..., more: [String] = []) async -> Outcome {
        await pincheck(["merge"] + paths + ["-f", "jsonl"] + more)
    }

    @Test func whatIsNoFileOfResultsIsRefused() async throws {
        let pki = try StandardPKI.shared()
        let key = try pki.leaf.key.privateKeyPEM()
        try await MergeLab.scoped { lab in
            let good = try lab.write([Item(1, .pass)], to: "good.jsonl", of: 1)
            let result = try contents(ofFile: good)
            let foreign: [(bytes: [UInt8], hint: String)] = [
                (pki.leaf.der, "name files that such runs wrote"), (Array(key.utf8), "name files that such runs wrote"),
                (Array("hello\n".utf8), "name files"), (Array("[]".utf8), "name files"),
                (Array("\(result)hello\n\(result)".utf8), ":2 is no result"),
                (Array("{\"schema\":\"pincheck-pins/1\"}".utf8), "of another kind or version"),
                (Array(result.replacing("pincheck/1", with: "pincheck/2").utf8), "of another kind or version"),
                (Array("{\n  \"built\" : []\n}\n".utf8), "'--format json'"),
                (Array("{\"results\":[\(result.dropLast())],\"schema\":\"pincheck/1\"}".utf8), "'--format json'"),
                (Array("\(result.dropLast(40))\n\(result)".utf8), ":1 is no result"),
                (Array("\(result.dropLast(40))\(result)".utf8), ":1 is no result"),
                (Array("\(result)\(result.dropLast(40))\n".utf8), ":2 is no result"),
                (Array("\(result.dropLast())\(result)".utf8), "name files that such runs wrote"),
                ([0x1F, 0x8B, 0x08, 0x00, 0x01, 0x02], "bad.jsonl"), ([0x1F, 0x8B, 0x0A], "bad.jsonl"),
                ([0xFF, 0xFE] + result.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "name files"),
                ([UInt8](repeating: 0, count: 1 << 16), "name files"),
            ]
            for (bytes, hint) in foreign {
                let bad = try lab.files.write(bytes, to: "bad.jsonl")
                let outcome = await merge(good, bad)
                #expect(outcome.status == .data && outcome.output.isEmpty, "\(hint): \(outcome)")
                #expect(outcome.errors.contains("bad.jsonl") && outcome.errors.contains(hint), "\(outcome.errors)")
                // No piece of a key is shown.
                #expect(!outcome.errors.contains(key.split(separator: "\n")[1].prefix(12)))
                #expect(try BoundedFile.bytes(at: bad, limit: 1 << 20) == bytes)
            }
        }
    }

    @Test func whatCannotBeReadIsSaid() async throws {
        try await MergeLab.scoped { lab in
            let good = try lab.write([Item(1, .pass)], to: "good.jsonl", of: 1)
            for (path, words) in [
                (lab.path("absent.jsonl"), "absent.jsonl"), (lab.files.path, "is a directory"),
                ("/dev/null", "no regular file"), ("-", "'-'"), ("", "''"),
            ] {
                let outcome = await merge(good, path)
                #expect(outcome.status == .noInput || outcome.status == .usage, "\(path): \(outcome)")
                #expect(outcome.output.isEmpty && outcome.errors.contains(words), "\(path): \(outcome.errors)")
            }
            let none = await pincheck("merge")
            #expect(none.status == .usage && none.errors.contains("name those that the runs wrote"), "\(none)")
        }
    }

    @Test func anEmptyFileIsSaidAndNothingButEmptyOnesIsNoPass() async throws {
        try await MergeLab.scoped { lab in
            let good = try lab.write([Item(1, .pass)], to: "good.jsonl", of: 1)
            let empty = try lab.files.write("", to: "empty.jsonl")
            let outcome = await merge(empty, good)
            #expect(outcome.status == .pass && outcome.errors.contains("empty.jsonl' is empty: its run has no result"))
            let none = await merge(empty, empty)
            #expect(
                none.status == .noInput && none.output.isEmpty && none.errors.contains("there is no result"), "\(none)")
        }
    }

    @Test func aTornLastLineIsSaidAndTheOthersCount() async throws {
        try await MergeLab.scoped { lab in
            let path = try lab.write([Item(1, .pass), Item(2, .pass)], to: "a.jsonl", of: 1)
            let text = try contents(ofFile: path)
            let list = try lab.files.write("n1.example.com\nn2.example.com\n", to: "list.txt")
            for length in [1, 2, 40, 400] {
                try AtomicFile.write(Array(text.utf8.dropLast(length)), to: path)
                let outcome = await merge(path, more: ["--targets", list])
                // The line break alone is no part of a result.
                guard length > 1 else {
                    #expect(outcome.status == .pass && outcome.errors.isEmpty, "\(outcome)")
                    continue
                }
                #expect(outcome.status == .unreachable, "\(outcome)")
                #expect(outcome.errors.contains("a.jsonl':2 is the beginning of a result"), "\(outcome.errors)")
                #expect(outcome.errors.contains("1 target of the list has no result: n2.example.com:443"))
                // Nobody says which target that was, but there is no verdict on it: an older one may stand for it in a list.
                #expect(await merge(path).status == .unreachable)
                let older = try lab.write([Item(2, .pass, at: MergeLab.now - 9_000)], to: "old.jsonl", of: 1)
                #expect(await merge(path, older, more: ["--targets", list]).status == .unreachable)
            }
        }
    }

    @Test func compressedResultsAreReadAsTheyAre() async throws {
        try await MergeLab.scoped { lab in
            let path = try lab.write((0..<10).map { Item($0, .pass) }, to: "a.jsonl")
            let bytes = try BoundedFile.bytes(at: path, limit: 1 << 20)
            let packed = try lab.files.write(GzipFile.stored(bytes), to: "a.jsonl.gz")
            #expect(try await merge(packed).output == contents(ofFile: path))
            let torn = try lab.files.write(Array(GzipFile.stored(bytes).dropLast(2_000)), to: "b.jsonl.gz")
            let outcome = await merge(torn)
            #expect(outcome.status == .data && outcome.errors.contains("b.jsonl.gz"), "\(outcome)")
        }
    }

    @Test func everyTimeAndPinThatARunWritesIsRead() async throws {
        try await MergeLab.scoped { lab in
            let result = try MergeLab.lines(Item(1, .pass), of: 1).joined()
            let record = "3 1 2 " + String(repeating: "ab", count: 64)
            let pin = try #require(result.firstMatch(of: #/"pin":"(sha256[^"]*)"/#)?.1)
            for text in [
                result.replacing(#""not_after":"2"#, with: #""not_after":"-2"#),
                result.replacing(#""pin":"\#(pin)""#, with: #""pin":"\#(record)""#),
            ] {
                #expect(text != result)
                let outcome = await merge(try lab.files.write(text, to: "a.jsonl"), more: ["--explain"])
                #expect(outcome.status == .pass, "\(outcome)")
            }
        }
    }

    @Test func aTargetDoesNotPassWhoseRejectedConnectionsWereLost() async throws {
        try await MergeLab.scoped { lab in
            let last = try #require(try MergeLab.lines(Item(1, .pass, connections: 2), of: 1).last)
            let rejected = last.replacing(#/("consistency":{.*?"exit":){"code":0,"name":"PASS"}/#) {
                "\($0.1){\"code\":1,\"name\":\"FAIL\"}"
            }
            #expect(rejected != last)
            let outcome = await merge(try lab.files.write(rejected, to: "a.jsonl"))
            #expect(outcome.status == .fail, "\(outcome)")
        }
    }

    @Test func aValueThatNoRunWritesIsRefusedWithItsPlace() async throws {
        try await MergeLab.scoped { lab in
            let result = try MergeLab.lines(Item(1, .pass), of: 1).joined()
            for (old, new, place) in [
                (#""built_is_valid":true"#, #""built_is_valid":"yes""#, "built_is_valid is of another type"),
                (
                    #""matched":[{"depth":0,"pin":0}]"#, #""matched":[{"depth":0,"pin":9}]"#,
                    "pins is not what it can be"
                ), (#""days_left":89,"#, "", "[0].days_left is missing"),
                (#""verdict":"accept","verify"#, #""verdict":"maybe","verify"#, "verdict is not what it can be"),
                (#""role":"leaf""#, #""role":"branch""#, "presented[0].role is not what it can be"),
                (#""source":"presented""#, #""source":"x\u001b[31m""#, "built[0].source is not what it can be"),
                (
                    #""spki_sha256":"sha256/"#, #""spki_sha256":"sha1/"#,
                    "presented[0].spki_sha256 is not what it can be"
                ), (#""index":0,"#, #""index":-1,"#, "presented[0].index is not what it can be"),
                (#""not_after":"2"#, #""not_after":"x2"#, "presented[0].not_after is not what it can be"),
            ] {
                let text = result.replacing(old, with: new)
                #expect(text != result, "\(old)")
                let path = try lab.files.write(text, to: "a.jsonl")
                let outcome = await merge(path)
                #expect(outcome.status == .data, "\(outcome)")
                #expect(outcome.errors.contains("a result of 'n1.example.com:443': "), "\(outcome.errors)")
                #expect(outcome.errors.contains(place), "\(outcome.errors)")
            }
        }
    }
}
