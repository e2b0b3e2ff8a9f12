import Foundation
import LoopbackLab
import PinCheckCLI
import PinChecking
import Pinning
import Testing

/// `pincheck pins --recommend`: what it recommends outlasts what CAs do, and no pin of it is one too many.
@Suite(.endsSomeTime) struct RecommendCommandTests {
    let lab: RotatedAuthority
    let host = RotatedAuthority.host

    init() throws { lab = try RotatedAuthority() }

    /// Runs `pins --recommend` on the chain of today, whose root is of a known CA or of one that only its owner knows.
    private func recommend(
        _ arguments: [String] = [], _ chain: [LabCertificate]? = nil, isKnown: Bool = true, in files: TemporaryDirectory
    ) async throws -> Outcome {
        let presented = chain ?? [lab.leaf, lab.interX, lab.crossed]
        let path = try files.write(presented.map(\.pem).joined(), to: "chain.pem")
        let roots = try files.write(lab.rootX.pem + (isKnown ? lab.rootY.pem : ""), to: "roots.pem")
        return await pincheck(
            ["pins", path, "--host", host, "--recommend", "--anchors", roots] + arguments, cas: isKnown ? lab.cas : nil)
    }

    private func advice(_ outcome: Outcome) throws -> JSONValue {
        try JSONValue(outcome.output)["results"].array[0]["recommendation"]
    }

    private func pins(_ outcome: Outcome) throws -> [String] {
        try advice(outcome)["pins"].array.compactMap { $0["pin"].text }
    }

    private func backup(in files: TemporaryDirectory) throws -> (file: String, pin: String) {
        (
            try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key"),
            try #require(SHA256Digest(bytes: lab.reserve.publicKeySHA256)).description
        )
    }

    /// The clients that reject a chain with pins, on a device with its roots.
    private func rejecting(_ step: RotatedAuthority.Step, _ pins: [String], in files: TemporaryDirectory) async throws
        -> [String]
    {
        let chain = try files.write(step.chain.map(\.pem).joined(), to: "step.pem")
        let roots = try files.write(step.roots.map(\.pem).joined(), to: "roots-of-step.pem")
        let outcome = await pincheck(
            [
                "verify", chain, "--host", host, "--anchors", roots, "--client", "afnetworking,okhttp,android,trustkit",
                "--format", "json",
            ] + pins.flatMap { ["--pins", $0] })
        let clients = try JSONValue(outcome.output)["clients"].array
        try #require(clients.count == 4, "\(step.name): \(outcome.output)\(outcome.errors)")
        return clients.filter { $0["verdict"].text != "accept" }.compactMap { $0["name"].text }
    }

    /// That pins hold after each step for all clients, and that without any one of them a step is rejected by all.
    private func expectFewest(_ pins: [String], outlasting steps: [RotatedAuthority.Step], in files: TemporaryDirectory)
        async throws
    {
        let stranger = try LabCertificate.selfSigned(.authority("Nobody")).pin
        for step in steps {
            let rejecting = try await rejecting(step, pins, in: files)
            #expect(rejecting.isEmpty, "\(step.name)")
        }
        for pin in pins {
            // TrustKit wants two pins: another one takes the place of what is left out.
            let others = pins.filter { $0 != pin } + [stranger]
            var broken: [String] = []
            for step in steps where try await rejecting(step, others, in: files).count == 4 { broken.append(step.name) }
            #expect(!broken.isEmpty, "\(pin) is one too many")
        }
    }

    // MARK: What outlasts what

    @Test func theRootsOfAKnownAuthorityOutlastAllItDoes() async throws {
        try await TemporaryDirectory.scoped { files in
            let outcome = try await recommend(["--format", "json"], in: files).expect(.pass)
            let advice = try advice(outcome)
            #expect(advice["strategy"].text == "authority-roots" && advice["authority"].text == "A Laboratory")
            #expect(advice["pins"].array.compactMap { $0["reason"]["id"].text } == ["root-in-use", "sibling-root"])
            #expect(advice["pins"].array.allSatisfy { $0["until"].text != nil && $0["source"].text != nil })
            #expect(advice["intermediate"]["pin"].text == lab.interX.pin)
            #expect(advice["missing"].isNull)
            let pins = try pins(outcome)
            #expect(pins == [lab.rootX.pin, lab.rootY.pin])
            let steps = try lab.rotations().filter { !$0.roots.contains { $0.der == lab.old.der } }
            try await expectFewest(pins, outlasting: steps, in: files)
        }
    }

