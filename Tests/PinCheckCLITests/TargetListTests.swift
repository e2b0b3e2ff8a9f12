import LoopbackLab
import PinCheckCLI
import Testing

/// `check --policy`; what a policy says is read by `PolicyTests`, its mistakes are rows of ``MistakeTests``.
@Suite(.endsSomeTime) struct PolicyCommandTests {
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

    private func serving(_ policy: String = policy, _ body: (Desk, Int) async throws -> Void) async throws {
        try await Desk.serving(nil, ["pins.json5": policy]) { try await body($0, Int($1.port)) }
    }

    /// What is asked beside `--policy @pins.json5`, how it ends, how many results there are, and what is said.
    @Test(
        arguments: [
            ("$HOST:$PORT", .pass, 1, ""), ("$HOST -f jsonl", .unreachable, 2, ""),
            ("ww.example.org", .usage, 0, "did you mean 'www.example.org'?"), ("--policy @b.json5", .fail, 4, ""),
            ("other.example:1 --policy @b.json5", .unreachable, 1, ""),
            ("other.example:2 --policy @b.json5", .usage, 0, "is not in the policies"),
            ("$HOST:2", .usage, 0, "'$HOST:2' is not in the policy … on that port, only on 1, $PORT: "),
            ("API.EXAMPLE.COM.:2", .usage, 0, " on that port, only on 1, $PORT: "),
            ("$HOST:$PORT --policy @bad.json5", .data, 2, "bad.json5:1: 'client': the client 'okhtp' is not known"),
            ("www.example.org:$PORT --policy @bad.json5", .data, 2, "did you mean 'okhttp'?"),
            // A list chooses hosts of the policy, and its lines go first.
            ("--targets @list", .fail, 2, ""), ("--targets @pins", .data, 1, "pins:2: … leave one of the two out"),
            ("--targets @client", .data, 1, "client:2: … leave one of the two out"),
            ("--targets @list --targets @void", .noInput, 0, "void: the list of targets is empty"),
            ("--targets @wrong", .data, 1, "wrong:2: … did you mean 'www.example.org'?"),
        ] as [(String, ExitStatus, Int, String)]) func whatIsNamedIsCheckedAlone(
            arguments: String, status: ExitStatus, count: Int, words: String
        ) async throws
    {
        try await serving { desk, _ in
            for (name, text) in [
                "b.json5": "{ hosts: { 'other.example:1': { connect: '127.0.0.1' } } }",
                "bad.json5": "{ hosts: { 'bad.example:1': { client: 'okhtp' } } }",
                "list": "$HOST:$PORT\n$HOST:$PORT verify-name=other.example\n", "wrong": "# a\nww.example.org\n",
                "void": "# none\n", "pins": "# a\n$HOST:$PORT pins=$JUNK\n",
                "client": "# a\n$HOST:$PORT client=okhttp\n",
            ] { try desk.write(text, to: name) }
            let form = arguments.contains("-f ") ? "" : " -f jsonl"
            let outcome = await desk("--policy @pins.json5 \(arguments)\(form)").expect(status)
            #expect(outcome.output.split(separator: "\n").count == count, "\(outcome)")
            for word in words.split(separator: " … ") { outcome.says(errors: desk.expand(String(word))) }
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
            await desk.expect("$HOST --port $PORT --policy @pins.json5", "usage: is not in the policy")
        }
    }
}

@Suite(.endsSomeTime) struct BadEntryTests {
    private static let policy = """
        { defaults: { anchors: "root.pem", connect: "$SERVER" }, hosts: {
          "$HOST": { pins: "leaf.cer" },
          "b.example": { client: "okhtp", ports: [8443] },
          "c.example": { pins: "none.cer" },
          "d..example": {},
          "e.example": { pin: "leaf.cer" },
          "$HOST:444": { pins: "junk.cer", failOn: "warn" },
        } }
        """
    private static let places = [3: "b.example:8443", 4: "c.example:443", 5: nil, 6: "e.example:443"]

