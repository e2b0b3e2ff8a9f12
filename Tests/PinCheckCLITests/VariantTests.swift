import LoopbackLab
import PinCheckCLI
import Testing

@Suite(.timeLimit(.minutes(5))) struct VariantTests {
    private static let old = ServerBehavior.presenting(served)
    private static let new = ServerBehavior.presenting([pki.leaf2, pki.interA])
    private static let dual = ServerBehavior.tls(bothKeys)

    /// Asks servers on one port of 127.0.0.2, 127.0.0.3 and so on; `EDGES` reaches as many addresses as are said, `ONE` the first.
    private func serving(
        _ behaviors: [ServerBehavior], addresses: Int? = nil,
        _ body: (_ ask: (String) async -> Outcome, _ target: String) async throws -> Void
    ) async throws {
        try await LoopbackServer.serving(all: behaviors, onOnePort: true) { servers in
            let desk = try Desk()
            let target = "\(host):\(servers[0].port)"
            let list = (0..<(addresses ?? servers.count)).map { "127.0.0.\($0 + 2)" }.joined(separator: ";")
            let all = "\(target) --anchors @root.pem "
            try await body(
                {
                    await desk(
                        $0.replacing("EDGES", with: all + "--addresses -").replacing(
                            "ONE", with: all + "--connect 127.0.0.2"), at: LabClock.now, input: list)
                }, target)
        }
    }

    private func verdictLines(_ outcome: Outcome) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).filter { line in
            ["PASS", "FAIL", "WARN", "UNREACHABLE"].contains { line.hasPrefix($0 + "  ") }
        }
    }

    @Test func aWarningNamesTheAddressThatItIsAbout() async throws {
        try await serving([Self.old, Self.new, Self.old]) { ask, target in
            await ask("EDGES --pins $LEAF --pins $INTER").says(
                errors: "Warning: \(target) → 127.0.0.2, 127.0.0.4: a CA pin matched beside")
            // What is so everywhere is about the target.
            let same = await ask("EDGES --pins $LEAF --pins $NEXT --pins $INTER")
            #expect(same.errors.hasPrefix("Warning: \(target): a CA pin matched beside"), "\(same.errors)")
        }
    }

    @Test func theColumnsAreInOneOrderWhateverTheFirstAddressHas() async throws {
        // The first address has an ECDSA key alone, and so no column of its own before the others.
        let key = pki.leaf.pin.dropFirst(7).prefix(8)
        try await serving([Self.old, Self.dual]) { ask, _ in
            for types in ["rsa,ecdsa", "ecdsa,rsa"] {
                await ask("EDGES --key-types \(types)").says(
                    "\n  2 addresses  ordinary  PASS  EC P-256 ", "  \(key)…\n  127.0.0.3    RSA       PASS  RSA 2048 ",
                    "\n  2 addresses  ECDSA     PASS  EC P-256 ")
            }
        }
    }

    @Test func aStaleEdgeAmongFourAddressesIsCaught() async throws {
        try await serving([Self.new, Self.new, Self.old, Self.new]) { ask, target in
            await ask("EDGES --pins $NEXT").expect(
                .fail, "\n  3 of 4 addresses  PASS  EC P-256 ", "\n  127.0.0.4         FAIL  EC P-256 ",
                "FAIL  \(target)  4 addresses: 3 accepted, 1 rejected; no configured pin is on the chain (127.0.0.4); and 2 more: ",
                ending: "breaks-at-renewal, addresses-differ\n", errors: "")
            let whole = await ask("EDGES --pins $NEXT --explain")
            let verdicts = verdictLines(whole)
            #expect(verdicts.map { $0.prefix(4) } == ["PASS", "PASS", "FAIL", "PASS", "FAIL"])
            #expect(whole.output.ranges(of: "  0 leaf").count == 4)
        }
    }

    @Test func aRejectionIsToldBeforeAnEndThatFailsAsWell() async throws {
        for (behaviors, place) in [([Self.old, Self.new], "127.0.0.3"), ([Self.new, Self.old], "127.0.0.2")] {
            try await serving(behaviors) { ask, target in
                await ask("EDGES --pins $LEAF --fail-before 1000d").expect(
                    .fail,
                    "\(target)  2 addresses: 1 accepted for too short a time, 1 rejected; no configured pin is on the chain (\(place))"
                )
                let json = await ask("EDGES --pins $LEAF --fail-before 1000d -f json")
                let reason = try json.json["results"].array.last?["consistency"]["reason"]["id"].text
                #expect(reason == "pin-mismatch", "\(json.output)")
            }
        }
    }

    @Test func aKeyTypeMayBeMissingOnlyWhereItIsRecorded() async throws {
        let lone = TLSServerSettings(presenting: served).with { $0.refusal = [21, 3, 3, 0, 2, 2, 40] }
        try await serving([Self.dual, .tls(lone)]) { ask, target in
            let types = "--key-types rsa,ecdsa"
            await ask("snapshot \(target) --connect 127.0.0.2 \(types) -o @one.json").expect(.pass)
            await ask("diff @one.json \(target) --connect 127.0.0.2").expect(.pass)
            await ask("diff @one.json \(target) --connect 127.0.0.3").expect(.changed, "target-missing since")
            await ask("snapshot \(target) --addresses - \(types) -o @both.json").expect(.pass)
            await ask("EDGES --baseline @both.json").expect(.pass, not: "target-missing")
        }
    }

    @Test func acceptedDifferencesBetweenAddressesAreAWarning() async throws {
        let key = "the key \(pki.leaf.pin.prefix(15))…\(pki.leaf.pin.suffix(5))"
        for (chain, words) in [
            ([pki.leaf2, pki.interA], "127.0.0.2 serves \(key); 127.0.0.3 serves the key sha256/"),
            ([pki.leafRe, pki.interA], "the key is the same, but 127.0.0.2 serves a certificate until "),
            (served + [pki.junk], "the leaf is the same, but 127.0.0.2 serves "),
        ] {
            try await serving([Self.old, .presenting(chain)]) { ask, target in
                let differ = "  \(target)  2 addresses: 2 accepted; the addresses differ\n"
                await ask("EDGES").expect(.pass, "\n  warning: \(words)", ending: "PASS" + differ)
                await ask("EDGES --fail-on warn").expect(
                    .warn, "WARN  \(target)  2 addresses: 2 accepted; accepted, but ")
                await ask("EDGES --fail-on warn --ignore addresses-differ").expect(
                    .pass, ending: "2 addresses: 2 accepted; consistent\n", not: "the addresses differ")
            }
        }
    }

    @Test func aRowIsForConnectionsOfWhichAllIsTheSame() async throws {
        let now = LabClock.now
        let short = try pki.interA.reissue(pki.leaf) { $0 = $0.valid(from: now - 86_400, to: now + 4 * 86_400) }
        try await serving([Self.old, .presenting([short, pki.interA])]) { ask, _ in
            await ask("EDGES").says("\n  127.0.0.2  PASS  EC P-256 ", "\n  127.0.0.3  PASS  EC P-256   ")
            await ask("EDGES --connect 127.0.0.2").says("\n  127.0.0.2  PASS  EC P-256 ", not: "2 of 3 addresses  ")
            for again in ["127.0.0.2", "127.0.0.3"] {
                await ask("EDGES --connect \(again) --pins $JUNK").expect(
                    .fail, "  2 addresses: 2 rejected; no configured pin is on the chain")
            }
        }
    }

    @Test func nothingIsCalledConsistentThatWasNotCompared() async throws {
        // The second address has no server.
        try await serving([Self.old], addresses: 2) { ask, target in
            for (options, words) in [
                (
                    "--pins $JUNK",
                    "1 rejected, 1 without a verdict; no configured pin is on the chain (127.0.0.2); and "
                ), ("", "1 accepted, 1 without a verdict; connect: cannot connect to '127.0.0.3:"),
                ("--key-types ecdsa", "1 accepted, 1 without a verdict; connect: cannot connect to '127.0.0.3:"),
            ] { await ask("EDGES \(options)").says("  \(target)  2 addresses: \(words)", not: "consistent", "compare") }
            await ask("EDGES -f json").says(#""consistent" : null"#, not: #""consistent" : true"#)
            let dead = await ask("EDGES --thorough").expect(
                .unreachable, "\n  127.0.0.3  ordinary  UNREACHABLE\n", not: "without SNI")
            #expect(verdictLines(dead).count { $0.hasPrefix("UNREACHABLE") } == 1)
            #expect(dead.output.ranges(of: "  UNREACHABLE  127.0.0.3: connect: ").count == 1, "\(dead.output)")
        }
        try await serving([Self.dual]) { ask, _ in
            await ask("ONE --key-types rsa,ecdsa --pins $LEAF").expect(
                .fail, "  1 address, rejected; no configured pin is on the chain (127.0.0.2, RSA); and 1 more: ")
        }
    }

    @Test func allAddressesOfANameAreChecked() async throws {
        try await Desk.serving { desk, _ in
            await desk("localhost:$PORT -4 --all-addresses -f json").expect(
                .fail, #""address" : "127.0.0.1""#, #""resolved_name" : "localhost""#, #""addresses" : 1,"#)
        }
    }

    @Test func theAddressesOfOneFamilyCanBeChosen() async throws {
        try await Desk.serving { desk, _ in
            let line = "$HOST:$PORT --addresses - --anchors @root.pem"
            let outcome = await desk(line + " -4", input: "127.0.0.1;2001:db8::1").expect(.pass)
            #expect(verdictLines(outcome).map { $0.prefix(4) } == ["PASS"])
            await desk(line + " -6", input: "127.0.0.1").expect(
                .data, errors: "the answer in standard input gives no address of the family asked for")
        }
    }

    @Test(arguments: [
        ("192.0.2.1;no", "data: standard input holds no addresses: line 1: 2 characters that are not an address"),
        ("127.0.0.1;0.0.0.0", "data: the answer in standard input is an address of this machine (0.0.0.0 or ::)"),
        ("0", "noInput: the answer in standard input gives no address: the service knows none"),
        (
            #"{"host":"other.example","ips":["127.0.0.2"],"ttl":1}"#,
            "usage: an address is given for 'other.example:443', which is not a target of this call"
        ),
    ]) func answersThatCannotBeUsedAreRefused(answer: String, end: String) async throws {
        try await Desk().expect("$HOST --addresses -", end, input: answer)
    }

    @Test func vector154APinOfOneOfTwoLeavesIsAtRiskEachProbeShowsWhich() async throws {
        try await serving([Self.dual]) { ask, _ in
            for (pin, failing) in [(rsaLeaf.pin, "ECDSA"), (pki.leaf.pin, "RSA")] {
                let outcome = await ask("ONE --key-types rsa,ecdsa --pins \(pin)").expect(
                    .fail, "  FAIL  127.0.0.2 (", "\(failing)): no configured pin")
                #expect(verdictLines(outcome).count == 1)
                let keys = [rsaLeaf.pin, pki.leaf.pin].map { "\($0.prefix(15))…\($0.suffix(5))" }
                outcome.says("  note: clients get the key of the type they ask for: RSA \(keys[0]), ECDSA \(keys[1])\n")
            }
            await ask("ONE --key-types all --pins \(rsaLeaf.pin) --pins $LEAF").expect(
                .pass, "  note: no certificate with an Ed25519 key\n", ending: "  1 address, accepted; consistent\n")
        }
    }

    @Test func anAddressThatLacksWhatTheOthersHaveIsNamed() async throws {
        try await serving([Self.dual, Self.dual, Self.old]) { ask, _ in
            await ask("EDGES --key-types rsa").expect(
                .pass, "  warning: for RSA, 127.0.0.2 and 127.0.0.3 serve the key ",
                "; 127.0.0.4 refuses the handshake\n", ending: "3 addresses: 3 accepted; the addresses differ\n")
        }
    }

    @Test func whatClientsWithoutSNIGetIsSaidAndDoesNotCount() async throws {
        try await serving([AddressInURLTests.sharedEdge()]) { ask, target in
            let outcome = await ask("ONE --thorough").expect(
                .pass, "\n  127.0.0.2  no SNI    not judged  EC P-256 ",
                "  warning: without SNI the server serves CN=other-tenant.example", not: "give --host or --sni")
            let lines = verdictLines(outcome)
            #expect(lines == ["PASS  \(target)  1 address, accepted; another certificate without SNI"])
            await ask("ONE --thorough --no-sni").expect(.fail)
        }
        let strict = TLSServerSettings(presenting: served).with { $0.requiresName = true }
        try await serving([.tls(strict)]) { ask, _ in
            await ask("ONE --thorough").expect(
                .pass, "without SNI the server refuses the handshake (alert unrecognized_name (112))")
        }
    }

    @Test func thoroughChecksEveryVariantOfEveryAddressAndNothingElse() async throws {
        try await Desk.serving(Self.dual) { desk, server in
            let line = "$HOST:$PORT --connect 127.0.0.1 --anchors @root.pem -f json"
            let outcome = await desk(line + " --thorough").expect(.pass, #""id" : "key-types-differ""#)
            for label in ["ordinary", "RSA", "ECDSA", "no SNI"] {
                #expect(outcome.output.ranges(of: #""label" : "\#(label)""#).count == 1)
            }
            #expect(outcome.output.ranges(of: #""consistency" : {"#).count == 1)
            #expect(outcome.output.ranges(of: #""consistency" : null"#).count == 3)
            #expect(await server.connections(ended: 4).count == 4)
            await desk(line).says(#""variant" : null"#, #""consistency" : null"#)
            #expect(await server.connections(ended: 5).count == 5)
        }
    }
}
