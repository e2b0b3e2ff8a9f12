import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// What Android trusts is what the app's network security configuration names, for every client in the process.
@Suite(.endsSomeTime) struct AndroidTrustTests {
    let pki: StandardPKI
    private let host = StandardPKI.serverName
    /// The path to a root of each kind: of the device, of the user and of the app.
    private let chain: [LabCertificate]

    init() throws {
        pki = try .shared()
        chain = [pki.leaf, pki.interA]
    }

    private func pinSet(_ certificates: LabCertificate...) -> String {
        let pins = certificates.map { certificate in
            "<pin digest=\"SHA-256\">\(SHA256Digest(bytes: certificate.publicKeySHA256)!.base64)</pin>"
        }
        return "<pin-set>\(pins.joined())</pin-set>"
    }

    private func anchors(_ sources: String...) -> String {
        "<trust-anchors>" + sources.map { "<certificates src=\"\($0)\"/>" }.joined() + "</trust-anchors>"
    }

    private func overriding(_ source: String) -> String {
        "<trust-anchors><certificates src=\"\(source)\" overridePins=\"true\"/></trust-anchors>"
    }

    private func base(_ body: String) -> String { "<base-config>\(body)</base-config>\n" }

    private func domain(_ body: String, for name: String? = nil) -> String {
        "<domain-config><domain>\(name ?? host)</domain>\(body)</domain-config>\n"
    }

