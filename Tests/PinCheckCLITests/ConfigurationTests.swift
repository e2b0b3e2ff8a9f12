import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Configurations as sources of pins: each client takes from its own what it would, for the host at hand. What a client decides by the
/// pins it gets is proven by `AppleVectors`, `TrustKitVectors` and `AndroidVectors`.
@Suite(.endsSomeTime) struct ConfigurationTests {
    private static func nsPinnedDomains(leaf: String? = nil, authorities: String? = nil) -> String {
        func list(_ key: String, _ pin: String?) -> String {
            guard let pin else { return "" }
            let identity = "<dict><key>SPKI-SHA256-BASE64</key><string>\(pin)</string></dict>"
            return "<key>\(key)</key><array>\(pin.isEmpty ? "" : identity)</array>"
        }
        return """
            <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict>
            <key>example.com</key><dict><key>NSIncludesSubdomains</key><true/>
            \(list("NSPinnedLeafIdentities", leaf))\(list("NSPinnedCAIdentities", authorities))
            </dict></dict></dict></dict></plist>
            """
    }

    private static func trustKit(_ settings: String, _ more: String = "") -> String {
        "{\"TSKPinnedDomains\": {\"example.com\": {\"TSKIncludeSubdomains\": true, \(settings)}\(more)}}"
    }

    private static func android(_ pin: String, _ attributes: String = "", host: String = "$HOST") -> String {
        """
        <network-security-config><domain-config>
        <domain>\(host)</domain>
        <pin-set\(attributes)><pin digest="SHA-256">\(pin)</pin></pin-set>
        </domain-config></network-security-config>
        """
    }

    private static let good = "\"TSKPublicKeyHashes\": [\"$LEAF64\", \"$JUNK64\"]"
    private static let bad = "\"TSKPublicKeyHashes\": [\"$ROGUE64\", \"$JUNK64\"]"
    private static let reactNative = """
        {"example.com": {"includeSubdomains": true, "publicKeyHashes": ["$LEAF64", "$JUNK64"]},
         "$HOST": {"publicKeyHashes": ["$ROGUE64", "$JUNK64"]}}
        """
    private static let okHttp =
        "CertificatePinner.Builder().add(\"$HOST\", \"$JUNK\")\n.add(\"*.example.com\", \"$LEAF\").build()\n"
    private static let nested = """
        <network-security-config>
        <domain-config><domain includeSubdomains="true">example.com</domain>
        <pin-set><pin digest="SHA-256">$LEAF64</pin></pin-set>
        <domain-config cleartextTrafficPermitted="false"><domain>$HOST</domain></domain-config>
        </domain-config></network-security-config>
        """
    private static let exempt = ", \"$HOST\": {\"kSKExcludeSubdomainFromParentPolicy\": true}"

    /// A configuration, the client that it is for, what it decides, and words that are said of it.
    private static let rows: [(text: String, client: String, decision: String, words: String)] = [
        (nsPinnedDomains(leaf: "$LEAF64", authorities: "$TOP64"), "nspinneddomains", "pass pin-matched", ""),
        (nsPinnedDomains(leaf: "$LEAF64", authorities: "$JUNK64"), "nspinneddomains", "fail pin-mismatch", ""),
        (nsPinnedDomains(leaf: ""), "nspinneddomains", "fail pin-mismatch", ""),
        (trustKit(good), "trustkit", "pass pin-matched", ""), (trustKit(bad), "trustkit", "fail pin-mismatch", ""),
        (
            trustKit(bad + ", \"TSKExpirationDate\": \"2001-01-01\""), "trustkit", "pass pins-not-applied",
            "expired at 2001-01-01T00:00:00Z"
        ),
        (
            trustKit(bad + ", \"TSKEnforcePinning\": false"), "trustkit", "pass mismatch-not-enforced",
            "for example.com and all names below it, not enforced"
        ), (trustKit(bad, exempt), "trustkit", "pass pins-not-applied", "is exempt from pinning"),
        (reactNative, "okhttp", "pass pin-matched", ""), (reactNative, "trustkit", "fail pin-mismatch", ""),
        (okHttp, "okhttp", "pass pin-matched", "for *.example.com"),
        (okHttp.replacing("$LEAF", with: "$ROGUE"), "okhttp", "fail pin-mismatch", ""),
        (nested, "android", "pass pin-matched", "source:4"),
        (
            nested.replacing(
                "</domain></domain-config>",
                with: "</domain><pin-set><pin digest=\"SHA-256\">$JUNK64</pin></pin-set></domain-config>"), "android",
            "fail pin-mismatch", ""
        ),
        (
            android("$JUNK64", host: "other.example.com"), "android", "pass pins-not-applied",
            "no configuration has an entry for"
        ),
    ]

