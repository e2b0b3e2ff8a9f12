import LoopbackLab
import PinCheckCLI
import Testing

/// Hosts are looked up in configurations as each client's own code does it: as text, with its own idea of which.
@Suite(.endsSomeTime) struct ClientLookupTests {
    private static let right = "<pin-set><pin digest=\"SHA-256\">$LEAF64</pin></pin-set>"
    private static let wrong = right.replacing("LEAF", with: "JUNK")

    private static func domain(_ body: String, for name: String = "$HOST") -> String {
        "<domain-config><domain>\(name)</domain>\(body)</domain-config>\n"
    }

    private static func trusting(_ source: String) -> String {
        "<trust-anchors><certificates src=\"\(source)/></trust-anchors>"
    }

    private static func trustKit(_ body: String) -> String { "{\"TSKPinnedDomains\": {\(body)}}" }

    private static let parent =
        "\"example.com\": {\"TSKIncludeSubdomains\": true, \"TSKPublicKeyHashes\": [\"$LEAF64\", \"$JUNK64\"]},\n"
    private static let mismatch = "\"TSKPublicKeyHashes\": [\"$JUNK64\", \"$ROGUE64\"]"
    private static let excludes = "kSKExcludeSubdomainFromParentPolicy"
    private static let documented = "TSKExcludeSubdomainFromParentPolicy"

    private static func exemption(_ key: String, _ more: String = "") -> String {
        trustKit("\(parent)\"$HOST\": {\"\(key)\": true\(more)}")
    }

