import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// What Android trusts and pins is what the app's network security configuration says, for every client in the process.
@Suite(.endsSomeTime) struct AndroidConfigurationTests {
    private typealias Row = (body: String, client: String, end: String)

    private static func domain(_ body: String, for name: String = "$HOST", below: Bool = false) -> String {
        AppText.domain(body, for: name, below: below)
    }

    private static let leaf = AppText.pinSet("$LEAF64")
    private static let junk = AppText.pinSet("$JUNK64")
    private static let own = AppText.anchors("@raw/own")
    private static let system = AppText.anchors("system")
    private static let logged = "<certificateTransparency enabled=\"true\"/>"
    private static let ownPinned = AppText.anchors("@raw/own", overriding: false)
    private static let gone = AppText.anchors("@raw/gone")
    private static let overridden =
        AppText.anchors("@raw/own", overriding: true) + AppText.pinSet("$JUNK64", "$OTHER64")
    private static func enforced(_ word: String) -> String { "<trustkit-config enforcePinning=\"\(word)\"/>" }
    private static let throwing = "a debuggable build throws: "
    private static let passes = "pass pins-not-applied"
    private static let untrusted = "fail unknown-issuer"

    private static func nested(_ body: String, pins: String = own) -> String {
        let outer = domain(pins, for: "example.com", below: true)
        return outer.replacing("</domain-config>", with: domain(body) + "</domain-config>")
    }

    /// What is said of the names below com, and behind it of those below example.com.
    private static func below(_ short: String, _ long: String) -> String {
        domain(short, for: "com", below: true) + domain(long, for: "example.com", below: true)
    }

    /// A row's files: root A is `own` of the app's resources, and the device has another root.
    private static func texts(_ body: String, own: String = pki.rootA.pem, debug: String? = nil) -> [String: String] {
        let texts = ["res/xml/nsc.xml": AppText.android(body), "res/raw/own.pem": own]
        return texts.merging(debug.map { ["res/xml/nsc_debug.xml": AppText.android($0)] } ?? [:]) { $1 }
    }

    private static func manifest(_ more: String) -> String {
        "<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\">\n\(more)\n"
            + "<application android:networkSecurityConfig=\"@xml/nsc\"/></manifest>\n"
    }

    private static func line(_ client: String, device: String = "other") -> String {
        "verify @chain.pem --anchors @\(device).pem --host $HOST --pins @res/xml/nsc.xml --client \(client)"
    }

    private static let anchors: [Row] = [
        (domain(own), "android", passes), (domain(own), "okhttp", passes), (domain(system), "okhttp", untrusted),
        (domain(AppText.anchors("system", "@raw/own")), "android", passes),
        // What an element does not say it inherits: hosts without an entry, with one that says nothing of it, with one of its own.
        (AppText.base(own), "android", passes), (AppText.base(own) + domain(""), "android", passes),
        (AppText.base(own) + domain(system), "android", untrusted),
        (AppText.base(own) + domain("", for: "other.example.net"), "android", passes), (nested(""), "android", passes),
        (nested(system), "android", untrusted),
        // Of several domains that cover the host the longest is its own, wherever it stands.
        (below(own, system), "android", untrusted), (below(system, own), "android", passes),
        // Pins are compared on paths to these anchors.
        (domain(own + junk), "android", "fail pin-mismatch"),
        (domain(AppText.anchors("@raw/own", overriding: true) + junk), "android", passes),
        // TrustKit compares the pins again, in whatever letters that is written.
        (domain(overridden + enforced("true")), "android", "fail pin-mismatch"),
        (domain(overridden + enforced(" TRUE ")), "android", "fail pin-mismatch"),
        (domain(overridden + enforced("false")), "android", passes),
        // Debuggable builds, whose anchors override pins unless they say otherwise and join the platform's own anchors too.
        (domain(system + junk) + AppText.debug(own), "android", untrusted),
        (domain(system + junk) + AppText.debug(own), "android:debuggable", passes),
        (AppText.base(system) + domain(junk) + AppText.debug(own), "android:debuggable", passes),
        (domain(system + junk) + AppText.debug(ownPinned), "android:debuggable", "fail pin-mismatch"),
        (domain("") + AppText.debug(own), "okhttp:debuggable", passes),
        // Certificate Transparency: in as many words it holds below private roots too, and an element's own anchors of the app's
        // switch off what it inherits.
        (domain(own + logged), "android", "fail too-few-scts"), (domain(own + logged), "okhttp", "fail too-few-scts"),
        (AppText.base(own + logged), "android", "fail too-few-scts"),
        (AppText.base(logged) + domain(own), "android", passes),
        (AppText.base(own + logged) + domain(logged.replacing("true", with: "false")), "android", passes),
        // What is wrong has its place, and what a debuggable build throws for does not count for others.
        (domain(logged.replacing("true", with: "yes")), "android", "data: nsc.xml:2: enabled=\"yes\" is neither true"),
        (domain(own) + AppText.debug(AppText.anchors("usr")), "android", passes),
        (domain(own) + AppText.debug(AppText.anchors("usr")), "android:debuggable", "data: nsc.xml:3 … \(throwing)"),
        (domain(own) + AppText.debug(gone), "android", passes),
        (domain(own) + AppText.debug(gone), "android:debuggable", "data: nsc.xml:3 … \(throwing)"),
    ]

