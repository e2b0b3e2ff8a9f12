import LoopbackLab
@testable import PinCheckCLI
import Testing

/// What somebody types who has read one page, and what is said to that.
@Suite(.endsSomeTime) struct NewcomerTests {
    let host = "api.example.com"

    @Test func theOptionsOfCurlAreAnsweredForEachCommand() async {
        await pincheck("pins", host, "-k").expect(.usage, errors: "--anchors", not: "--allow-invalid-certificates")
    }

    @Test func aDirectoryToSaveInSaysWhatIsMissing() async throws {
        try await TemporaryDirectory.scoped { files in
            let leaf = try files.write(try StandardPKI.shared().leaf.pem, to: "leaf.pem")
            await pincheck("pins", leaf, "--save", files.path + "/no/dir").expect(
                .inputOutput, errors: "the directory above it is not there: make it")
            await pincheck("pins", leaf, "--save", leaf).says(errors: "it is a file: name a directory")
        }
    }

    // MARK: Words and statuses

    @Test func theWordIsThatOfTheExitStatusWhenLittleTimeIsLeft() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([pki.leaf, pki.interA].map(\.pem).joined(), to: "chain.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let verify = ["verify", chain, "--anchors", root, "--pins", pki.leaf.pin, "--warn-before", "90000d"]
            let mild = await pincheck(verify).expect(.pass)
            let last = try #require(mild.output.split(separator: "\n").last)
            #expect(last.hasPrefix("PASS  ") && last.hasSuffix("it ends soon, which --fail-on warn makes a WARN"))
            await pincheck(verify + ["--fail-on", "warn"]).expect(.warn, "\nWARN  ", not: "it ends soon")
        }
    }

    @Test func aMissingIntermediateIsTheServersToSend() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let leaf = try files.write(pki.leaf.pem, to: "leaf.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let known = await pincheck("verify", leaf, "--anchors", root).expect(.fail)
            let words = "the chain must hold its intermediate"
            #expect(known.output.contains(words) && !known.output.contains("give it with --anchors"), "\(known.output)")
            let unknown = await pincheck("verify", leaf)
            #expect(unknown.output.contains(words + "; if the issuer is a root of yours, give it with --anchors"))
            // No server sent what is in a file.
            for outcome in [known, unknown] { #expect(!(outcome.output + outcome.errors).contains("the server")) }
            _ = try await LoopbackServer.serving(.presenting([pki.leaf])) { server in
                await pincheck(StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "--anchors", root).says(
                    "; the server must send its intermediate\n")
            }
        }
    }

    @Test func noSentenceIsCutWhereThereIsNoWidthToFit() async throws {
        let pki = try StandardPKI.shared()
        let names = (0..<6).map { GeneralName("a-rather-long-name-of-a-server-\($0).subdomain.example.org") }
        let issuer = try pki.interA.issue(.authority("An authority with a name that takes some room to be written out"))
        let leaf = try issuer.issue(.leaf("x.example.org").with { $0.alternativeNames = names })
        try await TemporaryDirectory.scoped { files in
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let path = try files.write(leaf.pem, to: "leaf.pem")
            let verify = ["verify", path, "--host", "api.example.com", "--client", "all"]
            for arguments in [[], ["--anchors", root], ["--anchors", root, "--explain"]] {
                let outcome = await pincheck(verify + arguments).expect(.fail)
                let sentences = outcome.output.split(separator: "\n").filter { line in
                    line.hasPrefix("FAIL") || line.hasPrefix("  reject") || line.hasPrefix("    ")
                }
                #expect(sentences.count > 5 && !sentences.contains { $0.contains("…") }, "\(outcome.output)")
            }
        }
    }

    @Test func theConfiguredPinsOfAFailureHaveTheirNumbers() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([pki.leaf, pki.interA].map(\.pem).joined(), to: "chain.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let (one, two) = (pki.junk.pin, pki.rootB.pin)
            await pincheck("verify", chain, "--anchors", root, "--pins", one, "--pins", two).says(
                "\n    1 \(one)  --pins", "\n    2 \(two)  --pins")
        }
    }

    @Test func aBlockOfAnAnnotationIsNoWholeExplanation() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([pki.leaf, pki.interA].map(\.pem).joined(), to: "chain.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            await pincheck("verify", chain, "--anchors", root, "--pins", pki.rootB.pin, "-f", "github").says(
                "FAIL", "  configured:", not: "1 pass  settings")
        }
    }

    @Test func theRootsThatAreGivenAreAllRecommended() async throws {
        let lab = try RotatedAuthority()
        try await TemporaryDirectory.scoped { files in
            let roots = try files.write(lab.rootX.pem + lab.old.pem, to: "roots.pem")
            for (name, chain) in [
                ("crossed", [lab.leaf, lab.interX, lab.crossed]), ("plain", [lab.leaf, lab.interX]),
            ] {
                let file = try files.write(chain.map(\.pem).joined(), to: name + ".pem")
                let anchors = try files.write(lab.crossed.pem + lab.rootX.pem + lab.old.pem, to: "all.pem")
                let given = name == "crossed" ? roots : anchors
                let outcome = await pincheck(
                    "pins", file, "--host", RotatedAuthority.host, "--recommend", "--anchors", given, "--format", "json"
                )
                let advice = try JSONValue(outcome.output)["results"].array[0]["recommendation"]
                let pins = advice["pins"].array.compactMap { $0["pin"].text }
                #expect(Set(pins) == [lab.rootX.pin, lab.old.pin], "\(name): \(outcome.output)")
                #expect(advice["missing"].isNull)
            }
        }
    }

    @Test func theMatrixSaysWhatItsColumnsAre() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA])
            _ = try await LoopbackServer.serving(.tls(settings)) { server in
                await pincheck(
                    StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "--anchors", root, "--thorough"
                ).says("ordinary: as most clients connect", "in brackets: shown, not judged")
            }
        }
    }
}