    @Test func theServersOwnKeyAndOneInReserveOutlastTheAuthorityToo() async throws {
        try await TemporaryDirectory.scoped { files in
            let backup = try backup(in: files)
            for isKnown in [true, false] {
                let outcome = try await recommend(
                    ["--key", backup.file, "--format", "json"], isKnown: isKnown, in: files)
                #expect(try advice(outcome)["strategy"].text == "own-keys" && advice(outcome)["missing"].isNull)
                #expect(try pins(outcome) == [lab.leaf.pin, backup.pin])
            }
            try await expectFewest([lab.leaf.pin, backup.pin], outlasting: try lab.rotationsOfOwnKeys(), in: files)
        }
    }

    @Test func aRootThatItsAuthorityLeavesIsPinnedOnlyAsLongAsItIsServed() async throws {
        try await TemporaryDirectory.scoped { files in
            let end = Timestamp(secondsSinceEpoch: LabClock.now + 86_400 * 100)
            func root(_ certificate: LabCertificate, _ name: String, _ state: CA.Root.State) -> CA.Root {
                CA.Root(
                    name, SHA256Digest(bytes: certificate.publicKeySHA256)!.hexadecimal, "EC P-256", state,
                    until: state == .older ? end.description : nil, "https://authority.example/", "2026-01-01")
            }
            let cas = [CA("Mover", [root(lab.rootY, "Root Y", .inUse), root(lab.rootX, "Root X", .older)])]
            let path = try files.write([lab.leaf, lab.interX].map(\.pem).joined(), to: "chain.pem")
            let anchors = try files.write(lab.rootX.pem, to: "root.pem")
            let outcome = await pincheck(
                ["pins", path, "--host", host, "--recommend", "--anchors", anchors, "--format", "json"], cas: cas)
            let reasons = try advice(outcome)["pins"].array.compactMap { $0["reason"]["id"].text }
            #expect(reasons == ["root-being-left", "sibling-root"])
            #expect(try pins(outcome) == [lab.rootX.pin, lab.rootY.pin])
            #expect(try advice(outcome)["review_by"].text == end.date)
        }
    }

    // MARK: What is missing

    @Test func aKeyThatIsOnTheChainIsNoReserve() async throws {
        try await TemporaryDirectory.scoped { files in
            for key in [lab.leaf.key, lab.rootX.key, lab.interX.key] {
                let file = try files.write(try key.privateKeyPEM(), to: "some.key")
                let outcome = try await recommend(["--key", file, "--format", "json"], isKnown: false, in: files)
                #expect(try pins(outcome) == [lab.rootX.pin])
            }
            let root = try files.write(lab.rootY.pem, to: "next-root.pem")
            try await recommend([root], isKnown: false, in: files).expect(
                .usage, errors: "is a CA's certificate, and no key in reserve")
        }
    }

