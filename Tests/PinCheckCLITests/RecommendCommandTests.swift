import Foundation
import LoopbackLab
import PinCheckCLI
import PinChecking
import Pinning
import Testing

/// `pincheck pins --recommend`: what it recommends outlasts what CAs do, and no pin of it is one too many.
@Suite(.endsSomeTime) struct RecommendCommandTests {
    private let lab: RotatedAuthority
    private let host = RotatedAuthority.host
    private let reserve: String

    init() throws {
        lab = try RotatedAuthority()
        reserve = try #require(SHA256Digest(bytes: lab.reserve.publicKeySHA256)).description
    }

    /// A desk with chains below the lab's roots, and with its keys.
    private func open(_ body: (Desk) async throws -> Void) async throws {
        func chain(_ certificates: LabCertificate...) -> String { certificates.map(\.pem).joined() }
        let texts = [
            "today.pem": chain(lab.leaf, lab.interX, lab.crossed), "plain.pem": chain(lab.leaf, lab.interX),
            "private.pem": chain(lab.leaf, lab.interX, lab.rootX), "known.pem": chain(lab.rootX, lab.rootY),
            "rootX.pem": lab.rootX.pem, "rootY.pem": lab.rootY.pem, "old.pem": chain(lab.rootX, lab.old),
            "all.pem": chain(lab.crossed, lab.rootX, lab.old), "backup.key": try lab.reserve.privateKeyPEM(),
            "leaf.key": try lab.leaf.key.privateKeyPEM(), "root.key": try lab.rootX.key.privateKeyPEM(),
            "inter.key": try lab.interX.key.privateKeyPEM(),
        ]
        try await body(Desk(texts))
    }

    /// What is recommended for the chain of today, whose root is of a CA that is known.
    private let known = "pins @today.pem --host $HOST --recommend --anchors @known.pem "
    /// The same where only its owner knows the root.
    private let owned = "pins @today.pem --host $HOST --recommend --anchors @rootX.pem "

    private func advice(_ outcome: Outcome) throws -> JSONValue {
        try JSONValue(outcome.output)["results"][0]["recommendation"]
    }

    private func pins(_ advice: JSONValue) -> [String] { advice["pins"].array.compactMap { $0["pin"].text } }

    private func write(_ step: RotatedAuthority.Step, to desk: Desk) throws {
        try desk.write(step.chain.map(\.pem).joined(), to: "step.pem")
        try desk.write(step.roots.map(\.pem).joined(), to: "roots-of-step.pem")
    }

    /// That pins hold after each step for all clients, and that without any one of them a step is rejected by all.
    private func expectFewest(_ pins: [String], outlasting steps: [RotatedAuthority.Step], at desk: Desk) async throws {
        /// The clients that reject a chain with pins, on a device with its roots.
        func rejecting(_ step: RotatedAuthority.Step, _ pins: [String]) async throws -> Int {
            try write(step, to: desk)
            let outcome = await desk(
                "verify @step.pem --host $HOST --anchors @roots-of-step.pem --client afnetworking,okhttp,android,trustkit -f json "
                    + pins.map { "--pins \($0)" }.joined(separator: " "))
            let verdicts = try JSONValue(outcome.output)["clients"].array.map { $0["verdict"].text }
            try #require(verdicts.count == 4, "\(step.name): \(outcome)")
            return verdicts.count { $0 != "accept" }
        }
        let stranger = try LabCertificate.selfSigned(.authority("Nobody")).pin
        for step in steps {
            let count = try await rejecting(step, pins)
            #expect(count == 0, "\(step.name)")
        }
        for pin in pins {
            // TrustKit wants two pins: another one takes the place of what is left out.
            let others = pins.filter { $0 != pin } + [stranger]
            var broken = 0
            for step in steps where try await rejecting(step, others) == 4 { broken += 1 }
            #expect(broken > 0, "\(pin) is one too many")
        }
    }

    @Test func theRootsOfAKnownAuthorityOutlastAllItDoes() async throws {
        try await open { desk in
            let advice = try advice(await desk(known + "-f json", cas: lab.cas).expect(.pass))
            #expect(advice["strategy"].text == "authority-roots" && advice["authority"].text == "A Laboratory")
            #expect(advice["pins"].array.compactMap { $0["reason"]["id"].text } == ["root-in-use", "sibling-root"])
            #expect(advice["pins"].array.allSatisfy { $0["until"].text != nil && $0["source"].text != nil })
            #expect(advice["intermediate"]["pin"].text == lab.interX.pin && advice["missing"].isNull)
            #expect(pins(advice) == [lab.rootX.pin, lab.rootY.pin])
            let steps = try lab.rotations().filter { !$0.roots.contains { $0.der == lab.old.der } }
            try await expectFewest(pins(advice), outlasting: steps, at: desk)
        }
    }

