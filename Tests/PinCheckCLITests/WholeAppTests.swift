import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// The files of an app that name each other, and what it has beside what one client reads of it: each is read as the device reads it, or
/// refused, and none is written over.
@Suite(.endsSomeTime) struct WholeAppTests {
    private static let stranger = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let ats = "<plist><dict><key>NSAppTransportSecurity</key><dict/></dict></plist>"

    private static func android(
        _ pin: String, of host: String = "$HOST", anchors: String = "<certificates src=\"system\"/>"
    ) -> String {
        """
        <network-security-config><domain-config><domain includeSubdomains="true">\(host)</domain>
        <trust-anchors>\(anchors)</trust-anchors>
        <pin-set><pin digest="SHA-256">\(pin)</pin></pin-set></domain-config></network-security-config>
        """
    }

    private static func apple(_ pin: String, key: String = "NSPinnedDomains") -> String {
        """
        <plist><dict><key>NSAppTransportSecurity</key><dict><key>\(key)</key><dict>
        <key>$HOST</key><dict><key>NSPinnedLeafIdentities</key><array><dict>
        <key>SPKI-SHA256-BASE64</key><string>\(pin)</string></dict></array></dict></dict></dict></dict></plist>
        """
    }

    private static func okHttp(_ pin: String, of host: String = "$HOST") -> String {
        "CertificatePinner.Builder().add(\"\(host)\", \"sha256/\(pin)\").build()\n"
    }

    private static let texts = [
        "right.xml": android("$LEAF64"), "wrong.xml": android(stranger),
        "other.xml": android(stranger, of: "other.example"), "parent.xml": android(stranger, of: "example.com"),
        "Pinner.kt": okHttp("$LEAF64"), "Other.kt": okHttp(stranger, of: "other.example"),
        "Leaf.plist": apple("$LEAF64"), "Root.plist": apple("$TOP64"), "ats.plist": ats,
        "trust/nsc.xml":
            "<network-security-config><base-config><trust-anchors><certificates src=\"system\"/></trust-anchors>"
            + "</base-config></network-security-config>",
    ]

    /// What follows `VERIFY`, and the decision.
    private static let rows: [(arguments: String, decision: String)] = [
        // Pins that bind all of an app decide whichever client is asked, and OkHttp compares them where it has no others.
        ("--pins @Pinner.kt --pins @right.xml --client okhttp", "pass pin-matched"),
        ("--pins @right.xml --client okhttp", "pass pin-matched"),
        ("--pins @wrong.xml --pins $LEAF --client okhttp", "fail pin-mismatch"),
        // A host that the configuration does not pin is the client's own affair.
        ("--pins @Pinner.kt --pins @other.xml --client okhttp", "pass pin-matched"),
        // Of what is pinned for Apple's clients and for Android's, AFNetworking is asked about the former.
        ("--pins @Leaf.plist --pins @wrong.xml --client afnetworking", "pass pin-matched"),
        // Without pins of its own a client takes the key wherever it is on the path; the system looks where it is listed.
        ("--pins @Root.plist", "fail pin-mismatch"), ("--pins @parent.xml --client android", "fail pin-mismatch"),
    ]

    @Test(arguments: rows) func whatBindsTheAppDecides(arguments: String, decision: String) async throws {
        let outcome = try await desk("VERIFY -f json " + arguments, Self.texts).expect(decision)
        if arguments.contains("other.xml") { outcome.says(not: "\"client\" : \"android\"") }
    }

    @Test(arguments: ["okhttp", "okhttp,android", "okhttp:target-sdk=23"]) func theSystemsPinsAreCalledTheirs(
        client: String
    ) async throws {
        let outcome = try await desk(
            "VERIFY -f json --pins @Pinner.kt --pins @wrong.xml --client \(client)", Self.texts)
        outcome.expect("fail pin-mismatch", "\"client\" : \"android\"")
        #expect(outcome.output.contains("system-pins") == (client != "okhttp,android"), "\(outcome)")
    }

    @Test(arguments: ["afnetworking", "alamofire", "nspinneddomains"]) func pinnedDomainsDecideForEachClient(
        client: String
    ) async throws {
        for (pin, status) in [(Self.stranger, ExitStatus.fail), ("$LEAF64", .pass)] {
            let desk = try Desk(["Shop.app/Info.plist": Self.apple(pin)])
            try desk.files.write(StandardPKI.shared().rootA.der, to: "Shop.app/root.cer")
            await desk("VERIFY --pins @Shop.app --client \(client)").expect(status)
        }
    }

