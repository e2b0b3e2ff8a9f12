import LoopbackLab
import PinCheckCLI
import Testing

/// `check --policy`.
@Suite(.endsSomeTime) struct PolicyCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Runs with a server and a policy beside the files it names; `PORT` in it is the server's port.
    private func serving(_ policy: String, _ body: (_ policy: String, _ port: Int) async throws -> Void) async throws {
        try await TemporaryDirectory.scoped { files in
            try files.write(pki.rootA.pem, to: "root.pem")
            try files.write(pki.leaf.der, to: "leaf.cer")
            try files.write(pki.junk.der, to: "junk.cer")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let text = policy.replacing("PORT", with: "\(server.port)").replacing("HOST", with: host)
                try await body(try files.write(text, to: "pins.json5"), Int(server.port))
            }
        }
    }

    private static let policy = """
        {
          defaults: { anchors: "root.pem", client: "curl", connect: "127.0.0.1" },
          hosts: {
            "HOST": { ports: [PORT], pins: "leaf.cer" },
            "www.example.org:PORT": { verifyName: "HOST", sni: "HOST", client: ["okhttp", "curl"], pins: "junk.cer" },
            "HOST:1": { timeout: 1, pins: "leaf.cer" },
          },
        }
        """

    @Test func everyHostIsCheckedByWhatThePolicySaysOfIt() async throws {
        try await serving(Self.policy) { policy, port in
            let outcome = await pincheck("check", "--policy", policy, "--format", "json").expect(.fail)
            let results = try JSONValue(outcome.output)["results"].array
            #expect(results.map { $0["target"].text } == ["\(host):\(port)", "www.example.org:\(port)", "\(host):1"])
            #expect(results.map { $0["verdict"].text } == ["accept", "reject", "none"])
            #expect(results.map { $0["clients"].array.map { $0["name"].text } } == [["curl"], ["okhttp", "curl"], []])
            #expect(results.dropFirst().first?["endpoint"]["sni"].text == host)
        }
    }

    @Test func namedTargetsAreCheckedAlone() async throws {
        try await serving(Self.policy) { policy, port in
            await pincheck("\(host):\(port)", "--policy", policy).expect(.pass, "curl: ")
            let both = await pincheck(host, "--policy", policy, "--format", "jsonl")
            #expect(both.output.split(separator: "\n").count == 2)
            await pincheck("ww.example.org", "--policy", policy).expect(
                .usage, errors: "did you mean 'www.example.org'?")
        }
    }

    @Test func everyPolicyThatIsNamedIsChecked() async throws {
        try await serving(Self.policy) { policy, port in
            try await TemporaryDirectory.scoped { files in
                let other = try files.write("{ hosts: { 'other.example:1': { connect: '127.0.0.1' } } }", to: "b.json5")
                let outcome = await pincheck("--policy", policy, "--policy", other, "--format", "jsonl")
                #expect(outcome.output.split(separator: "\n").count == 4, "\(outcome.errors)")
                await pincheck("other.example:1", "--policy", policy, "--policy", other).expect(.unreachable)
                await pincheck("other.example:2", "--policy", policy, "--policy", other).expect(
                    .usage, errors: "is not in the policies")
            }
        }
    }

    @Test func anEntryWithoutAPortIsForThePortThatIsAskedFor() async throws {
        let policy = """
            { hosts: { "HOST": { anchors: "root.pem", client: "curl", connect: "127.0.0.1", pins: "leaf.cer" } } }
            """
        try await serving(policy) { policy, port in
            await pincheck("\(host):\(port)", "--policy", policy, "--format", "jsonl").expect(.pass)
            let both = await pincheck(
                host, "\(host):\(port)", "--policy", policy, "--format", "jsonl", "--timeout", "2")
            let targets = try both.output.split(separator: "\n").map { try JSONValue(String($0))["target"].text }
            #expect(Set(targets) == ["\(host):443", "\(host):\(port)"])
        }
        try await serving(Self.policy) { policy, port in
            await pincheck("\(host):2", "--policy", policy).expect(
                .usage, errors: "'\(host):2' is not in the policy", " on that port, only on 1, \(port): ")
            await pincheck("\(host.uppercased()).:2", "--policy", policy).says(
                errors: " on that port, only on 1, \(port): ", not: "did you mean")
        }
    }

    @Test func anEntryForThePortGoesBeforeOneForAll() async throws {
        let entry = #"anchors: "root.pem", client: "curl", connect: "127.0.0.1""#
        let policy = """
            { hosts: { "HOST:PORT": { \(entry), pins: "leaf.cer" }, "HOST": { \(entry), pins: "junk.cer" } } }
            """
        try await serving(policy) { policy, port in
            let outcome = await pincheck("\(host):\(port)", "--policy", policy, "--format", "jsonl")
            #expect(outcome.status == .pass && outcome.output.count { $0 == "\n" } == 1, "\(outcome)")
            let option = await pincheck(host, "--port", "\(port)", "--policy", policy, "--format", "jsonl")
            #expect(option.status == .pass && option.output.count { $0 == "\n" } == 1, "\(option)")
        }
        try await serving("{ hosts: { \"HOST\": { \(entry), ports: [1], pins: \"leaf.cer\" } } }") { policy, port in
            await pincheck(host, "--port", "\(port)", "--policy", policy).expect(.usage, errors: "is not in the policy")
        }
    }

    @Test func aListChoosesHostsOfThePolicyAndItsLinesGoFirst() async throws {
        try await serving(Self.policy) { policy, port in
            try await TemporaryDirectory.scoped { files in
                let list = try files.write("\(host):\(port)\n\(host):\(port) verify-name=other.example\n", to: "list")
                let outcome = await pincheck("--policy", policy, "--targets", list, "--format", "json")
                let results = try JSONValue(outcome.output)["results"].array
                #expect(results.map { $0["verdict"].text } == ["accept", "reject"], "\(outcome.errors)")
                for word in ["pins=\(pki.junk.pin)", "client=okhttp"] {
                    let other = try files.write("# a\n\(host):\(port) \(word)\n", to: "other")
                    await pincheck("--policy", policy, "--targets", other).expect(
                        .data, errors: "other:2: ", "leave one of the two out")
                }
                let wrong = try files.write("# a\nww.example.org\n", to: "wrong")
                await pincheck("--policy", policy, "--targets", wrong).expect(
                    .data, errors: ":2: ", "did you mean 'www.example.org'?")
            }
        }
    }

    @Test func pinsBesideThoseOfThePolicyAreRefused() async throws {
        try await serving(Self.policy) { policy, port in
            await pincheck("\(host):\(port)", "--policy", policy, "--pins", pki.junk.pin).expect(
                .usage, errors: "the policy has 'pins' for '\(host)")
        }
    }

    @Test func theSampleOfThisRepositoryIsAPolicy() async throws {
        let path = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Pins/pins.json5"
        await pincheck("api.example.com:443", "--policy", path, "--connect", "127.0.0.1:1", "--retries", "0").expect(
            .unreachable)
    }
}