    @Test func aMistakeInOneEntryIsARowAndTheOthersAreChecked() async throws {
        try await Desk.serving(nil, ["pins.json5": Self.policy]) { desk, server in
            let outcome = await desk("--policy @pins.json5 -f jsonl").expect(.noInput)
            let results = try outcome.output.split(separator: "\n").map { try JSONValue(String($0)) }
            #expect(results.count == 6)
            for (line, name) in Self.places {
                let place = desk.expand("$DIR/pins.json5:\(line)")
                let row = try #require(results.first { $0["target"].text == name ?? place }, "\(name ?? place)")
                #expect(row["verdict"].text == "none" && row["reason"]["id"].text == "bad-entry")
                // A row that has the place for its name does not say it again.
                #expect(row["reason"]["message"].text?.hasPrefix(place) == (name != nil) || line == 4)
                #expect(row["exit"]["name"].text == (line == 4 ? "NOINPUT" : "DATA"))
            }
            #expect(Set(results.map { $0["verdict"].text }) == ["accept", "reject", "none"])
            let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
            #expect(lines.count == 4 && outcome.errors.contains("did you mean 'okhttp'?"), "\(outcome.errors)")
            // lint calls all of it an error, at the same places.
            let findings = try await desk("lint @pins.json5 -f json").expect(.data).json["findings"].array
            let wrong = Set(findings.filter { $0["severity"].text == "error" }.compactMap { $0["line"].number })
            #expect(wrong == [3, 4, 5, 6])
            await desk("--policy @pins.json5 -f html").says("c.example:443")
            // What lasts is told once, not to everybody who reads the mails of cron.
            await desk("--policy @pins.json5 -f brief --state @state").says("did you mean 'okhttp'?")
            await desk("--policy @pins.json5 -f brief --state @state").expect(.noInput, "", errors: "")
            let count = await server.connections(ended: 1).count
            // These need every entry, and tell all that are wrong.
            for line in [
                "snapshot --policy @pins.json5", "serve --policy @pins.json5", "diff @chain.pem --policy @pins.json5",
            ] {
                let refused = await desk(line).says("")
                #expect([ExitStatus.data, .noInput].contains(refused.status), "\(refused)")
                // A snapshot needs no pins.
                for number in line.hasPrefix("snapshot") ? [3, 5, 6] : [3, 4, 5, 6] {
                    #expect(refused.errors.contains("pins.json5:\(number)"), "\(refused)")
                }
            }
            #expect(await server.connections(ended: count).count == count)
        }
    }

    @Test func ofManyTheFirstAreTold() async throws {
        let hosts = (1...5_000).map { "'h\($0).example': { client: 'okhtp' },\n" }.joined()
        let outcome = try await Desk(["pins.json5": "{ hosts: {\n\(hosts)} }"])("--policy @pins.json5 -f brief").expect(
            .data)
        #expect(outcome.errors.count { $0 == "\n" } == 21 && outcome.errors.hasSuffix("Error: and 4980 more\n"))
        #expect(outcome.output.count { $0 == "\n" } == 5_000)
    }

    @Test func badLinesOfAListAreRowsByTheirNumber() async throws {
        let list = """
            $HOST connect=$SERVER pins=leaf.cer
            API_TOKEN=s3cr3t
            $HOST conect=s3cr3t
            $HOST sni=a no-sni
            $HOST client=s3cr3t
            $HOST connect=$SERVER pins=leaf.cer

            """
        try await Desk.serving(nil, ["hosts.txt": list]) { desk, _ in
            for window in [1, nil] {
                let outcome = await desk("--targets @hosts.txt --anchors @root.pem -f jsonl", targetWindow: window)
                    .expect(.data, not: "s3cr3t")
                let targets = try outcome.output.split(separator: "\n").map { try JSONValue(String($0))["target"].text }
                let bad = (2...5).map { desk.expand("$DIR/hosts.txt:\($0)") }
                #expect(Set(targets) == Set(bad + [desk.expand("$HOST:443")]) && targets.count == 6)
                #expect(outcome.errors.ranges(of: "Error: ").count == 4)
            }
            await desk("$HOST --addresses @hosts.txt").expect(.data, not: "s3cr3t")
        }
    }
}

@Suite(.endsSomeTime) struct TargetListTests {
    @Test func aLineThatIsTooLongIsRefusedByItsLength() async throws {
        let line = String(repeating: "x", count: 150_000)
        for (list, place) in [
            ("127.0.0.1:1\r\n# a\r\(line)\n", "3: 150000"), (line, "1: 150000"),
            ("\n\n127.0.0.1:1 pins=\(line)", "3: 150017"),
        ] {
            let outcome = await pincheck(["--targets", "-"], input: list.bytes).expect(.data)
            #expect(outcome.errors == "Error: standard input:\(place) characters; write one target a line\n")
        }
    }

    @Test func aListIsAddedToTheTargetsThatAreNamed() async throws {
        try await Desk.serving { desk, _ in
            let piped = await desk(
                "CHECK --targets -", input: "\u{FEFF}$SERVER host=$HOST\r\n$HOST connect=$SERVER\r\n"
            ).expect(.pass)
            #expect(piped.output.split(separator: "\n").count { $0.hasPrefix("PASS") } == 3)
        }
    }
}
