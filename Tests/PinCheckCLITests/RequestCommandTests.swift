import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// The request that follows an acceptance, as whole command lines.
@Suite(.endsSomeTime) struct RequestCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func answer(_ line: String) -> [UInt8] { Array("\(line)\r\nContent-Length: 0\r\n\r\n".utf8) }

    private func settings(_ application: TLSServerSettings.Application) -> TLSServerSettings {
        TLSServerSettings(presenting: [pki.leaf, pki.interA]).with { $0.application = application }
    }

    /// Runs with a server, the start of a command line that accepts it, and a directory with the root in it.
    private func serving<Value: Sendable>(
        _ application: TLSServerSettings.Application, delivery: ServerBehavior.Delivery = .immediate,
        _ change: (inout TLSServerSettings) -> Void = { _ in },
        _ body: (_ server: LoopbackServer, _ base: [String], _ files: TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let behavior = ServerBehavior.tls(settings(application).with(change), delivery: delivery)
            return try await LoopbackServer.serving(behavior) { server in
                let base = [host, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors]
                return try await body(server, base, files)
            }
        }
    }

    private func request(_ seen: ConnectionObservation?) -> String {
        String(decoding: seen?.applicationOpening ?? [], as: UTF8.self)
    }

    // MARK: The answer and what is expected of it

    @Test(arguments: [
        ("HTTP/1.1 200 OK", nil, "pass trusted"), ("HTTP/1.1 503 Busy", nil, "pass trusted"),
        ("HTTP/1.1 200 OK", "2xx", "pass trusted"), ("HTTP/1.1 204", "200-299", "pass trusted"),
        ("HTTP/1.0 304 Not Modified", "200,304", "pass trusted"), ("HTTP/1.1 302 Found", "2XX,3xx", "pass trusted"),
        ("HTTP/1.1 404 Not Found", "404", "pass trusted"), ("HTTP/1.1 418 x", "2xx-4xx", "pass trusted"),
        ("HTTP/1.1 503 Busy", "2xx", "fail unexpected-status"), ("HTTP/1.1 200 OK", "204", "fail unexpected-status"),
        ("HTTP/1.1 300 x", "200-299", "fail unexpected-status"), ("HTTP/1.1 199 x", "1xx", "fail no-http-answer"),
        ("HTTP/1.1 999 x", "5xx", "fail unexpected-status"), ("220 ready", nil, "fail no-http-answer"),
        ("220 ready", "2xx", "fail no-http-answer"), ("HTTP/2 200", nil, "fail no-http-answer"),
    ]) func theStatusDecidesOnlyWhereOneIsExpectedAndAnAnswerAlways(line: String, expected: String?, decision: String)
        async throws
    {
        try await serving(.answers(answer(line))) { _, base, _ in
            let options = ["--request", "/health", "-f", "json"] + (expected.map { ["--expect-status", $0] } ?? [])
            let outcome = await pincheck(base + options)
            #expect(outcome.decision == decision.replacing("trusted", with: "trusted-without-pins"))
            let document = try JSONValue(outcome.output)
            #expect(document["verdict"].text == "accept")
            #expect(document["http"]["asked"].flag == true)
            let isAnswered = !decision.hasSuffix("no-http-answer")
            #expect(document["http"]["status_line"].text == (isAnswered ? line : nil))
            #expect(document["http"]["as_expected"].flag == decision.hasPrefix("pass"))
            let check = document["checks"].array.last
            #expect(check?["id"].text == "request")
            #expect(check?["status"].text == (decision.hasPrefix("pass") ? "pass" : "fail"))
        }
    }

    @Test func theReasonSaysWhatWasAskedWhatCameAndWhatWasExpected() async throws {
        _ = try await serving(.answers(answer("HTTP/1.1 503 Service Unavailable"))) { _, base, _ in
            await pincheck(base + ["--request", "/health", "--expect-status", "2xx,304"]).says(
                ending: "  GET /health: HTTP/1.1 503 Service Unavailable\n"
                    + "FAIL  \(host):443 → \(base[2])  accepted, but GET /health is answered by "
                    + "HTTP/1.1 503 Service Unavailable, not by 2xx,304\n")
        }
    }

    @Test func anAnswerThatIsToBeIsNoFailureOfAnyKind() async throws {
        try await serving(.answers(answer("HTTP/1.1 204 No Content"))) { server, base, _ in
            let options = ["--request", "/", "--expect-status", "204", "--pins", pki.leaf.pin, "--pins", pki.junk.pin]
            await pincheck(base + options + ["--fail-on", "warn"]).expect(
                .pass, "\n  GET /: HTTP/1.1 204 No Content\nPASS  ", errors: "")
            #expect(request(await server.connections(ended: 1).first).hasPrefix("GET / HTTP/1.1\r\nHost: \(host)\r\n"))
        }
    }

    // MARK: When nothing is sent

    @Test(arguments: [
        ["--pins", "JUNK"], ["--verify-name", "www.example.org"], ["--at", "2099-01-01"],
        // One of several clients rejects: okhttp and curl have no pin that matches, android has none at all.
        ["--client", "afnetworking,curl", "--mode", "none", "--pins", "JUNK"],
        ["--client", "okhttp,generic", "--pins", "JUNK"], ["--fail-before", "7d", "--pins", "JUNK"],
    ]) func nothingIsSentToAServerThatAClientRejects(options: [String]) async throws {
        for version in [LoopbackLab.TLSVersion.tls12, .tls13] {
            try await serving(.answers(answer("HTTP/1.1 200 OK")), { $0.maximumVersion = version }) { server, base, _ in
                let words = options.map { $0 == "JUNK" ? pki.junk.pin : $0 }
                let outcome = await pincheck(base + words + ["--request", "/", "--expect-status", "2xx", "-f", "json"])
                    .expect(.fail)
                let document = try JSONValue(outcome.output)
                #expect(document["verdict"].text == "reject")
                #expect(document["http"]["asked"].flag == false)
                #expect(document["http"]["as_expected"].isNull)
                #expect(document["checks"].array.last?["status"].text == "skip")
                let seen = try #require(await server.connections(ended: 1).first)
                #expect(seen.completedHandshake)
                #expect(seen.applicationBytesReceived == 0)
                #expect(seen.receivedCloseNotify)
                await pincheck(base + words + ["--request", "/"]).says(
                    "\n  GET /: not asked, since the server is not accepted\n")
            }
        }
    }

    @Test func withoutTheFlagNothingIsSentAndNothingOffered() async throws {
        try await serving(.answers(answer("HTTP/1.1 200 OK")), { $0.applicationProtocols = ["http/1.1"] }) {
            server, base, _ in
            let outcome = await pincheck(base + ["-f", "json"]).expect(.pass)
            let document = try JSONValue(outcome.output)
            #expect(document["http"].isNull)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.applicationBytesReceived == 0)
            #expect(seen.applicationProtocol == nil)
        }
    }

    @Test func aServerThatCannotBeReachedIsNotAsked() async throws {
        let outcome = await pincheck("127.0.0.1:1", "--request", "/", "-f", "json").expect("unreachable refused")
        let document = try JSONValue(outcome.output)
        #expect(document["http"]["asked"].flag == false)
        #expect(!(await pincheck("127.0.0.1:1", "--request", "/").output.contains("GET")))
    }

    // MARK: Names and protocols

    @Test(arguments: [
        (["HOST", "--connect", "PLACE"], "HOST"), (["HOST:8443", "--connect", "PLACE"], "HOST:8443"),
        (["https://HOST/ignored", "--connect", "PLACE"], "HOST"),
        (["HOST", "--connect-to", "::127.0.0.1:PORT"], "HOST"),
        (["HOST:PORT", "--resolve", "HOST:PORT:127.0.0.1"], "HOST:PORT"),
        (["https://PLACE/", "--host", "HOST"], "HOST"), (["https://PLACE/", "--host", "HOST:PORT"], "HOST:PORT"),
        (["https://PLACE/", "--header", "Host: HOST"], "HOST"), (["PLACE", "--host", "HOST:443"], "HOST"),
        (["PLACE", "--host", "HOST:81"], "HOST:81"),
        (["HOST", "--connect", "PLACE", "--host", "other.example", "--verify-name", "HOST"], "other.example"),
        (["HOST", "--connect", "PLACE", "--host", "Bücher.example", "--verify-name", "HOST"], "xn--bcher-kva.example"),
        (["PLACE", "--verify-name", "HOST"], "PLACE"),
        (["[2001:db8::1]", "--connect", "PLACE", "--verify-name", "HOST"], "[2001:db8::1]"),
        (["HOST", "--connect", "PLACE", "--sni", "other.example"], "HOST"),
    ]) func theHostHeaderIsTheFourthName(arguments: [String], expected: String) async throws {
        try await serving(.answers(answer("HTTP/1.1 200 OK"))) { server, base, _ in
            func words(_ text: String) -> String {
                text.replacing("PLACE", with: "127.0.0.1:\(server.port)").replacing("HOST", with: host).replacing(
                    "PORT", with: "\(server.port)")
            }
            let outcome = await pincheck(arguments.map(words) + base.suffix(2) + ["--request", "/a?b=c", "-f", "json"])
                .expect(.pass)
            let seen = await server.connections(ended: 1).map(request)
            #expect(
                seen.first?.hasPrefix("GET /a?b=c HTTP/1.1\r\nHost: \(words(expected))\r\nUser-Agent: pincheck\r\n")
                    == true)
            let document = try JSONValue(outcome.output)
            #expect(document["http"]["host"].text == words(expected))
        }
    }

    @Test(arguments: [["h2", "http/1.1"], []]) func theRequestIsOfferedAsHTTP1(protocols: [String]) async throws {
        try await serving(.answers(answer("HTTP/1.1 200 OK")), { $0.applicationProtocols = protocols }) {
            server, base, _ in
            let outcome = await pincheck(base + ["--request", "/", "-f", "json"]).expect(.pass)
            #expect(await server.connections(ended: 1).first?.applicationProtocol == protocols.last)
            let document = try JSONValue(outcome.output)
            #expect(document["tls"]["alpn"].text == protocols.last)
            #expect(await pincheck(base + ["--request", "/", "--alpn", "http/1.1"]).status == .pass)
        }
    }

    // MARK: No answer

    @Test func everyWayNotToAnswerHasOneReason() async throws {
        let cases: [(TLSServerSettings.Application, String)] = [
            (.answers([]), "closed the connection without a word"),
            (.answers(Array("HTTP/1.1 200".utf8)), "closed the connection after 12 bytes of a head"),
            (.answers(answer("SSH-2.0-x")), "does not begin with a status line"),
            (
                .goesOn([], repeating: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)),
                "no end of a head within 65536 bytes"
            ),
            (
                .goesOn(Array("HTTP/1.1 200 OK\r\n".utf8), repeating: Array("A: b\r\n".utf8)),
                "no end of a head within 65536 bytes"
            ), (.goesOn(Array("HTTP/1.1 200 ".utf8), repeating: [0x78]), "no end of a head within 8000 bytes"),
        ]
        for (application, words) in cases {
            try await serving(application) { _, base, _ in
                for expected in [[], ["--expect-status", "2xx"]] {
                    let outcome = await pincheck(base + ["--request", "/x", "-f", "json"] + expected).expect(
                        "fail no-http-answer")
                    let document = try JSONValue(outcome.output)
                    let message = document["reason"]["message"].text ?? ""
                    #expect(message.hasPrefix("accepted, but GET /x has no HTTP answer: "), "\(message)")
                    #expect(message.contains(words), "\(message)")
                    #expect(document["http"]["problem"].text?.contains(words) == true)
                    #expect(document["http"]["status"].isNull)
                }
            }
        }
    }

    @Test func aServerThatDoesNotAnswerInTimeIsNotWaitedFor() async throws {
        try await serving(.goesOn(Array("HTTP/1.1 2".utf8))) { server, base, _ in
            let outcome = await pincheck(base + ["--request", "/", "--timeout", "1", "--retries", "5", "-f", "json"])
                .expect("fail no-http-answer")
            let message = try JSONValue(outcome.output)["reason"]["message"].text
            #expect(
                message == "accepted, but GET / has no HTTP answer: the server did not answer in time; raise --timeout")
            // There was a verdict: nothing is tried again.
            #expect(await server.connections(ended: 1).count == 1)
        }
    }

    @Test func aServerThatWantsAClientCertificateIsToldApart() async throws {
        for version in [LoopbackLab.TLSVersion.tls12, .tls13] {
            let change: (inout TLSServerSettings) -> Void = {
                $0.clientCertificate = .required
                $0.maximumVersion = version
            }
            try await serving(.answers(answer("HTTP/1.1 200 OK")), change) { _, base, files in
                let outcome = await pincheck(base + ["--request", "/", "-f", "json"]).expect("fail no-http-answer")
                let message = try JSONValue(outcome.output)["reason"]["message"].text ?? ""
                #expect(message.hasSuffix("; give one with --cert"), "\(message)")
                let client = try pki.interA.issue(.leaf("client.example.com"))
                let both = try files.write(try client.pem + client.key.privateKeyPEM(), to: "client.pem")
                #expect(await decision(base + ["--request", "/", "--cert", both]) == "pass trusted-without-pins")
            }
        }
    }

    // MARK: What else decides

    @Test func aRejectionAndWhatEndsSooner() async throws {
        try await serving(.answers(answer("HTTP/1.1 503 Busy"))) { _, base, files in
            let ask = base + ["--request", "/", "--expect-status", "2xx"]
            #expect(await decision(ask + ["--pins", pki.junk.pin]) == "fail pin-mismatch")
            // What is the case now goes before what is ahead, and before what changed.
            #expect(await decision(ask + ["--fail-before", "100%"]) == "fail unexpected-status")
            let old = try await LoopbackServer.serving(.presenting([pki.leaf2, pki.interA])) { other in
                await pincheck("snapshot", host, "--connect", "127.0.0.1:\(other.port)")
            }
            let baseline = try files.write(old.output, to: "old.json")
            #expect(await decision(base + ["--request", "/", "--baseline", baseline]) == "changed changed")
            #expect(await decision(ask + ["--baseline", baseline]) == "fail unexpected-status")
        }
    }

    @Test func aBaselineWithoutARequestIsTheSameWithOne() async throws {
        try await serving(.answers(answer("HTTP/1.1 200 OK")), { $0.applicationProtocols = ["http/1.1"] }) {
            _, base, files in
            let recorded = await pincheck(["snapshot"] + base.prefix(3))
            let baseline = try files.write(recorded.output, to: "now.json")
            #expect(await pincheck(base + ["--request", "/", "--baseline", baseline]).status == .pass)
        }
    }

    // MARK: Several

    @Test func everyAddressIsAskedOnceWhateverElseIsLookedAt() async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let good = ServerBehavior.tls(settings(.answers(answer("HTTP/1.1 200 OK"))))
            let bad = ServerBehavior.tls(settings(.answers(answer("HTTP/1.1 503 Busy"))))
            try await LoopbackServer.serving(good, address: "127.0.0.2") { first in
                try await LoopbackServer.serving(bad, address: "127.0.0.3", port: first.port) { second in
                    let base = [
                        "\(host):\(first.port)", "--addresses", "-", "--anchors", anchors, "--request", "/",
                        "--expect-status", "200", "--thorough",
                    ]
                    let outcome = await pincheck(base, input: Array("127.0.0.2;127.0.0.3".utf8)).expect(.fail)
                    let lines = outcome.output.split(separator: "\n")
                    let failed = lines.filter { $0.drop { $0 == " " }.hasPrefix("FAIL") }
                    #expect(failed.count == 2, "\(outcome.output)")
                    #expect(
                        failed.first?.contains("  127.0.0.3 (ordinary): accepted, but GET / is answered by ") == true)
                    #expect(lines.contains("  GET /: HTTP/1.1 503 Busy   (127.0.0.3)"), "\(outcome.output)")
                    #expect(
                        lines.last?.hasSuffix(" accepted, 1 without the expected answer; consistent") == true,
                        "\(lines.last ?? "")")
                    for server in [first, second] {
                        let asked = server.connections.filter { $0.applicationBytesReceived > 0 }
                        #expect(asked.count == 1)
                        #expect(server.connections.count > 1)
                    }
                }
            }
        }
    }

    @Test func anAddressThatDoesNotAnswerHoldsUpNoOther() async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let silent = ServerBehavior.tls(settings(.goesOn(Array("HTTP/1.1 2".utf8))))
            let good = ServerBehavior.tls(settings(.answers(answer("HTTP/1.1 200 OK"))))
            try await LoopbackServer.serving(silent, address: "127.0.0.2") { first in
                try await LoopbackServer.serving(good, address: "127.0.0.3", port: first.port) { _ in
                    let outcome = await pincheck(
                        ["\(host):\(first.port)", "--addresses", "-", "--anchors", anchors, "--request", "/"] + [
                            "--timeout", "2", "-f", "json",
                        ], input: Array("127.0.0.2;127.0.0.3".utf8)
                    ).expect(.fail)
                    let results = try JSONValue(outcome.output)["results"].array
                    #expect(results.map { $0["verdict"].text } == ["accept", "accept"])
                    #expect(results.map { $0["reason"]["id"].text } == ["no-http-answer", "trusted-without-pins"])
                    #expect(results.map { $0["http"]["status"].number } == [nil, 200])
                }
            }
        }
    }

    @Test func aListAndAPolicySayWhatEachTargetIsAsked() async throws {
        try await serving(.answers(answer("HTTP/1.1 204 x"))) { server, base, files in
            let place = "127.0.0.1:\(server.port)"
            let list = try files.write(
                "\(place) host=\(host) request=/a expect-status=204,304\n\(place) host=\(host) request=/b expect-status=2xx\n\(place) host=\(host)\n",
                to: "hosts.txt")
            await pincheck(["--targets", list, "--jobs", "1"] + base.suffix(2)).expect(.pass)
            let seen = await server.connections(ended: 3).map(request)
            #expect(seen.map { $0.prefix { $0 != "\r\n" } } == ["GET /a HTTP/1.1", "GET /b HTTP/1.1", ""])
            let policy = try files.write(
                """
                { defaults: { anchors: "anchors.pem", request: "/health", expectStatus: [200, "3xx"] },
                  hosts: { "\(place)": { host: "\(host)" } } }
                """, to: "pins.json5")
            #expect(await decision(["--policy", policy]) == "fail unexpected-status")
            #expect(await decision(["--policy", policy, "--expect-status", "204"]) == "pass trusted-without-pins")
            #expect(
                request(await server.connections(ended: 5).last).hasPrefix("GET /health HTTP/1.1\r\nHost: \(host)\r\n"))
            // To record is not to judge, and `diff` judges what a policy says.
            let snapshot = await pincheck("snapshot", "--policy", policy).expect(.pass)
            #expect(await server.connections(ended: 6).last?.applicationBytesReceived == 0)
            let baseline = try files.write(snapshot.output, to: "old.json")
            #expect(await decision(["diff", baseline, "--policy", policy]) == "fail unexpected-status")
        }
    }

    // MARK: Forms

    @Test(arguments: ["text", "json", "jsonl", "nagios", "junit", "github", "html"]) func everyFormHasTheStatusLine(
        form: String
    ) async throws {
        try await serving(.answers(answer("HTTP/1.1 202 All Well"))) { _, base, _ in
            await pincheck(base + ["--request", "/health", "--pins", pki.leaf.pin, "--pins", pki.junk.pin, "-f", form])
                .expect(.pass, "HTTP/1.1 202 All Well")
            let bad = await pincheck(base + ["--request", "/health", "--expect-status", "200", "-f", form]).says(
                "HTTP/1.1 202 All Well")
            #expect(
                bad.output.contains("unexpected-status")
                    || bad.output.contains("answered by HTTP/1.1 202 All Well, not by 200"))
        }
    }

    @Test func formsForMachinesHaveStatusAndTime() async throws {
        try await serving(.answers(answer("HTTP/1.1 503 Busy"))) { server, base, _ in
            let ask = base + ["--request", "/"]
            let metrics = await pincheck(ask + ["-f", "prometheus"]).output
            let labels = "{target=\"\(host):443\",address=\"127.0.0.1:\(server.port)\"}"
            #expect(metrics.contains("\npincheck_http_status\(labels) 503\n"), "\(metrics)")
            #expect(metrics.contains("\npincheck_http_answer_seconds\(labels) 0."))
            await pincheck(ask + ["--expect-status", "2xx", "-f", "nagios"]).says(
                " answer_time=0.", starting: "PINCHECK CRITICAL - ")
            let junit = await pincheck(ask + ["--expect-status", "2xx", "-f", "junit"]).output
            #expect(junit.contains("failures=\"1\" errors=\"0\""), "\(junit)")
            #expect(junit.contains("<failure type=\"unexpected-status\"") && junit.contains("GET /: HTTP/1.1 503 Busy"))
        }
    }

    // MARK: Usage

    @Test(arguments: ["verify", "pins", "snapshot", "diff", "lint", "clients", "devices"])
    func commandsWithoutAVerdictOnAConnectionDoNotKnowIt(command: String) async throws {
        for option in [["--request", "/"], ["--expect-status", "2xx"]] {
            #expect(await pincheck([command, "x"] + option).status == .usage, "\(command) \(option)")
        }
    }

    @Test func aFileIsAskedNothing() async throws {
        try await TemporaryDirectory.scoped { files in
            let next = try files.write(pki.leaf.pem, to: "next.pem")
            await pincheck("--next", next, "--pins", pki.leaf.pin, "--host", host, "--request", "/").expect(
                .usage, errors: "a file answers no request: name a target beside --next, or leave out --request")
        }
        try await serving(.answers(answer("HTTP/1.1 200 OK"))) { server, base, files in
            let next = try files.write(pki.leaf.pem + pki.interA.pem, to: "next.pem")
            let outcome = await pincheck(
                base + ["--next", next, "--pins", pki.leaf.pin, "--request", "/", "-f", "json"]
            ).expect(.pass)
            let results = try JSONValue(outcome.output)["results"].array
            #expect(results.map { $0["http"]["status"].number } == [200, nil])
        }
    }
}
