import LoopbackLab
import PinCheckCLI
import Testing

/// What Android trusts is what the app's network security configuration names, for every client in the process.
@Suite(.endsSomeTime) struct AndroidTrustTests {
    private static func pinSet(_ pin: String) -> String { "<pin-set><pin digest=\"SHA-256\">$\(pin)64</pin></pin-set>" }

    private static func anchors(_ sources: String..., overriding: String? = nil) -> String {
        let attribute = overriding.map { " overridePins=\"\($0)\"" } ?? ""
        let list = sources.map { "<certificates src=\"\($0)\"\(attribute)/>" }
        return "<trust-anchors>\(list.joined())</trust-anchors>"
    }

    private static func base(_ body: String) -> String { "<base-config>\(body)</base-config>\n" }

    private static func domain(_ body: String, for name: String = "$HOST") -> String {
        "<domain-config><domain>\(name)</domain>\(body)</domain-config>\n"
    }

    private static func debug(_ anchors: String) -> String { "<debug-overrides>\(anchors)</debug-overrides>\n" }

    private static func nested(_ body: String) -> String {
        "<domain-config><domain includeSubdomains=\"true\">example.com</domain>\(own)" + domain(body).dropLast()
            + "</domain-config>"
    }

    private static let own = anchors("@raw/own")
    private static let system = anchors("system")
    private static let logged = "<certificateTransparency enabled=\"true\"/>"
    private static let notLogged = logged.replacing("true", with: "false")
    private static let passes = "pass pins-not-applied"
    private static let untrusted = "fail unknown-issuer"

    private static func file(_ body: String) -> String {
        "<network-security-config>\n\(body)</network-security-config>\n"
    }

    /// A row's files: root A is `own` of the app's resources, and the device has another root.
    private static func texts(_ body: String, own: String? = nil, debug: String? = nil) throws -> [String: String] {
        let own = try own ?? StandardPKI.shared().rootA.pem
        let texts = ["res/xml/nsc.xml": file(body), "res/raw/own.pem": own]
        return texts.merging(debug.map { ["res/xml/nsc_debug.xml": file($0)] } ?? [:]) { $1 }
    }

    private static func line(_ client: String, device: String = "other", _ more: String = "") -> String {
        "verify @chain.pem --anchors @\(device).pem --host $HOST --pins @res/xml/nsc.xml --client \(client)\(more)"
    }

    /// A configuration, the client, and what it decides about the chain below root A.
    private static let rows: [(body: String, client: String, decision: String)] = [
        (domain(own), "android", passes), (domain(own), "okhttp", passes), (domain(system), "android", untrusted),
        (domain(system), "okhttp", untrusted), (domain(anchors("system", "@raw/own")), "android", passes),
        (domain(anchors("system", "@raw/own")), "okhttp", passes),
        // What an element does not say it inherits: hosts without an entry, with one that says nothing of it, with one of its own.
        (base(own), "android", passes), (base(own) + domain(""), "android", passes),
        (base(own) + domain(system), "android", untrusted),
        (base(own) + domain("", for: "other.example.net"), "android", passes), (nested(""), "android", passes),
        (nested(system), "android", untrusted),
        // Pins are compared on paths to these anchors.
        (domain(own + pinSet("LEAF")), "android", "pass pin-matched"),
        (domain(own + pinSet("JUNK")), "android", "fail pin-mismatch"),
        (domain(anchors("@raw/own", overriding: "true") + pinSet("JUNK")), "android", passes),
        // Debuggable builds, whose anchors override pins unless they say otherwise and join the platform's own anchors too.
        (domain(system + pinSet("JUNK")) + debug(own), "android", untrusted),
        (domain(system + pinSet("JUNK")) + debug(own), "android:debuggable", passes),
        (base(system) + domain(pinSet("JUNK")) + debug(own), "android", untrusted),
        (base(system) + domain(pinSet("JUNK")) + debug(own), "android:debuggable", passes),
        (
            domain(system + pinSet("JUNK")) + debug(anchors("@raw/own", overriding: "false")), "android:debuggable",
            "fail pin-mismatch"
        ), (domain("") + debug(own), "okhttp:debuggable", passes),
        (domain(own) + debug(anchors("usr")), "android", passes),
        (domain(own) + debug(anchors("@raw/gone")), "android", passes),
        // Certificate Transparency: in as many words it holds below private roots too, and an element's own anchors of the app's
        // switch off what it inherits.
        (domain(own + logged), "android", "fail too-few-scts"), (domain(own + logged), "okhttp", "fail too-few-scts"),
        (base(own + logged), "android", "fail too-few-scts"), (base(own + logged), "okhttp", "fail too-few-scts"),
        (base(logged) + domain(own), "android", passes), (base(own + logged) + domain(notLogged), "android", passes),
    ]