    @Test(arguments: rows.indices) func aClientDecidesByItsConfiguration(index: Int) async throws {
        let (text, client, decision, words) = Self.rows[index]
        let desk = try Desk(["source": text])
        let line = "VERIFY --pins @source --client \(client)"
        #expect(await desk.decides(line) == decision, "\(text)")
        if !words.isEmpty { await desk(line).says(told: words) }
    }

    @Test func aBrokenConfigurationIsADataErrorWithItsLine() async throws {
        let text = "{\"example.com\":\n {\"publicKeyHashes\": [\"AAAA\"]}}"
        try await desk("VERIFY --pins @source --client afnetworking", ["source": text]).expect(
            .data, "", errors: "source:2: ", "has 3 bytes instead of 32")
        let one = "{\"$HOST\": {\"publicKeyHashes\": [\"$LEAF64\"]}}"
        try await desk("VERIFY --pins @source --client trustkit", ["source": one]).expect(
            .data, errors: "add a backup pin")
    }

    @Test func twoThatSayDifferentThingsAreNoVerdictInEitherOrder() async throws {
        let texts = [
            "expired": Self.android("$JUNK64", " expiration=\"2001-01-01\""), "valid": Self.android("$JUNK64"),
            "same": Self.android("$JUNK64"),
            "native": "{\"$HOST\": {\"publicKeyHashes\": [\"$JUNK64\", \"$OTHER64\"]}}",
            "kit":
                "{\"TSKPinnedDomains\": {\"$HOST\": {\"TSKEnforcePinning\": false, \"TSKPublicKeyHashes\": [\"$JUNK64\"]}}}",
            "Debug.kt": "val p = CertificatePinner.Builder().add(\"$HOST\", \"$JUNK\").build()\n",
            "Release.kt": "val p = CertificatePinner.Builder().add(\"$HOST\", \"$LEAF\").build()\n",
            "list": "$HOST $JUNK\n",
        ]
        let desk = try Desk(texts)
        for pins in ["@expired --pins @valid", "@valid --pins @expired"] {
            await desk("VERIFY --client android --pins \(pins)").expect(
                .data, errors: "two configurations cover $HOST: ".replacing("$HOST", with: StandardPKI.serverName))
        }
        #expect(await desk.decides("VERIFY --client android --pins @valid --pins @same") == "fail pin-mismatch")
        // Whoever is asked: an app does not ship both.
        for client in ["trustkit", "curl"] {
            await desk("VERIFY --client \(client) --pins @kit --pins @native").expect(.data)
            await desk("VERIFY --client \(client) --pins @native --pins @kit").expect(.data)
        }
        await desk("VERIFY --client okhttp --pins @Debug.kt --pins @Release.kt").expect(
            .data, "", errors: "Release.kt:1: a second source with a pinner, beside ")
        await desk("VERIFY --client okhttp --pins @Release.kt --pins @list").expect(.data)
    }

    @Test func aPinForAnyHostCountsWhereTheConfigurationHasNoneForTheHost() async throws {
        let texts = ["other": Self.android("$LEAF64", host: "other.example.org"), "own": Self.android("$LEAF64")]
        let desk = try Desk(texts)
        for (pins, decision) in [
            ("@other --pins $JUNK", "fail pin-mismatch"), ("@other --pins $LEAF", "pass pin-matched"),
            ("@own --pins $JUNK", "pass pin-matched"),
        ] { #expect(await desk.decides("VERIFY --client android --pins \(pins)") == decision) }
    }

    @Test func anExemptionOfTrustKitEndsAtItsOwnName() async throws {
        let leaf = try StandardPKI.shared().interA.issue(.leaf("x.\(StandardPKI.serverName)")).pem
        let line =
            "verify @leaf.pem --intermediate @inter.pem --anchors @inter.pem --host x.$HOST --pins @source --client trustkit"
        let texts = ["leaf.pem": leaf, "source": Self.trustKit(Self.bad, Self.exempt)]
        #expect(try await decision(of: line, texts) == "fail pin-mismatch")
    }

    @Test func aDayThatHasBegunInSomeTimeZonesOnlyIsAWarning() async throws {
        let midnight = (LabClock.now / 86_400 + 30) * 86_400
        let day = Timestamp(secondsSinceEpoch: midnight).date
        for (offset, isWarned) in [(-15, false), (-13, true), (11, true), (13, false)] {
            let outcome = try await desk(
                "VERIFY --pins @nsc.xml --client android --at \(midnight + Int64(offset) * 3_600)",
                ["nsc.xml": Self.android("$LEAF64", " expiration=\"\(day)\"")])
            #expect(outcome.errors.contains("in the device's time zone") == isWarned, "\(offset) \(outcome.errors)")
        }
    }

    @Test func whatWasUnderstoodOfASourceIsShownToBePasted() async throws {
        let text = "val p = CertificatePinner.Builder().add(\"$HOST\", \"$LEAF\", SPARE).build()\n"
        for line in ["verify @Net.kt --pins @Net.kt", "pins --from @Net.kt"] {
            let desk = try Desk(["Net.kt": text])
            let outcome = await desk(line).expect(.data)
            #expect(outcome.errors.hasSuffix(desk.expand("these were understood:\n# $HOST $LEAF\n")), "\(outcome)")
        }
    }

    @Test func whatOnlyDebuggableBuildsReadIsNoWarning() async throws {
        let text = """
            <network-security-config><domain-config><domain>$HOST</domain><pin-set><pin digest="SHA-256">$LEAF64</pin>
            <pin digest="SHA-256">$JUNK64</pin></pin-set></domain-config>
            <debug-overrides><trust-anchors><certificates src="user"/></trust-anchors></debug-overrides>
            </network-security-config>
            """
        try await desk("VERIFY --pins @nsc.xml --client android --fail-on warn", ["nsc.xml": text]).expect(
            .pass, "<debug-overrides> is for debuggable builds", errors: "")
    }
}

/// What is misspelt in an app's configuration, which the device passes over without a word, is said.
@Suite(.endsSomeTime) struct ConfigurationTypoTests {
    private func lint(_ text: String, _ name: String) async throws -> String {
        let files = try TemporaryDirectory()
        return await pincheck("lint", try files.write(text, to: name), "-f", "json").output
    }

