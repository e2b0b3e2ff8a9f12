import LoopbackLab
import PinCheckCLI
import Testing

/// `--client`: one client or several judge the same chain.
@Suite(.endsSomeTime) struct ClientTests {
    @Test func anIntermediatePinIsEnoughForSomeAndNotForOthers() async throws {
        try await desk(
            "verify @next.pem --anchors @root.pem --host $HOST --pins $INTER --pins $JUNK "
                + "--client okhttp,curl,trustkit,nspinneddomains:key=leaf"
        ).expect(
            .fail, "  accept  okhttp                    public key pin matched at depth 1\n",
            "  reject  curl                      the leaf's public key is not pinned",
            "  nspinneddomains: the key of the authority at depth 1 is in NSPinnedLeafIdentities",
            "  pins: 2 configured, 1 on the chain (intermediate), 1 not in the chain",
            ending: "; also rejected by curl\n", errors: "curl: the pin is that of the authority at depth 1")
    }

    @Test func jsonListsEachClientWithItsSettings() async throws {
        let outcome = try await desk(
            "VERIFY --pins $JUNK --pins $ROGUE --client afnetworking,trustkit:no-enforce -f json"
        ).expect(.fail)
        let clients = try JSONValue(outcome.output)["clients"].array
        try #require(clients.map { $0["name"].text } == ["afnetworking", "trustkit"])
        #expect(clients.map { $0["verdict"].text } == ["reject", "accept"])
        #expect(clients[0]["settings"]["validates_domain_name"].flag == true)
        #expect(clients[1]["settings"]["no_enforce"].flag == true)
        #expect(clients[1]["reason"]["id"].text == "mismatch-not-enforced")
    }