    @Test(arguments: rows.indices) func theAnchorsOfTheConfigurationDecide(index: Int) async throws {
        let (body, client, decision) = Self.rows[index]
        #expect(try await PinCheckCLITests.decision(of: Self.line(client), Self.texts(body)) == decision, "\(body)")
    }

    @Test(arguments: ["android", "okhttp"]) func aRootOfTheDeviceCountsWhereItIsNamed(client: String) async throws {
        let onDevice = Self.line(client, device: "root")
        #expect(try await decision(of: onDevice, Self.texts(Self.domain(Self.system))) == Self.passes)
        let others = try Self.texts(Self.domain(Self.own), own: pki.rootB.pem)
        #expect(try await decision(of: Self.line(client), others) == Self.untrusted)
        try await desk(onDevice + " -f json", others).expect(
            Self.untrusted, "configured-anchors",
            "the app's configuration trusts @raw/own for \(StandardPKI.serverName), and no other root")
        try await desk(onDevice + " -f json", Self.texts(Self.domain("<trust-anchors/>"))).expect(
            Self.untrusted, "trusts nothing for \(StandardPKI.serverName)", "trusts-nothing")
        // The target asks for timestamps below public roots alone, and this one is none.
        let target = Self.line("\(client):target-sdk=37", device: "root")
        #expect(try await decision(of: target, Self.texts(Self.domain(""))) == Self.passes)
    }

    @Test(arguments: ["android", "okhttp"]) func rootsOfTheUserCountWhereNamed(client: String) async throws {
        // Where nothing names anchors, it is for the app's target to say.
        for (body, settings, expected) in [
            (Self.anchors("user"), "", Self.passes), (Self.anchors("system", "user"), "", Self.passes),
            (Self.system, "", Self.untrusted), ("", "", Self.untrusted), ("", ":target-sdk=24", Self.untrusted),
            ("", ":target-sdk=23", Self.passes), ("", ":user-roots", Self.passes),
            (Self.system, ":target-sdk=23", Self.untrusted),
        ] {
            let line = Self.line(client + settings, " --extra-root @root.pem")
            #expect(try await decision(of: line, Self.texts(Self.domain(body))) == expected, "\(settings) \(body)")
        }
        let bare = "verify @chain.pem --anchors @other.pem --extra-root @root.pem --host $HOST --client \(client)"
        #expect(try await desk(bare + ":target-sdk=23").status == .pass)
        #expect(try await decision(of: bare + ":target-sdk=24") == Self.untrusted)
        try await desk(
            Self.line("\(client):user-roots", " --extra-root @root.pem"), Self.texts(Self.domain(Self.system))
        ).expect(.data, errors: "trusts system and no root of the user's")
        for text in ["", "0", "-1", "x", "99999999999999999999"] {
            try await desk("VERIFY --client \(client):target-sdk=\(text)").expect(.usage)
        }
    }

    @Test func theManifestsTargetCounts() async throws {
        func outcome(_ target: String, _ client: String = "android") async throws -> Outcome {
            let manifest = """
                <manifest xmlns:android="http://schemas.android.com/apk/res/android">
                <uses-sdk android:minSdkVersion="21" android:targetSdkVersion="\(target)"/>
                <application android:networkSecurityConfig="@xml/nsc"/></manifest>
                """
            return try await desk(
                "verify @chain.pem --anchors @other.pem --extra-root @root.pem --host $HOST -f json "
                    + "--pins @app/AndroidManifest.xml --client \(client)",
                ["app/AndroidManifest.xml": manifest, "app/res/xml/nsc.xml": Self.file(Self.domain(""))])
        }
        #expect(try await outcome("23").decision == Self.passes)
        #expect(try await outcome("24").decision == Self.untrusted)
        #expect(try await outcome("24", "android:target-sdk=23").decision == Self.passes)
        try await outcome("VanillaIceCream").expect(Self.untrusted, "'VanillaIceCream' is not an API level")
    }

