import Foundation
import LoopbackLab
import PinCheckCLI
import PinChecking
import Testing

/// `snapshot`, `diff` and `check --baseline` against servers whose certificates are rotated.
@Suite(.endsSomeTime) struct SnapshotCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// A server with an address, a snapshot of what it serves at first, and the way to rotate it.
    private struct World {
        let place: String
        let baseline: String
        let anchors: String
        let files: TemporaryDirectory
        let server: LoopbackServer

        func rotate(to chain: [LabCertificate]) throws { try server.present(TLSServerSettings(presenting: chain)) }

        func text(_ name: String) throws -> String {
            try String(contentsOfFile: files.path + "/" + name, encoding: .utf8)
        }
    }

    private func serving<Value: Sendable>(_ chain: [LabCertificate], _ body: (World) async throws -> Value) async throws
        -> Value
    {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem + pki.rootB.pem, to: "anchors.pem")
            return try await LoopbackServer.serving(.presenting(chain)) { server in
                let place = "127.0.0.1:\(server.port)"
                let baseline = files.path + "/baseline.json"
                await pincheck("snapshot", host, "--connect", place, "-o", baseline).expect(.pass, "", errors: "")
                return try await body(
                    World(place: place, baseline: baseline, anchors: anchors, files: files, server: server))
            }
        }
    }

    private func ids(_ outcome: Outcome) throws -> [String] {
        let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let change = try #require(document?["change"] as? [String: Any])
        return try #require(change["classes"] as? [[String: Any]]).compactMap { $0["id"] as? String }
    }

    @Test func aNewerSnapshotThatIsNotThereIsNoTarget() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            for name in ["nope.json", "none/here"] {
                await pincheck("diff", world.baseline, name).expect(
                    .noInput, errors: "'\(name)': there is no such file")
            }
        }
    }

    // MARK: Every class, at a server

    @Test func everyWayToRotateHasItsNameAndEndsIn4() async throws {
        let now = LabClock.now
        let old = pki.leaf
        func again(_ change: (inout CertificateTemplate) -> Void) throws -> LabCertificate {
            try pki.interA.reissue(old, changing: change)
        }
        let interC = try pki.rootA.issue(.authority("InterC"))
        let rsa = try LabKey.shared(.rsa(bits: 2_048), label: "rotation")
        let deep = try pki.interA.issue(.authority("Deep"))
        let cases: [(old: [LabCertificate], new: [LabCertificate], ids: [String])] = [
            ([old, pki.interA], [old, pki.interA], []), ([old, pki.interA], [pki.leafRe, pki.interA], ["renewed"]),
            ([old, pki.interA], [pki.leaf2, pki.interA], ["rekeyed"]),
            (
                [old, pki.interA], [try pki.interA.issue(old.template, key: rsa), pki.interA],
                ["rekeyed", "key-type-changed"]
            ), ([old, pki.interA], [try interC.reissue(old), interC], ["renewed", "issuer-changed"]),
            ([old, pki.interA], [old, pki.interAxB], ["root-changed"]),
            ([old, pki.interA], [pki.rogue, pki.rogueI], ["rekeyed", "issuer-changed", "root-changed"]),
            (
                [old, pki.interA], [try again { $0.alternativeNames.append(.dns("www.example.com")) }, pki.interA],
                ["renewed", "names-added"]
            ),
            (
                [try again { $0.alternativeNames.append(.dns("www.example.com")) }, pki.interA], [old, pki.interA],
                ["renewed", "names-removed"]
            ),
            (
                [try deep.reissue(old), deep, pki.interA], [try deep.reissue(old), pki.interA, deep],
                ["renewed", "chain-changed"]
            ), ([old, pki.interA], [old], ["intermediate-missing"]),
            ([old, pki.interA], [old, pki.interA, pki.junk], ["chain-changed"]),
            ([old, pki.interA, pki.rogueI], [old, pki.interA], ["chain-changed"]),
            ([old, pki.interA], [old, pki.interA, pki.rootA], ["chain-changed"]),
            ([old, pki.interA, pki.rootA], [old, pki.interA], ["chain-changed"]),
            (
                [old, pki.interA], [try again { $0.notAfter = now + LabClock.day }, pki.interA],
                ["renewed", "expires-earlier"]
            ), ([old, pki.interA], [old, pki.interA2], ["renewed"]),
        ]
        for (old, new, expected) in cases {
            try await serving(old) { world in
                try world.rotate(to: new)
                let outcome = await pincheck("diff", world.baseline, "--format", "json").expect(
                    (expected.isEmpty ? .pass : .changed))
                #expect(try ids(outcome) == expected)
                let check = await pincheck(
                    host, "--connect", world.place, "--anchors", world.anchors, "--baseline", world.baseline,
                    "--format", "json")
                #expect(try ids(check) == expected)
                await pincheck(["diff", world.baseline] + expected.flatMap { ["--allow", $0] }).expect(.pass)
                for id in expected {
                    let others = expected.filter { $0 != id }.flatMap { ["--allow", $0] }
                    #expect(await pincheck(["diff", world.baseline] + others).status == .changed)
                }
            }
        }
    }

    // MARK: Text and exit status

    @Test func theTextSaysOldAndNewAndWhetherThePinsHold() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            await pincheck("diff", world.baseline).expect(
                .pass,
                ending: "  unchanged since \(world.baseline)\nPASS  \(host):443 → \(world.place)  "
                    + "not judged; unchanged since \(world.baseline)\n")
            try world.rotate(to: [pki.leaf2, pki.interA])
            await pincheck("diff", world.baseline).expect(
                .changed, "    rekeyed  \(pki.leaf.pin) (", ") → \(pki.leaf2.pin) (",
                ending: "CHANGED  \(host):443 → \(world.place)  not judged; rekeyed since \(world.baseline)\n")
            let base = ["diff", world.baseline, "--anchors", world.anchors]
            await pincheck(base + ["--pins", pki.interA.pin]).expect(
                .changed, "  accepted, but rekeyed since \(world.baseline)\n")
            await pincheck(base + ["--pins", pki.leaf.pin]).expect(.fail, "    rekeyed  ")
            await pincheck(base + ["--pins", pki.interA.pin, "--allow", "rekeyed"]).expect(
                .pass, "    rekeyed (allowed)  ")
            // The system of this test trusts nothing: judging is what makes the difference.
            #expect(
                await pincheck("diff", world.baseline, "--allow", "rekeyed", "--client", "afnetworking").status == .fail
            )
        }
    }

    @Test func noAnswerIs2AndIsNotTakenForAChange() async throws {
        try await TemporaryDirectory.scoped { files in
            let baseline = files.path + "/baseline.json"
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                try await RefusingPort.scoped { refusing in
                    let two = ["--connect", "127.0.0.1:\(server.port)", "--connect", "127.0.0.1:\(refusing.port)"]
                    await pincheck(["snapshot", host] + two + ["-o", baseline]).expect(
                        .unreachable, errors: "Error: nothing was recorded",
                        "Error: \(host):443 → 127.0.0.1:\(refusing.port): connect: ")
                    #expect(!FileManager.default.fileExists(atPath: baseline))
                    await pincheck(["snapshot", host] + two.prefix(2) + ["-o", baseline]).expect(.pass)
                    #expect(await pincheck("diff", baseline).status == .pass)
                }
            }
            let gone = await pincheck("diff", baseline, "--format", "json").expect(.unreachable)
            let document = try JSONSerialization.jsonObject(with: Data(gone.output.utf8)) as? [String: Any]
            #expect(document?["change"] is NSNull)
        }
    }

    // MARK: Several addresses

    @Test func oneAddressThatIsLeftBehindStandsOut() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = [pki.leaf, pki.interA]
            let baseline = files.path + "/baseline.json"
            try await LoopbackServer.serving(.presenting(chain)) { first in
                try await LoopbackServer.serving(.presenting(chain), address: "127.0.0.2") { second in
                    try await LoopbackServer.serving(.presenting(chain), address: "127.0.0.3") { third in
                        let all = [first, second, third].flatMap { ["--connect", "\($0.address):\($0.port)"] }
                        #expect(await pincheck(["snapshot", host] + all + ["-o", baseline]).status == .pass)
                        #expect(await pincheck("diff", baseline).status == .pass)
                        for server in [first, second] {
                            try server.present(TLSServerSettings(presenting: [pki.leaf2, pki.interA]))
                        }
                        let outcome = await pincheck("diff", baseline, "--allow", "rekeyed").expect(.pass)
                        #expect(outcome.output.contains("addresses-differ") || outcome.output.contains("serve the key"))
                        let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
                        await pincheck(
                            "diff", baseline, "--allow", "rekeyed", "--fail-on", "warn", "--anchors", anchors
                        ).expect(.warn)
                        try third.present(TLSServerSettings(presenting: [pki.leaf2, pki.interA]))
                        #expect(await pincheck("diff", baseline, "--allow", "rekeyed").status == .pass)
                    }
                }
            }
        }
    }

    // MARK: The file

    @Test func theSameServerGivesTheSameFileByteForByte() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            let first = try world.text("baseline.json")
            for time in [LabClock.now, LabClock.now + LabClock.day] {
                let again = await pincheck("snapshot", host, "--connect", world.place, at: time).says(errors: "")
                #expect(again.output == first)
            }
            let document = try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any]
            #expect(document?.keys.sorted() == ["endpoints", "schema"])
            #expect(document?["schema"] as? String == "pincheck-snapshot/1")
            let endpoint = try #require((document?["endpoints"] as? [[String: Any]])?.first)
            #expect(endpoint.keys.sorted() == ["chain", "connect", "sni", "target", "variant", "verify_name"])
            let leaf = try #require((endpoint["chain"] as? [[String: Any]])?.first)
            #expect(
                leaf.keys.sorted() == [
                    "cert_sha256", "issuer", "issuer_key_id", "key", "names", "not_after", "not_before", "spki_sha256",
                    "subject",
                ])
            #expect(leaf["spki_sha256"] as? String == pki.leaf.pin)
        }
    }

    @Test func updateRewritesTheBaselineOnlyAfterAnAcceptedChange() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            let first = try world.text("baseline.json")
            try world.rotate(to: [pki.leaf2, pki.interA])
            await pincheck("diff", world.baseline, "--update").expect(
                .changed, errors: "baseline.json' was not updated: the run ended with CHANGED")
            #expect(try world.text("baseline.json") == first)
            await pincheck("diff", world.baseline, "--allow", "rekeyed", "--update").expect(.pass, errors: "")
            #expect(try world.text("baseline.json").contains(pki.leaf2.pin))
            #expect(await pincheck("diff", world.baseline).status == .pass)
            // The same by a check, which looks at pins too.
            try world.rotate(to: [pki.leafRe, pki.interA])
            let check = [host, "--connect", world.place, "--anchors", world.anchors, "--baseline", world.baseline]
            let flags = ["--allow", "rekeyed,renewed", "--update"]
            #expect(await pincheck(check + flags + ["--pins", pki.leaf2.pin]).status == .fail)
            #expect(try world.text("baseline.json").contains(pki.leaf2.pin))
            #expect(await pincheck(check + flags + ["--pins", pki.leaf.pin]).status == .pass)
            #expect(try world.text("baseline.json").contains(pki.leaf.pin))
        }
    }

    @Test func aServerThatMovedOnToItsBackupIsSaidTo() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            let diff = ["diff", world.baseline, "--anchors", world.anchors, "--allow", "rekeyed", "--fail-on", "warn"]
            let pins = ["--pins", pki.leaf.pin, "--pins", pki.leaf2.pin]
            #expect(await pincheck(diff + pins).status == .pass)
            try world.rotate(to: [pki.leaf2, pki.interA])
            await pincheck(diff + pins).expect(
                .warn, "pin 1 matched before and does no longer, only pin 2 is left; ship a new backup\n")
            #expect(await pincheck(diff + pins + ["--pins", pki.junk.pin]).status == .pass)
        }
    }

    @Test func whatAGivenAddressServesIsRecordedBesideWhatTheNameLeadsTo() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            // The target's own address stands for a name that is looked up.
            let baseline = world.files.path + "/own.json"
            let target = ["https://\(world.place)/", "--host", host]
            #expect(await pincheck(["snapshot"] + target + ["-o", baseline]).status == .pass)
            let first = try world.text("own.json")
            try await LoopbackServer.serving(.presenting([pki.leaf2, pki.interA])) { server in
                let elsewhere = target + ["--connect", "127.0.0.1:\(server.port)"]
                let diff = ["diff", baseline] + elsewhere
                #expect(await pincheck(diff + ["--update"]).status == .changed)
                #expect(try world.text("own.json") == first)
                await pincheck(diff + ["--allow", "rekeyed", "--update"]).expect(.pass, errors: "")
                let endpoints = try JSONValue(world.text("own.json"))["endpoints"].array
                #expect(endpoints.count == 2)
                for (endpoint, (connect, leaf)) in zip(
                    endpoints, [(nil, pki.leaf), ("127.0.0.1:\(server.port)", pki.leaf2)])
                {
                    #expect(endpoint["target"].text == world.place && endpoint["connect"].text == connect)
                    #expect(endpoint["chain"].array.first?["spki_sha256"].text == leaf.pin)
                }
                // Each is compared with its own from now on, and the baseline asks both.
                #expect(await pincheck(diff).status == .pass)
                #expect(await pincheck(["diff", baseline] + target).status == .pass)
                await pincheck("diff", baseline).expect(.pass)
            }
        }
    }

    @Test func aTargetCanJoinTheBaseline() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            let other = ["other.example.com", "--connect", world.place]
            await pincheck(["diff", world.baseline] + other).expect(
                .changed, "    target-added  – → other.example.com:443 → \(world.place) (SNI other.example.com)")
            #expect(
                await pincheck(["diff", world.baseline] + other + ["--allow", "target-added", "--update"]).status
                    == .pass)
            #expect(await pincheck(["diff", world.baseline] + other).status == .pass)
            #expect(await pincheck("diff", world.baseline).status == .pass)
        }
    }

    @Test func twoFilesAreComparedWithoutANetwork() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            let newer = world.files.path + "/newer.json"
            try world.rotate(to: [pki.leaf2, pki.interA])
            #expect(await pincheck("snapshot", host, "--connect", world.place, "-o", newer).status == .pass)
            await pincheck("diff", world.baseline, newer).expect(.changed, "    rekeyed  ")
            #expect(await pincheck("diff", newer, newer).status == .pass)
            let list = try world.files.write(
                "\(host) connect=\(world.place)\nother.example.com connect=\(world.place)\n", to: "list")
            let both = world.files.path + "/both.json"
            #expect(await pincheck("snapshot", "--targets", list, "-o", both).status == .pass)
            await pincheck("diff", both, newer).expect(.changed, "    target-missing  other.example.com:443 → ")
            await pincheck("diff", newer, both, "--allow", "target-added", "--update").expect(.pass)
            #expect(try world.text("newer.json") == world.text("both.json"))
            await pincheck("diff", newer, both, "--pins", pki.leaf.pin).expect(.usage)
        }
    }

    @Test(arguments: [
        ("", ":1: is not JSON: it ends too early; write one with 'pincheck snapshot'"),
        ("[]", ":1: the document is not a dictionary"), ("{}", ":1: the document has no 'schema'"),
        (#"{"schema": 1}"#, ":1: 'schema' is not a text"),
        (
            #"{"schema": "pincheck/1"}"#,
            "the schema is 'pincheck/1', not pincheck-snapshot/1; give a file of 'pincheck snapshot'"
        ), (#"{"schema": "pincheck-snapshot/0"}"#, "the schema is 'pincheck-snapshot/0'"),
        (
            #"{"schema": "pincheck-snapshot/2", "whatever": true}"#,
            "was written by a newer pincheck: its schema is pincheck-snapshot/2, and this version reads up to "
                + "pincheck-snapshot/1; update pincheck"
        ), (#"{"schema": "pincheck-snapshot/1"}"#, "the document has no 'endpoints'"),
        (
            "{\"schema\": \"pincheck-snapshot/1\",\n\"endpoints\": [{\"target\": \"a:443\"}]}",
            ":2: 'endpoints[0]' has no 'chain'"
        ),
        (
            #"{"schema": "pincheck-snapshot/1", "endpoints": [{"target": "a:443", "chain": []}]}"#,
            "'endpoints[0].chain' is not a list of at least one certificate"
        ),
        (
            #"{"schema": "pincheck-snapshot/1", "endpoints": [{"target": "a b", "chain": []}]}"#,
            "'endpoints[0].target' is not a host with a port"
        ),
        (
            #"{"schema": "pincheck-snapshot/1", "endpoints": [{"target": "a:443", "connect": "?", "chain": []}]}"#,
            "'endpoints[0].connect' is not an address"
        ),
        (
            #"{"schema": "pincheck-snapshot/1", "schema": "pincheck-snapshot/1", "endpoints": []}"#,
            "the key 'schema' is given twice"
        ), (#"{"schema": "pincheck-snapshot/1", "endpoints": []"#, "is not JSON: a ',' is missing"),
        (#"{"schema": "pincheck-snapshot/1", "endpoints": []} {}"#, "is not JSON: goes on after its end"),
        (#"{"schema": "\ud83d"}"#, "is not JSON: '\\u' is followed by half of a character"),
        ("\u{FEFF}" + #"{"schema": 99999999999999999999}"#, "'schema' is not a text"),
    ]) func aFileThatIsNoSnapshotIs65AndSaysWhy(text: String, message: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(text, to: "baseline.json")
            for command in [["diff", path], ["check", "127.0.0.1:1", "--baseline", path]] {
                await pincheck(command).expect(.data, errors: message)
            }
            await pincheck("diff", "-", input: Array(text.utf8)).expect(.data, errors: "standard input:")
        }
    }

    @Test func whatAnOlderFileLacksIsNotHeldAgainstTheServer() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            var text = try world.text("baseline.json")
            text = text.replacing(#/"issuer_key_id" : "[0-9a-f]*",/#, with: "")
            text = text.replacing("\"schema\"", with: "\"later\": [1], \"schema\"").replacing(
                "\"target\"", with: "\"tls\": {\"version\": \"TLSv1.2\"}, \"target\"")
            try world.files.write(text, to: "baseline.json")
            await pincheck("diff", world.baseline).expect(.pass)
        }
    }

    @Test func damageToAValueIsNamedWithItsPlace() async throws {
        try await serving([pki.leaf, pki.interA]) { world in
            let text = try world.text("baseline.json")
            for (pattern, place) in [
                ("\"spki_sha256\" : \"sha256/", "endpoints[0].chain[0].spki_sha256"),
                ("\"cert_sha256\" : \"", "endpoints[0].chain[0].cert_sha256"),
                ("\"not_after\" : \"", "endpoints[0].chain[0].not_after"), ("\"sni\" : \"", "endpoints[0].sni"),
            ] {
                try world.files.write(text.replacing(pattern, with: pattern + "~ "), to: "baseline.json")
                await pincheck("diff", world.baseline).expect(.data, errors: place)
            }
        }
    }

    @Test func aSnapshotThatCannotBeWrittenIsNone() async throws {
        _ = try await serving([pki.leaf, pki.interA]) { world in
            await pincheck("snapshot", host, "--connect", world.place, "-o", "/nonexistent/a.json").expect(
                .inputOutput, errors: "cannot write '/nonexistent/a.json'")
        }
    }

    @Test func hostileNamesReachNoTerminal() async throws {
        let hostile = try pki.interA.issue(
            .leaf(
                subject: DistinguishedName(commonName: "a\u{1B}[2Jb\u{202E}c\n\"d"),
                names: [.dns("x\u{1B}.example.com")]))
        try await serving([pki.leaf, pki.interA]) { world in
            try world.rotate(to: [hostile, pki.interA])
            let newer = world.files.path + "/newer.json"
            let outcome = await pincheck("diff", world.baseline).expect(.changed)
            #expect(isPlain(outcome.output))
            #expect(await pincheck("snapshot", host, "--connect", world.place, "-o", newer).status == .pass)
            #expect(isPlain(try world.text("newer.json")))
            #expect(await pincheck("diff", newer).status == .pass)
        }
    }

    @Test func theSchemaOfReportsKnowsEveryChange() async throws {
        let schema = try PublishedSchemas.current("report")
        let document = try JSONSerialization.jsonObject(with: schema) as? [String: Any]
        let definitions = try #require(document?["$defs"] as? [String: [String: Any]])
        let properties = try #require(definitions["change"]?["properties"] as? [String: [String: Any]])
        let items = try #require(properties["classes"]?["items"] as? [String: Any])
        let ids = try #require((items["properties"] as? [String: [String: Any]])?["id"]?["enum"] as? [String])
        #expect(ids == Change.Kind.allCases.map(\.rawValue))
        let help = await pincheck("help", "diff").output
        for id in ids { #expect(help.contains("  \(id): ")) }
    }

    @Test func whatWasRecordedForAKeyTypeIsAskedForAgain() async throws {
        let rsa = try pki.interA.issue(pki.leaf.template, key: try LabKey.shared(.rsa(bits: 2_048), label: "rotation"))
        func settings(_ ecdsa: LabCertificate) -> TLSServerSettings {
            TLSServerSettings([TLSIdentity([ecdsa, pki.interA]), TLSIdentity([rsa, pki.interA])])
        }
        try await TemporaryDirectory.scoped { files in
            let baseline = files.path + "/baseline.json"
            try await LoopbackServer.serving(.tls(settings(pki.leaf))) { server in
                let place = ["--connect", "127.0.0.1:\(server.port)", "--key-types", "rsa,ecdsa"]
                #expect(await pincheck(["snapshot", host] + place + ["-o", baseline]).status == .pass)
                let text = try String(contentsOfFile: baseline, encoding: .utf8)
                #expect(text.contains("\"variant\" : \"RSA\"") && text.contains("\"variant\" : \"ECDSA\""))
                #expect(await pincheck("diff", baseline).status == .pass)
                try server.present(settings(pki.leaf2))
                let outcome = await pincheck("diff", baseline, "--format", "json").expect(.changed)
                let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
                let results = try #require(document?["results"] as? [[String: Any]])
                let statuses = results.map { ($0["change"] as? [String: Any])?["status"] as? String }
                #expect(statuses == ["changed", "changed", "unchanged"])
            }
        }
    }
}