    /// Judges the chain below root A with root A in `res/raw/own.pem`, and another root on the device.
    private func outcome(
        _ body: String, client: String = "android", roots: [LabCertificate]? = nil, userRoots: [LabCertificate] = [],
        debugFile: String? = nil, own: String? = nil, format: String = "json"
    ) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: chain), to: "chain.pem")
            let device = try files.write(pem(of: roots ?? [pki.rootB]), to: "device.pem")
            for folder in ["res", "res/raw", "res/xml"] { try files.makeDirectory(folder) }
            try files.write(own ?? pki.rootA.pem, to: "res/raw/own.pem")
            let text = "<network-security-config>\n\(body)</network-security-config>\n"
            let nsc = try files.write(Array(text.utf8), to: "res/xml/nsc.xml")
            if let debugFile {
                let text = "<network-security-config>\n\(debugFile)</network-security-config>\n"
                try files.write(Array(text.utf8), to: "res/xml/nsc_debug.xml")
            }
            var options: [String] = []
            for root in userRoots { options += ["--extra-root", try files.write(root.pem, to: "user.pem")] }
            return await pincheck(
                ["verify", chain, "--anchors", device, "--pins", nsc, "--client", client, "--host", host] + [
                    "--format", format,
                ] + options)
        }
    }

    // MARK: Which anchors count

    @Test(arguments: ["android", "okhttp"]) func theAnchorsOfTheConfigurationDecideForEveryClientOfTheProcess(
        _ client: String
    ) async throws {
        // What the device has is not what the configuration names, and the other way round.
        let own = domain(anchors("@raw/own"))
        #expect(try await outcome(own, client: client).decision == "pass pins-not-applied")
        #expect(try await outcome(own, client: client, own: pki.rootB.pem).decision == "fail unknown-issuer")
        let store = domain(anchors("system"))
        #expect(try await outcome(store, client: client).decision == "fail unknown-issuer")
        #expect(try await outcome(store, client: client, roots: [pki.rootA]).decision == "pass pins-not-applied")
        let both = domain(anchors("system", "@raw/own"))
        #expect(try await outcome(both, client: client).decision == "pass pins-not-applied")
        // A root of the device that the configuration does not name.
        let other = try await outcome(own, client: client, roots: [pki.rootA], own: pki.rootB.pem)
        #expect(other.decision == "fail unknown-issuer")
        #expect(other.output.contains("configured-anchors"))
        #expect(other.output.contains("the app's configuration trusts @raw/own for \(host), and no other root"))
    }

    @Test func anEmptyListTrustsNothing() async throws {
        let outcome = try await outcome(domain("<trust-anchors/>"), roots: [pki.rootA])
        #expect(outcome.decision == "fail unknown-issuer")
        #expect(outcome.output.contains("trusts nothing for \(host)"))
        #expect(outcome.output.contains("trusts-nothing"))
    }

    @Test func whatAnElementDoesNotSayItInherits() async throws {
        let base = base(anchors("@raw/own"))
        // Hosts without an entry, with one that says nothing of it, and with one of its own.
        #expect(try await outcome(base).decision == "pass pins-not-applied")
        #expect(try await outcome(base + domain("")).decision == "pass pins-not-applied")
        #expect(try await outcome(base + domain(anchors("system"))).decision == "fail unknown-issuer")
        #expect(try await outcome(base + domain("", for: "other.example.net")).decision == "pass pins-not-applied")
        let nested =
            "<domain-config><domain includeSubdomains=\"true\">example.com</domain>\(anchors("@raw/own"))"
            + "<domain-config><domain>\(host)</domain>%</domain-config></domain-config>"
        #expect(try await outcome(nested.replacing("%", with: "")).decision == "pass pins-not-applied")
        #expect(try await outcome(nested.replacing("%", with: anchors("system"))).decision == "fail unknown-issuer")
    }

    @Test func pinsAreComparedOnPathsToTheAnchorsOfTheConfiguration() async throws {
        let own = anchors("@raw/own")
        #expect(try await outcome(domain(own + pinSet(pki.leaf))).decision == "pass pin-matched")
        #expect(try await outcome(domain(own + pinSet(pki.junk))).decision == "fail pin-mismatch")
        #expect(
            try await outcome(domain(overriding("@raw/own") + pinSet(pki.junk))).decision == "pass pins-not-applied")
    }

    // MARK: Roots of the user's

    @Test(arguments: ["android", "okhttp"]) func rootsOfTheUserCountWhereTheConfigurationNamesThem(_ client: String)
        async throws
    {
        func decision(_ body: String, _ settings: String = "") async throws -> String {
            try await outcome(body, client: client + settings, userRoots: [pki.rootA]).decision
        }
        #expect(try await decision(domain(anchors("user"))) == "pass pins-not-applied")
        #expect(try await decision(domain(anchors("system", "user"))) == "pass pins-not-applied")
        #expect(try await decision(domain(anchors("system"))) == "fail unknown-issuer")
        // Where nothing names anchors, it is for the app's target to say.
        #expect(try await decision(domain("")) == "fail unknown-issuer")
        #expect(try await decision(domain(""), ":target-sdk=24") == "fail unknown-issuer")
        #expect(try await decision(domain(""), ":target-sdk=23") == "pass pins-not-applied")
        #expect(try await decision(domain(""), ":user-roots") == "pass pins-not-applied")
        #expect(try await decision(domain(anchors("system")), ":target-sdk=23") == "fail unknown-issuer")
    }

    @Test func aSettingThatTheConfigurationContradictsIsRefused() async throws {
        let outcome = try await outcome(domain(anchors("system")), client: "android:user-roots", userRoots: [pki.rootA])
        #expect(outcome.status == .data)
        #expect(outcome.errors.contains("trusts system and no root of the user's"))
    }

    @Test func theTargetCountsWithoutAConfiguration() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: chain), to: "chain.pem")
            let device = try files.write(pki.rootB.pem, to: "device.pem")
            let user = try files.write(pki.rootA.pem, to: "user.pem")
            for (setting, expected) in [
                ("target-sdk=23", "pass pins-not-applied"), ("target-sdk=24", "fail unknown-issuer"),
            ] {
                for client in ["android", "okhttp"] {
                    let arguments = [
                        "verify", chain, "--anchors", device, "--extra-root", user, "--host", host, "--client",
                        "\(client):\(setting)",
                    ]
                    let decision = await decision(arguments)
                    #expect(decision.hasPrefix(expected.prefix(4)), "\(client):\(setting) \(decision)")
                }
            }
            for text in ["", "0", "-1", "x", "99999999999999999999"] {
                let refused = await pincheck("verify", chain, "--client", "android:target-sdk=\(text)")
                #expect(refused.status == .usage, "\(text)")
            }
        }
    }

    @Test func theManifestsTargetCounts() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: chain), to: "chain.pem")
            let device = try files.write(pki.rootB.pem, to: "device.pem")
            let user = try files.write(pki.rootA.pem, to: "user.pem")
            let nsc = "<network-security-config>\(domain(""))</network-security-config>"
            for folder in ["app", "app/res", "app/res/xml"] { try files.makeDirectory(folder) }
            try files.write(Array(nsc.utf8), to: "app/res/xml/nsc.xml")
            func outcome(_ target: String, _ client: String = "android") async throws -> Outcome {
                let manifest = """
                    <manifest xmlns:android="http://schemas.android.com/apk/res/android">
                    <uses-sdk android:minSdkVersion="21" android:targetSdkVersion="\(target)"/>
                    <application android:networkSecurityConfig="@xml/nsc"/></manifest>
                    """
                let path = try files.write(Array(manifest.utf8), to: "app/AndroidManifest.xml")
                return await pincheck(
                    ["verify", chain, "--anchors", device, "--extra-root", user, "--pins", path, "--client", client] + [
                        "--host", host, "--format", "json",
                    ])
            }
            #expect(try await outcome("23").decision == "pass pins-not-applied")
            #expect(try await outcome("24").decision == "fail unknown-issuer")
            #expect(try await outcome("24", "android:target-sdk=23").decision == "pass pins-not-applied")
            let named = try await outcome("VanillaIceCream")
            #expect(named.decision == "fail unknown-issuer")
            #expect(named.output.contains("'VanillaIceCream' is not an API level"))
        }
    }

    // MARK: Debuggable builds

    @Test func debugOverridesCountForDebuggableBuildsAlone() async throws {
        let debug = "<debug-overrides>\(anchors("@raw/own"))</debug-overrides>\n"
        for body in [domain(anchors("system") + pinSet(pki.junk)), base(anchors("system")) + domain(pinSet(pki.junk))] {
            #expect(try await outcome(body + debug).decision == "fail unknown-issuer")
            // Its anchors override pins unless they say otherwise.
            #expect(try await outcome(body + debug, client: "android:debuggable").decision == "pass pins-not-applied")
        }
        let strict = debug.replacing("/></trust", with: " overridePins=\"false\"/></trust")
        let body = domain(anchors("system") + pinSet(pki.junk))
        #expect(try await outcome(body + strict, client: "android:debuggable").decision == "fail pin-mismatch")
        // They join the platform's own anchors too.
        #expect(try await outcome(domain("") + debug, client: "okhttp:debuggable").decision == "pass pins-not-applied")
    }

    @Test func aFileOfDebugOverridesHasToBeNamed() async throws {
        let body = domain(anchors("system"))
        let debug = "<debug-overrides>\(anchors("@raw/own"))</debug-overrides>\n"
        #expect(try await outcome(body, debugFile: debug).decision == "fail unknown-issuer")
        let refused = try await outcome(body, client: "android:debuggable", debugFile: debug)
        #expect(refused.status == .data, "\(refused)")
        #expect(refused.errors.contains("a debuggable build reads nsc_debug.xml beside"), "\(refused.errors)")
        // Not beside those of the configuration itself.
        let own = "<debug-overrides>\(anchors("system"))</debug-overrides>\n"
        #expect(
            try await self.outcome(body + own, client: "android:debuggable", debugFile: debug).decision
                == "fail unknown-issuer")
    }

    @Test(arguments: ["<certificates src=\"usr\"/>", "<certificates src=\"@raw/gone\"/>"])
    func whatDebuggableBuildsThrowForIsAnErrorForThemAlone(_ source: String) async throws {
        let debug = "<debug-overrides><trust-anchors>\(source)</trust-anchors></debug-overrides>\n"
        let body = domain(anchors("@raw/own")) + debug
        #expect(try await outcome(body).decision == "pass pins-not-applied")
        let refused = try await outcome(body, client: "android:debuggable")
        #expect(refused.status == .data && refused.errors.contains("a debuggable build throws: "))
        #expect(refused.errors.contains("nsc.xml:3"))
    }

    // MARK: Certificate Transparency

    @Test func certificateTransparencyIsAskedForAsTheConfigurationSays() async throws {
        let asking = "<certificateTransparency enabled=\"true\"/>"
        let anchored = anchors("@raw/own")
        for client in ["android", "okhttp"] {
            // In as many words it holds below private roots too.
            #expect(try await outcome(domain(anchored + asking), client: client).decision == "fail too-few-scts")
            #expect(try await outcome(base(anchored + asking), client: client).decision == "fail too-few-scts")
        }
        // An element's own anchors of the app's switch off what it inherits.
        #expect(try await outcome(base(asking) + domain(anchored)).decision == "pass pins-not-applied")
        let off = asking.replacing("true", with: "false")
        #expect(try await outcome(base(anchored + asking) + domain(off)).decision == "pass pins-not-applied")
        // The target asks below public roots alone, and this one is none.
        #expect(
            try await outcome(domain(""), client: "android:target-sdk=37", roots: [pki.rootA]).decision
                == "pass pins-not-applied")
        let wrong = try await outcome(domain(asking.replacing("true", with: "yes")))
        #expect(wrong.status == .data && wrong.errors.contains("nsc.xml:2: enabled=\"yes\" is neither true nor false"))
    }

    // MARK: Bad input

    @Test func aResourceThatCannotBeReadIsAnErrorWithItsPlace() async throws {
        let missing = try await outcome(domain(anchors("@raw/gone")))
        #expect(missing.status == .noInput)
        #expect(missing.errors.contains("nsc.xml:2: the resource '@raw/gone' is not there"))
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        for broken in [key, "", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let outcome = try await outcome(domain(anchors("@raw/own")), own: broken)
            #expect(outcome.status == .data, "\(broken): \(outcome)")
            #expect(outcome.errors.contains("own.pem"), "\(outcome.errors)")
        }
    }

    @Test func twoConfigurationsThatDisagreeAreRefused() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: chain), to: "chain.pem")
            func write(_ body: String, _ name: String) throws -> String {
                try files.write(Array("<network-security-config>\(body)</network-security-config>".utf8), to: name)
            }
            let first = try write(base(anchors("system")), "first.xml")
            let second = try write(base(anchors("user")), "second.xml")
            let arguments = ["verify", chain, "--host", host, "--pins", first, "--pins", second, "--client"]
            let refused = await pincheck(arguments + ["android"])
            #expect(refused.status == .data && refused.errors.contains("two configurations cover \(host): "))
        }
    }

    // MARK: Reports

    @Test func whatWasAppliedIsListed() async throws {
        let body = domain("<trust-anchors><certificates src=\"@raw/own\" overridePins=\"true\"/></trust-anchors>")
        let outcome = try await outcome(body, client: "android,okhttp")
        let applied = try JSONValue(outcome.output)["pins"]["applied"][0]
        #expect(applied["kind"].text == "network-security-config")
        #expect(applied["clients"][0].text == "android" && applied["clients"][1].text == "okhttp")
        #expect(applied["hosts"].text == host)
        #expect(applied["origin"].text?.hasSuffix("nsc.xml:2") == true)
        #expect(applied["settings"][0].text == "anchors: @raw/own (overrides pins)")
        let text = try await self.outcome(body, client: "android", format: "text")
        #expect(text.output.contains("network-security-config: for \(host), anchors: @raw/own (overrides pins)"))
        #expect(try await JSONValue(self.outcome(body, client: "curl").output)["pins"]["applied"].array.isEmpty)
    }

    @Test func lintFindsAnchorsThatSurprise() async throws {
        try await TemporaryDirectory.scoped { files in
            let text = """
                <network-security-config>
                \(base(anchors("system", "user")))\(domain("<trust-anchors/>"))\(domain(anchors("@raw/gone"), for: "b.example"))
                <debug-overrides>\(anchors("user"))</debug-overrides></network-security-config>
                """
            let nsc = try files.write(Array(text.utf8), to: "nsc.xml")
            let outcome = await pincheck("lint", nsc)
            #expect(outcome.status == .fail || outcome.status == .data || outcome.status == .noInput)
            #expect(outcome.output.contains("nsc.xml:2: warning: roots that the user installs are trusted, "))
            #expect(outcome.output.contains("nsc.xml:3: error: <trust-anchors> is empty"))
            #expect(outcome.output.contains("nsc.xml:4: error: the resource '@raw/gone' is not there"))
            #expect(!outcome.output.contains("nsc.xml:5: warning"))
        }
    }
}
