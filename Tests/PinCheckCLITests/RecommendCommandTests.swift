import Foundation
import LoopbackLab
import PinCheckCLI
import PinChecking
import PinFormats
import Pinning
import Testing

/// `pincheck pins --recommend`: what it recommends outlasts what CAs do, and no pin of it is one too many.
@Suite(.endsSomeTime) struct RecommendCommandTests {
    private let lab: RotatedAuthority
    private let host = RotatedAuthority.host

    init() throws { lab = try RotatedAuthority() }

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
    private let owned = "pins @today.pem --host $HOST --recommend --anchors @rootX.pem "

    private func advice(_ outcome: Outcome) throws -> JSONValue { try outcome.json["results"][0]["recommendation"] }

    private func pins(_ advice: JSONValue) -> [String] { advice["pins"].array.compactMap { $0["pin"].text } }

    @Test func ofSeveralChainsAllPinsAreToShip() async throws {
        try await Desk.serving(.tls(bothKeys), ["backup.key": lab.reserve.privateKeyPEM()]) { desk, _ in
            let line = "pins $HOST --connect $SERVER --anchors @root.pem --recommend --key @backup.key"
            let words = desk.expand("$HOST:443 serves several chains: ship the pins of all its blocks\n")
            await desk(line + " --key-types rsa,ecdsa").says(words)
            await desk(line + " --key-types ecdsa").says(not: words)
        }
    }

    private func write(_ step: RotatedAuthority.Step, to desk: Desk) throws {
        try desk.write(step.chain.map(\.pem).joined(), to: "step.pem")
        try desk.write(step.roots.map(\.pem).joined(), to: "roots-of-step.pem")
    }