    /// A configuration, the client, its reason or `data`, and what is said of it by the judgement or by `lint`.
    private static let rows: [(text: String, client: String, reason: String, words: String, lint: String)] = [
        (domain(wrong + trusting("system\" overridePins=\"true\"")), "android", "pins-not-applied", "", ""),
        (domain(wrong + trusting("user\" overridePins=\"true\"")), "android", "unknown-issuer", "", ""),
        // A name that Android never matches pins nothing.
        (
            domain(wrong, for: "$HOST."), "android", "pins-not-applied", "host-never-matches",
            "error: '$HOST.' pins no server as URLs name it"
        ),
        (
            domain(wrong, for: "bücher.example.com"), "android", "pins-not-applied", "host-never-matches",
            "error: 'bücher.example.com' pins no server as URLs name it"
        ), (domain("<domain>$HOST.</domain>" + right), "android", "pin-matched", "", ""),
        (domain(wrong.replacing("SHA-256", with: "sha-256")), "android", "pin-mismatch", "", ""),
        (
            domain(right) + "<debug-overrides>\(trusting("usr\""))</debug-overrides>", "android", "pin-matched", "",
            "[debug-build-throws]"
        ),
        // A dot at the end of a URL's host is another host to OkHttp.
        ("$HOST $JUNK\n", "okhttp", "pin-mismatch", "", ""),
        ("$HOST $JUNK\n", "okhttp --host $HOST.", "data", "no configuration has an entry for $HOST.", ""),
        ("$HOST. $JUNK\n", "okhttp", "data", "host-never-matches", ""),
        ("$JUNK\n", "okhttp --host $HOST.", "pins-not-applied", "host-never-matches", ""),
        ("$JUNK\n", "okhttp", "pin-mismatch", "", ""),
        // TrustKit's exemption has a spelling of its own, and it compares names as they are written.
        (exemption(excludes), "trustkit", "pins-not-applied", "", ""),
        (exemption(excludes, ", " + mismatch), "trustkit", "data", "", ""),
        (exemption(documented), "trustkit", "data", excludes, ""),
        (
            exemption(documented, ", " + mismatch), "trustkit", "pin-mismatch", "",
            "error: TrustKit has no key '\(documented)'"
        ),
        (
            trustKit("\"API.example.com\": {\(mismatch)}"), "trustkit", "pins-not-applied", "",
            "error: 'API.example.com' pins no server as URLs name it"
        ),
        (
            trustKit("\"$HOST.\": {\(mismatch)}"), "trustkit", "pins-not-applied", "",
            "error: '$HOST.' pins no server as URLs name it"
        ),
        (
            trustKit("\"$HOST\": {\"TSKReportUris\": [\"not a uri\"], \(mismatch)}"), "trustkit", "pin-mismatch", "",
            "'not a uri' in TSKReportUris is not a URL"
        ),
        // Alamofire's evaluators are for their hosts.
        ("$JUNK\n", "alamofire", "pin-mismatch", "", ""), ("$JUNK\n", "alamofire:host=$HOST", "pin-mismatch", "", ""),
        ("$JUNK\n", "alamofire:host=www.example.com:host=$HOST", "pin-mismatch", "", ""),
        ("$JUNK\n", "alamofire:host=API.example.com", "client-error", "", ""),
        ("$JUNK\n", "alamofire:host=API.example.com:no-all-hosts", "pins-not-applied", "", ""),
    ]

    @Test(arguments: rows.indices) func aHostIsFoundAsTheClientFindsIt(index: Int) async throws {
        let (text, client, reason, words, lint) = Self.rows[index]
        let isAndroid = text.hasPrefix("<")
        let source = isAndroid ? "<network-security-config>\n\(text)</network-security-config>\n" : text
        try await Desk.open(["source": source]) { desk in
            let verify = "verify @chain.pem --anchors @root.pem --pins @source --client \(client)"
            let outcome = await desk(verify + (client.contains("--host") ? "" : " --host $HOST") + " -f json")
            let found = try outcome.output.isEmpty ? nil : JSONValue(outcome.output)["reason"]["id"].text
            #expect((outcome.status == .data ? "data" : found) == reason, "\(source) \(outcome)")
            if !words.isEmpty { outcome.says(told: desk.expand(words)) }
            if !lint.isEmpty { await desk("lint @source").says(desk.expand(lint)) }
        }
    }

    @Test(arguments: ["10.0.2.2", "127.0.0.1", "::1", "*.example.net", "http://example.net"])
    func aNameWithoutPinsNeverMakesAFileUnusable(_ name: String) async throws {
        func source(_ pins: String) -> String {
            "<network-security-config>\(Self.domain("", for: name))\(Self.domain(pins))</network-security-config>"
        }
        try await Desk.open(["right": source(Self.right), "wrong": source(Self.wrong)]) { desk in
            #expect(await desk.decides("VERIFY --pins @right --client android") == "pass pin-matched")
            #expect(await desk.decides("VERIFY --pins @wrong --client android") == "fail pin-mismatch")
            await desk("lint @right").says(not: "error")
        }
    }

    @Test func anAddressIsPinnedAsTextByAndroidAndOkHttp() async throws {
        let pki = try StandardPKI.shared()
        let server = try pki.interA.issue(.leaf(subject: "address", names: [.ip([203, 0, 113, 7])]))
        let texts = [
            "server.pem": server.pem + pki.interA.pem, "hosts": "203.0.113.7 $JUNK\n",
            "nsc.xml":
                "<network-security-config>\(Self.domain(Self.wrong, for: "203.0.113.7"))</network-security-config>",
        ]
        for (source, client) in [("nsc.xml", "android"), ("hosts", "okhttp")] {
            let line = "verify @server.pem --anchors @root.pem --pins @\(source) --client \(client) --host 203.0.113.7"
            #expect(try await decision(of: line, texts) == "fail pin-mismatch")
        }
    }

    @Test func anOwnAnchorThatCannotBeReadIsNoRootOfAnExemptStore() async throws {
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let pki = try StandardPKI.shared()
        func decided(_ own: String, _ exemption: String) async throws -> String {
            let anchors =
                "<trust-anchors><certificates src=\"@raw/own\"/><certificates src=\"system\"\(exemption)/></trust-anchors>"
            let nsc = "<network-security-config>\(Self.domain(Self.wrong + anchors))</network-security-config>"
            let outcome = try await desk(
                "VERIFY --pins @nsc.xml --client android -f json", ["nsc.xml": nsc, "own.pem": own])
            return outcome.status == .data ? outcome.errors : outcome.decision
        }
        let exempt = " overridePins=\"true\""
        // Where two sources hold the root, the one that overrides pins counts.
        #expect(try await decided(pki.rootA.pem, exempt) == "pass pins-not-applied")
        for own in [broken, pki.rootA.pem + broken] {
            for exemption in [exempt, ""] {
                #expect(try await decided(own, exemption).contains("own.pem: holds no readable certificate"))
            }
        }
        #expect(try await decided(pki.rootB.pem, exempt) == "pass pins-not-applied")
    }

    @Test func overridePinsOnTheUsersStoreExemptsInstalledRoots() async throws {
        // Where the configuration names the system's store alone, the setting contradicts it.
        for (store, status) in [("user", ExitStatus.pass), ("system", .data)] {
            let body = Self.domain(Self.wrong + Self.trusting("\(store)\" overridePins=\"true\""))
            try await desk(
                "verify @chain.pem --anchors @other.pem --extra-root @root.pem --pins @nsc.xml --client android:user-roots --host $HOST",
                ["nsc.xml": "<network-security-config>\(body)</network-security-config>"]
            ).expect(status)
        }
    }

    @Test func noEvaluatorForAnyHostIsRefused() async throws {
        try await desk("VERIFY --pins $JUNK --client alamofire:no-all-hosts").expect(.usage, errors: "host=HOST")
    }
}
