import Base
import LoopbackLab
import PinCheckCLI
import PinChecking
import Testing

/// `snapshot`, `diff` and `check --baseline` beside servers that rotate.
@Suite(.endsSomeTime) struct SnapshotCommandTests {
    private static let old = served
    private static let rekeyed = [pki.leaf2, pki.interA]

    /// Runs beside a server whose chain is recorded in `base.json`, with the way to rotate it.
    private func serving(_ body: (Desk, _ rotate: ([LabCertificate]) throws -> Void) async throws -> Void) async throws
    {
        try await Desk.serving { desk, server in
            await desk("snapshot $HOST --connect $SERVER -o @base.json").expect(.pass, "", errors: "")
            try await body(desk) { try server.present(TLSServerSettings(presenting: $0)) }
        }
    }

    private func ids(_ outcome: Outcome) throws -> [String] { try outcome.json["change"]["classes"].ids }

    @Test func aChangeEndsIn4UnlessEachOfItsKindsIsAllowed() async throws {
        try await serving { desk, rotate in
            for line in ["diff @base.json", "CHECK --baseline @base.json"] {
                #expect(try await ids(desk(line + " -f json").expect(.pass)).isEmpty)
            }
            let kinds = ["rekeyed", "issuer-changed", "root-changed"]
            try rotate([pki.rogue, pki.rogueI])
            #expect(try await ids(desk("diff @base.json -f json").expect(.changed)) == kinds)
            #expect(
                try await ids(desk("$HOST --connect $SERVER --anchors @other.pem --baseline @base.json -f json"))
                    == kinds)
            await desk("diff @base.json --allow " + kinds.joined(separator: ",")).expect(.pass)
            for kind in kinds {
                await desk("diff @base.json --allow " + kinds.filter { $0 != kind }.joined(separator: " --allow "))
                    .expect(.changed)
            }
        }
    }

    @Test(arguments: [
        ("", "changed:     rekeyed  $LEAF ( … ) → $NEXT ( … not judged; rekeyed since $DIR/base.json\n"),
        (
            "--anchors @root.pem --pins $INTER",
            "changed:   accepted, but rekeyed since $DIR/base.json; and 1 more: pins-end\n"
        ), ("--anchors @root.pem --pins $LEAF", "fail pin-mismatch:     rekeyed  "),
        ("--anchors @root.pem --pins $INTER --allow rekeyed", "pass:     rekeyed (allowed)  "),
        // The system of this test trusts nothing: judging is what makes the difference.
        ("--allow rekeyed --client afnetworking", "fail unknown-issuer"),
        // A server that moved on to its backup.
        (
            "--anchors @root.pem --allow rekeyed --fail-on warn --pins $LEAF --pins $NEXT",
            "warn: pin 1 matched before and does no longer, only pin 2 is left; ship a new backup\n"
        ), ("--anchors @root.pem --allow rekeyed --fail-on warn --pins $LEAF --pins $NEXT --pins $JUNK", "pass"),
        ("other.example.com --connect $SERVER", "changed:     target-added  – → other.example.com:443 → $SERVER"),
        ("--policy @policy.json5 --allow rekeyed", "fail pin-mismatch"),
    ]) func theTextSaysOldAndNewAndWhetherThePinsHold(arguments: String, end: String) async throws {
        try await serving { desk, rotate in
            await desk.expect("diff @base.json", "pass: not judged; unchanged since $DIR/base.json\n")
            let policy = "{ hosts: { '$HOST': { connect: '$SERVER', anchors: 'root.pem', pins: '$LEAF' } } }"
            try desk.write(policy, to: "policy.json5")
            try rotate(Self.rekeyed)
            await desk.expect("diff @base.json " + arguments, end)
        }
    }

    @Test func noAnswerIs2AndIsNotTakenForAChange() async throws {
        let files = try TemporaryDirectory()
        try await LoopbackServer.serving(.presenting(Self.old)) { server in
            try await DeadPort.refusing { refusing in
                let desk = try Desk(in: files, port: server.port)
                let dead = "127.0.0.1:\(refusing)"
                await desk("snapshot $HOST --connect \(dead) -o @base.json").expect(
                    .unreachable, errors: "Error: nothing was recorded: no endpoint answered")
                await desk.expect("diff @base.json", "noInput")
                await desk("snapshot $HOST --connect $SERVER --connect \(dead) -o @base.json").expect(
                    .unreachable, errors: desk.expand("Warning: $HOST:443 → \(dead) did not answer: not recorded; "))
                let recorded = try contents(ofFile: files.path + "/base.json")
                #expect(recorded.ranges(of: "\"target\"").count == 1)
            }
        }
        let gone = try await Desk(in: files)("diff @base.json -f json").expect(.unreachable)
        #expect(try gone.json["change"].isNull)
    }

    /// Servers at 127.0.0.2 and so on with the old chain, and the flags that lead to all of them.
    private func edges(_ count: Int, _ body: (Desk, [LoopbackServer], _ all: String) async throws -> Void) async throws
    {
        try await LoopbackServer.serving(all: Array(repeating: .presenting(Self.old), count: count), onOnePort: true) {
            try await body(Desk(), $0, $0.map { "--connect \($0.place)" }.joined(separator: " "))
        }
    }

    @Test func oneAddressThatIsLeftBehindStandsOut() async throws {
        try await edges(3) { desk, servers, all in
            await desk("snapshot $HOST \(all) -o @base.json").expect(.pass)
            await desk("diff @base.json").expect(.pass)
            for server in servers.dropLast() { try server.present(TLSServerSettings(presenting: Self.rekeyed)) }
            await desk.expect("diff @base.json --allow rekeyed", "pass: serve the key")
            await desk("diff @base.json --allow rekeyed --fail-on warn --anchors @root.pem").expect(.warn)
            // A difference that is recorded is no warning.
            await desk("snapshot $HOST \(all) -o @both.json").expect(.pass)
            await desk("diff @both.json").expect(
                .pass, ending: desk.expand("\nPASS  $HOST:443  3 addresses: not judged; as recorded\n"), errors: "",
                not: "WARN")
            try servers[2].present(TLSServerSettings(presenting: Self.rekeyed))
            await desk("diff @base.json --allow rekeyed").expect(.pass)
        }
    }

    @Test func aNewAddressIsComparedWithWhatTheOldOnesServed() async throws {
        try await edges(2) { desk, servers, _ in
            let base = desk.files.path + "/base.json"
            await desk("snapshot $HOST --connect \(servers[0].place) -o @base.json").expect(.pass)
            await desk("diff @base.json").expect(.pass, errors: "")
            let ask = "diff @base.json $HOST --connect \(servers[1].place)"
            await desk(ask).expect(
                .pass, "  unchanged since \(base), where \(servers[0].place) is recorded\n",
                errors: desk.expand(
                    "Note: '\(base)' also records $HOST:443 at \(servers[0].place), which was not compared"))
            try servers[1].present(TLSServerSettings(presenting: Self.rekeyed))
            let change = try await desk(ask + " -f json").expect(.changed).json["change"]
            #expect(change["compared_with"].text == servers[0].place)
            let certificates = ["old_certificate", "new_certificate"].map {
                change["classes"][0][$0]["spki_sha256"].text
            }
            #expect(certificates == [pki.leaf.pin, pki.leaf2.pin])
        }
    }

    @Test func whatAGivenAddressServesIsRecordedBesideWhatTheNameLeadsTo() async throws {
        try await serving { desk, _ in
            // The target's own address stands for a name that is looked up.
            let target = "https://$SERVER/ --host $HOST"
            await desk("snapshot \(target) -o @own.json").expect(.pass)
            let first = try desk.text("own.json")
            try await LoopbackServer.serving(.presenting(Self.rekeyed)) { server in
                let diff = "diff @own.json \(target) --connect \(server.place)"
                await desk(diff + " --update").expect(.changed)
                #expect(try desk.text("own.json") == first)
                await desk(diff + " --allow rekeyed --update").expect(.pass, errors: "")
                let endpoints = try JSONValue(desk.text("own.json"))["endpoints"].array
                #expect(endpoints.map { $0["target"].text } == [desk.expand("$SERVER"), desk.expand("$SERVER")])
                #expect(endpoints.map { $0["connect"].text } == [nil, server.place])
                let keys = endpoints.map { $0["chain"][0]["spki_sha256"].text }
                #expect(keys == [pki.leaf.pin, pki.leaf2.pin])
                // Each is compared with its own from now on, and the baseline asks both.
                for line in [diff, "diff @own.json \(target)", "diff @own.json"] { await desk(line).expect(.pass) }
            }
        }
    }

    @Test func whatWasRecordedForAKeyTypeIsAskedForAgain() async throws {
        try await Desk.serving(.tls(bothKeys)) { desk, server in
            await desk("snapshot $HOST --connect $SERVER --key-types rsa,ecdsa -o @base.json").expect(.pass)
            let recorded = try desk.text("base.json")
            #expect(recorded.contains("\"variant\" : \"RSA\"") && recorded.contains("\"variant\" : \"ECDSA\""))
            await desk("diff @base.json").expect(.pass)
            try server.present(TLSServerSettings([TLSIdentity(Self.rekeyed), TLSIdentity([rsaLeaf, pki.interA])]))
            let statuses = try await desk("diff @base.json -f json").expect(.changed).results.map {
                $0["change"]["status"].text
            }
            #expect(statuses == ["changed", "changed", "unchanged"])
        }
    }

    /// A server whose only key is ECDSA, and that answers an offer of RSA so: with an alert, or by the end of the connection.
    private static func withoutRSA(_ alert: UInt8?) -> TLSServerSettings {
        TLSServerSettings(presenting: old).with { $0.refusal = alert.map { [21, 3, 3, 0, 2, 2, $0] } ?? [] }
    }

    @Test func aKeyTypeThatDidNotAnswerIsNotRecordedAndKeepsItsEntry() async throws {
        try await Desk.serving(.tls(Self.withoutRSA(nil))) { desk, server in
            func recorded() throws -> [String?] {
                try JSONValue(desk.text("base.json"))["endpoints"].array.map { $0["variant"].text }
            }
            let types = "--connect $SERVER --key-types rsa,ecdsa"
            await desk("snapshot $HOST \(types) -o @base.json").expect(
                .unreachable, errors: desk.expand("Warning: $HOST:443 → $SERVER, RSA, did not answer: not recorded"))
            #expect(try recorded() == [nil, "ECDSA"])
            try server.present(bothKeys)
            await desk("snapshot $HOST \(types) -o @base.json").expect(.pass)
            #expect(try recorded() == [nil, "ECDSA", "RSA"])
            await desk("snapshot localhost:$PORT --connect $SERVER --key-types rsa,ecdsa -o @name.json").expect(.pass)
            try server.present(Self.withoutRSA(nil))
            for line in ["CHECK --baseline @base.json --update", "diff @base.json --update"] {
                await desk(line).expect(
                    .unreachable,
                    errors: desk.expand("Warning: $HOST:443 → $SERVER, RSA, did not answer: its entry of"),
                    not: "leave RSA out")
            }
            #expect(try recorded() == [nil, "ECDSA", "RSA"])
            try server.present(Self.withoutRSA(40))
            for line in ["CHECK --baseline @base.json", "diff @base.json"] {
                await desk(line + " --update").expect(.changed, "target-missing", not: "RSA refuses")
                await desk(line + " --allow target-missing").expect(.pass)
            }
            // The name leads to the recorded address.
            await desk("diff @name.json localhost:$PORT -4").expect(
                .changed, "1 address, not judged; not judged; target-missing since", errors: "")
            #expect(try recorded() == [nil, "ECDSA", "RSA"])
            await desk("diff @base.json --allow target-missing --update").expect(.pass, errors: "")
            #expect(try recorded() == [nil, "ECDSA"])
        }
    }

    @Test func aRecordedChainWithoutSNIThatIsRefusedNowIsNotAsRecorded() async throws {
        try await Desk.serving { desk, server in
            await desk("snapshot $HOST --connect $SERVER --thorough --key-types ecdsa -o @base.json").expect(.pass)
            await desk("CHECK --baseline @base.json").expect(.pass, ending: "; consistent\n")
            try server.present(TLSServerSettings(presenting: Self.old).with { $0.requiresName = true })
            await desk("CHECK --baseline @base.json").expect(
                .pass, ending: "; another certificate without SNI\n", not: "also records")
        }
    }

    @Test func aChainOfAFileStandsForWhatIsServed() async throws {
        try await serving { desk, rotate in
            for flags in ["", " --anchors @root.pem --pins $INTER"] {
                try rotate(Self.old)
                await desk("diff @next.pem $HOST --connect $SERVER" + flags).expect(.changed, "rekeyed")
                await desk("diff @next.pem $HOST --connect $SERVER --allow rekeyed" + flags).expect(.pass)
                try rotate(Self.rekeyed)
                await desk("diff @next.pem $HOST --connect $SERVER" + flags).expect(
                    .pass, desk.expand("unchanged since $DIR/next.pem"))
            }
            await desk("diff @leaf.cer $HOST --connect $SERVER").expect(.changed, "rekeyed", "chain-changed")
            await desk("diff @next.pem").expect(.usage, errors: "name them behind it")
            await desk("diff @next.pem $HOST --update").expect(.usage, errors: "without --update")
            try desk.files.write(try pki.leaf.key.privateKeyPEM(), to: "key.pem")
            await desk("diff @key.pem $HOST").expect(.data, errors: "key.pem")
        }
    }

    @Test func aBaselineThatAnotherRunWritesIsWaitedForByNobody() async throws {
        try await serving { desk, _ in
            let lock = try FileLock(desk.files.path + "/base.json")
            for (line, what) in [
                ("diff @base.json --update", "this baseline"),
                ("CHECK --baseline @base.json --update", "this baseline"),
                ("snapshot $HOST --connect $SERVER -o @base.json", "this snapshot"),
            ] { await desk(line).expect(.inputOutput, errors: "another run with \(what) is under way") }
            await desk("diff @base.json").expect(.pass)
            withExtendedLifetime(lock) {}
        }
    }

    @Test func theSameServerGivesTheSameFileByteForByte() async throws {
        try await serving { desk, _ in
            let first = try desk.text("base.json")
            for time in [LabClock.now, LabClock.now + LabClock.day] {
                let again = await desk("snapshot $HOST --connect $SERVER", at: time).expect(.pass, errors: "")
                #expect(again.output == first)
            }
            #expect(try JSONValue(first)["endpoints"][0]["chain"][0]["spki_sha256"].text == pki.leaf.pin)
            // What an older file lacks, and a later one has, is not held against the server.
            let other = first.replacing(#/"issuer_key_id" : "[0-9a-f]*",/#, with: "").replacing(
                "\"schema\"", with: "\"later\": [1], \"schema\"")
            try desk.write(
                other.replacing("\"target\"", with: "\"tls\": {\"version\": \"TLSv1.2\"}, \"target\""), to: "base.json")
            await desk("diff @base.json").expect(.pass)
            for (pattern, place) in [
                ("\"spki_sha256\" : \"sha256/", "endpoints[0].chain[0].spki_sha256"),
                ("\"cert_sha256\" : \"", "endpoints[0].chain[0].cert_sha256"),
                ("\"not_after\" : \"", "endpoints[0].chain[0].not_after"), ("\"sni\" : \"", "endpoints[0].sni"),
            ] {
                try desk.write(first.replacing(pattern, with: pattern + "~ "), to: "base.json")
                await desk("diff @base.json").expect(.data, errors: place)
            }
            await desk.expect(
                "snapshot $HOST --connect $SERVER -o /nonexistent/a.json",
                "inputOutput: cannot write '/nonexistent/a.json'")
        }
    }

    @Test func updateRewritesTheBaselineOnlyAfterAnAcceptedChange() async throws {
        try await serving { desk, rotate in
            let first = try desk.text("base.json")
            try rotate(Self.rekeyed)
            await desk.expect(
                "diff @base.json --update", "changed: base.json' was not updated: the run ended with CHANGED")
            #expect(try desk.text("base.json") == first)
            await desk("diff @base.json --allow rekeyed --update").expect(.pass, errors: "")
            #expect(try desk.text("base.json").contains(pki.leaf2.pin))
            await desk("diff @base.json").expect(.pass)
            try rotate([pki.leafRe, pki.interA])
            let check = "CHECK --baseline @base.json --allow rekeyed,renewed --update --pins "
            await desk(check + "$NEXT").expect(.fail)
            #expect(try desk.text("base.json").contains(pki.leaf2.pin))
            await desk(check + "$LEAF").expect(.pass)
            #expect(try desk.text("base.json").contains(pki.leaf.pin))
        }
    }

    @Test func aBaselineBecomesTheSnapshotThatItIsComparedWith() async throws {
        try await serving { desk, rotate in
            try rotate(Self.rekeyed)
            await desk("snapshot $HOST --connect $SERVER -o @next.json").expect(.pass)
            await desk("diff @base.json @next.json --allow rekeyed --update").expect(.pass)
            #expect(try desk.text("base.json") == desk.text("next.json"))
        }
    }

    private static func snapshot(_ rest: String) -> String { "{\"schema\": \"pincheck-snapshot/1\"\(rest)" }

    private static func endpoint(_ place: String) -> String {
        snapshot(", \"endpoints\": [{\(place), \"chain\": []}]}")
    }

    @Test(arguments: [
        ("", ":1: is not JSON: it ends too early; write one with 'pincheck snapshot'"),
        ("[]", ":1: the document is not a dictionary"), ("{}", ":1: the document has no 'schema'"),
        (#"{"schema": 1}"#, ":1: 'schema' is not a text"),
        (
            #"{"schema": "pincheck-snapshot/2"}"#,
            "'pincheck-snapshot/2', not pincheck-snapshot/1; give a file that this"
        ), (snapshot("}"), "the document has no 'endpoints'"),
        (snapshot(",\n\"endpoints\": [{\"target\": \"a:443\"}]}"), ":2: 'endpoints[0]' has no 'chain'"),
        (endpoint("\"target\": \"a:443\""), "'endpoints[0].chain' is not a list of at least one certificate"),
        (endpoint("\"target\": \"a b\""), "'endpoints[0].target' is not a host with a port"),
        (endpoint("\"target\": \"a:443\", \"connect\": \"?\""), "'endpoints[0].connect' is not an address"),
        (snapshot(", \"schema\": 1, \"endpoints\": []}"), "the key 'schema' is given twice"),
        (snapshot(", \"endpoints\": []} {}"), "is not JSON: goes on after its end"),
    ]) func aFileThatIsNoSnapshotIs65AndSaysWhy(text: String, message: String) async throws {
        let desk = try Desk(["base.json": text])
        for line in ["diff @base.json", "127.0.0.1:1 --baseline @base.json"] {
            await desk(line).expect(.data, errors: message)
        }
        await desk("diff -", input: text).expect(.data, errors: "standard input:")
    }

    @Test func theSchemaOfReportsKnowsEveryChange() async throws {
        let schema = try JSONValue(String(decoding: Schemas.data(of: "report"), as: UTF8.self))
        let ids = schema["$defs"]["change"]["properties"]["classes"]["items"]["properties"]["id"]["enum"]
        #expect(ids.array.map(\.text) == Change.Kind.allCases.map(\.id))
        let help = await pincheck("help", "diff").output
        for kind in Change.Kind.allCases { #expect(help.contains("  \(kind.id): ")) }
    }
}