    @Test func whatADebuggableBuildReadsBesideOrThrowsForIsRefused() async throws {
        let (body, debug) = (Self.domain(Self.system), Self.debug(Self.own))
        #expect(try await decision(of: Self.line("android"), Self.texts(body, debug: debug)) == Self.untrusted)
        let debuggable = Self.line("android:debuggable")
        try await desk(debuggable, Self.texts(body, debug: debug)).expect(
            .data, errors: "a debuggable build reads nsc_debug.xml beside")
        // Not beside those of the configuration itself.
        let both = try Self.texts(body + Self.debug(Self.system), debug: debug)
        #expect(try await decision(of: debuggable, both) == Self.untrusted)
        for source in ["usr", "@raw/gone"] {
            try await desk(debuggable, Self.texts(Self.domain(Self.own) + Self.debug(Self.anchors(source)))).expect(
                .data, errors: "a debuggable build throws: ", "nsc.xml:3")
        }
    }

    @Test func whatCannotBeReadIsAnErrorWithItsPlace() async throws {
        func refused(_ body: String, own: String? = nil) async throws -> Outcome {
            try await desk(Self.line("android"), Self.texts(Self.domain(body), own: own))
        }
        try await refused(Self.anchors("@raw/gone")).expect(
            .noInput, errors: "nsc.xml:2: the resource '@raw/gone' is not there")
        try await refused(Self.logged.replacing("true", with: "yes")).expect(
            .data, errors: "nsc.xml:2: enabled=\"yes\" is neither true nor false")
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        for broken in [key, "", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            try await refused(Self.own, own: broken).expect(.data, errors: "own.pem")
        }
        let texts = [
            "first.xml": Self.file(Self.base(Self.system)), "second.xml": Self.file(Self.base(Self.anchors("user"))),
        ]
        try await desk("VERIFY --pins @first.xml --pins @second.xml --client android", texts).expect(
            .data, errors: "two configurations cover \(StandardPKI.serverName): ")
    }

    @Test func whatWasAppliedIsListed() async throws {
        let texts = try Self.texts(Self.domain(Self.anchors("@raw/own", overriding: "true")))
        let applied = try await self.applied("android,okhttp", texts)[0]
        #expect(applied["kind"].text == "network-security-config" && applied["hosts"].text == StandardPKI.serverName)
        #expect(applied["clients"].array.map(\.text) == ["android", "okhttp"])
        #expect(applied["origin"].text?.hasSuffix("nsc.xml:2") == true)
        #expect(applied["settings"][0].text == "anchors: @raw/own (overrides pins)")
        try await desk(Self.line("android"), texts).says(
            "network-security-config: for \(StandardPKI.serverName), anchors: @raw/own (overrides pins)")
        #expect(try await self.applied("curl", texts).array.isEmpty)
    }

    private func applied(_ client: String, _ texts: [String: String]) async throws -> JSONValue {
        try JSONValue(await desk(Self.line(client) + " -f json", texts).output)["pins"]["applied"]
    }

    @Test func lintFindsAnchorsThatSurprise() async throws {
        let body =
            Self.base(Self.anchors("system", "user")) + Self.domain("<trust-anchors/>")
            + Self.domain(Self.anchors("@raw/gone"), for: "b.example") + Self.debug(Self.anchors("user"))
        try await desk("lint @nsc.xml", ["nsc.xml": Self.file(body)]).expect(
            .noInput, "nsc.xml:2: warning: roots that the user installs are trusted, ",
            "nsc.xml:3: error: <trust-anchors> is empty", "nsc.xml:4: error: the resource '@raw/gone' is not there",
            not: "nsc.xml:5: warning")
    }
}
