import LoopbackLab
@testable import PinCheckCLI
import PinChecking
import Pinning
import Testing

/// The request that follows an acceptance, as whole command lines.
@Suite(.endsSomeTime) struct RequestCommandTests {
    private static func answer(_ line: String) -> Responder { .answers("\(line)\r\nContent-Length: 0\r\n\r\n".bytes) }

    private func behavior(_ application: Responder, _ change: (inout TLSServerSettings) -> Void = { _ in })
        -> ServerBehavior
    { .tls(TLSServerSettings(presenting: served).with { $0.application = application }.with(change)) }

    private func serving(
        _ application: Responder, _ change: (inout TLSServerSettings) -> Void = { _ in },
        _ body: (_ desk: Desk, _ server: LoopbackServer) async throws -> Void
    ) async throws { try await Desk.serving(behavior(application, change), [:], body) }

    @Test func aQueryIsSentAndNeverShown() async throws {
        for status in ["200 OK", "500 No"] {
            try await serving(Self.answer("HTTP/1.1 \(status)")) { desk, server in
                for form in OutputForm.allCases.map(\.rawValue) {
                    await desk("CHECK --request /health?token=sesame --verbose -f \(form)").says(not: "sesame")
                }
                #expect(server.connections.allSatisfy { $0.request.hasPrefix("GET /health?token=sesame HTTP/1.1") })
            }
        }
    }

    @Test(arguments: [
        (nil, "pass trusted-without-pins"), ("200,503", "pass trusted-without-pins"), ("2xx", "fail unexpected-status"),
    ]) func theStatusDecidesWhereOneIsExpected(expected: String?, decision: String) async throws {
        try await serving(Self.answer("HTTP/1.1 503 Busy")) { desk, _ in
            let options = expected.map { " --expect-status \($0)" } ?? ""
            let document = try await desk("CHECK --request /health -f json" + options).expect(decision).json
            let passes = decision.hasPrefix("pass")
            #expect(document["verdict"].text == "accept" && document["http"]["asked"].flag == true)
            #expect(document["http"]["status_line"].text == "HTTP/1.1 503 Busy")
            #expect(document["http"]["as_expected"].flag == passes)
            let check = document["checks"].array.last
            #expect(check?["id"].text == "request" && check?["status"].text == (passes ? "pass" : "fail"))
        }
    }

