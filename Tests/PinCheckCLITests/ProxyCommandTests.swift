import LoopbackLab
import PinCheckCLI
import Testing

/// Checks through proxies, as command lines show them; `$SERVER` is the proxy. How it is read is proven by `ProxyChoiceTests`.
@Suite(.endsSomeTime) struct ProxyCommandTests {
    private let host = StandardPKI.serverName

    private func settings(
        _ speech: ProxySettings.Speech = .http, _ change: (inout ProxySettings) -> Void = { _ in }
    ) -> ProxySettings {
        ProxySettings(speech, to: TLSServerSettings(presenting: [pki.leaf, pki.interA])).with(change)
    }

    /// What a check through a proxy says, and what the proxy saw.
    private func check(
        through settings: ProxySettings, _ arguments: String, environment: [String: String] = [:]
    ) async throws -> (outcome: Outcome, seen: [ConnectionObservation]) {
        try await Desk.serving(.proxy(settings)) { desk, server in
            let line = "$HOST --anchors @root.pem -f json " + arguments
            return (await desk(line, environment: environment), server.connections)
        }
    }

    @Test(arguments: [("http", ProxySettings.Speech.http), ("socks5h", .socks5)])
    func aServerBehindAProxyIsJudgedAndTheProxyIsNamed(scheme: String, speech: ProxySettings.Speech) async throws {
        let (outcome, seen) = try await check(
            through: settings(speech), "--proxy \(scheme)://$SERVER --pins $LEAF -f text=@out")
        let report = try JSONValue(outcome.expect("pass pin-matched").output)
        #expect(report["proxy"]["url"].text?.hasPrefix("\(scheme)://127.0.0.1:") == true)
        #expect(report["proxy"]["origin"].text == "--proxy" && report["proxy"]["tls"].isNull)
        #expect(report["endpoint"]["address"].isNull && report["tls"]["timings_ms"]["proxy"].number != nil)
        let phases = report["checks"].array.prefix(4).map { "\($0["id"].text ?? "") \($0["status"].text ?? "")" }
        #expect(phases == ["resolve skip", "connect pass", "proxy pass", "handshake pass"])
        #expect(seen.map(\.proxiedPlaces) == [["\(host):443"]])
    }

    @Test func theEnvironmentNamesAProxyUnlessItIsToldNotTo() async throws {
        let environment = ["HTTPS_PROXY": "http://alice:sesame-street@$SERVER"]
        let guarded = settings { $0.user = ("alice", "sesame-street") }
        try await check(through: guarded, "", environment: environment).outcome.expect(
            .pass, "\"origin\" : \"HTTPS_PROXY\"", not: "sesame", "alice")
        for (arguments, more) in [("--no-proxy", [:]), ("", ["no_proxy": "example.com"])] {
            let (outcome, seen) = try await check(
                through: guarded, "--connect 127.0.0.1:1 " + arguments, environment: environment.merging(more) { $1 })
            outcome.expect(.unreachable, "\"proxy\" : null")
            #expect(seen.isEmpty)
        }
        try await check(through: guarded, "", environment: ["ALL_PROXY": "gopher://x:sesame@$SERVER"]).outcome.expect(
            .usage, errors: "ALL_PROXY", not: "sesame")
    }

    @Test func aWrongUserIsNeverShown() async throws {
        let guarded = settings { $0.user = ("alice", "sesame-street") }
        for user in ["alice:wrong-street@", "alice@", ""] {
            try await check(through: guarded, "--proxy http://\(user)$SERVER --explain").outcome.expect(
                .unreachable, "\"proxy-authentication\"", not: "street")
        }
        // A wrong password that is answered as by an origin server is one too.
        let tinyproxy = settings { $0.answer = .refusal(Array("HTTP/1.0 401 Unauthorized\r\n\r\n".utf8)) }
        try await check(through: tinyproxy, "--proxy http://alice:wrong@$SERVER").outcome.expect(
            "unreachable proxy-authentication", "does not take the name and the password it was given; check them")
    }

    @Test func pinsAreNeverHeldAgainstAProxysOwnChain() async throws {
        let leaf = try pki.rogueI.issue(.leaf("127.0.0.1"))
        let own = settings { $0.tls = TLSServerSettings(presenting: [leaf, pki.rogueI]) }
        let environment = ["SSL_CERT_FILE": "$DIR/other.pem", "SSL_CERT_DIR": "$DIR/none"]
        let through = "--proxy https://$SERVER --pins "
        let accepted = try await check(through: own, through + "$LEAF", environment: environment).outcome
        let report = try JSONValue(accepted.expect("pass pin-matched").output)
        #expect(report["proxy"]["tls"]["version"].text == "TLSv1.3")
        let keys = report["presented"].array.compactMap { $0["spki_sha256"].text }
        #expect(keys.count == 2 && !keys.contains(pki.rogueI.pin))
        try await check(through: own, through + pki.rogueI.pin, environment: environment).outcome.expect(
            "fail pin-mismatch")
        // The anchors of the targets say nothing about a proxy.
        let (untrusted, seen) = try await check(through: own, through + "$LEAF")
        untrusted.expect(.unreachable, "\"proxy-untrusted\"")
        #expect(seen.flatMap(\.proxiedPlaces).isEmpty)
    }

    @Test func listsAndPoliciesNameProxies() async throws {
        let texts = [
            "list": "$HOST proxy=http://$SERVER\n$HOST no-proxy connect=127.0.0.1:1\n",
            "policy":
                "{ hosts: { '$HOST': { proxy: 'http://$SERVER' }, 'b.example': { proxy: false, connect: '127.0.0.1:1' } } }",
        ]
        try await Desk.serving(.proxy(settings()), texts) { desk, _ in
            for (option, name) in [("--targets", "list"), ("--policy", "policy")] {
                let outcome = await desk(
                    "\(option) @\(name) --anchors @root.pem -f json", environment: ["HTTPS_PROXY": "http://127.0.0.1:1"]
                )
                let results = try JSONValue(outcome.output)["results"].array
                #expect(results.first?["verdict"].text == "accept", "\(outcome)")
                #expect(results.first?["proxy"]["origin"].text?.contains("\(desk.files.path)/\(name)") == true)
                #expect(results.last?["proxy"].isNull == true && results.last?["reason"]["id"].text == "refused")
            }
            await desk("--targets -", input: "$HOST proxy=http://$SERVER no-proxy\n").says(
                errors: "proxy= and no-proxy exclude each other")
        }
    }

    @Test func otherCommandsGoThroughProxiesToo() async throws {
        try await Desk.serving(.proxy(settings(.socks5))) { desk, server in
            let through = "--proxy socks5h://$SERVER"
            await desk("pins $HOST --anchors @root.pem \(through)").expect(.pass, "sha256/")
            await desk("snapshot $HOST -o @base.json \(through)").expect(.pass)
            await desk("diff @base.json --anchors @root.pem \(through)").expect(.pass)
            #expect(server.connections.count == 3)
        }
    }

    @Test(arguments: ["text", "json", "nagios", "prometheus", "junit", "github"])
    func aFailureOfTheProxyIsToldInEveryForm(form: String) async throws {
        let refusing = settings { $0.answer = .refusal(Array("HTTP/1.1 403 No \u{1B}[31mway\r\n\r\n".utf8)) }
        try await check(through: refusing, "--proxy $SERVER -f \(form)=@x").outcome.says(
            "proxy-refused", "did not connect to '\(host):443': it answered", not: "\u{1B}")
    }
}