    @Test(arguments: anchors.indices) func theAnchorsOfTheConfigurationDecide(index: Int) async throws {
        let (body, client, end) = Self.anchors[index]
        try await Desk(Self.texts(body)).expect(Self.line(client), end)
    }

    private static let pins: [Row] = [
        (domain(junk + AppText.anchors("system", overriding: true)), "android", passes),
        (domain(junk + AppText.anchors("user", overriding: true)), "android", untrusted),
        // A name that Android never matches pins nothing.
        (domain(junk, for: "$HOST."), "android", passes + ": host-never-matches"),
        (domain(junk, for: "bücher.example.com"), "android", passes + ": host-never-matches"),
        (domain("<domain>$HOST.</domain>" + leaf), "android", "pass pin-matched"),
        (domain(junk.replacing("SHA-256", with: "sha-256")), "android", "fail pin-mismatch"),
        (domain(junk, for: "other.example.com"), "android", passes + ": no configuration has an entry for"),
        (nested("", pins: leaf), "android", "pass pin-matched"),
        (nested(junk, pins: leaf), "android", "fail pin-mismatch"),
        // A name without pins never makes a file unusable.
        (
            domain("", for: "10.0.2.2") + domain("", for: "::1") + domain("", for: "*.example.net")
                + domain("", for: "http://example.net") + domain(leaf), "android", "pass pin-matched"
        ),
        // TrustKit's setting and the pins are inherited, each by itself.
        (nested(enforced("true"), pins: leaf), "android", "data: nsc.xml:2: TrustKit throws when the app starts"),
        (nested(leaf, pins: enforced("true")), "android", "data: nsc.xml:2: TrustKit throws when the app starts"),
        // Java takes every digit for a part of the day.
        (domain(AppText.pinSet("$JUNK64", until: "2026-12-1９")), "android", "data: nsc.xml:2: '2026-12-1９' is not a"),
        (
            "<a:domain-config xmlns:a=\"b\"/>" + domain(leaf), "android",
            "data: nsc.xml:2: <a:domain-config> has a prefix"
        ),
        // Pins for any host count where the configuration has none for the host.
        (domain(leaf, for: "other.example.org"), "android --pins $JUNK", "fail pin-mismatch"),
        (domain(leaf), "android --pins $JUNK", "pass pin-matched"),
        // The target asks for timestamps below public roots alone, and this one is none.
        (domain(""), "android:target-sdk=37", passes),
        (domain("<trust-anchors/>"), "okhttp", untrusted + ": trusts nothing for $HOST … trusts-nothing"),
    ]

    @Test(arguments: pins.indices) func theEntryOfTheHostDecides(index: Int) async throws {
        let (body, client, end) = Self.pins[index]
        try await Desk(Self.texts(body)).expect(Self.line(client, device: "root"), end)
    }

    @Test func aRootThatTheConfigurationDoesNotNameIsNone() async throws {
        let namesake = try LabCertificate.selfSigned(pki.rootA.template)
        for (own, reason) in [(pki.rootB, Self.untrusted), (namesake, "fail issuer-identifier")] {
            try await Desk(Self.texts(Self.domain(Self.own), own: own.pem)).expect(
                Self.line("android", device: "root"),
                "\(reason): the app's configuration trusts @raw/own for $HOST, and no other root … configured-anchors")
        }
    }

    private static let users: [(body: String, settings: String, end: String)] = [
        (AppText.anchors("user"), "", passes), (AppText.anchors("system", "user"), "", passes), (system, "", untrusted),
        // Where nothing names anchors, it is for the app's target to say.
        ("", "", untrusted), ("", ":target-sdk=24", untrusted), ("", ":target-sdk=23", passes),
        ("", ":user-roots", passes), (system, ":target-sdk=23", untrusted),
        (system, ":user-roots", "data: trusts system and no root of the user's"),
        (junk + AppText.anchors("user", overriding: true), ":user-roots", passes),
        (junk + AppText.anchors("system", overriding: true), ":user-roots", "data"),
    ]