    @Test(
        arguments: Client.all.map { "--client \($0.name) --pins $JUNK --pins $ROGUE" } + [
            "--verify-name www.example.org", "--fail-before 7d --pins $JUNK",
            "--client afnetworking,curl --mode none --pins $JUNK",
        ]) func nothingIsSentToAServerThatAClientRejects(options: String) async throws
    {
        try await serving(Self.answer("HTTP/1.1 200 OK")) { desk, server in
            let line = "CHECK --request / \(options)"
            let document = try await desk(line + " --expect-status 2xx -f json").expect(.fail).json
            #expect(document["verdict"].text == "reject" && document["http"]["asked"].flag == false)
            #expect(document["http"]["as_expected"].isNull && document["checks"].array.last?["status"].text == "skip")
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.completedHandshake && seen.applicationOpening.isEmpty && seen.receivedCloseNotify)
            await desk(line).says("\n  GET /: not asked, since the server is not accepted\n")
        }
    }

    @Test func withoutTheFlagNothingIsSentAndNothingOffered() async throws {
        try await serving(Self.answer("HTTP/1.1 200 OK"), { $0.applicationProtocols = ["http/1.1"] }) { desk, server in
            #expect(try await desk("CHECK -f json").expect(.pass).json["http"].isNull)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.applicationOpening.isEmpty && seen.applicationProtocol == nil)
            // A baseline without a request is the same with one.
            await desk("snapshot $HOST --connect $SERVER -o @base.json").expect(.pass)
            await desk("CHECK --request / --baseline @base.json").expect(.pass)
        }
        let outcome = await pincheck("127.0.0.1:1", "--request", "/", "-f", "json").expect("unreachable refused")
        #expect(try outcome.json["http"]["asked"].flag == false)
        #expect(!(await pincheck("127.0.0.1:1", "--request", "/").output.contains("GET")))
    }

    /// A target, the server name that is sent for it, and the host that is asked for.
    @Test(
        arguments: [
            ("$HOST --connect $SERVER", "$HOST", "$HOST"), ("$HOST:8443 --connect $SERVER", "$HOST", "$HOST:8443"),
            ("https://$HOST/ignored --connect $SERVER", "$HOST", "$HOST"),
            ("$HOST --connect-to ::127.0.0.1:$PORT", "$HOST", "$HOST"),
            ("$HOST:$PORT --resolve $HOST:$PORT:127.0.0.1", "$HOST", "$HOST:$PORT"),
            ("https://$SERVER/ --host $HOST", nil, "$HOST"),
            ("https://$SERVER/ --host $HOST:$PORT", nil, "$HOST:$PORT"),
            ("https://$SERVER/path --header 'Host: $HOST'", nil, "$HOST"),
            ("https://$SERVER/ --host $HOST --sni $HOST", "$HOST", "$HOST"), ("$SERVER --host $HOST:443", nil, "$HOST"),
            ("$SERVER --host $HOST:81", nil, "$HOST:81"), ("192.0.2.1 --connect $SERVER --host $HOST", nil, "$HOST"),
            ("$HOST --connect $SERVER --host other.example --verify-name $HOST", "$HOST", "other.example"),
            ("$HOST --connect $SERVER --host Bücher.example --verify-name $HOST", "$HOST", "xn--bcher-kva.example"),
            ("$SERVER --verify-name $HOST", nil, "$SERVER"),
            ("[2001:db8::1] --connect $SERVER --verify-name $HOST", nil, "[2001:db8::1]"),
            ("$HOST --connect $SERVER --sni other.example", "other.example", "$HOST"),
            ("$HOST --connect $SERVER --no-sni", nil, "$HOST"),
        ] as [(String, String?, String)]) func theTargetDecidesTheServerNameAndTheHostHeader(
            arguments: String, sent: String?, asked: String
        ) async throws
    {
        try await serving(Self.answer("HTTP/1.1 200 OK")) { desk, server in
            let outcome = await desk(arguments + " --anchors @root.pem --request /a?b=c -f json").expect(.pass)
            let (name, host) = (sent.map(desk.expand), desk.expand(asked))
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.serverName == name)
            #expect(seen.request.hasPrefix("GET /a?b=c HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: pincheck\r\n"))
            let document = try outcome.json
            #expect(document["endpoint"]["sni"].text == name && document["http"]["host"].text == host)
        }
    }

    @Test(arguments: [["h2", "http/1.1"], []]) func theRequestIsOfferedAsHTTP1(protocols: [String]) async throws {
        try await serving(Self.answer("HTTP/1.1 200 OK"), { $0.applicationProtocols = protocols }) { desk, server in
            let outcome = await desk("CHECK --request / -f json").expect(.pass)
            #expect(await server.connections(ended: 1).first?.applicationProtocol == protocols.last)
            let document = try outcome.json
            #expect(document["tls"]["alpn"].text == protocols.last)
        }
    }

    @Test func everyWayNotToAnswerHasOneReason() async throws {
        for (application, words) in [
            (Self.answer("SSH-2.0-x"), "does not begin with a status line"),
            (.answers("HTTP/1.1 2".bytes, .silence), "the server did not answer in time; raise --timeout"),
        ] as [(Responder, String)] {
            try await serving(application) { desk, server in
                await desk("CHECK --request /x --timeout 1 --retries 5 -f json").expect(
                    "fail no-http-answer", "accepted, but GET /x has no HTTP answer: ", words, "\"status\" : null",
                    "\"problem\" : \"")
                // There was a verdict: nothing is tried again.
                #expect(await server.connections(ended: 1).count == 1)
            }
        }
    }

    @Test func aServerThatWantsAClientCertificateIsToldApart() async throws {
        try await serving(Self.answer("HTTP/1.1 200 OK"), { $0.clientCertificate = .required }) { desk, _ in
            await desk("CHECK --request / -f json").expect("fail no-http-answer", "; give one with --cert\"")
            let client = try pki.interA.issue(.leaf("client.example.com"))
            try desk.write(try client.pem + client.key.privateKeyPEM(), to: "client.pem")
            await desk("CHECK --request / --cert @client.pem -f json").expect("pass trusted-without-pins").says(
                not: "client-certificate-re")
        }
    }

    /// Asks servers of these answers on 127.0.0.2 and 127.0.0.3.
    private func edges(_ answers: Responder..., asking options: String) async throws -> (Outcome, [LoopbackServer]) {
        try await LoopbackServer.serving(all: answers.map { behavior($0) }, onOnePort: true) { servers in
            let line = "$HOST:$PORT --addresses - --anchors @root.pem --request / " + options
            return (await (try Desk(port: servers[0].port))(line, input: "127.0.0.2;127.0.0.3").expect(.fail), servers)
        }
    }

    @Test func everyAddressIsAskedOnceWhateverElseIsLookedAt() async throws {
        let (outcome, servers) = try await edges(
            Self.answer("HTTP/1.1 200 OK"), Self.answer("HTTP/1.1 503 Busy"), asking: "--expect-status 200 --thorough")
        outcome.says(
            "\n  GET /: HTTP/1.1 503 Busy   (127.0.0.3)\n",
            "FAIL  127.0.0.3 (ordinary): accepted, but GET / is answered by ",
            " accepted, 1 without the expected answer; accepted, but GET / is answered by ", ending: " (127.0.0.3)\n",
            not: "consistent")
        let failed = outcome.output.split(separator: "\n").count { $0.drop { $0 == " " }.hasPrefix("FAIL") }
        #expect(failed == 2, "\(outcome.output)")
        for server in servers {
            #expect(server.connections.count { !$0.applicationOpening.isEmpty } == 1)
            #expect(server.connections.count > 1)
        }
    }

    @Test func anAddressThatDoesNotAnswerHoldsUpNoOther() async throws {
        let (outcome, _) = try await edges(
            .answers("HTTP/1.1 2".bytes, .silence), Self.answer("HTTP/1.1 200 OK"), asking: "--timeout 2 -f json")
        let results = try outcome.results
        #expect(results.map { $0["verdict"].text } == ["accept", "accept"])
        #expect(results.map { $0["reason"]["id"].text } == ["no-http-answer", "trusted-without-pins"])
        #expect(results.map { $0["http"]["status"].number } == [nil, 200])
    }

    @Test func aPolicySaysWhatIsAskedWhereItIsJudged() async throws {
        try await serving(Self.answer("HTTP/1.1 204 x")) { desk, server in
            try desk.write(
                """
                { defaults: { anchors: "root.pem", request: "/health", expectStatus: [200, "3xx"] },
                  hosts: { "$SERVER": { host: "$HOST" } } }
                """, to: "pins.json5")
            await desk.expect("--policy @pins.json5", "fail unexpected-status")
            await desk.expect("--policy @pins.json5 --expect-status 204", "pass trusted-without-pins")
            let head = "GET /health HTTP/1.1\r\nHost: \(host)\r\n"
            #expect(await server.connections(ended: 2).last?.request.hasPrefix(head) == true)
            // To record is not to judge, and `diff` judges what a policy says.
            await desk("snapshot --policy @pins.json5 -o @old.json").expect(.pass)
            #expect(await server.connections(ended: 3).last?.applicationOpening.isEmpty == true)
            await desk.expect("diff @old.json --policy @pins.json5", "fail unexpected-status")
        }
    }

    @Test(arguments: ["verify", "pins", "snapshot", "diff", "lint", "clients", "devices"])
    func commandsWithoutAVerdictOnAConnectionDoNotKnowIt(command: String) async {
        for option in ["--request", "--expect-status"] { await pincheck(command, "x", option, "/").expect(.usage) }
    }

    @Test func aFileIsAskedNothing() async throws {
        try await serving(Self.answer("HTTP/1.1 200 OK")) { desk, _ in
            await desk.expect(
                "--next @leaf.pem --pins $LEAF --host $HOST --request /",
                "usage: a file answers no request: name a target beside --next, or leave out --request")
            let results = try await desk("CHECK --next @chain.pem --pins $LEAF --request / -f json").expect(.pass)
                .results
            #expect(results.map { $0["http"]["status"].number } == [200, nil])
        }
    }
}