    @Test func theServersOwnKeyAndOneInReserveOutlastTheAuthorityToo() async throws {
        try await open { desk in
            for (line, cas) in [(known, lab.cas), (owned, nil)] {
                let advice = try advice(await desk(line + "--key @backup.key -f json", cas: cas))
                #expect(advice["strategy"].text == "own-keys" && advice["missing"].isNull)
                #expect(pins(advice) == [lab.leaf.pin, reserve])
            }
            try await expectFewest([lab.leaf.pin, reserve], outlasting: lab.rotationsOfOwnKeys(), at: desk)
        }
    }

    @Test func aRootThatItsAuthorityLeavesIsPinnedOnlyAsLongAsItIsServed() async throws {
        let end = Timestamp(secondsSinceEpoch: LabClock.now + 86_400 * 100)
        func root(_ certificate: LabCertificate, _ name: String, _ state: CA.Root.State) -> CA.Root {
            CA.Root(
                name, SHA256Digest(bytes: certificate.publicKeySHA256)!.hexadecimal, "EC P-256", state,
                until: state == .older ? end.description : nil, "https://authority.example/", "2026-01-01")
        }
        let cas = [CA("Mover", [root(lab.rootY, "Root Y", .inUse), root(lab.rootX, "Root X", .older)])]
        try await open { desk in
            let line = "pins @plain.pem --host $HOST --recommend --anchors @rootX.pem -f json"
            let advice = try advice(await desk(line, cas: cas))
            let reasons = advice["pins"].array.compactMap { $0["reason"]["id"].text }
            #expect(reasons == ["root-being-left", "sibling-root"])
            #expect(pins(advice) == [lab.rootX.pin, lab.rootY.pin] && advice["review_by"].text == end.date)
        }
    }

    @Test func theRootsThatAreGivenAreAllRecommended() async throws {
        try await open { desk in
            for (chain, anchors) in [("today", "old"), ("plain", "all")] {
                let line = "pins @\(chain).pem --host $HOST --recommend --anchors @\(anchors).pem -f json"
                let advice = try advice(await desk(line))
                #expect(Set(pins(advice)) == [lab.rootX.pin, lab.old.pin] && advice["missing"].isNull, "\(chain)")
            }
        }
    }

    @Test func aKeyThatIsOnTheChainIsNoReserve() async throws {
        try await open { desk in
            for key in ["leaf.key", "root.key", "inter.key"] {
                let advice = try advice(await desk(owned + "--key @\(key) -f json"))
                #expect(pins(advice) == [lab.rootX.pin])
            }
            await desk(owned + "@rootY.pem").expect(.usage, errors: "is a CA's certificate, and no key in reserve")
            // Nor in a block.
            let plain = "pins @private.pem --host $HOST --anchors @rootX.pem -f okhttp --key "
            let used = await desk(plain + "@leaf.key").says(
                "Backup: ",
                errors:
                    "Warning: \(desk.files.path)/leaf.key:1 is the key of \(host), which is on the chain already: it is no reserve"
            )
            #expect(!used.output.contains("leaf.key"))
            await desk(plain + "@root.key").says(
                "    // .add(\"\(host)\", \"\(lab.rootX.pin)\")",
                errors: "root.key:1 is the key of Root X, which is on the chain already")
            await desk("pins --key @leaf.key --host $HOST -f okhttp").says(lab.leaf.pin, errors: "")
            // What is missing is said once.
            for form in ["okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"] {
                let block = await desk("pins @private.pem --host $HOST --anchors @rootX.pem --recommend -f \(form)")
                    .says("WARNING: ").output
                #expect(!block.contains("Backup: ") && !block.contains("second key that you keep"), "\(form): \(block)")
            }
            let kept = await desk(plain + "@backup.key").output
            #expect(kept.split(separator: "\n").count { $0.contains("backup.key") } == 1, "\(kept)")
        }
    }

