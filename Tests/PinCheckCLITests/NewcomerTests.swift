import LoopbackLab
@testable import PinCheckCLI
import Testing

/// What somebody types who has read one page, and what is said to that.
@Suite(.endsSomeTime) struct NewcomerTests {
    let host = "api.example.com"

    /// A command line in a directory, and what the message has to say.
    static let mistakes: [(line: [String], says: [String])] = [
        (["-o", "DIR"], ["it is a directory: name a file in it"]),
        (["--anchors", "DIR/nosuch.pem"], ["anchors: '", "nosuch.pem': there is no such file"]),
        (["--anchors", "DIR/root.pem", "--intermediate", "DIR/no.pem"], ["intermediate certificates: '"]),
        (["--socks5", "proxy:8080"], ["no option '--socks5'", "did you mean '--proxy'?"]),
        (["-x", "proxy:8080"], ["did you mean '--proxy'?"]),
        (["-k"], ["no option '-k'", "--anchors", "--allow-invalid-certificates"]),
        (["--insecure"], ["--anchors", "--allow-invalid-certificates"]),
        (["--client", "okhttp,"], ["a client's name is empty"]),
        (["--client", ",okhttp"], ["a client's name is empty"]),
        (["--key-types", "rsa,"], ["--key-types '' is unknown: choose from rsa"]),
        (["--pins", "DIR/root.pem,DIR/other.cer"], ["files have no commas between: repeat --pins for each"]),
        (["--device", "ios-26,"], ["the name of a device is empty"]),
        (["--device", "iphon"], ["there is no device 'iphon': did you mean 'ios-"]),
    ]

    @Test(arguments: mistakes) func aMistakeIsAnsweredByWhatToDo(line: [String], says: [String]) async throws {
        try await TemporaryDirectory.scoped { files in
            try files.write(try StandardPKI.shared().rootA.pem, to: "root.pem")
            let arguments = [host, "--connect", "127.0.0.1:9"] + line.map { $0.replacing("DIR", with: files.path) }
            let outcome = await pincheck(arguments)
            for words in says { #expect(outcome.errors.contains(words), "\(outcome.errors)") }
        }
    }

    @Test func theOptionsOfCurlAreAnsweredForEachCommand() async {
        let pins = await pincheck("pins", host, "-k")
        #expect(pins.status == .usage && pins.errors.contains("--anchors"), "\(pins.errors)")
        #expect(!pins.errors.contains("--allow-invalid-certificates"))
    }

    @Test func aDirectoryToSaveInSaysWhatIsMissing() async throws {
        try await TemporaryDirectory.scoped { files in
            let leaf = try files.write(try StandardPKI.shared().leaf.pem, to: "leaf.pem")
            let nowhere = await pincheck("pins", leaf, "--save", files.path + "/no/dir")
            #expect(nowhere.status == .inputOutput)
            #expect(nowhere.errors.contains("the directory above it is not there: make it"), "\(nowhere.errors)")
            let file = await pincheck("pins", leaf, "--save", leaf)
            #expect(file.errors.contains("it is a file: name a directory"), "\(file.errors)")
        }
    }

    @Test func aPolicyOfAnotherShapeIsAnsweredByTheRightOne() async throws {
        try await TemporaryDirectory.scoped { files in
            let list = try files.write(#"{ hosts: ["api.example.com"] }"#, to: "list.json5")
            let listed = await pincheck("--policy", list)
            #expect(listed.status == .data)
            #expect(
                listed.errors.contains(
                    #"'hosts' is a list; write each host as a key, as in hosts: { "api.example.com":"#))
            let number = try files.write(#"{ hosts: { "api.example.com": { warnBefore: 30 } } }"#, to: "number.json5")
            let numbered = await pincheck("--policy", number)
            #expect(numbered.errors.contains(#"'warnBefore' is a number without a unit; write "30d" for days"#))
        }
    }

    // MARK: Words and statuses

    @Test func theWordIsThatOfTheExitStatusWhenLittleTimeIsLeft() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([pki.leaf, pki.interA].map(\.pem).joined(), to: "chain.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let verify = ["verify", chain, "--anchors", root, "--pins", pki.leaf.pin, "--warn-before", "90000d"]
            let mild = await pincheck(verify)
            #expect(mild.status == .pass)
            let last = try #require(mild.output.split(separator: "\n").last)
            #expect(last.hasPrefix("PASS  ") && last.hasSuffix("it ends soon (WARN with --fail-on warn)"))
            let strict = await pincheck(verify + ["--fail-on", "warn"])
            #expect(strict.status == .warn && strict.output.contains("\nWARN  "))
            #expect(!strict.output.contains("it ends soon"))
        }
    }

    @Test func aMissingIntermediateIsTheServersToSend() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let leaf = try files.write(pki.leaf.pem, to: "leaf.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let known = await pincheck("verify", leaf, "--anchors", root)
            #expect(known.status == .fail)
            let words = "the chain must hold its intermediate"
            #expect(known.output.contains(words) && !known.output.contains("give it with --anchors"), "\(known.output)")
            let unknown = await pincheck("verify", leaf)
            #expect(unknown.output.contains(words + "; if the issuer is a root of yours, give it with --anchors"))
            // No server sent what is in a file.
            for outcome in [known, unknown] { #expect(!(outcome.output + outcome.errors).contains("the server")) }
            try await LoopbackServer.serving(.presenting([pki.leaf])) { server in
                let served = await pincheck(
                    StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "--anchors", root)
                #expect(served.output.contains("  hint: the server must send its intermediate\n"), "\(served)")
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
                let outcome = await pincheck(verify + arguments)
                #expect(outcome.status == .fail)
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
            let several = await pincheck("verify", chain, "--anchors", root, "--pins", one, "--pins", two)
            #expect(several.output.contains("\n    1 \(one)  --pins"), "\(several.output)")
            #expect(several.output.contains("\n    2 \(two)  --pins"), "\(several.output)")
        }
    }

    @Test func aBlockOfAnAnnotationIsNoWholeExplanation() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([pki.leaf, pki.interA].map(\.pem).joined(), to: "chain.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let outcome = await pincheck("verify", chain, "--anchors", root, "--pins", pki.rootB.pin, "-f", "github")
            #expect(outcome.output.contains("FAIL") && outcome.output.contains("  configured:"))
            #expect(!outcome.output.contains("1 pass  settings"), "\(outcome.output)")
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
            try await LoopbackServer.serving(.tls(settings)) { server in
                let outcome = await pincheck(
                    StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "--anchors", root, "--thorough")
                #expect(outcome.output.contains("ordinary: as most clients connect"), "\(outcome.output)")
                #expect(outcome.output.contains("in brackets: shown, not judged"))
            }
        }
    }
}
