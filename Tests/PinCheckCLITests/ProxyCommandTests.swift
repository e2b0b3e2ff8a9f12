import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// Checks through proxies, as command lines show them.
@Suite(.endsSomeTime) struct ProxyCommandTests {
    let pki: StandardPKI
    private let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func settings(_ speech: ProxySettings.Speech = .http, _ change: (inout ProxySettings) -> Void = { _ in })
        -> ProxySettings
    { ProxySettings(speech, to: TLSServerSettings(presenting: [pki.leaf, pki.interA])).with(change) }

    /// What a check through a proxy says, and what the proxy saw; `PROXY` and `DIR` stand for its place and a directory.
    private func check(
        through settings: ProxySettings, _ arguments: [String], environment: [String: String] = [:],
        files: [String: String] = [:]
    ) async throws -> (outcome: Outcome, seen: [ConnectionObservation]) {
        try await TemporaryDirectory.scoped { directory in
            let root = try directory.write(pki.rootA.pem, to: "root.pem")
            for (name, text) in files { try directory.write(text, to: name) }
            return try await LoopbackServer.serving(.proxy(settings)) { server in
                func filled(_ text: String) -> String {
                    text.replacing("PROXY", with: "127.0.0.1:\(server.port)").replacing("DIR", with: directory.path)
                }
                let outcome = await pincheck(
                    [host, "--anchors", root, "-f", "json"] + arguments.map(filled),
                    environment: environment.mapValues(filled))
                return (outcome, server.connections)
            }
        }
    }

    @Test func aServerBehindAProxyIsJudgedAndTheProxyIsNamed() async throws {
        let pin = "sha256/" + Data(pki.leaf.publicKeySHA256).base64EncodedString()
        for (scheme, speech) in [("http", ProxySettings.Speech.http), ("socks5h", .socks5)] {
            let (outcome, seen) = try await check(
                through: settings(speech), ["--proxy", "\(scheme)://PROXY", "--pins", pin])
            #expect(outcome.decision == "pass pin-matched", "\(outcome)")
            let report = try JSONValue(outcome.output)
            #expect(report["proxy"]["url"].text?.hasPrefix("\(scheme)://127.0.0.1:") == true)
            #expect(report["proxy"]["origin"].text == "--proxy" && report["proxy"]["tls"].isNull)
            #expect(report["endpoint"]["address"].isNull && report["tls"]["timings_ms"]["proxy"].number != nil)
            let phases = report["checks"].array.prefix(4).map { "\($0["id"].text ?? "") \($0["status"].text ?? "")" }
            #expect(phases == ["resolve skip", "connect pass", "proxy pass", "handshake pass"])
            #expect(seen.map(\.proxiedPlaces) == [["\(host):443"]])
        }
        try await check(through: settings(), ["--proxy", "PROXY", "-f", "text=DIR/out"]).outcome.expect(.pass)
    }

    @Test func theEnvironmentNamesAProxyUnlessItIsToldNotTo() async throws {
        let environment = ["HTTPS_PROXY": "http://alice:sesame-street@PROXY"]
        let guarded = settings { $0.user = ("alice", "sesame-street") }
        let (outcome, _) = try await check(through: guarded, [], environment: environment)
        #expect(outcome.status == .pass && outcome.output.contains("\"origin\" : \"HTTPS_PROXY\""), "\(outcome)")
        #expect(!outcome.output.contains("sesame") && !outcome.output.contains("alice"))
        for direct in [["--no-proxy"], []] {
            let (outcome, seen) = try await check(
                through: guarded, ["--connect", "127.0.0.1:1"] + direct,
                environment: environment.merging(direct.isEmpty ? ["no_proxy": "example.com"] : [:]) { $1 })
            #expect(outcome.status == .unreachable && outcome.output.contains("\"proxy\" : null") && seen.isEmpty)
        }
        try await check(through: guarded, [], environment: ["ALL_PROXY": "gopher://x:sesame@PROXY"]).outcome.expect(
            .usage, errors: "ALL_PROXY", not: "sesame")
    }

    @Test func aWrongUserIsNeverShown() async throws {
        let guarded = settings { $0.user = ("alice", "sesame-street") }
        for user in ["alice:wrong-street@", "alice@", ""] {
            let (outcome, _) = try await check(through: guarded, ["--proxy", "http://\(user)PROXY", "--explain"])
            #expect(outcome.status == .unreachable && outcome.output.contains("\"proxy-authentication\""), "\(outcome)")
            #expect(!(outcome.output + outcome.errors).contains("street"))
        }
    }

    @Test func aWrongPasswordThatIsAnsweredAsByAnOriginServerIsOneToo() async throws {
        let tinyproxy = settings { $0.answer = .refusal(Array("HTTP/1.0 401 Unauthorized\r\n\r\n".utf8)) }
        let (outcome, _) = try await check(through: tinyproxy, ["--proxy", "http://alice:wrong@PROXY"])
        #expect(outcome.decision == "unreachable proxy-authentication", "\(outcome)")
        #expect(outcome.output.contains("does not take the name and the password it was given; check them"))
    }