    @Test func pinsOfEachOfTwoClientsAreCounted() async throws {
        let desk = try Desk(Self.texts)
        let line = "VERIFY --pins @Other.kt --pins @right.xml --client okhttp -f "
        let report = try JSONValue(await desk(line + "json").output)
        #expect(report["reason"]["id"].text == "pins-not-applied")
        #expect(report["pins"]["matched"].array.compactMap { $0["depth"].number } == [0])
        await desk(line + "nagios").says("pins_matched=1;")
        await desk(line + "text").says("  pins: 1 configured, 1 matched (leaf)\n")
        // The one compares what the other does not: nothing is left out.
        await desk("VERIFY --pins @right.xml --pins $INTER --client okhttp").says(not: "not compare")
        // Pins of an Android app are no reserve of another client.
        let both = try JSONValue(await desk("VERIFY -f json --pins @root.cer --pins @wrong.xml").output)
        #expect(both["outlook"]["has_backup"].flag == false)
        #expect(both["clients"][0]["settings"]["mode"].text == "certificate")
    }

    @Test func keysOfAnInfoPlistThatCountForNothingAreNamed() async throws {
        for (body, words) in [
            ("<key>NSPinnedDomains</key><dict/>", "put it into NSAppTransportSecurity"),
            ("<key>TSKPinnedDomains</key><dict/>", "put it into TSKConfiguration"),
            ("<key>NSAppTransportSecurity-iphoneos</key><dict/>", "is for some devices"),
            ("<key>NSAppTransportSecurity~ipad</key><dict/>", "is for some devices"),
        ] {
            let plist = "<plist><dict>\(body)<key>NSAppTransportSecurity</key><dict/></dict></plist>"
            let desk = try Desk(["Info.plist": plist])
            let findings = try JSONValue(await desk("lint @Info.plist -f json").output)["findings"].array
            let found = findings.filter { $0["id"].text == "unknown-key" }
            #expect(found.first?["message"].text?.contains(words) == true, "\(findings)")
            await desk("VERIFY -f json --pins @Info.plist").says("\"nothing-pinned\"")
        }
    }

    @Test func aLinkedCertificateInABundleIsAPin() async throws {
        let desk = try Desk(["Shop.app/Info.plist": Self.ats])
        _ = try desk.files.makeDirectory("Shop.app/certificates")
        try desk.files.write(StandardPKI.shared().rogue.der, to: "Shop.app/certificates/api.der")
        #expect(symlink("certificates/api.der", desk.files.path + "/Shop.app/api.cer") == 0)
        // A bundle has links to itself, too.
        #expect(symlink(".", desk.files.path + "/Shop.app/Current") == 0)
        #expect(await desk.decides("VERIFY --pins @Shop.app") == "fail pin-mismatch")
    }

    @Test func aResourceThatSomeDevicesTakeFromElsewhereIsNotJudgedForAll() async throws {
        let manifest = """
            <manifest xmlns:android="http://schemas.android.com/apk/res/android">
            <application android:networkSecurityConfig="@xml/n"/></manifest>
            """
        let desk = try Desk(["AndroidManifest.xml": manifest, "res/xml/n.xml": Self.android("$LEAF64")])
        let line = "VERIFY --client android --pins @AndroidManifest.xml"
        #expect(await desk.decides(line) == "pass pin-matched")
        try desk.write(Self.android(Self.stranger), to: "res/xml-v31/other.xml")
        #expect(await desk.decides(line) == "pass pin-matched")
        try desk.write(Self.android(Self.stranger), to: "res/xml-v31/n.xml")
        await desk(line).expect(.data, errors: "'xml-v31' for some devices")
    }

    @Test func anAnchorOnTheWayToARootIsNotTheEndOfThePath() async throws {
        for (inter, root, pin, expected) in [
            (" overridePins=\"true\"", "", Self.stranger, "fail pin-mismatch"), ("", "", "$TOP64", "pass pin-matched"),
            ("", " overridePins=\"true\"", Self.stranger, "pass pins-not-applied"),
        ] {
            let anchors = "<certificates src=\"@raw/inter\"\(inter)/><certificates src=\"@raw/root\"\(root)/>"
            // Of two files of one name none is taken.
            let line = "verify @chain.pem --host $HOST --client android --pins @own/nsc.xml"
            let texts = [
                "own/nsc.xml": Self.android(pin, anchors: anchors), "own/inter.pem": pki.interA.pem,
                "own/root.pem": pki.rootA.pem,
            ]
            #expect(try await decision(of: line, texts) == expected)
            try await desk(line, texts.merging(["own/root.crt": pki.rootB.pem]) { $1 }).expect(
                .data, errors: "@raw/root is 'root.crt' as well as 'root.pem'")
        }
    }