    @Test(arguments: ["android", "okhttp"]) func rootsOfTheUserCountWhereNamed(client: String) async throws {
        for (body, settings, end) in Self.users where client == "android" || !body.contains("overridePins") {
            try await Desk(Self.texts(Self.domain(body))).expect(
                Self.line(client + settings) + " --extra-root @root.pem", end)
        }
        let desk = try Desk()
        let bare = "verify @chain.pem --anchors @other.pem --extra-root @root.pem --host $HOST --client \(client)"
        await desk.expect(bare + ":target-sdk=23", Self.passes)
        await desk.expect(bare + ":target-sdk=24", Self.untrusted)
        for text in ["", "0", "-1", "x", "99999999999999999999"] {
            await desk.expect("VERIFY --client \(client):target-sdk=\(text)", "usage")
        }
    }

    @Test(arguments: [
        ("23", "android", passes), ("24", "android", untrusted), ("24", "android:target-sdk=23", passes),
        ("VanillaIceCream", "android", untrusted + ": 'VanillaIceCream' is not an API level"),
    ]) func theManifestsTargetCounts(target: String, client: String, end: String) async throws {
        let manifest = Self.manifest("<uses-sdk android:minSdkVersion=\"21\" android:targetSdkVersion=\"\(target)\"/>")
        let desk = try Desk([
            "app/AndroidManifest.xml": manifest, "app/res/xml/nsc.xml": AppText.android(Self.domain("")),
        ])
        let line = "verify @chain.pem --anchors @other.pem --extra-root @root.pem --host $HOST"
        await desk.expect("\(line) --pins @app/AndroidManifest.xml --client \(client)", end)
    }

    @Test func aDebuggableBuildThatReadsAnotherFileIsRefused() async throws {
        let (body, debug) = (Self.domain(Self.system), AppText.debug(Self.own))
        let desk = try Desk(Self.texts(body, debug: debug))
        await desk.expect(Self.line("android"), Self.untrusted)
        await desk.expect(Self.line("android:debuggable"), "data: a debuggable build reads nsc_debug.xml beside")
        // Not beside those of the configuration itself.
        try await Desk(Self.texts(body + AppText.debug(Self.system), debug: debug)).expect(
            Self.line("android:debuggable"), Self.untrusted)
    }

    private static let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

