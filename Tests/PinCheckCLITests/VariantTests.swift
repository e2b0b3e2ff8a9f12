import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck check` with every variant of a target.
@Suite(.timeLimit(.minutes(5))) struct VariantTests {
    let pki: StandardPKI
    let rsa: LabCertificate
    let host = StandardPKI.serverName

    init() throws {
        pki = try .shared()
        rsa = try pki.interA.issue(.leaf(host), key: try LabKey.shared(.rsa(bits: 2_048), label: "vector 154"))
    }

    /// Servers on one port of 127.0.0.2, 127.0.0.3 and so on, and a file with the root of the standard world.
    private func serving<Value: Sendable>(
        _ behaviors: [ServerBehavior], _ body: (_ port: UInt16, _ anchors: String) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            return try await serve(behaviors[...], port: 0, anchors: anchors, body)
        }
    }

    private func serve<Value: Sendable>(
        _ behaviors: ArraySlice<ServerBehavior>, port: UInt16, anchors: String,
        _ body: (_ port: UInt16, _ anchors: String) async throws -> Value
    ) async throws -> Value {
        guard let behavior = behaviors.first else { return try await body(port, anchors) }
        let address = "127.0.0.\(behaviors.startIndex + 2)"
        return try await LoopbackServer.serving(behavior, address: address, port: port) { server in
            try await serve(behaviors.dropFirst(), port: server.port, anchors: anchors, body)
        }
    }

    private func list(_ count: Int) -> [UInt8] {
        Array((0..<count).map { "127.0.0.\($0 + 2)" }.joined(separator: ";").utf8)
    }

    private func dual(_ change: (inout TLSServerSettings) -> Void = { _ in }) -> ServerBehavior {
        .tls(TLSServerSettings([TLSIdentity([pki.leaf, pki.interA]), TLSIdentity([rsa, pki.interA])]).with(change))
    }

    private func verdictLines(_ outcome: Outcome) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).filter { line in
            ["PASS", "FAIL", "WARN", "UNREACHABLE"].contains { line.hasPrefix($0 + "  ") }
        }
    }

    // MARK: Addresses

    @Test func aWarningNamesTheAddressThatItIsAbout() async throws {
        let behaviors: [ServerBehavior] = [
            .presenting([pki.leaf, pki.interA]), .presenting([pki.leaf2, pki.interA]),
            .presenting([pki.leaf, pki.interA]),
        ]
        try await serving(behaviors) { port, anchors in
            await pincheck(
                [
                    "\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--pins", pki.leaf.pin, "--pins",
                    pki.interA.pin,
                ], input: list(3)
            ).says(errors: "Warning: \(host):\(port) → 127.0.0.2, 127.0.0.4: a CA pin matched beside")
            // What is so everywhere is about the target.
            let same = await pincheck(
                [
                    "\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--pins", pki.leaf.pin, "--pins",
                    pki.leaf2.pin, "--pins", pki.interA.pin,
                ], input: list(3))
            #expect(same.errors.hasPrefix("Warning: \(host):\(port): a CA pin matched beside"), "\(same.errors)")
        }
    }

    @Test func theColumnsAreInOneOrderWhateverTheFirstAddressHas() async throws {
        // The first address has an ECDSA key alone, and so no column of its own before the others.
        try await serving([.presenting([pki.leaf, pki.interA]), dual()]) { port, anchors in
            for types in ["rsa,ecdsa", "ecdsa,rsa"] {
                let outcome = await pincheck(
                    ["\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--key-types", types], input: list(2))
                #expect(
                    outcome.output.contains(
                        """
                                     ordinary  RSA  ECDSA
                          127.0.0.2  ✓ A       –    ✓ A
                          127.0.0.3  ✓ A       ✓ B  ✓ A
                          – no certificate; ordinary: as most clients connect

                        """), "\(outcome.output)")
            }
        }
    }

    @Test func oneOtherIsNotSaidToBeSeveral() async throws {
        try await serving([.presenting([pki.leaf, pki.interA])]) { port, anchors in
            for (options, words) in [
                ([], "nothing to compare"), (["--key-types", "ecdsa"], "the other is consistent"),
            ] {
                await pincheck(["\(host):\(port)", "--addresses", "-", "--anchors", anchors] + options, input: list(2))
                    .says(ending: "  2 addresses: 1 accepted, 1 without a verdict; \(words)\n")
            }
        }
    }

    @Test func aStaleEdgeAmongFourAddressesIsCaught() async throws {
        let new = ServerBehavior.presenting([pki.leaf2, pki.interA])
        try await serving([new, new, .presenting([pki.leaf, pki.interA]), new]) { port, anchors in
            let outcome = await pincheck(
                ["\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--pins", pki.leaf2.pin], input: list(4)
            ).expect(
                .fail, "\n  127.0.0.3  ✓ A\n  127.0.0.4  ✗ B\n  127.0.0.5  ✓ A\n",
                "  FAIL  127.0.0.4: no configured pin is on the chain\n")
            let lines = verdictLines(outcome)
            #expect(lines.count == 1)
            #expect(
                outcome.output.hasSuffix(
                    "  warning: 3 of 4 addresses serve the key A; 127.0.0.4 serves the key B\n"
                        + "FAIL  \(host):\(port)  4 addresses: 3 accepted, 1 rejected; the addresses differ\n"))
            // Two keys are shown, each once, and no chain.
            #expect(outcome.output.components(of: "\n    B  \(pki.leaf.pin)\n").count == 1)
            #expect(!outcome.output.contains("  0 leaf"))
            #expect(outcome.errors.isEmpty, "\(outcome.errors)")
            let whole = await pincheck(
                ["\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--pins", pki.leaf2.pin, "--explain"],
                input: list(4))
            let verdicts = verdictLines(whole)
            try #require(verdicts.count == 5)
            #expect(verdicts[0].hasPrefix("PASS  \(host):\(port) → 127.0.0.2  "))
            #expect(verdicts[2].hasPrefix("FAIL  \(host):\(port) → 127.0.0.4  "))
            #expect(whole.output.components(of: "  0 leaf").count == 4)
        }
    }

    @Test func acceptedDifferencesBetweenAddressesAreAWarning() async throws {
        let old = ServerBehavior.presenting([pki.leaf, pki.interA])
        for (other, words) in [
            (pki.leaf2, "127.0.0.2 serves the key A; 127.0.0.3 serves the key B"),
            (pki.leafRe, "the key is the same, but 127.0.0.2 serves a certificate until "),
        ] {
            try await serving([old, .presenting([other, pki.interA])]) { port, anchors in
                let outcome = await pincheck(
                    ["\(host):\(port)", "--addresses", "-", "--anchors", anchors], input: list(2)
                ).expect(.pass, "\n  warning: \(words)")
                #expect(
                    verdictLines(outcome).last == "PASS  \(host):\(port)  2 addresses: 2 accepted; the addresses differ"
                )
            }
        }
    }

    @Test func anEdgeThatSendsAnotherChainIsNamed() async throws {
        let whole = ServerBehavior.presenting([pki.leaf, pki.interA])
        _ = try await serving([whole, whole, .presenting([pki.leaf])]) { port, anchors in
            await pincheck(["\(host):\(port)", "--addresses", "-", "--anchors", anchors], input: list(3)).expect(
                .fail,
                "the leaf is the same, but 127.0.0.2 and 127.0.0.3 serve the leaf with CN=InterA; "
                    + "127.0.0.4 serves the leaf alone")
        }
    }

    @Test func addressesThatServeTheSameAreConsistent() async throws {
        let server = ServerBehavior.presenting([pki.leaf, pki.interA])
        try await serving([server, server]) { port, anchors in
            let base = ["\(host):\(port)", "--anchors", anchors, "--pins", pki.leaf.pin]
            let now = LabClock.now
            let outcome = await pincheck(base + ["--addresses", "-"], at: now, input: list(2)).expect(.pass)
            #expect(verdictLines(outcome).last == "PASS  \(host):\(port)  2 addresses: 2 accepted; consistent")
            let connected = await pincheck(base + ["--connect", "127.0.0.2", "--connect", "127.0.0.3"], at: now)
            #expect(connected.output == outcome.output)
        }
    }

    @Test func aDeadAddressIsSaidToBeDeadOnce() async throws {
        try await serving([.presenting([pki.leaf, pki.interA])]) { port, anchors in
            let outcome = await pincheck(
                ["\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--thorough"], input: list(2)
            ).expect(.unreachable)
            #expect(verdictLines(outcome).count { $0.hasPrefix("UNREACHABLE") } == 1)
            #expect(
                outcome.output.components(of: "  UNREACHABLE  127.0.0.3: connect: ").count == 1, "\(outcome.output)")
            #expect(
                outcome.output.contains(
                    """

                      127.0.0.3  ?         –      –
                      ? no verdict; – no certificate; ordinary: as most clients connect; in brackets: shown, not judged

                    """), "\(outcome.output)")
        }
    }

    @Test func allAddressesOfANameAreChecked() async throws {
        _ = try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            await pincheck("localhost:\(server.port)", "-4", "--all-addresses", "--format", "json").expect(
                .fail, #""address" : "127.0.0.1""#, #""resolved_name" : "localhost""#, #""addresses" : 1,"#)
        }
    }

    @Test func aDifferenceEndsTheRunWhereWarningsAreToFail() async throws {
        let old = ServerBehavior.presenting([pki.leaf, pki.interA])
        try await serving([old, .presenting([pki.leaf2, pki.interA])]) { port, anchors in
            let base = ["\(host):\(port)", "--addresses", "-", "--anchors", anchors]
            #expect(await pincheck(base, input: list(2)).status == .pass)
            await pincheck(base + ["--fail-on", "warn"], input: list(2)).expect(
                .warn, ending: "WARN  \(host):\(port)  2 addresses: 2 accepted; the addresses differ\n")
        }
    }

    @Test func theAddressesOfOneFamilyCanBeChosen() async throws {
        try await serving([.presenting([pki.leaf, pki.interA])]) { port, anchors in
            let base = ["\(host):\(port)", "--addresses", "-", "--anchors", anchors]
            let input = Array("127.0.0.2-2001:db8::1".utf8)
            let outcome = await pincheck(base + ["-4"], input: input).expect(.pass)
            #expect(verdictLines(outcome).map { $0.prefix(4) } == ["PASS"])
            await pincheck(base + ["-6"], input: list(1)).expect(
                .data, errors: "the answer in standard input gives no address of the family asked for")
        }
    }

    // MARK: Key types

    @Test func `vector 154: a pin of one of two leaves is at risk, and the probe for each key shows which`()
        async throws
    {
        try await serving([dual()]) { port, anchors in
            let base = ["\(host):\(port)", "--connect", "127.0.0.2", "--anchors", anchors]
            for (pin, failing) in [(rsa.pin, "ECDSA"), (pki.leaf.pin, "RSA")] {
                let outcome = await pincheck(base + ["--key-types", "rsa,ecdsa", "--pins", pin]).expect(.fail)
                let lines = verdictLines(outcome)
                #expect(lines.count == 1)
                #expect(outcome.output.contains("  FAIL  127.0.0.2 ("), "\(outcome.output)")
                #expect(outcome.output.contains("\(failing)): no configured pin"), "\(outcome.output)")
                let keys = outcome.output.contains("\n    A  \(rsa.pin)\n") ? "RSA A, ECDSA B" : "RSA B, ECDSA A"
                #expect(outcome.output.contains("  note: clients get the key of the type they ask for: \(keys)\n"))
            }
            await pincheck(base + ["--key-types", "all", "--pins", rsa.pin, "--pins", pki.leaf.pin]).expect(
                .pass, not: "Ed25519")
        }
    }

    @Test func anAddressThatLacksWhatTheOthersHaveIsNamed() async throws {
        try await serving([dual(), dual(), .presenting([pki.leaf, pki.interA])]) { port, anchors in
            let outcome = await pincheck(
                ["\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--key-types", "rsa"], input: list(3)
            ).expect(
                .pass, "  warning: for RSA, 127.0.0.2 and 127.0.0.3 serve the key ",
                "; 127.0.0.4 refuses the handshake\n")
            #expect(verdictLines(outcome).last?.hasSuffix("3 addresses: 3 accepted; the addresses differ") == true)
        }
    }

    @Test func aServerWithOneKeyTypeIsNoFailure() async throws {
        for version in [LoopbackLab.TLSVersion.tls12, .tls13] {
            let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with { $0.maximumVersion = version }
            try await serving([.tls(settings)]) { port, anchors in
                let outcome = await pincheck(
                    "\(host):\(port)", "--connect", "127.0.0.2", "--anchors", anchors, "--key-types", "rsa,ecdsa",
                    "--retries", "100"
                ).expect(.pass, not: "RSA")
                #expect(verdictLines(outcome).last?.hasSuffix("1 address, accepted; consistent") == true)
            }
        }
    }

    // MARK: Nothing to compare

    @Test func nothingIsCalledConsistentThatWasNotCompared() async throws {
        try await serving([.presenting([pki.leaf, pki.interA])]) { port, anchors in
            // The second address has no server.
            let two = await pincheck(
                ["\(host):\(port)", "--addresses", "-", "--anchors", anchors, "--pins", pki.junk.pin], input: list(2))
            #expect(
                verdictLines(two).last
                    == "FAIL  \(host):\(port)  2 addresses: 1 rejected, 1 without a verdict; nothing to compare")
        }
        try await serving([dual()]) { port, anchors in
            let base = ["\(host):\(port)", "--connect", "127.0.0.2", "--anchors", anchors, "--key-types", "rsa,ecdsa"]
            let mixed = await pincheck(base + ["--pins", pki.leaf.pin]).expect(.fail)
            #expect(
                verdictLines(mixed).last?.hasSuffix(
                    "  1 address, rejected for 1 of 3 kinds of clients; the verdicts differ") == true)
        }
    }

    // MARK: SNI

    @Test func whatClientsWithoutSNIGetIsSaidAndDoesNotCount() async throws {
        let tenant = try pki.interA.issue(.leaf("other-tenant.example"))
        let shared = TLSServerSettings(presenting: [tenant, pki.interA]).with {
            $0.identitiesByName = [host: [TLSIdentity([pki.leaf, pki.interA])]]
        }
        try await serving([.tls(shared)]) { port, anchors in
            let base = ["\(host):\(port)", "--connect", "127.0.0.2", "--anchors", anchors, "--thorough"]
            let outcome = await pincheck(base).expect(.pass)
            let lines = verdictLines(outcome)
            #expect(outcome.output.contains("\n  127.0.0.2  ✓ A       ✓ A    ! B\n"), "\(outcome.output)")
            #expect(!outcome.output.contains("give --host or --sni"))
            #expect(lines == ["PASS  \(host):\(port)  1 address, accepted; another certificate without SNI"])
            #expect(outcome.output.contains("  warning: without SNI the server serves CN=other-tenant.example"))
            await pincheck(base + ["--no-sni"]).expect(.fail)
        }
    }

    @Test func aServerThatInsistsOnSNIIsAFinding() async throws {
        let strict = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with { $0.absentName = .alert }
        _ = try await serving([.tls(strict)]) { port, anchors in
            await pincheck("\(host):\(port)", "--connect", "127.0.0.2", "--anchors", anchors, "--thorough").expect(
                .pass, "without SNI the server refuses the handshake (alert unrecognized_name (112))")
        }
    }

    // MARK: Everything

    @Test func thoroughChecksEveryVariantOfEveryAddressAndNothingElse() async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(dual()) { server in
                let base = [
                    "\(host):\(server.port)", "--connect", "127.0.0.1", "--anchors", anchors, "--format", "json",
                ]
                let outcome = await pincheck(base + ["--thorough"]).expect(.pass)
                for label in ["ordinary", "RSA", "ECDSA", "no SNI"] {
                    #expect(outcome.output.components(of: #""label" : "\#(label)""#).count == 1)
                }
                #expect(outcome.output.components(of: #""consistency" : {"#).count == 1)
                #expect(outcome.output.components(of: #""consistency" : null"#).count == 3)
                #expect(outcome.output.contains(#""id" : "key-types-differ""#))
                JSONSchemaCheck.expect(validDocumentsIn: outcome.output)
                #expect(await server.connections(ended: 4).count == 4)
                // Without the flags nothing is there, and nothing more is connected.
                await pincheck(base).says(#""variant" : null"#, #""consistency" : null"#)
                #expect(await server.connections(ended: 5).count == 5)
            }
        }
    }

    // MARK: Misuse

    @Test(arguments: [
        ("192.0.2.1;no", ExitStatus.data, "standard input holds no addresses: line 1: 'no' is not an address"),
        ("0", .noInput, "the answer in standard input gives no address: the service knows none"),
        (
            #"{"host":"other.example","ips":["127.0.0.2"],"ttl":1}"#, .usage,
            "an address is given for 'other.example:443', which is not a target of this call"
        ),
    ]) func answersThatCannotBeUsedAreRefused(answer: String, status: ExitStatus, words: String) async {
        await pincheck([host, "--addresses", "-"], input: Array(answer.utf8)).expect(status, errors: words)
    }
}

extension String {
    /// The places where `part` occurs.
    fileprivate func components(of part: String) -> [Range<String.Index>] { ranges(of: part) }
}