    @Test func twoConfigurationsThatDisagreeAreNotMadeIntoAThird() async throws {
        for pins in ["@right.xml --pins @parent.xml", "@parent.xml --pins @right.xml"] {
            try await desk("VERIFY --client android --pins \(pins)", Self.texts).expect(
                .data, errors: "give the one that the app ships")
        }
    }

    @Test func aWordOfDistrustInAFileOfTheAppsOwnIsNotPassedOver() async throws {
        let list = """
            {"source": "lab", "licence": "", "stores": [{"platform": "aosp", "version": "14", "fetched": "2026-01-01",
            "url": "https://a.example", "roots": ["root.pem"]}]}
            """
        let texts = [
            "own/root.pem": try StandardPKI.shared().rootA.pem(TrustSettings(rejected: [.serverAuth])),
            "own/devices.json": list,
            "own/nsc.xml": Self.android("$LEAF64", anchors: "<certificates src=\"@raw/root\"/>"),
        ]
        let verify = "verify @chain.pem --host $HOST --client "
        try await desk(verify + "android --pins @own/nsc.xml", texts).expect(.data, errors: "OpenSSL's trust settings")
        try await desk(verify + "okhttp --device android-14 --device-data @own/devices.json", texts).expect(
            .data, errors: "trust settings")
    }

    @Test func whatAConfigurationNamesIsNotWrittenOver() async throws {
        let root = try StandardPKI.shared().rootA.pem
        let nsc = Self.android("$LEAF64", anchors: "<certificates src=\"@raw/root\"/>")
        let desk = try Desk(["own/nsc.xml": nsc, "own/root.pem": root])
        for output in ["-o @own/root.pem", "-f junit=@own/root.pem", "-f jsonl=@own/root.pem"] {
            await desk("verify @chain.pem --host $HOST --pins @own/nsc.xml \(output)").expect(
                .usage, errors: "is read in this run")
        }
        await desk("lint @own/nsc.xml -f json=@own/root.pem").expect(.usage)
        let kept = try contents(ofFile: desk.files.path + "/own/root.pem")
        #expect(kept == root)
    }

    @Test func whatAnAppSaysOfTrustDoesNotStandForPinsThatAreWrong() async throws {
        let texts = Self.texts.merging([
            "Shop.app/Info.plist": Self.ats, "pins/nsc.xml": Self.texts["trust/nsc.xml"]!,
            "pins/a.txt": "sha256/AAAA\n",
        ]) { $1 }
        let desk = try Desk(texts)
        try desk.files.write([1, 2, 3], to: "Shop.app/leaf.cer")
        await desk("VERIFY --client afnetworking --pins @Shop.app").expect(.data)
        await desk("VERIFY --client android --pins @pins").expect(.data)
        // Without a pin there is something to say, whichever client is asked.
        for client in ["okhttp", "android", "afnetworking"] {
            await desk("VERIFY -f json --client \(client) --pins @trust/nsc.xml").expect(
                .pass, "pins nothing: no pin is compared")
        }
    }

    @Test func anInfoPlistIsReadHoweverItSpellsItsKeys() async throws {
        let plist = Self.apple(Self.stranger, key: "NSPinned&#68;omains")
        let desk = try Desk()
        _ = try desk.files.makeDirectory("Shop.app")
        try desk.files.write(StandardPKI.shared().leaf.der, to: "Shop.app/leaf.cer")
        func decide(_ bytes: [UInt8]) async throws -> Outcome {
            try desk.files.write(bytes, to: "Shop.app/Info.plist")
            return await desk("VERIFY -f json --client nspinneddomains --pins @Shop.app")
        }
        try await decide(Array(desk.expand(plist).utf8)).expect("fail pin-mismatch")
        let wide = try #require(desk.expand(plist).replacing("&#68;", with: "D").data(using: .utf16))
        #expect(try await decide(Array(wide)).decision != "pass trusted-without-pins")
        try await decide([]).expect(.data)
        try await decide((0..<60).map { UInt8(truncatingIfNeeded: $0 &* 37) }).expect(.data)
    }
}