    private static let ownFiles: [(text: String, end: String)] = [
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "data: own.pem"),
        ("no certificate", "data: own.pem"), (pki.rootA.pem + broken, "data: own.pem: holds no readable certificate"),
        (pki.rootA.pem(TrustSettings(rejected: [.serverAuth])), "data: OpenSSL's trust settings"),
        // Conscrypt reads PEM from the first byte on, block by block.
        ("Root A\n" + pki.rootA.pem, "data: before the block at line 2 (many devices stop there)"),
        ("\u{FEFF}" + pki.rootA.pem, "data: the block at line 1"), ("\n" + pki.rootA.pem, "data: at line 2"),
        (pki.rootB.pem + "\n" + pki.rootA.pem, "data: an empty line before"),
        (pki.rootB.pem + pki.rootA.pem + "\n# The end\n", passes),
        (pki.rootA.pem.replacing("\n", with: "\r\n"), passes),
        // Where two sources hold the root, the one that overrides pins counts.
        (pki.rootA.pem, passes), (pki.rootB.pem, passes),
    ]

    /// What the file of the app's own anchor holds, what the system's store overrides, and how it ends.
    @Test(arguments: ownFiles) func anOwnAnchorThatCannotBeReadIsNoRootOfAnExemptStore(text: String, end: String)
        async throws
    {
        let anchors =
            "<trust-anchors><certificates src=\"@raw/own\"/><certificates src=\"system\" overridePins=\"true\"/></trust-anchors>"
        try await Desk(Self.texts(Self.domain(Self.junk + anchors), own: text)).expect(
            Self.line("android", device: "root"), end)
    }

    @Test func anAnchorOnTheWayToARootIsNotTheEndOfThePath() async throws {
        for (inter, root, pin, end) in [
            (" overridePins=\"true\"", "", "$JUNK64", "fail pin-mismatch"), ("", "", "$TOP64", "pass pin-matched"),
            ("", " overridePins=\"true\"", "$JUNK64", Self.passes),
        ] {
            let anchors =
                "<trust-anchors><certificates src=\"@raw/inter\"\(inter)/><certificates src=\"@raw/root\"\(root)/></trust-anchors>"
            let desk = try Desk([
                "own/nsc.xml": AppText.android(Self.domain(anchors + AppText.pinSet(pin))),
                "own/inter.pem": pki.interA.pem, "own/root.pem": pki.rootA.pem,
            ])
            let line = "verify @chain.pem --host $HOST --client android --pins @own/nsc.xml"
            await desk.expect(line, end)
            // Of two files of one name none is taken.
            try desk.write(pki.rootB.pem, to: "own/root.crt")
            await desk.expect(line, "data: @raw/root is 'root.crt' as well as 'root.pem'")
        }
    }

    @Test func aDayThatHasBegunInSomeTimeZonesOnlyIsAWarning() async throws {
        let midnight = (LabClock.now / 86_400 + 30) * 86_400
        let pins = AppText.pinSet("$LEAF64", until: Timestamp(secondsSinceEpoch: midnight).date)
        let desk = try Desk(Self.texts(Self.domain(pins)))
        for (offset, isWarned) in [(-15, false), (-13, true), (11, true), (13, false)] {
            let time = Timestamp(secondsSinceEpoch: midnight + Int64(offset) * 3_600)
            let outcome = await desk(Self.line("android", device: "root") + " --at \(time)")
            #expect(outcome.errors.contains("in the device's time zone") == isWarned, "\(offset) \(outcome.errors)")
        }
    }

    @Test func whatWasAppliedIsListed() async throws {
        let desk = try Desk(Self.texts(Self.domain(AppText.anchors("@raw/own", overriding: true))))
        func applied(_ client: String) async throws -> JSONValue {
            try await desk(Self.line(client) + " -f json").json["pins"]["applied"]
        }
        let first = try await applied("android,okhttp")[0]
        #expect(first["kind"].text == "network-security-config" && first["hosts"].text == host)
        #expect(first["clients"].array.map(\.text) == ["android", "okhttp"])
        #expect(first["origin"].text?.hasSuffix("nsc.xml:2") == true)
        #expect(first["settings"][0].text == "anchors: @raw/own (overrides pins)")
        #expect(try await applied("curl").array.isEmpty)
    }

    @Test func lintFindsAnchorsThatSurprise() async throws {
        let body = Self.domain("<trust-anchors/>") + Self.domain(Self.gone, for: "b.example")
        try await Desk(["nsc.xml": AppText.android(body)]).expect(
            "lint @nsc.xml",
            "noInput: nsc.xml:2: error: <trust-anchors> is empty … nsc.xml:3: error: the resource '@raw/gone' is not there"
        )
    }

    /// What Android ignores without a word, and how it is named; what it reads, and what is named with its element, is not.
    @Test(arguments: [
        ("<pinset><pin digest=\"SHA-256\">x</pin></pinset>", "<pinset> in <domain-config>"),
        ("<trust-anchor/>", "<trust-anchor> in <domain-config>"),
        ("<pin-set expires=\"2030-01-01\"/>", "the attribute 'expires' of <pin-set>"),
        ("<trust-anchors><certificate src=\"system\"/></trust-anchors>", "<certificate> in <trust-anchors>"),
        (AppText.anchors("user").replacing("/>", with: " overridePin=\"true\"/>"), "'overridePin' of <certificates>"),
        ("<domain includeSubdomain=\"true\">b.example</domain>", "'includeSubdomain' of <domain>"),
        ("<domain android:includeSubdomains=\"true\">b.example</domain>", "'android:includeSubdomains' of <domain>"),
        ("<certificateTransparancy enabled=\"true\"/>", "<certificateTransparancy> in <domain-config>"),
        ("<trust-anchors><pin-set/></trust-anchors>", "<pin-set> in <trust-anchors>"),
        (
            system + logged + AppText.pinSet("$LEAF64", until: "2099-01-01")
                + "<trustkit-config enforcePinning=\"true\"><report-uri>https://a.example</report-uri></trustkit-config>",
            ""
        ),
    ]) func whatAndroidPassesOverIsNamedOnce(content: String, words: String) async throws {
        let desk = try Desk(["network_security_config.xml": AppText.android(Self.domain("\n" + content))])
        let output = await desk("lint @network_security_config.xml -f json").output
        let ids: Set = ["unknown-key", "not-followed"]
        let found = try JSONValue(output)["findings"].array.filter { ids.contains($0["id"].text ?? "") }
        #expect(found.map { $0["line"].number } == (words.isEmpty ? [] : [3]), "\(output)")
        #expect(words.isEmpty || found.first?["message"].text?.contains(words) == true, "\(output)")
    }
}