    /// That pins hold after each step for all clients, and that without any one of them a step is rejected by all.
    private func expectFewest(_ pins: [String], outlasting steps: [RotatedAuthority.Step], at desk: Desk) async throws {
        func rejecting(_ step: RotatedAuthority.Step, _ pins: [String]) async throws -> Int {
            try write(step, to: desk)
            let outcome = await desk(
                "verify @step.pem --host $HOST --anchors @roots-of-step.pem --client afnetworking,okhttp,android,trustkit -f json "
                    + pins.map { "--pins \($0)" }.joined(separator: " "))
            let verdicts = try outcome.json["clients"].array.map { $0["verdict"].text }
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

    private static let rows: [(line: String, isKnown: Bool, strategy: String, pins: Set<String>, missing: String?)] = [
        ("@today.pem --anchors @known.pem", true, "authority-roots", ["X", "Y"], nil),
        ("@today.pem --anchors @known.pem --key @backup.key", true, "own-keys", ["LEAF", "RESERVE"], nil),
        ("@today.pem --anchors @rootX.pem --key @backup.key", false, "own-keys", ["LEAF", "RESERVE"], nil),
        // Roots that are given are all recommended.
        ("@today.pem --anchors @old.pem", false, "own-root", ["X", "OLD"], nil),
        ("@plain.pem --anchors @all.pem", false, "own-root", ["X", "OLD"], nil),
        // A key that is on the chain is no reserve.
        ("@today.pem --anchors @rootX.pem --key @leaf.key", false, "own-root", ["X"], "next-root-missing"),
        ("@today.pem --anchors @rootX.pem --key @root.key", false, "own-root", ["X"], "next-root-missing"),
        ("@today.pem --anchors @rootX.pem --key @inter.key", false, "own-root", ["X"], "next-root-missing"),
        // A private root that nobody vouches for.
        ("@private.pem", false, "none", [], "owner-unknown"),
        ("@private.pem --anchors @rootX.pem", false, "own-root", ["X"], "next-root-missing"),
    ]

    @Test(arguments: rows.indices) func whatOutlastsCAsIsRecommended(index: Int) async throws {
        let row = Self.rows[index]
        let names = [
            lab.rootX.pin: "X", lab.rootY.pin: "Y", lab.old.pin: "OLD", lab.leaf.pin: "LEAF",
            lab.reserve.pin: "RESERVE",
        ]
        try await open { desk in
            let line = "pins \(row.line) --host $HOST --recommend -f json"
            let outcome = await desk(line, cas: row.isKnown ? lab.cas : nil).expect(
                row.strategy == "none" ? .fail : .pass)
            let advice = try advice(outcome)
            #expect(advice["strategy"].text == row.strategy)
            #expect(Set(pins(advice).compactMap { names[$0] }) == row.pins && pins(advice).count == row.pins.count)
            #expect(advice["missing"]["id"].text == row.missing)
        }
    }

    @Test func noPinOfARecommendationIsOneTooMany() async throws {
        try await open { desk in
            let advice = try advice(await desk(known + "-f json", cas: lab.cas))
            #expect(advice["authority"].text == "A Laboratory" && advice["intermediate"]["pin"].text == lab.interX.pin)
            #expect(advice["pins"].array.compactMap { $0["reason"]["id"].text } == ["root-in-use", "sibling-root"])
            #expect(advice["pins"].array.allSatisfy { $0["until"].text != nil && $0["source"].text != nil })
            let steps = try lab.rotations().filter { !$0.roots.contains { $0.der == lab.old.der } }
            try await expectFewest(pins(advice), outlasting: steps, at: desk)
            try await expectFewest([lab.leaf.pin, lab.reserve.pin], outlasting: lab.rotationsOfOwnKeys(), at: desk)
        }
    }

    @Test func aRootThatItsAuthorityLeavesIsPinnedOnlyAsLongAsItIsServed() async throws {
        let end = Timestamp(secondsSinceEpoch: LabClock.now + 86_400 * 100)
        let cas = [
            RotatedAuthority.caRoot(lab.rootY, "Root Y"),
            RotatedAuthority.caRoot(lab.rootX, "Root X", .older, until: end),
        ]
        try await open { desk in
            let line = "pins @plain.pem --host $HOST --recommend --anchors @rootX.pem -f json"
            let advice = try advice(await desk(line, cas: cas))
            let reasons = advice["pins"].array.compactMap { $0["reason"]["id"].text }
            #expect(reasons == ["root-being-left", "sibling-root"])
            #expect(pins(advice) == [lab.rootX.pin, lab.rootY.pin] && advice["review_by"].text == end.date)
        }
    }

    @Test func aKeyThatIsOnTheChainIsNoReserveInABlock() async throws {
        try await open { desk in
            await desk.expect("\(owned)@rootY.pem", "usage: is a CA's certificate, and no key in reserve")
            let plain = "pins @private.pem --host $HOST --anchors @rootX.pem -f okhttp"
            await desk.expect(
                "\(plain) --key @leaf.key",
                "pass: Backup:  … Warning: $DIR/leaf.key:1 is the key of $HOST, which is on the chain already: it is no reserve"
            )
            await desk.expect(
                "\(plain) --key @root.key",
                "pass:     // .add(\"$HOST\", \"\(lab.rootX.pin)\") … root.key:1 is the key of Root X, which is on the chain already"
            )
            await desk("pins --key @leaf.key --host $HOST -f okhttp").says(lab.leaf.pin, errors: "")
            for form in PinsCommandTests.blocks {
                await desk("pins @private.pem --host $HOST --anchors @rootX.pem --recommend -f \(form)").says(
                    "WARNING: ", not: "Backup: ", "second key that you keep")
            }
            let kept = await desk("\(plain) --key @backup.key").output
            #expect(kept.split(separator: "\n").count { $0.contains("backup.key") } == 1, "\(kept)")
        }
    }

    @Test func aPrivateRootThatNobodyVouchesForIsSaidToBe() async throws {
        try await open { desk in
            let line = "pins @private.pem --host $HOST --recommend"
            await desk.expect(
                line, "fail: ship nothing yet: the chain ends at Root X, and this machine does not trust it"
            ).says(not: lab.rootX.pin)
            await desk("\(line) -f okhttp").expect(
                .fail, "", errors: desk.expand("WARNING: $DIR/private.pem: ship nothing yet: "))
            // Trusted by this machine alone, it may be an interceptor's all the same.
            await desk.expect(
                line, "fail: which this machine trusts and no device knows by itself",
                environment: ["SSL_CERT_FILE": "$DIR/rootX.pem"])
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
                block.says("Recommended: the CA's roots", not: "Backup:")
                let read = try await desk("pins --from @block -f json").results
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
}

/// An authority that does to a server what authorities do: it renews, changes intermediates, drops a cross-certificate and moves
/// to its other root.
///
/// ```
/// old ─── crossed ┐                       (the key of rootX, for devices that only have the old root)
/// rootX ──────────┴─┬─ interX ── leaf
///                   └─ interX2
/// rootY ───────────── interY
/// ```
struct RotatedAuthority {
    static let host = "api.example.com"

    let old, rootX, rootY, crossed, interX, interX2, interY, leaf: LabCertificate
    let reserve: LabKey

    init() throws {
        func authority(_ name: String) -> CertificateTemplate { .authority(DistinguishedName(commonName: name)) }
        old = try .selfSigned(authority("Old Root"))
        rootX = try .selfSigned(authority("Root X"))
        rootY = try .selfSigned(authority("Root Y"))
        crossed = try old.reissue(rootX)
        interX = try rootX.issue(authority("Inter X"))
        interX2 = try rootX.issue(authority("Inter X2"))
        interY = try rootY.issue(authority("Inter Y"))
        leaf = try interX.issue(.leaf(Self.host))
        reserve = try .generate()
    }

    typealias Step = (name: String, chain: [LabCertificate], roots: [LabCertificate])

    /// What the authority does to a server that gets whatever key.
    func rotations() throws -> [Step] {
        let new = [rootX, rootY]
        return [
            ("same key", [try interX.reissue(leaf), interX, crossed], new),
            ("same key on old devices", [try interX.reissue(leaf), interX, crossed], [old]),
            ("new key", [try interX.renew(leaf), interX, crossed], new),
            ("new key on old devices", [try interX.renew(leaf), interX, crossed], [old]),
            ("new intermediate", [try interX2.renew(leaf), interX2, crossed], new),
            ("no cross-certificate", [try interX.renew(leaf), interX], new),
            ("the other root", [try interY.renew(leaf), interY], new),
        ]
    }

    /// What the authority does, and another one, to a server that has this key first and the one in reserve later.
    func rotationsOfOwnKeys() throws -> [Step] {
        let new = [rootX, rootY]
        func moved(_ issuer: LabCertificate) throws -> LabCertificate { try issuer.renew(leaf, key: reserve) }
        let stranger = try LabCertificate.selfSigned(.authority("Another Root"))
        return [
            ("same key", [try interX.reissue(leaf), interX], new),
            ("the key in reserve", [try moved(interX), interX], new),
            ("new intermediate", [try interX2.reissue(leaf), interX2], new),
            ("the other root", [try moved(interY), interY], new),
            ("another authority", [try moved(stranger)], [stranger]),
        ]
    }

    var cas: [CARoot] { [Self.caRoot(rootX, "Root X", signedBy: ["Old Root"]), Self.caRoot(rootY, "Root Y")] }

    static func caRoot(
        _ certificate: LabCertificate, _ name: String, _ state: CARoot.State = .inUse, until: Timestamp? = nil,
        signedBy crossSigners: [String] = []
    ) -> CARoot {
        CARoot(
            name, SHA256Digest(bytes: certificate.publicKeySHA256)!, "EC P-256", state, of: "A Laboratory",
            until: until, signedBy: crossSigners, "https://authority.example/roots", "2026-01-01")
    }
}