    @Test func aPrivateRootThatNobodyVouchesForIsSaidToBe() async throws {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write([lab.leaf, lab.interX, lab.rootX].map(\.pem).joined(), to: "chain.pem")
            let recommend = ["pins", path, "--host", host, "--recommend"]
            let unknown = await pincheck(recommend + ["--format", "json"]).expect(.fail)
            #expect(try advice(unknown)["strategy"].text == "none" && pins(unknown).isEmpty)
            #expect(try advice(unknown)["missing"]["id"].text == "owner-unknown")
            await pincheck(recommend).expect(
                .fail, "ship nothing yet: the chain ends at Root X, and this machine does not trust it",
                not: lab.rootX.pin)
            await pincheck(recommend + ["--format", "okhttp"]).expect(
                .fail, "", errors: "WARNING: \(path): ship nothing yet: ")
            // Trusted by this machine alone, it may be an interceptor's all the same.
            let store = try files.write(lab.rootX.pem, to: "store.pem")
            await pincheck(recommend, environment: ["SSL_CERT_FILE": store]).expect(
                .fail, "which this machine trusts and no device knows by itself")
            let given = await pincheck(recommend + ["--anchors", store, "--format", "json"]).expect(.pass)
            #expect(try advice(given)["strategy"].text == "own-root" && pins(given) == [lab.rootX.pin])
            #expect(try advice(given)["missing"]["id"].text == "next-root-missing")
        }
    }

    // MARK: Servers and blocks

    @Test func aServerIsAsked() async throws {
        try await TemporaryDirectory.scoped { files in
            let roots = try files.write(lab.rootX.pem, to: "roots.pem")
            try await LoopbackServer.serving(.tls(TLSServerSettings(presenting: [lab.leaf, lab.interX]))) { server in
                let outcome = await pincheck(
                    [
                        "pins", host, "--connect", "\(server.address):\(server.port)", "--anchors", roots,
                        "--recommend", "--format", "json",
                    ], cas: lab.cas
                ).expect(.pass)
                let result = try JSONValue(outcome.output)["results"].array[0]
                let pins = result["recommendation"]["pins"].array.compactMap { $0["pin"].text }
                #expect(pins == [lab.rootX.pin, lab.rootY.pin] && result["verified"].flag == true)
            }
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "nspinned", "android"]) func aBlockPinsWhatIsRecommendedAndNothingElse(
        format: String
    ) async throws {
        try await TemporaryDirectory.scoped { files in
            let block = try await recommend(["--format", format], in: files).expect(
                .pass, "Recommended: the CA's roots", not: "Backup:")
            let path = try files.write(block.output, to: "block")
            let read = await pincheck("pins", "--from", path, "--format", "json")
            let keys = try JSONValue(read.output)["results"].array.flatMap { $0["keys"].array }
            #expect(Set(keys.compactMap { $0["pins"]["okhttp"].text }) == [lab.rootX.pin, lab.rootY.pin])
        }
    }

    /// Each client with its own configuration as it was written, for both ways to pin.
    @Test(arguments: ["okhttp": "okhttp", "trustkit": "trustkit", "nspinned": "nspinneddomains", "android": "android"])
    func aClientWithTheBlockAcceptsTheServerNowAndLater(format: String, client: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let key = try backup(in: files).file
            let ways: [(arguments: [String], steps: [RotatedAuthority.Step])] = [
                ([], try lab.rotations()), (["--key", key], try lab.rotationsOfOwnKeys()),
            ]
            for way in ways {
                let block = try await recommend(way.arguments + ["--format", format], in: files)
                let pins = try files.write(block.output, to: "block")
                for step in way.steps {
                    let chain = try files.write(step.chain.map(\.pem).joined(), to: "step.pem")
                    let roots = try files.write(step.roots.map(\.pem).joined(), to: "roots-of-step.pem")
                    await pincheck(
                        "verify", chain, "--host", host, "--anchors", roots, "--client", client, "--pins", pins,
                        "--format", "json"
                    ).expect("pass pin-matched")
                }
            }
        }
    }

    @Test func aClientThatComparesTheServersKeyAloneIsToldTheServersKey() async throws {
        _ = try await TemporaryDirectory.scoped { files in
            try await recommend(["--format", "curl"], in: files).says(
                "--pinnedpubkey 'sha256//\(lab.leaf.pin.dropFirst(7))'", "WARNING: a key in reserve is missing")
        }
    }

    @Test func certificatesOfRecommendedRootsAreSavedForBundles() async throws {
        try await TemporaryDirectory.scoped { files in
            try await recommend(["--format", "afnetworking", "--save", files.path + "/Pins"], in: files).expect(.pass)
            let saved = try FileManager.default.contentsOfDirectory(atPath: files.path + "/Pins").sorted()
            #expect(saved == ["root-Root-X.cer", "root-Root-Y.cer"])
        }
    }

    @Test func textFitsTheTerminalAndEscapesNames() async throws {
        try await TemporaryDirectory.scoped { files in
            let root = try LabCertificate.selfSigned(
                .authority(DistinguishedName(commonName: "\u{1B}[31mEvil\nPASS  \u{202E}root")))
            let path = try files.write(try root.issue(.leaf(host)).pem + root.pem, to: "evil.pem")
            let outcome = await pincheck("pins", path, "--host", host, "--recommend")
            #expect(isPlain(outcome.output) && !outcome.output.contains("\nPASS"))
            let chain = try files.write([lab.leaf, lab.interX].map(\.pem).joined(), to: "chain.pem")
            let anchors = try files.write(lab.rootX.pem, to: "root.pem")
            for columns in [60, 80, 120] {
                let text = await pincheck(
                    ["pins", chain, "--host", host, "--recommend", "--anchors", anchors], columns: columns, cas: lab.cas
                )
                let lines = text.output.split(separator: "\n")
                #expect(lines.allSatisfy { $0.count <= columns }, "\(text.output)")
                #expect(lines.contains { $0.count > columns - 15 }, "\(text.output)")
            }
        }
    }

    // MARK: What only looks like a reserve

    /// Arguments for a server below a private root that is given.
    private func privately(_ body: (_ arguments: [String], _ files: TemporaryDirectory) async throws -> Void)
        async throws
    {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([lab.leaf, lab.interX, lab.rootX].map(\.pem).joined(), to: "chain.pem")
            let root = try files.write(lab.rootX.pem, to: "root.pem")
            try await body(["pins", chain, "--host", host, "--recommend", "--anchors", root, "--format"], files)
        }
    }

    @Test func aKeyThatIsOnTheChainIsNoReserveInABlockEither() async throws {
        try await privately { arguments, files in
            let plain = arguments.filter { $0 != "--recommend" } + ["okhttp", "--key"]
            let leaf = try files.write(try lab.leaf.key.privateKeyPEM(), to: "leaf.key")
            let used = await pincheck(plain + [leaf]).says(
                "Backup: ",
                errors: "Warning: \(leaf):1 is the key of \(host), which is on the chain already: it is no reserve")
            #expect(!used.output.contains("leaf.key"))
            let root = try files.write(try lab.rootX.key.privateKeyPEM(), to: "root.key")
            await pincheck(plain + [root]).says(
                "    // .add(\"\(host)\", \"\(lab.rootX.pin)\")",
                errors: "\(root):1 is the key of Root X, which is on the chain already")
            await pincheck("pins", "--key", leaf, "--host", host, "--format", "okhttp").says(lab.leaf.pin, errors: "")
        }
    }

    @Test func whatIsMissingIsSaidOnceInABlock() async throws {
        try await privately { arguments, files in
            for form in ["okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"] {
                let block = await pincheck(arguments + [form]).output
                #expect(block.contains("WARNING: "), "\(form): \(block)")
                #expect(!block.contains("Backup: ") && !block.contains("second key that you keep"), "\(form): \(block)")
            }
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            let plain = await pincheck(arguments.filter { $0 != "--recommend" } + ["okhttp", "--key", key]).output
            #expect(plain.split(separator: "\n").count { $0.contains("backup.key") } == 1, "\(plain)")
        }
    }

    @Test func theRootsThatAreGivenAreAllRecommended() async throws {
        try await TemporaryDirectory.scoped { files in
            let roots = try files.write(lab.rootX.pem + lab.old.pem, to: "roots.pem")
            for (name, chain) in [
                ("crossed", [lab.leaf, lab.interX, lab.crossed]), ("plain", [lab.leaf, lab.interX]),
            ] {
                let file = try files.write(chain.map(\.pem).joined(), to: name + ".pem")
                let anchors = try files.write(lab.crossed.pem + lab.rootX.pem + lab.old.pem, to: "all.pem")
                let given = name == "crossed" ? roots : anchors
                let outcome = await pincheck(
                    "pins", file, "--host", host, "--recommend", "--anchors", given, "--format", "json")
                let advice = try JSONValue(outcome.output)["results"].array[0]["recommendation"]
                let pins = advice["pins"].array.compactMap { $0["pin"].text }
                #expect(Set(pins) == [lab.rootX.pin, lab.old.pin], "\(name): \(outcome.output)")
                #expect(advice["missing"].isNull)
            }
        }
    }
}
