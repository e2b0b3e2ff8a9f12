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
            let outcome = await pincheck("check", "--policy", policy, "--format", "json")
            #expect(outcome.status == .fail, "\(outcome.errors)")
            let results = try JSONValue(outcome.output)["results"].array
            #expect(results.map { $0["target"].text } == ["\(host):\(port)", "www.example.org:\(port)", "\(host):1"])
            #expect(results.map { $0["verdict"].text } == ["accept", "reject", "none"])
            #expect(results.map { $0["clients"].array.map { $0["name"].text } } == [["curl"], ["okhttp", "curl"], []])
            #expect(results.dropFirst().first?["endpoint"]["sni"].text == host)
        }
    }

    @Test func namedTargetsAreCheckedAlone() async throws {
        try await serving(Self.policy) { policy, port in
            let one = await pincheck("\(host):\(port)", "--policy", policy)
            #expect(one.status == .pass, "\(one.errors) \(one.output)")
            #expect(one.output.contains("curl: "))
            let both = await pincheck(host, "--policy", policy, "--format", "jsonl")
            #expect(both.output.split(separator: "\n").count == 2)
            let none = await pincheck("ww.example.org", "--policy", policy)
            #expect(none.status == .usage)
            #expect(none.errors.contains("did you mean 'www.example.org'?"), "\(none.errors)")
        }
    }

    @Test func everyPolicyThatIsNamedIsChecked() async throws {
        try await serving(Self.policy) { policy, port in
            try await TemporaryDirectory.scoped { files in
                let other = try files.write("{ hosts: { 'other.example:1': { connect: '127.0.0.1' } } }", to: "b.json5")
                let outcome = await pincheck("--policy", policy, "--policy", other, "--format", "jsonl")
                #expect(outcome.output.split(separator: "\n").count == 4, "\(outcome.errors)")
                let one = await pincheck("other.example:1", "--policy", policy, "--policy", other)
                #expect(one.status == .unreachable, "\(one.errors)")
                let none = await pincheck("other.example:2", "--policy", policy, "--policy", other)
                #expect(none.status == .usage && none.errors.contains("is not in the policies"), "\(none.errors)")
            }
        }
    }

    @Test func anEntryWithoutAPortIsForThePortThatIsAskedFor() async throws {
        let policy = """
            { hosts: { "HOST": { anchors: "root.pem", client: "curl", connect: "127.0.0.1", pins: "leaf.cer" } } }
            """
        try await serving(policy) { policy, port in
            let outcome = await pincheck("\(host):\(port)", "--policy", policy, "--format", "jsonl")
            #expect(outcome.status == .pass, "\(outcome)")
            let both = await pincheck(
                host, "\(host):\(port)", "--policy", policy, "--format", "jsonl", "--timeout", "2")
            let targets = try both.output.split(separator: "\n").map { try JSONValue(String($0))["target"].text }
            #expect(Set(targets) == ["\(host):443", "\(host):\(port)"])
        }
        try await serving(Self.policy) { policy, port in
            let none = await pincheck("\(host):2", "--policy", policy)
            #expect(none.status == .usage && none.errors.contains("'\(host):2' is not in the policy"), "\(none)")
            #expect(none.errors.contains(" on that port, only on 1, \(port): "), "\(none)")
            let capitals = await pincheck("\(host.uppercased()).:2", "--policy", policy)
            #expect(
                capitals.errors.contains(" on that port, only on 1, \(port): ")
                    && !capitals.errors.contains("did you mean"))
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
            let outcome = await pincheck(host, "--port", "\(port)", "--policy", policy)
            #expect(outcome.status == .usage && outcome.errors.contains("is not in the policy"), "\(outcome)")
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
                    let refused = await pincheck("--policy", policy, "--targets", other)
                    #expect(refused.status == .data && refused.errors.contains("other:2: "), "\(refused.errors)")
                    #expect(refused.errors.contains("leave one of the two out"), "\(refused.errors)")
                }
                let wrong = try files.write("# a\nww.example.org\n", to: "wrong")
                let none = await pincheck("--policy", policy, "--targets", wrong)
                #expect(none.status == .data)
                #expect(none.errors.contains(":2: ") && none.errors.contains("did you mean 'www.example.org'?"))
            }
        }
    }

    @Test func pinsBesideThoseOfThePolicyAreRefused() async throws {
        try await serving(Self.policy) { policy, port in
            let outcome = await pincheck("\(host):\(port)", "--policy", policy, "--pins", pki.junk.pin)
            #expect(outcome.status == .usage)
            #expect(outcome.errors.contains("the policy has 'pins' for '\(host)"), "\(outcome.errors)")
        }
    }

    @Test(arguments: [
        ("{ hosts: { 'a..example': {} } }", ":1: "),
        ("{ hosts: { 'a.example': {\n client: 'netscape' } } }", ":2: 'client': the client 'netscape' is not known"),
        ("{ hosts: { 'a.example': {\n warnBefore: '3x' } } }", ":2: 'warnBefore': '3x' is not a threshold"),
        ("{ hosts: { 'a.example': {\n\n timeout: 90000 } } }", ":3: 'timeout': '90000' is not a time in seconds"),
        (
            "{ hosts: { 'a.example': {\n connect: '192.0.2.1:0' } } }",
            ":2: 'connect': the address '192.0.2.1:0' has the port"
        ),
        ("{ hosts: { 'a.example': {\n sni: '192.0.2.1' } } }", ":2: 'sni': the server name '192.0.2.1' is an address"),
        ("{ hosts: { 'a.example': {\n host: 'a b' } } }", ":2: 'host': the host name 'a b' holds a space"),
        ("{ hosts: { 'a.example': {\n alpn: 'h2,' } } }", ":2: 'alpn': 'h2,' holds a name of no or"),
        ("{ hosts: { 'a.example': { warnBefore: '1d', failBefore: '2d' } } }", "the warning before 1d never comes"),
        (
            "{ hosts: { 'a.example': {\n warnBefore: 30 } } }",
            ":2: 'warnBefore' is a number without a unit; write \"30d\""
        ), ("{ hosts: { 'a.example': { pins: [] } } }", ":1: 'pins' is an empty list; leave the key out, or list"),
        (
            "{ hosts: { 'a.example': {\n mode: 'publickey' } } }",
            ":2: 'mode': 'publickey' is unknown: did you mean 'public-key'?"
        ),
        ("{ hosts: { 'a.example': {\n andSystem: 'yes' } } }", ":2: 'hosts.a.example.andSystem' is not true or false"),
        ("{ hosts: { 'a.example': { timeout: 0 } } }", "is not a number above 0"),
        ("{ hosts: { 'a.example': { ports: [0] } } }", "is not a whole number from 1 to 65535"),
        ("{ hosts: { 'a.example': { retries: '3' } } }", "is not a whole number from 0 to 100"),
        ("{ hosts: { 'a.example': { sni: true } } }", "is not a text or false"),
        ("{ hosts: { 'a.example': { sni: ['b.example'] } } }", "is not a text or false"),
        ("{ hosts: { 'a.example': { host: true } } }", "is not a text"),
        ("{ hosts: { 'a.example': { client: '' } } }", "is not a text with something in it"),
        ("{ hosts: { 'a.example': { client: {} } } }", "is not a text"),
        ("{ hosts: { 'a.example': { minTLS: 1.4 } } }", "'minTLS': '1.4' is not a TLS version"),
        ("{ hosts: { 'a.example': { ipVersion: 5 } } }", "'ipVersion': '5' is unknown: "),
        ("{ hosts: { 'a.example': {\n pins: 'sha256/AAAA' } } }", ":2: "),
        ("{ hosts: { 'a.example': { minTLS: '1.3', maxTLS: '1.2' } } }", "is above"),
        ("{ hosts: { 'a.example': { connect: 'b.example:443:127.0.0.1' } } }", "which is not a target"),
    ]) func aMistakeIsMalformedDataWithItsPlace(text: String, message: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(text, to: "pins.json5")
            let outcome = await pincheck("check", "--policy", path)
            #expect(outcome.status == .data)
            #expect(outcome.errors.contains("\(path):"), "\(outcome.errors)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        #expect(await pincheck("check", "--policy", "/nonexistent").status == .noInput)
    }

    @Test func theSampleOfThisRepositoryIsAPolicy() async throws {
        let path = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Pins/pins.json5"
        let outcome = await pincheck(
            "api.example.com:443", "--policy", path, "--connect", "127.0.0.1:1", "--retries", "0")
        #expect(outcome.status == .unreachable, "\(outcome.errors)")
    }
}