    @Test func pinsAreNeverHeldAgainstAProxysOwnChain() async throws {
        let leaf = try pki.rogueI.issue(.leaf("127.0.0.1"))
        let own = settings { $0.tls = TLSServerSettings(presenting: [leaf, pki.rogueI]) }
        let pin = "sha256/" + Data(pki.leaf.publicKeySHA256).base64EncodedString()
        let proxyPin = "sha256/" + Data(pki.rogueI.publicKeySHA256).base64EncodedString()
        let files = ["system.pem": pki.rootB.pem]
        try await TemporaryDirectory.scoped { directory in
            let system = try directory.write(pki.rootB.pem, to: "system.pem")
            let environment = ["SSL_CERT_FILE": system, "SSL_CERT_DIR": directory.path + "/none"]
            let through = ["--proxy", "https://PROXY", "--pins"]
            let (accepted, _) = try await check(through: own, through + [pin], environment: environment, files: files)
            #expect(accepted.decision == "pass pin-matched", "\(accepted)")
            let report = try JSONValue(accepted.output)
            #expect(report["proxy"]["tls"]["version"].text == "TLSv1.3")
            let keys = report["presented"].array.compactMap { $0["spki_sha256"].text }
            #expect(keys.count == 2 && !keys.contains(proxyPin))
            let (rejected, _) = try await check(through: own, through + [proxyPin], environment: environment)
            #expect(rejected.decision == "fail pin-mismatch", "\(rejected)")
            // The anchors of the targets say nothing about a proxy.
            let (untrusted, seen) = try await check(
                through: own, through + [pin], environment: ["SSL_CERT_FILE": "/nonexistent"])
            #expect(
                untrusted.status == .unreachable && untrusted.output.contains("\"proxy-untrusted\""), "\(untrusted)")
            let asked = seen.flatMap(\.proxiedPlaces)
            #expect(asked.isEmpty)
        }
    }

    @Test func listsAndPoliciesNameProxies() async throws {
        let environment = ["HTTPS_PROXY": "http://127.0.0.1:1"]
        let root = "DIR/root.pem"
        try await TemporaryDirectory.scoped { directory in
            try await LoopbackServer.serving(.proxy(settings())) { server in
                let proxy = "http://127.0.0.1:\(server.port)"
                try directory.write(pki.rootA.pem, to: "root.pem")
                let list = try directory.write(
                    "\(host) proxy=\(proxy)\n\(host) no-proxy connect=127.0.0.1:1\n", to: "list")
                let policy = try directory.write(
                    "{ hosts: { '\(host)': { proxy: '\(proxy)' }, 'b.example': { proxy: false, connect: '127.0.0.1:1' } } }",
                    to: "policy.json5")
                for source in [["--targets", list], ["--policy", policy]] {
                    let outcome = await pincheck(
                        source + ["--anchors", root.replacing("DIR", with: directory.path), "-f", "json"],
                        environment: environment)
                    let results = try JSONValue(outcome.output)["results"].array
                    #expect(results.first?["verdict"].text == "accept", "\(outcome)")
                    let origin = results.first?["proxy"]["origin"].text ?? ""
                    #expect(origin.contains(source[1]), "\(origin)")
                    #expect(results.last?["proxy"].isNull == true && results.last?["reason"]["id"].text == "refused")
                }
                let twice = try directory.write("\(host) proxy=\(proxy) no-proxy\n", to: "twice")
                await pincheck("--targets", twice).says(errors: "proxy= and no-proxy exclude each other")
            }
        }
    }

    @Test func otherCommandsGoThroughProxiesToo() async throws {
        try await TemporaryDirectory.scoped { directory in
            let root = try directory.write(pki.rootA.pem, to: "root.pem")
            try await LoopbackServer.serving(.proxy(settings(.socks5))) { server in
                let through = ["--proxy", "socks5h://127.0.0.1:\(server.port)"]
                await pincheck(["pins", host, "--anchors", root] + through).expect(.pass, "sha256/")
                let file = directory.path + "/snapshot.json"
                #expect(await pincheck(["snapshot", host, "-o", file] + through).status == .pass)
                await pincheck(["diff", file, "--anchors", root] + through).expect(.pass)
                #expect(server.connections.count == 3)
            }
        }
    }

    @Test func aFailureOfTheProxyIsToldInEveryForm() async throws {
        let refusing = settings { $0.answer = .refusal(Array("HTTP/1.1 403 No \u{1B}[31mway\r\n\r\n".utf8)) }
        for form in ["text", "json", "nagios", "prometheus", "junit", "github"] {
            let (outcome, _) = try await check(through: refusing, ["--proxy", "PROXY", "-f", "\(form)=DIR/x"])
            #expect(!outcome.output.contains("\u{1B}") && outcome.output.contains("proxy-refused"), "\(outcome)")
            #expect(outcome.output.contains("did not connect to '\(host):443': it answered"))
        }
    }
}
