import LoopbackLab
@testable import PinCheckCLI
import Testing

/// Checks through proxies, as command lines show them; `$SERVER` is the proxy.
@Suite(.endsSomeTime) struct ProxyCommandTests {
    private func settings(_ speech: ProxySettings.Speech = .http, _ change: (inout ProxySettings) -> Void = { _ in })
        -> ProxySettings
    { ProxySettings(speech, to: TLSServerSettings(presenting: served)).with(change) }

    /// What a check through a proxy says, and what the proxy saw.
    private func check(through settings: ProxySettings, _ arguments: String, environment: [String: String] = [:])
        async throws -> (outcome: Outcome, seen: [ConnectionObservation])
    {
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

    /// What is given, the variables of the environment, whether the proxy is asked, and what is said.
    @Test(arguments: [
        ("", ["HTTPS_PROXY": "http://alice:sesame@$SERVER"], true, "pass trusted-without-pins: : \"HTTPS_PROXY\""),
        (
            "--no-proxy --connect 127.0.0.1:1", ["HTTPS_PROXY": "http://alice:sesame@$SERVER"], false,
            "unreachable refused: \"proxy\" : null"
        ),
        (
            "--connect 127.0.0.1:1", ["HTTPS_PROXY": "http://alice:sesame@$SERVER", "no_proxy": "example.com"], false,
            "unreachable refused: \"proxy\" : null"
        ), ("", ["ALL_PROXY": "gopher://x:sesame@$SERVER"], false, "usage: ALL_PROXY"),
        (
            "--proxy http://alice:wrong-sesame@$SERVER --explain", [:], true,
            "unreachable proxy-authentication: does not take the name and the password it was given; check them"
        ), ("--proxy http://$SERVER", [:], true, "unreachable proxy-authentication"),
    ]) func aGuardedProxyIsNamedByTheEnvironmentAndItsUserNeverShown(
        arguments: String, environment: [String: String], isAsked: Bool, end: String
    ) async throws {
        try await Desk.serving(.proxy(settings { $0.user = ("alice", "sesame") })) { desk, server in
            await desk.expect("$HOST --anchors @root.pem \(arguments)", end, environment: environment).says(
                not: "sesame")
            #expect(server.connections.isEmpty != isAsked)
        }
    }

    @Test func aPasswordThatAProxyRepeatsIsInNoForm() async throws {
        let echo = settings { $0.answer = .refusal("HTTP/1.1 502 alice:sesame YWxpY2U6c2VzYW1l\r\n\r\n".bytes) }
        try await Desk.serving(.proxy(echo)) { desk, _ in
            for form in OutputForm.allCases.map(\.rawValue) {
                await desk("$HOST --proxy http://alice:sesame@$SERVER --verbose -f \(form)").expect(
                    .unreachable, told: "502", not: "sesame", "YWxpY2U6c2VzYW1l")
            }
        }
    }

    @Test func anIssuerThatNobodyKnowsMayBeTheProxys() async throws {
        let own = settings { $0.server = TLSServerSettings(presenting: [pki.rogue]) }
        try await check(through: own, "--proxy http://$SERVER").outcome.expect(
            "fail unknown-issuer", "may have replaced the certificate: check with --no-proxy, or give its root with",
            not: "must send")
    }

    @Test func whatMendsTheCertificateOfAProxyFollowsItsReason() async throws {
        let environment = ["SSL_CERT_FILE": "$DIR/other.pem", "SSL_CERT_DIR": "$DIR/none"]
        let ended = CertificateTemplate.leaf("127.0.0.1").with { $0.notAfter = LabClock.now - LabClock.day }
        for (template, words) in [(.leaf("proxy.example"), "name it by proxy.example"), (ended, "renew it")]
            as [(CertificateTemplate, String)]
        {
            let own = settings {
                $0.tls = TLSServerSettings(presenting: [try! pki.rogueI.issue(template), pki.rogueI])
            }
            try await check(through: own, "--proxy https://$SERVER", environment: environment).outcome.expect(
                "unreachable proxy-untrusted", words, not: "install its root")
        }
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
        let staple = try StatusResponse().with { $0.status = .revoked(at: LabClock.now - LabClock.day, reason: 1) }.der(
            about: leaf, from: pki.rogueI)
        let revoked = own.with { $0.tls?.staple = staple }
        let refused = try await check(through: revoked, through + "$LEAF", environment: environment)
        refused.outcome.expect("unreachable proxy-untrusted", "was revoked")
        #expect(refused.seen.flatMap(\.proxiedPlaces).isEmpty)
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
                let results = try outcome.results
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
            await desk.expect("pins $HOST --anchors @root.pem \(through)", "pass: sha256/")
            await desk("snapshot $HOST -o @base.json \(through)").expect(.pass)
            await desk("diff @base.json --anchors @root.pem \(through)").expect(.pass)
            #expect(server.connections.count == 3)
        }
    }
}