    @Test func aClientThatCannotBeSetUpIsADataError() async throws {
        let line = "VERIFY --pins $LEAF --client "
        try await desk(line + "trustkit").expect(.data, errors: "TrustKit needs 2: add a backup pin")
        let all = try await desk(line + "all").expect(
            .data, "  none    trustkit         1 pin is configured and TrustKit needs 2")
        let verdict =
            "trustkit cannot be set up: 1 pin is configured and TrustKit needs 2: add a backup pin; all 8 clients accept"
        let text = all.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("DATA") && text.hasSuffix(verdict), "\(all.output)")
        try await desk(line + "all -f junit").says(
            "name=\"trustkit\"", "<error type=\"not-configured\"", "warning client-not-set-up: ")
    }

    @Test func onlyClientsOnApplesPlatformsAnswerAChallenge() async throws {
        let outcome = try await desk("VERIFY --pins $LEAF --client okhttp,curl,nspinneddomains --explain")
        #expect(outcome.output.ranges(of: "an NSURLSession client answers useCredential").count == 1)
        let document = try await desk("VERIFY --client okhttp,curl,afnetworking -f json").output
        let dispositions = try JSONValue(document)["clients"].array.map { $0["disposition"].text }
        #expect(dispositions == [nil, nil, "useCredential"])
    }

    /// The interceptor's chain, its root installed on the device by hand.
    private static let charles = "verify @rogue.pem --anchors @root.pem --extra-root @other.pem --host $HOST "

    @Test func anInstalledRootFoolsAppsWithoutPinsButNotThoseOnAndroid() async throws {
        try await desk(Self.charles + "--client afnetworking,alamofire,android,okhttp:user-roots").expect(
            .fail, "  accept  afnetworking       the chain is trusted",
            "  reject  android            the issuer of CN=RogueI (depth 1)",
            "  accept  okhttp:user-roots  the chain is trusted")
        // Nor does a pin compared by hand exempt them.
        for client in ["afnetworking", "generic"] {
            #expect(try await decision(of: Self.charles + "--pins $LEAF --client \(client)") == "fail pin-mismatch")
        }
    }

    @Test(arguments: [("", "fail pin-mismatch"), ("true", "pass pins-not-applied"), ("false", "fail pin-mismatch")])
    func trustKitExemptsInstalledRootsWhereItsConfigurationSaysSo(value: String, expected: String) async throws {
        let key = value.isEmpty ? "" : #""TSKIgnorePinningForUserDefinedTrustAnchors": \#(value),"#
        let tsk = #"{\#(key) "TSKPinnedDomains": {"$HOST": {"TSKPublicKeyHashes": ["$LEAF64", "$NEXT64"]}}}"#
        let found = try await decision(of: Self.charles + "--pins @tsk.json --client trustkit", ["tsk.json": tsk])
        #expect(found == expected)
    }

    @Test func aMachineWithoutRootsIsToldSo() async throws {
        let desk = try Desk()
        let store = ["SSL_CERT_DIR": try desk.files.makeDirectory("store")]
        let line = "verify @chain.pem --host $HOST"
        await desk(line + " -f json", environment: store).expect("fail unknown-issuer")
        await desk(line, environment: store).says(
            errors: "this machine has no trusted roots (\(desk.files.path)/store and /nonexistent)")
        try desk.write(pki.rootB.pem, to: "store/" + pki.rootB.hashedFileName)
        await desk(line, environment: store).expect(.fail, not: "no trusted roots")
    }

    /// The names of a leaf, what follows the chain, and the decision.
    @Test(arguments: [
        (["xn--bcher-kva.example"], "--host BÜCHER.example", "pass trusted-without-pins"),
        (["xn--bcher-kva.example"], "--host bücher。example", "pass trusted-without-pins"),
        (["xn--bcher-kva.example"], "--host bucher.example", "fail name-mismatch"),
        // A wildcard above a registry's suffix counts for nobody.
        (["*.co.uk"], "--host shop.co.uk", "fail name-mismatch"),
        (["*.co.uk", "shop.co.uk"], "--host shop.co.uk", "pass trusted-without-pins"),
        (["*.github.io"], "--host someone.github.io", "pass trusted-without-pins"),
        (["*.example.co.uk"], "--host www.example.co.uk", "pass trusted-without-pins"),
        // A pattern of OkHttp's may be international.
        (["www.xn--bcher-kva.example"], "OKHTTP*.bücher.example", "fail pin-mismatch"),
        (["www.xn--bcher-kva.example"], "OKHTTP**.BÜCHER.example", "fail pin-mismatch"),
        (["www.xn--bcher-kva.example"], "OKHTTP*.bucher.example", "pass pins-not-applied"),
    ]) func namesAreReadAsPeopleWriteThem(names: [String], arguments: String, expected: String) async throws {
        let leaf = try pki.interA.issue(.leaf(subject: "names", names: names.map { GeneralName.dns($0) }))
        let pattern = "--host www.bücher.example --pins $JUNK --client okhttp:pattern="
        let line = "verify @names.pem --anchors @root.pem " + arguments.replacing("OKHTTP", with: pattern)
        #expect(try await decision(of: line, ["names.pem": leaf.pem + pki.interA.pem]) == expected)
    }
}

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
        let desk = try Desk(["source": source])
        let verify = "verify @chain.pem --anchors @root.pem --pins @source --client \(client)"
        let outcome = await desk(verify + (client.contains("--host") ? "" : " --host $HOST") + " -f json")
        let found = try outcome.output.isEmpty ? nil : JSONValue(outcome.output)["reason"]["id"].text
        #expect((outcome.status == .data ? "data" : found) == reason, "\(source) \(outcome)")
        if !words.isEmpty { outcome.says(told: desk.expand(words)) }
        if !lint.isEmpty { await desk("lint @source").says(desk.expand(lint)) }
    }

    @Test(arguments: ["10.0.2.2", "127.0.0.1", "::1", "*.example.net", "http://example.net"])
    func aNameWithoutPinsNeverMakesAFileUnusable(_ name: String) async throws {
        func source(_ pins: String) -> String {
            "<network-security-config>\(Self.domain("", for: name))\(Self.domain(pins))</network-security-config>"
        }
        let desk = try Desk(["right": source(Self.right), "wrong": source(Self.wrong)])
        #expect(await desk.decides("VERIFY --pins @right --client android") == "pass pin-matched")
        #expect(await desk.decides("VERIFY --pins @wrong --client android") == "fail pin-mismatch")
        await desk("lint @right").says(not: "error")
    }

    @Test func anAddressIsPinnedAsTextByAndroidAndOkHttp() async throws {
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