    @Test func aPrivateRootThatNobodyVouchesForIsSaidToBe() async throws {
        try await open { desk in
            let line = "pins @private.pem --host $HOST --recommend "
            let unknown = try advice(await desk(line + "-f json").expect(.fail))
            #expect(unknown["strategy"].text == "none" && pins(unknown).isEmpty)
            #expect(unknown["missing"]["id"].text == "owner-unknown")
            await desk(line).expect(
                .fail, "ship nothing yet: the chain ends at Root X, and this machine does not trust it",
                not: lab.rootX.pin)
            await desk(line + "-f okhttp").expect(
                .fail, "", errors: "WARNING: \(desk.files.path)/private.pem: ship nothing yet: ")
            // Trusted by this machine alone, it may be an interceptor's all the same.
            await desk(line, environment: ["SSL_CERT_FILE": "$DIR/rootX.pem"]).expect(
                .fail, "which this machine trusts and no device knows by itself")
            let given = try advice(await desk(line + "--anchors @rootX.pem -f json").expect(.pass))
            #expect(given["strategy"].text == "own-root" && pins(given) == [lab.rootX.pin])
            #expect(given["missing"]["id"].text == "next-root-missing")
        }
    }

    @Test func aServerIsAsked() async throws {
        try await Desk.serving(.presenting([lab.leaf, lab.interX]), ["root.pem": lab.rootX.pem]) { desk, _ in
            let outcome = await desk("pins CHECK --recommend -f json", cas: lab.cas).expect(
                .pass, "\"verified\" : true")
            let advice = try advice(outcome)
            #expect(pins(advice) == [lab.rootX.pin, lab.rootY.pin])
        }
    }

    /// Each client with its own configuration as it was written, for both ways to pin.
    @Test(arguments: ["okhttp": "okhttp", "trustkit": "trustkit", "nspinned": "nspinneddomains", "android": "android"])
    func aClientWithTheBlockAcceptsTheServerNowAndLater(format: String, client: String) async throws {
        try await open { desk in
            for (arguments, steps) in [("", try lab.rotations()), ("--key @backup.key ", try lab.rotationsOfOwnKeys())]
            {
                let block = await desk(known + arguments + "-f \(format)", cas: lab.cas).expect(.pass)
                try desk.write(block.output, to: "block")
                for step in steps {
                    try write(step, to: desk)
                    await desk(
                        "verify @step.pem --host $HOST --anchors @roots-of-step.pem --client \(client) --pins @block -f json"
                    ).expect("pass pin-matched")
                }
                guard arguments.isEmpty else { continue }
                // What is recommended is pinned and nothing else.
                block.says("Recommended: the CA's roots", not: "Backup:")
                let read = try JSONValue(await desk("pins --from @block -f json").output)["results"].array
                let keys = read.flatMap { $0["keys"].array.compactMap { $0["pins"]["okhttp"].text } }
                #expect(Set(keys) == [lab.rootX.pin, lab.rootY.pin])
            }
        }
    }

    @Test func clientsOfKeysAndOfCertificatesAreToldTheirs() async throws {
        try await open { desk in
            await desk(known + "-f curl", cas: lab.cas).says(
                "--pinnedpubkey 'sha256//\(lab.leaf.pin.dropFirst(7))'", "WARNING: a key in reserve is missing")
            await desk(known + "-f afnetworking --save @Pins", cas: lab.cas).expect(.pass)
            let saved = try FileManager.default.contentsOfDirectory(atPath: desk.files.path + "/Pins").sorted()
            #expect(saved == ["root-Root-X.cer", "root-Root-Y.cer"])
        }
    }

    @Test func textFitsTheTerminalAndEscapesNames() async throws {
        try await open { desk in
            let root = try LabCertificate.selfSigned(
                .authority(DistinguishedName(commonName: "\u{1B}[31mEvil\nPASS  \u{202E}root")))
            try desk.write(try root.issue(.leaf(host)).pem + root.pem, to: "evil.pem")
            let evil = await desk("pins @evil.pem --host $HOST --recommend").output
            #expect(isPlain(evil) && !evil.contains("\nPASS"))
            for columns in [60, 80, 120] {
                let line = "pins @plain.pem --host $HOST --recommend --anchors @rootX.pem"
                let lines = await desk(line, columns: columns, cas: lab.cas).output.split(separator: "\n")
                #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
                #expect(lines.contains { $0.count > columns - 15 }, "\(lines)")
            }
        }
    }
}
