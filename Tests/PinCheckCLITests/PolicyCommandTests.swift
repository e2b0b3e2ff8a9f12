import LoopbackLab
import PinCheckCLI
import Testing

/// `check --policy`; what a policy says is read by `PolicyTests`, its mistakes are rows of ``MistakeTests``.
@Suite(.endsSomeTime) struct PolicyCommandTests {
    private let host = StandardPKI.serverName

    private static let policy = """
        {
          defaults: { anchors: "root.pem", client: "curl", connect: "127.0.0.1" },
          hosts: {
            "$HOST": { ports: [$PORT], pins: "leaf.cer" },
            "www.example.org:$PORT": { verifyName: "$HOST", sni: "$HOST", client: ["okhttp", "curl"], pins: "junk.cer" },
            "$HOST:1": { timeout: 1, pins: "leaf.cer" },
          },
        }
        """

    /// Runs beside a server with a policy for it.
    private func serving(_ policy: String = policy, _ body: (Desk, Int) async throws -> Void) async throws {
        try await Desk.serving(nil, ["pins.json5": policy]) { try await body($0, Int($1.port)) }
    }

    @Test func everyHostIsCheckedByWhatThePolicySaysOfIt() async throws {
        try await serving { desk, port in
            let outcome = await desk("--policy @pins.json5 -f json").expect(.fail)
            let results = try JSONValue(outcome.output)["results"].array
            #expect(results.map { $0["target"].text } == ["\(host):\(port)", "www.example.org:\(port)", "\(host):1"])
            #expect(results.map { $0["verdict"].text } == ["accept", "reject", "none"])
            #expect(results.map { $0["clients"].array.map { $0["name"].text } } == [["curl"], ["okhttp", "curl"], []])
            #expect(results[1]["endpoint"]["sni"].text == host)
        }
    }

    /// What is asked beside `--policy @pins.json5`, how it ends, how many results there are, and what is said.
    @Test(
        arguments: [
            ("$HOST:$PORT", .pass, 1, ""), ("$HOST -f jsonl", .unreachable, 2, ""),
            ("ww.example.org", .usage, 0, "did you mean 'www.example.org'?"), ("--policy @b.json5", .fail, 4, ""),
            ("other.example:1 --policy @b.json5", .unreachable, 1, ""),
            ("other.example:2 --policy @b.json5", .usage, 0, "is not in the policies"),
            ("$HOST:2", .usage, 0, "'$HOST:2' is not in the policy"),
            ("$HOST:2", .usage, 0, " on that port, only on 1, $PORT: "),
            ("API.EXAMPLE.COM.:2", .usage, 0, " on that port, only on 1, $PORT: "),
            ("$HOST:$PORT --pins $JUNK", .usage, 0, "the policy has 'pins' for '$HOST"),
            // A list chooses hosts of the policy, and its lines go first.
            ("--targets @list", .fail, 2, ""), ("--targets @pins", .data, 0, "pins:2: "),
            ("--targets @pins", .data, 0, "leave one of the two out"), ("--targets @client", .data, 0, "client:2: "),
            ("--targets @client", .data, 0, "leave one of the two out"), ("--targets @wrong", .data, 0, "wrong:2: "),
            ("--targets @wrong", .data, 0, "did you mean 'www.example.org'?"),
        ] as [(String, ExitStatus, Int, String)]) func whatIsNamedIsCheckedAlone(
            arguments: String, status: ExitStatus, count: Int, words: String
        ) async throws
    {
        try await serving { desk, _ in
            for (name, text) in [
                "b.json5": "{ hosts: { 'other.example:1': { connect: '127.0.0.1' } } }",
                "list": "$HOST:$PORT\n$HOST:$PORT verify-name=other.example\n", "wrong": "# a\nww.example.org\n",
                "pins": "# a\n$HOST:$PORT pins=$JUNK\n", "client": "# a\n$HOST:$PORT client=okhttp\n",
            ] { try desk.write(text, to: name) }
            let form = arguments.contains("-f ") ? "" : " -f jsonl"
            let outcome = await desk("--policy @pins.json5 \(arguments)\(form)").expect(status)
            #expect(outcome.output.split(separator: "\n").count == count, "\(outcome)")
            #expect(words.isEmpty || outcome.errors.contains(desk.expand(words)), "\(outcome)")
            if arguments.hasPrefix("API") { outcome.says(not: "did you mean") }
        }
    }

    @Test func anEntryIsForItsPortOrForThePortThatIsAskedFor() async throws {
        let entry = #"anchors: "root.pem", client: "curl", connect: "127.0.0.1""#
        try await serving("{ hosts: { '$HOST': { \(entry), pins: 'leaf.cer' } } }") { desk, port in
            await desk("$HOST:$PORT --policy @pins.json5").expect(.pass)
            let both = await desk("$HOST $HOST:$PORT --policy @pins.json5 -f jsonl --timeout 2").output
            let targets = try both.split(separator: "\n").map { try JSONValue(String($0))["target"].text }
            #expect(Set(targets) == ["\(host):443", "\(host):\(port)"])
        }
        // An entry for the port goes before one for all.
        let two =
            "{ hosts: { '$HOST:$PORT': { \(entry), pins: 'leaf.cer' }, '$HOST': { \(entry), pins: 'junk.cer' } } }"
        try await serving(two) { desk, _ in
            for target in ["$HOST:$PORT", "$HOST --port $PORT"] {
                let outcome = await desk("\(target) --policy @pins.json5 -f jsonl").expect(.pass)
                #expect(outcome.output.count { $0 == "\n" } == 1, "\(outcome)")
            }
        }
        try await serving("{ hosts: { '$HOST': { \(entry), ports: [1], pins: 'leaf.cer' } } }") { desk, _ in
            await desk("$HOST --port $PORT --policy @pins.json5").expect(.usage, errors: "is not in the policy")
        }
    }

    @Test func theSampleOfThisRepositoryIsAPolicy() async throws {
        let path = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Pins/pins.json5"
        await pincheck("api.example.com:443", "--policy", path, "--connect", "127.0.0.1:1", "--retries", "0").expect(
            .unreachable)
    }
}
