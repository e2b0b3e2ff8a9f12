import LoopbackLab
import PinCheckCLI
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
            ([pki.leaf, pki.interA, pki.rootA], "  hint: give it with --anchors if it is yours"),
            ([pki.leaf, pki.interA], "  hint: give the root of that authority with --anchors if it is yours"),
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

    @Test func aDirectoryIsNotLookedUp() async throws {
        try await TemporaryDirectory.scoped { files in
            try files.makeDirectory("pins")
            await pincheck(files.path + "/pins").expect(
                .usage, errors: "/pins' is a directory, not a host: 'pincheck HOST --pins /",
                "'pincheck verify' judges the chain in a file")
        }
    }

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
}
