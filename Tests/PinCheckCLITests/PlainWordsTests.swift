import LoopbackLab
@testable import PinCheckCLI
import Testing

/// What messages say to somebody who meets them for the first time.
@Suite(.endsSomeTime) struct PlainWordsTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// `verify` on a chain below ``StandardPKI/rootA``.
    private func verify(_ arguments: [String], anchors: Bool = true, _ chain: [LabCertificate]? = nil) async throws
        -> Outcome
    {
        try await TemporaryDirectory.scoped { files in
            let chain = chain ?? [pki.leaf, pki.interA, pki.rootA]
            let path = try files.write(chain.map(\.pem).joined(), to: "chain.pem")
            let roots = try files.write(pki.rootA.pem, to: "root.pem")
            return await pincheck(
                ["verify", path, "--host", host] + (anchors ? ["--anchors", roots] : []) + arguments)
        }
    }

    // MARK: Verdicts

    @Test func aLeafsKeyInTheListOfAuthoritiesIsSaidToBeThere() async throws {
        try await verify(["--pins", pki.leaf.pin, "--client", "nspinneddomains:key=ca"]).expect(
            .fail, "  pins: 1 configured, 1 on the chain (leaf)\n",
            ending:
                "nspinneddomains: the leaf's key is in NSPinnedCAIdentities, which authorities alone are compared with: "
                + "NSPinnedLeafIdentities is the list for it\n", not: "no configured pin is on the chain", " matched")
        // The word for machines stays.
        let arguments = ["--pins", pki.leaf.pin, "--client", "nspinneddomains:key=ca", "--format", "json"]
        #expect(try await verify(arguments).decision == "fail pin-mismatch")
    }

    @Test(arguments: [
        (
            ["--client", "alamofire:host=other.example.com,okhttp", "--pins", "OTHER"],
            "alamofire: no evaluator is set for api.example.com, and allHostsMustBeEvaluated"
        )
    ]) func aChainThatWasNotVerifiedIsSaidToBeSoForItsOwnReason(arguments: [String], reason: String) async throws {
        let pins = ["LEAF": pki.leaf.pin, "OTHER": pki.junk.pin]
        let outcome = try await verify(arguments.map { pins[$0] ?? $0 })
        #expect(outcome.output.contains("  this chain was not verified: \(reason)\n"), "\(outcome.output)")
    }

    @Test func aPrivateAuthorityLeadsToAnchors() async throws {
        let cases: [([LabCertificate], String)] = [
            ([pki.leaf, pki.interA, pki.rootA], "is not trusted; give it with --anchors if it is yours"),
            ([pki.leaf, pki.interA], "; give the root of that authority with --anchors if it is yours"),
            (
                [pki.leaf],
                "the chain must hold its intermediate; if the issuer is a root of yours, give it with --anchors"
            ),
        ]
        for (chain, words) in cases {
            let outcome = try await verify([], anchors: false, chain).expect(.fail)
            #expect(outcome.output.hasSuffix(words + "\n"), "\(outcome.output)")
        }
        // Whoever gave anchors knows of them.
        try await verify([], anchors: true, [pki.rogue, pki.rogueI, pki.rootB]).expect(.fail, not: "--anchors")
    }

    @Test func anotherTimeIsSaidInTheReport() async throws {
        let day = "2027-01-02"
        #expect(try await verify(["--at", day]).output.contains("   as of 2027-01-02\n"))
        #expect(try await verify(["--at", "2027-01-02T03:04:05Z"]).output.contains("   as of 2027-01-02T03:04:05Z\n"))
        #expect(try await verify(["--at", day, "--format", "json"]).output.contains("\"2027-01-02T00:00:00Z\""))
        #expect(try await !verify([]).output.contains("as of"))
    }

    @Test func theDemoWarnsOfAnInterceptorWhereThereIsOne() async throws {
        let outcome = await pincheck("demo", "--color", "never").expect(.pass)
        let scenes = outcome.output.split(separator: "\n\n").map(String.init).filter { $0.contains("$ pincheck") }
        let warned = scenes.indices.filter { scenes[$0].contains("TLS-intercepting") }
        #expect(warned == [2], "\(outcome.output)")
    }

    // MARK: Mistakes

    @Test(.enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"))
    func aDirectoryWithoutASlashIsNotLookedUpEither() async throws {
        let outcome = try await BuiltBinary.run("mkdir -p $TMPDIR/api-pins && cd $TMPDIR && $PINCHECK api-pins")
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: 'api-pins' is a directory, not a host: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("a host of that name is checked as 'https://api-pins'"))
    }

    @Test func aMissingDirectoryIsNamedBeforeAnybodyIsAsked() async throws {
        try await TemporaryDirectory.scoped { files in
            let path = files.path + "/absent/file"
            for arguments in [
                ["127.0.0.1:1", "-f", "json", "-o", path], ["127.0.0.1:1", "--state", path],
                ["snapshot", "127.0.0.1:1", "-o", path],
            ] {
                let outcome = await pincheck(arguments).expect(.inputOutput)
                let directory = files.path + "/absent"
                #expect(
                    outcome.errors
                        == "Error: cannot write '\(path)': there is no directory '\(directory)': make it, or name another file\n"
                )
            }
        }
    }

    // MARK: Looks

    @Test func warningsAndWhatHasExpiredAreColoured() async throws {
        try await verify(["--pins", pki.rootA.pin, "--at", "2050-01-01", "--color", "always"]).says(
            "\u{1B}[31mexpired\u{1B}[0m")
        let soon = try await verify(["--pins", pki.leaf.pin, "--no-validate-domain-name", "--color", "always"])
        #expect(soon.errors.hasPrefix("\u{1B}[33mWarning:\u{1B}[0m "), "\(soon.errors)")
        try await verify(["--warn-before", "9999d", "--color", "always"]).says(" d\u{1B}[0m  ")
        let plain = try await verify(["--pins", pki.interA.pin, "--warn-before", "9999d"])
        #expect(isPlain(plain.output + plain.errors))
        let mistake = await pincheck("verify", "/nonexistent", "--color", "always")
        #expect(mistake.errors.hasPrefix("\u{1B}[31mError:\u{1B}[0m "))
    }

    // MARK: Command lines

    @Test func versionNamesPincheckAndOpenSSL() async {
        let outcome = await pincheck("--version").expect(
            .pass, ending: ")\n", starting: "pincheck \(ProgramVersion.number) (OpenSSL 3.")
        #expect(await pincheck("check", "--version").output == outcome.output)
    }

    @Test func helpWithACommandThereIsNotIsAMistake() async {
        for words in [["help", "lnt"], ["--help", "lnt"], ["-h", "lnt"]] {
            let outcome = await pincheck(words).expect(.usage, "")
            #expect(outcome.errors == "Error: there is no command 'lnt': did you mean 'pincheck help lint'?\n")
        }
        let other = await pincheck("--help", "nosuch.example").expect(.usage)
        #expect(other.errors == "Error: there is no command 'nosuch.example': 'pincheck --help' lists them\n")
        #expect(await pincheck("--help", "lint").status == .pass)
    }

    @Test func aMistypedCommandIsNotLookedUp() async {
        await pincheck("chek", "api.example.com").expect(
            .usage, errors: "did you mean 'pincheck check api.example.com'?")
        await pincheck("dem", "--connect", "127.0.0.1:1").expect(
            .usage, errors: "did you mean 'pincheck demo --connect 127.0.0.1:1'?")
        await pincheck("check", "dem", "--connect", "127.0.0.1:1").expect(.unreachable, not: "did you mean")
    }

    @Test func aTargetThatIsAFileIsToldWhatFilesAreFor() async throws {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write("", to: "leaf.pem")
            for command in [[path], ["check", path], ["snapshot", path]] {
                await pincheck(command).expect(.usage, errors: "is a file, not a host: 'pincheck verify' judges")
            }
        }
    }

    @Test func aFileInThePlaceOfTheHostIsNoticed() async {
        // Tests run beside it.
        await pincheck("verify", "api.example.com", "--host", "Package.swift").expect(
            .noInput, errors: "'Package.swift' is one: write 'pincheck verify' with the file")
    }

    @Test func aPasswordInThePlaceOfAPortIsNotShown() async {
        await pincheck(["api.example.com"], environment: ["HTTPS_PROXY": "http://user:SECRET"]).expect(
            .usage, errors: "has a port that is no number", not: "SECRET")
    }

    // MARK: Sentences

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

    // MARK: What people paste and pipe

    @Test func aPolicyCanComeFromStandardInput() async throws {
        try await Desk.serving { desk, _ in
            let policy = "{ hosts: { '$HOST': { connect: '$SERVER' } } }"
            await desk("snapshot --policy -", input: policy).expect(.pass, pki.leaf.pin)
        }
    }

    @Test(arguments: ["warn", "warning"]) func bothCommandsTakeBothWordsForAWarning(word: String) async throws {
        try await desk("lint $LEAF --fail-on \(word)").expect(.fail)
        try await desk("VERIFY --pins $LEAF --fail-on \(word)").expect(.warn)
    }

    @Test func whatIsLintedByMistakeIsNamed() async throws {
        let texts = [
            "pins.json": "{\"api.example.com\":[]}", "App.ipa": "no archive", "Shop.app/b.pem": pki.rootB.pem,
            "Shop.app/Info.plist": "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>",
        ]
        try await Desk.open(texts) { desk in
            try desk.files.write(pki.rootA.der, to: "Shop.app/a.cer")
            await desk("lint @pins.json").says("'api.example.com' is an empty list")
            await desk("lint @App.ipa").says("is not a zip archive, which a file named .ipa is")
            await desk("lint @Shop.app").says("or is named .pem: 'b.pem'")
        }
    }
}
