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
        try await Desk.open(["source": text]) { desk in
            let line = "VERIFY --pins @source --client \(client)"
            #expect(await desk.decides(line) == decision, "\(text)")
            if !words.isEmpty { await desk(line).says(told: words) }
        }
    }

    @Test func aBrokenConfigurationIsADataErrorWithItsLine() async throws {
        let text = "{\"example.com\":\n {\"publicKeyHashes\": [\"AAAA\"]}}"
        try await desk("VERIFY --pins @source --client afnetworking", ["source": text]).expect(
            .data, "", errors: "source:2: ", "has 3 bytes instead of 32")
        let one = "{\"$HOST\": {\"publicKeyHashes\": [\"$LEAF64\"]}}"
        try await desk("VERIFY --pins @source --client trustkit", ["source": one]).expect(
            .data, errors: "add a backup pin")
    }

    // MARK: Several

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
        try await Desk.open(texts) { desk in
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
    }

    @Test func aPinForAnyHostCountsWhereTheConfigurationHasNoneForTheHost() async throws {
        let texts = ["other": Self.android("$LEAF64", host: "other.example.org"), "own": Self.android("$LEAF64")]
        try await Desk.open(texts) { desk in
            for (pins, decision) in [
                ("@other --pins $JUNK", "fail pin-mismatch"), ("@other --pins $LEAF", "pass pin-matched"),
                ("@own --pins $JUNK", "pass pin-matched"),
            ] { #expect(await desk.decides("VERIFY --client android --pins \(pins)") == decision) }
        }
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

    // MARK: Words

    @Test func whatWasUnderstoodOfASourceIsShownToBePasted() async throws {
        let text = "val p = CertificatePinner.Builder().add(\"$HOST\", \"$LEAF\", SPARE).build()\n"
        for line in ["verify @Net.kt --pins @Net.kt", "pins --from @Net.kt"] {
            try await Desk.open(["Net.kt": text]) { desk in
                let outcome = await desk(line).expect(.data)
                #expect(outcome.errors.hasSuffix(desk.expand("these were understood:\n# $HOST $LEAF\n")), "\(outcome)")
            }
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