    @Test(arguments: [
        ("<pinset><pin digest=\"SHA-256\">x</pin></pinset>", "<pinset> in <domain-config>"),
        ("<trust-anchor/>", "<trust-anchor> in <domain-config>"),
        ("<pin-set expires=\"2030-01-01\"/>", "the attribute 'expires' of <pin-set>"),
        ("<trust-anchors><certificate src=\"system\"/></trust-anchors>", "<certificate> in <trust-anchors>"),
        (
            "<trust-anchors><certificates src=\"system\" overridePin=\"true\"/></trust-anchors>",
            "the attribute 'overridePin' of <certificates>"
        ), ("<domain includeSubdomain=\"true\">b.example</domain>", "'includeSubdomain' of <domain>"),
        ("<domain android:includeSubdomains=\"true\">b.example</domain>", "'android:includeSubdomains' of <domain>"),
        ("<certificateTransparancy enabled=\"true\"/>", "<certificateTransparancy> in <domain-config>"),
    ]) func whatAndroidPassesOverIsNamed(content: String, words: String) async throws {
        let output = try await lint(
            """
            <network-security-config xmlns:android="a"><domain-config><domain>a.example</domain>
            \(content)
            </domain-config></network-security-config>
            """, "network_security_config.xml")
        let found = try JSONValue(output)["findings"].array.filter { $0["id"].text == "unknown-key" }
        #expect(found.count == 1 && found[0]["line"].number == 2, "\(output)")
        #expect(found.first?["message"].text?.contains(words) == true, "\(output)")
    }

    @Test func whatAndroidReadsIsNotNamed() async throws {
        let output = try await lint(
            """
            <network-security-config xmlns:tools="http://schemas.android.com/tools" tools:ignore="x">
            <base-config cleartextTrafficPermitted="false"><trust-anchors><certificates src="system"/></trust-anchors>
            <certificateTransparency enabled="true"/></base-config>
            <domain-config><domain includeSubdomains="true">a.example</domain><pin-set expiration="2099-01-01">
            <pin digest="SHA-256">AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=</pin></pin-set>
            <trustkit-config enforcePinning="true"><report-uri>https://a.example</report-uri></trustkit-config>
            </domain-config><debug-overrides><trust-anchors><certificates src="user"/></trust-anchors></debug-overrides>
            </network-security-config>
            """, "network_security_config.xml")
        let ids = try JSONValue(output)["findings"].array.compactMap { $0["id"].text }
        #expect(!ids.isEmpty && !ids.contains("unknown-key"), "\(output)")
    }

    @Test func oneUnknownElementIsNotedOnce() async throws {
        for text in [
            "<network-security-config><domain-confg/></network-security-config>",
            "<network-security-config><base-config><trust-anchors><pin-set/></trust-anchors></base-config>"
                + "</network-security-config>",
        ] {
            let output = try await lint(text, "network_security_config.xml")
            let ids = try JSONValue(output)["findings"].array.compactMap { $0["id"].text }
            #expect(ids.filter { ["unknown-key", "not-followed"].contains($0) } == ["unknown-key"], "\(output)")
        }
    }
}
