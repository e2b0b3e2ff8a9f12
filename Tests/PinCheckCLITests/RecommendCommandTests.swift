import PinChecking
import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck pins --recommend`: what it recommends outlasts what authorities do, and no pin of it is one too many.
@Suite(.endsSomeTime) struct RecommendCommandTests {
    static let clients = "afnetworking,okhttp,android,trustkit"

    let lab: RotatedAuthority
    let host = RotatedAuthority.host

    init() throws { lab = try RotatedAuthority() }

    /// Runs `pins --recommend` on the chain of today, which is public to the lab's devices.
    private func recommend(
        _ arguments: [String] = [], _ chain: [LabCertificate]? = nil, isPublic: Bool = true,
        in files: TemporaryDirectory
    ) async throws -> Outcome {
        let presented = chain ?? [lab.leaf, lab.interX, lab.crossed]
        let path = try files.write(presented.map(\.pem).joined(), to: "chain.pem")
        let data = isPublic ? ["--device-data", try files.write(lab.devices, to: "devices.bin")] : []
        return await pincheck(
            ["pins", path, "--host", host, "--recommend"] + data + arguments, authorities: isPublic ? lab.table : nil)
    }

    private func advice(_ outcome: Outcome) throws -> JSONValue {
        try JSONValue(outcome.output)["results"].array[0]["recommendation"]
    }

    private func pins(_ outcome: Outcome) throws -> [String] {
        try advice(outcome)["pins"].array.compactMap { $0["pin"].text }
    }

    /// The clients that reject a chain with pins, on a device with its roots.
    private func rejecting(_ step: RotatedAuthority.Step, _ pins: [String], in files: TemporaryDirectory) async throws
        -> [String]
    {
        let chain = try files.write(step.chain.map(\.pem).joined(), to: "step.pem")
        let roots = try files.write(step.roots.map(\.pem).joined(), to: "roots.pem")
        let outcome = await pincheck(
            ["verify", chain, "--host", host, "--anchors", roots, "--client", Self.clients, "--format", "json"]
                + pins.flatMap { ["--pins", $0] })
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
            for step in steps {
                if try await rejecting(step, others, in: files).count == 4 { broken.append(step.name) }
            }
            #expect(!broken.isEmpty, "\(pin) is one too many")
        }
    }

    // MARK: What outlasts what

    @Test func theRootsOfAKnownAuthorityOutlastAllItDoes() async throws {
        try await TemporaryDirectory.scoped { files in
            let outcome = try await recommend(["--format", "json"], in: files)
            #expect(outcome.status == .pass, "\(outcome.errors)")
            let advice = try advice(outcome)
            #expect(advice["strategy"].text == "authority-roots")
            #expect(advice["authority"].text == "A Laboratory")
            #expect(advice["pins"].array.compactMap { $0["reason"]["id"].text } == ["root-in-use", "sibling-root"])
            #expect(
                advice["survives"].array.compactMap(\.text) == [
                    "renewed-same-key", "renewed-new-key", "new-intermediate", "cross-certificate-dropped",
                    "sibling-root",
                ])
            #expect(
                advice["risks"].array.compactMap { $0["id"].text } == [
                    "trusts-authority", "other-authority", "unlisted-roots",
                ])
            let pins = try pins(outcome)
            #expect(pins == [lab.rootX.pin, lab.rootY.pin])
            try await expectFewest(pins, outlasting: lab.today + lab.rotations(), in: files)
        }
    }

    @Test func theServersOwnKeyAndOneInReserveOutlastTheAuthorityToo() async throws {
        try await TemporaryDirectory.scoped { files in
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            let outcome = try await recommend(["--key", key, "--format", "json"], in: files)
            #expect(try advice(outcome)["strategy"].text == "own-keys")
            #expect(try advice(outcome)["missing"].isNull)
            let pins = try pins(outcome)
            #expect(pins == [lab.leaf.pin, SHA256Digest(bytes: lab.reserve.publicKeySHA256)?.description])
            try await expectFewest(pins, outlasting: lab.today + lab.rotationsOfOwnKeys(), in: files)
        }
    }

    @Test func aPrivateAuthoritysRootAndItsNextOneOutlastWhatItsOwnerDoes() async throws {
        try await TemporaryDirectory.scoped { files in
            let next = try LabCertificate.selfSigned(.authority("Next Root"), key: lab.reserve)
            let file = try files.write(next.pem, to: "next-root.pem")
            let root = try files.write(lab.rootX.pem, to: "root.pem")
            let outcome = try await recommend(
                [file, "--anchors", root, "--format", "json"], [lab.leaf, lab.interX], isPublic: false, in: files)
            #expect(try advice(outcome)["strategy"].text == "own-root", "\(outcome.errors)")
            let pins = try pins(outcome)
            #expect(pins == [lab.rootX.pin, SHA256Digest(bytes: lab.reserve.publicKeySHA256)?.description])
            try await expectFewest(pins, outlasting: lab.rotationsOfOwnRoot(), in: files)
        }
    }

    // MARK: What is missing

    @Test func anUnknownAuthorityNeedsAKeyInReserve() async throws {
        try await TemporaryDirectory.scoped { files in
            let data = try files.write(lab.devices, to: "devices.bin")
            let path = try files.write([lab.leaf, lab.interX, lab.crossed].map(\.pem).joined(), to: "chain.pem")
            let arguments = ["pins", path, "--host", host, "--recommend", "--device-data", data]
            let outcome = await pincheck(arguments + ["--format", "json"])
            #expect(try advice(outcome)["strategy"].text == "own-keys")
            #expect(try advice(outcome)["missing"]["id"].text == "reserve-missing")
            #expect(try advice(outcome)["risks"].array.compactMap { $0["id"].text }.last == "unknown-authority")
            #expect(try pins(outcome) == [lab.leaf.pin])
            let text = await pincheck(arguments)
            #expect(text.output.contains("ship 2 pins, one of which you have yet to make"))
            #expect(text.output.contains("\n      openssl ecparam "))
        }
    }

    @Test func aPrivateRootThatNobodyVouchesForIsSaidToBe() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = [lab.leaf, lab.interX, lab.rootX]
            let path = try files.write(chain.map(\.pem).joined(), to: "chain.pem")
            let unknown = await pincheck("pins", path, "--host", host, "--recommend", "--format", "json")
            #expect(unknown.status == .fail)
            #expect(try advice(unknown)["strategy"].text == "none" && pins(unknown).isEmpty)
            #expect(try advice(unknown)["missing"]["id"].text == "owner-unknown")
            #expect(try advice(unknown)["risks"].array.compactMap { $0["id"].text } == ["unverified-root"])
            let text = await pincheck("pins", path, "--host", host, "--recommend")
            #expect(text.status == .fail)
            #expect(text.output.contains("ship nothing yet: the chain ends at Root X, which neither this machine nor"))
            #expect(!text.output.contains("your own authority and") && !text.output.contains(lab.rootX.pin))
            let block = await pincheck("pins", path, "--host", host, "--recommend", "--format", "okhttp")
            #expect(block.status == .fail && block.output.isEmpty)
            #expect(block.errors.contains("WARNING: \(path): ship nothing yet: "), "\(block.errors)")
            // Trusted by this machine alone, it may be an interceptor's all the same.
            let store = try files.write(lab.rootX.pem, to: "store.pem")
            let installed = await pincheck(
                ["pins", path, "--host", host, "--recommend"], environment: ["SSL_CERT_FILE": store])
            #expect(installed.status == .fail)
            #expect(installed.output.contains("which this machine trusts and no device knows by itself"))
            let given = await pincheck(
                "pins", path, "--host", host, "--recommend", "--anchors", store, "--format", "json")
            #expect(given.status == .pass)
            #expect(try advice(given)["strategy"].text == "own-root" && pins(given) == [lab.rootX.pin])
        }
    }

    @Test func anInterceptorsRootIsNotRecommendedWithoutAWord() async throws {
        try await TemporaryDirectory.scoped { files in
            let root = try LabCertificate.selfSigned(.authority("Charles Proxy CA (studio.local)"))
            let path = try files.write(try root.issue(.leaf(host)).pem + root.pem, to: "chain.pem")
            let store = try files.write(root.pem, to: "store.pem")
            let arguments = ["pins", path, "--host", host, "--recommend", "--format", "json"]
            // The root is trusted here, as it is on the computer of whoever debugs.
            let outcome = await pincheck(arguments, environment: ["SSL_CERT_FILE": store])
            #expect(try advice(outcome)["risks"].array.compactMap { $0["id"].text }.first == "unverified-root")
            #expect(try pins(outcome).isEmpty)
            let warnings = try JSONValue(outcome.output)["results"].array[0]["warnings"].array
            #expect(warnings.compactMap { $0["id"].text } == ["interceptor"])
            #expect(outcome.output.contains("this looks like Charles, a TLS-intercepting proxy"))
            #expect(outcome.errors.contains("Warning: \(path): this looks like Charles, a TLS-intercepting proxy"))
            let given = await pincheck(arguments + ["--anchors", store])
            #expect(try advice(given)["risks"].array.compactMap { $0["id"].text } == ["trusts-authority"])
        }
    }

    @Test func devicesThatHaveNoWayToTheServerAreNamed() async throws {
        try await TemporaryDirectory.scoped { files in
            let outcome = try await recommend([], [lab.leaf, lab.interX], in: files)
            let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("leads to no root of ios-12, android-9"), "\(outcome.output)")
            let asked = try await recommend(["--device", "ios-26,android-17"], [lab.leaf, lab.interX], in: files)
            #expect(!asked.output.contains("leads to no root"))
            let wrong = try await recommend(["--device", "ios-7"], in: files)
            #expect(wrong.status == .usage || wrong.status == .data)
            #expect(wrong.errors.contains("ios-7"))
        }
    }

    // MARK: The pins of today

    @Test(arguments: [
        ("leaf", ["leaf-without-reserve"]), ("intermediate", ["intermediate-pinned"]),
        ("old", ["cross-signer-pinned", "sibling-roots-missing", "other-path-on-devices"]),
        ("X", ["sibling-roots-missing"]), ("nobody", ["pins-match-nothing"]), ("X Y", []), ("leaf reserve", []),
        ("leaf intermediate", ["intermediate-pinned"]), ("intermediate X Y", []),
    ]) func pinsOfTodayThatWillNotLastAreWarnedOf(pinned: String, expected: [String]) async throws {
        try await TemporaryDirectory.scoped { files in
            let all = [
                "leaf": lab.leaf.pin, "intermediate": lab.interX.pin, "old": lab.old.pin, "X": lab.rootX.pin,
                "Y": lab.rootY.pin, "nobody": lab.interY.pin,
                "reserve": try #require(SHA256Digest(bytes: lab.reserve.publicKeySHA256)).description,
            ]
            let pins = pinned.split(separator: " ").compactMap { all[String($0)] }
            // This machine is an old device, for which the cross-certificate is there.
            let old = try files.write(lab.old.pem, to: "old.pem")
            let outcome = try await recommend(
                ["--anchors", old, "--format", "json"] + pins.flatMap { ["--pins", $0] }, in: files)
            #expect(try advice(outcome)["current"].array.compactMap { $0["id"].text } == expected)
            // They make the recommendation no other, unless they are the server's own key and one in reserve.
            let recommended = pinned == "leaf reserve" ? pins : [lab.rootX.pin, lab.rootY.pin]
            #expect(try self.pins(outcome) == recommended)
            let today = try advice(outcome)["current_pins"].array
            #expect(today.compactMap { $0["pin"].text } == pins)
            let standings = [
                "leaf": "server-key", "reserve": "backup", "intermediate": "intermediate", "old": "root-in-use",
                "X": "root-in-use", "Y": "sibling-root", "nobody": "unknown",
            ]
            #expect(
                today.compactMap { $0["standing"]["id"].text }
                    == pinned.split(separator: " ").compactMap { standings[String($0)] })
        }
    }

    @Test func aRootThatItsAuthorityLeavesIsPinnedOnlyAsLongAsItIsServed() async throws {
        try await TemporaryDirectory.scoped { files in
            func root(_ certificate: LabCertificate, _ name: String, _ state: Authority.Root.State) -> Authority.Root {
                Authority.Root(
                    name: name, key: SHA256Digest(bytes: certificate.publicKeySHA256)!, algorithm: "EC P-256",
                    state: state,
                    until: state == .older ? Timestamp(secondsSinceEpoch: LabClock.now + 86_400 * 100) : nil,
                    source: "https://authority.example/", date: "2026-01-01")
            }
            let table = AuthorityTable([
                Authority(name: "Mover", roots: [root(lab.rootY, "Root Y", .inUse), root(lab.rootX, "Root X", .older)])
            ])
            let path = try files.write([lab.leaf, lab.interX].map(\.pem).joined(), to: "chain.pem")
            let data = try files.write(lab.devices, to: "devices.bin")
            let outcome = await pincheck(
                [
                    "pins", path, "--host", host, "--recommend", "--device-data", data, "--pins", lab.rootX.pin,
                    "--format", "json",
                ], authorities: table)
            let advice = try advice(outcome)
            #expect(advice["pins"].array.compactMap { $0["reason"]["id"].text } == ["root-being-left", "sibling-root"])
            #expect(try pins(outcome) == [lab.rootX.pin, lab.rootY.pin])
            #expect(
                advice["current"].array.compactMap { $0["id"].text } == ["root-being-left", "sibling-roots-missing"])
            #expect(advice["review_by"].text == Timestamp(secondsSinceEpoch: LabClock.now + 86_400 * 100).date)
        }
    }

    // MARK: Servers, policies, blocks

    @Test func aServerAndAPolicyAreAskedWithTheirPinsOfToday() async throws {
        try await TemporaryDirectory.scoped { files in
            let roots = try files.write(lab.rootX.pem + lab.rootY.pem, to: "roots.pem")
            let data = try files.write(lab.devices, to: "devices.bin")
            let settings = TLSServerSettings(presenting: [lab.leaf, lab.interX])
            try await LoopbackServer.serving(.tls(settings)) { server in
                let place = "\(server.address):\(server.port)"
                let common = ["--device-data", data, "--format", "json"]
                let direct = await pincheck(
                    ["pins", host, "--connect", place, "--anchors", roots, "--recommend", "--pins", lab.leaf.pin]
                        + common, authorities: lab.table)
                #expect(direct.status == .pass, "\(direct.errors)")
                #expect(try advice(direct)["current"].array.compactMap { $0["id"].text } == ["leaf-without-reserve"])
                let policy = try files.write(
                    """
                    { hosts: { "\(host)": {
                        connect: ["\(place)"], anchors: ["roots.pem"], pins: ["\(lab.interX.pin)"] } } }
                    """, to: "pins.json5")
                let byPolicy = await pincheck(
                    ["pins", "--recommend", "--policy", policy] + common, authorities: lab.table)
                #expect(byPolicy.status == .pass, "\(byPolicy.errors)")
                #expect(try pins(byPolicy) == [lab.rootX.pin, lab.rootY.pin])
                #expect(try advice(byPolicy)["current"].array.compactMap { $0["id"].text } == ["intermediate-pinned"])
                #expect(try JSONValue(byPolicy.output)["results"].array[0]["verified"].flag == true)
            }
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "nspinned", "android", "tlsa", "hpkp"])
    func aBlockPinsWhatIsRecommendedAndNothingElse(format: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let block = try await recommend(["--format", format], in: files)
            #expect(block.status == .pass)
            #expect(!block.output.contains("Backup:"), "\(block.output)")
            #expect(block.output.contains("Recommended: the authority's roots"))
            let path = try files.write(block.output, to: "block")
            let read = await pincheck("pins", "--from", path, "--format", "json")
            let keys = try JSONValue(read.output)["results"].array.flatMap { $0["keys"].array }
            #expect(Set(keys.compactMap { $0["pins"]["okhttp"].text }) == [lab.rootX.pin, lab.rootY.pin])
        }
    }

    /// Each client with its own configuration as it was written, for all three ways to pin.
    @Test(arguments: ["okhttp": "okhttp", "trustkit": "trustkit", "nspinned": "nspinneddomains", "android": "android"])
    func aClientWithTheBlockAcceptsTheServerNowAndLater(format: String, client: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            let root = try files.write(lab.rootX.pem, to: "root.pem")
            let next = try LabCertificate.selfSigned(.authority("Next Root"), key: lab.reserve)
            let nextRoot = try files.write(next.pem, to: "next-root.pem")
            let ownChain = [lab.leaf, lab.interX, lab.rootX]
            let ways: [(arguments: [String], chain: [LabCertificate], isPublic: Bool, steps: [RotatedAuthority.Step])] =
                [
                    ([], [lab.leaf, lab.interX, lab.crossed], true, try lab.rotations()),
                    (["--key", key], [lab.leaf, lab.interX, lab.crossed], true, try lab.rotationsOfOwnKeys()),
                    (["--key", key, "--anchors", root], ownChain, false, try lab.rotationsOfOwnKeys()),
                    ([nextRoot, "--anchors", root], ownChain, false, try lab.rotationsOfOwnRoot()),
                ]
            for way in ways {
                let block = try await recommend(
                    way.arguments + ["--format", format], way.chain, isPublic: way.isPublic, in: files)
                let pins = try files.write(block.output, to: "block")
                for step in way.steps {
                    let chain = try files.write(step.chain.map(\.pem).joined(), to: "step.pem")
                    let roots = try files.write(step.roots.map(\.pem).joined(), to: "roots.pem")
                    let outcome = await pincheck(
                        "verify", chain, "--host", host, "--anchors", roots, "--client", client, "--pins", pins,
                        "--format", "json")
                    #expect(outcome.decision == "pass pin-matched", "\(way.arguments) \(step.name)")
                }
            }
        }
    }

    @Test func aClientThatComparesTheServersKeyAloneIsToldTheServersKey() async throws {
        try await TemporaryDirectory.scoped { files in
            let block = try await recommend(["--format", "curl"], in: files)
            #expect(block.output.contains("--pinnedpubkey 'sha256//\(lab.leaf.pin.dropFirst(7))'"))
            #expect(block.output.contains("WARNING: a key in reserve is missing"))
        }
    }

    @Test func certificatesOfRecommendedRootsAreSavedForBundles() async throws {
        try await TemporaryDirectory.scoped { files in
            let outcome = try await recommend(["--format", "afnetworking", "--save", files.path + "/Pins"], in: files)
            #expect(outcome.status == .pass, "\(outcome.errors)")
            let saved = try FileManager.default.contentsOfDirectory(atPath: files.path + "/Pins").sorted()
            #expect(saved == ["root-Root-X.cer", "root-Root-Y.cer"])
        }
    }

    @Test func textFitsTheTerminalAndEscapesNames() async throws {
        try await TemporaryDirectory.scoped { files in
            let root = try LabCertificate.selfSigned(
                .authority(DistinguishedName(commonName: "\u{1B}[31mEvil\nPASS  \u{202E}root")))
            let leaf = try root.issue(.leaf(host))
            let path = try files.write(leaf.pem + root.pem, to: "chain.pem")
            let outcome = await pincheck("pins", path, "--host", host, "--recommend", "--pins", root.pin)
            #expect(isPlain(outcome.output))
            #expect(!outcome.output.contains("\nPASS"))
            let chain = try files.write([lab.leaf, lab.interX, lab.crossed].map(\.pem).joined(), to: "lab.pem")
            let data = try files.write(lab.devices, to: "devices.bin")
            let arguments = [
                "pins", chain, "--host", host, "--recommend", "--device-data", data, "--pins", lab.old.pin,
            ]
            for columns in [60, 80, 120] {
                let text = await pincheck(arguments, columns: columns, authorities: lab.table)
                let lines = text.output.split(separator: "\n")
                #expect(lines.allSatisfy { $0.count <= columns }, "\(text.output)")
                #expect(lines.contains { $0.count > columns - 15 }, "\(text.output)")
            }
            // A sentence is one line for whatever is not a terminal.
            let piped = await pincheck(arguments, authorities: lab.table)
            #expect(
                piped.output.contains("another root of A Laboratory. Any renewal may move the server to it. It lasts"))
        }
    }

    @Test(arguments: [
        (["pins", "x.example", "--pins", "y"], "--pins goes with --recommend"),
        (["pins", "--recommend"], "name a host"),
        (["pins", "x.example", "--recommend", "--from", "y"], "give the pins of today as --pins"),
        (["pins", "x.example", "--recommend", "--position", "leaf"], "leave out --position"),
    ]) func whatDoesNotGoTogetherIsRefused(arguments: [String], message: String) async throws {
        let outcome = await pincheck(arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
}
