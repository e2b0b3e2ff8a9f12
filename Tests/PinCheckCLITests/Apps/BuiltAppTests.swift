import Foundation
import LoopbackLab
import PinCheckCLI
import PinChecking
import PinFormats
import Pinning
import Synchronization
import Testing

/// A built app is judged as its text is, and what stands in its code is told and never compared.
@Suite(.endsSomeTime) struct BuiltAppTests {
    private static let pinned = AppText.domain(AppText.pinSet("$LEAF64", "$JUNK64"))
    private static let junk = AppText.domain(AppText.pinSet("$JUNK64"))
    private static let expired = AppText.domain(AppText.pinSet("$LEAF64", "$JUNK64", until: "2020-01-01"))
    private static let dated = AppText.domain(AppText.pinSet("$LEAF64", "$JUNK64", until: "2040-06-01T00:00:00Z"))
    private static let elsewhere = AppText.domain(AppText.pinSet("$LEAF64", "$JUNK64"), for: "other.example.net")
    private static let ownAnchors = AppText.domain(AppText.anchors("@raw/own"))
    private static let passes = "pass pins-not-applied"
    private static let alone = "data pins-in-code"
    private static let inCode = ["classes2.dex": "x\0$LEAF\0"]

    private typealias Row = (app: BuiltApp, line: String, end: String)

    private static func expanded(_ app: BuiltApp, at desk: Desk) -> BuiltApp {
        var app = app
        app.configuration = app.configuration.map(desk.expand)
        app.files = app.files.mapValues(desk.expand)
        return app
    }

    private static func app(
        _ configuration: String?, _ files: [String: String] = [:], _ change: (inout BuiltApp) -> Void = { _ in }
    ) -> BuiltApp {
        var app = BuiltApp(configuration: configuration)
        app.files = files
        change(&app)
        return app
    }

    private static func silent(_ files: [String: String]) -> BuiltApp { app(nil, files) { $0.application = "" } }

    /// A hash with slashes, and the same as JSON may have it.
    private static let slashed = "nVTpN7Ri/8vYw3kZZvoX/uwLmG2hD4jF6tPqA9eUfrk="
    private static let escaped = slashed.replacing("/", with: "\\/")

    private static let rows: [Row] = [
        (app(pinned), "", "pass pin-matched"), (app(junk), "", "fail pin-mismatch"),
        (app(pinned), "--client okhttp", "pass pin-matched"),
        // The id decides, not a name: of the entry, and of the attribute.
        (app(junk, ["res/xml/network_security_config.xml": AppText.android(pinned)]), "", "fail pin-mismatch"),
        (app(junk) { $0.id = 0x0101_0999 }, "", "\(passes): no pin was found in AndroidManifest.xml … nothing-pinned"),
        (app(ownAnchors) { $0.own = pki.rootA.pem }, "--anchors @other.pem", passes),
        (app(ownAnchors), "", "data: is 'res/own.pem', which is not in the app"),
        (app(pinned) { $0.paths = ["res/a.xml", "res/b.xml"] }, "", "pass pin-matched"),
        (
            app(pinned) { $0.application = "android:networkSecurityConfig=\"@xml/none\"" }, "",
            "data: is no file in the app"
        ),
        (
            app(pinned) { $0.application = "android:networkSecurityConfig=\"@xml/system\"" }, "",
            "data: the resource '@0x01040001' is no file in the app"
        ), (app(pinned) { $0.isReference = true }, "", "data: has the entry @0x7f110003 that is not a file"),
        (app(nil), "", "data: is 'res/q.xml', which is not in the app"),
        (
            app(AppText.domain(AppText.pinSet("$LEAF64"), below: true)) { $0.hasTextFlags = true }, "",
            "data: is a text in the built app"
        ), (app(pinned) { $0.isCompact = true }, "", "data: a compact entry, which is not read"),
        (app(pinned) { $0.attributes = "split=\"config.de\"" }, "", "data: is the split 'config.de' of an app"),
        (
            app(pinned) { $0.application += " android:debuggable=\"true\"" }, "",
            "pass pin-matched: is a debuggable build … debuggable-app"
        ),
        // Nothing was found, and what was looked through is told.
        (
            silent(["classes.dex": "dex\n035"]), "",
            "\(passes): or as sha256/… in 3 files (0 kB) of code and assets; a pin that code puts"
        ),
        // What code has is never compared.
        (silent(inCode), "", "\(alone): # HOST $LEAF   classes2.dex"),
        (silent(inCode), "--client android", "\(passes): nothing-pinned … pins-in-code"),
        (silent(inCode), "--client okhttp", alone),
        (silent(inCode), "--client okhttp --pins $LEAF", "pass pin-matched: pins-in-code"),
        (silent(inCode), "--ignore pins-in-code", alone),
        (app(pinned, ["classes.dex": "$OTHER"]), "", "pass pin-matched: pins-in-code"),
        (app(pinned, ["classes.dex": "$OTHER"]), "--fail-on warn", "warn pins-in-code"),
        (app(pinned, ["classes.dex": "$LEAF"]), "--fail-on warn", "warn pins-in-code"),
        (app(pinned, ["classes.dex": "$LEAF \0$JUNK"]), "--fail-on warn", "pass pin-matched"),
        (app(expired, ["classes.dex": "$OTHER"]), "", alone),
        (app(expired, ["classes.dex": "$OTHER"]), "--client android", "\(passes): pins-in-code"),
        (app(pinned, ["classes.dex": "$OTHER"]), "--fail-on warn --ignore pins-in-code", "pass pin-matched"),
        (app(elsewhere, ["classes.dex": "$LEAF \0$JUNK"]), "", alone),
        (
            app(elsewhere, ["classes.dex": "$LEAF \0$JUNK"]), "--anchors @other.pem",
            "data unknown-issuer: \"verdict\" : \"reject\" … cannot be told"
        ),
        // Not hashes: letters without their end, with spare bits, and what may be a symmetric key.
        (silent(["a.bin": "sha256/" + String(repeating: "A1b2", count: 10) + "abcd"]), "", passes),
        (silent(["a.bin": "sha256/nVTpN7RiS8vYw3kZZvoXcuwLmG2hD4jF6tPqA9eUfrl="]), "", passes),
        (silent(["a.bin": "\0$LEAF64\0"]), "", passes),
        (silent(["a.bin": "\0$LEAF64\0", "b.bin": "kTSKPublicKeyHashes"]), "", passes),
        (silent(["a.bin": "\0$LEAF64\0kTSKPublicKeyHashes"]), "", alone),
        (
            silent(["a.png": "$LEAF", "META-INF/x": "$LEAF", "lib/arm64-v8a/a.so": "", "lib/x86/a.so": "$LEAF"]), "",
            passes
        ), (silent(["lib/x86/a.so": "$LEAF"]), "", alone), (silent(["assets/schlüssel.js": "$LEAF"]), "", alone),
        (silent(["a.bin": "sha256//$LEAF64"]), "", alone),
        (silent(["a.json": "\"sha256\\/" + escaped + "\""]), "", "\(alone): # HOST sha256/" + slashed),
        (silent(["a.plist": "TSKPublicKeyHashes,$LEAF64_\u{10},$JUNK64"]), "", "\(alone): $LEAF … $JUNK"),
        (silent(["assets/lib/x86/a.js": "$LEAF", "lib/arm64-v8a/a.so": ""]), "", alone),
        // Keys without number hide no hash.
        (silent(["a.json": String(repeating: "$JUNK64\n", count: 10_001) + "$LEAF"]), "", alone),
        (silent(["assets/w.zip": "PK\u{3}\u{4}", "classes.dex": ""]), "", "\(passes): not-followed … assets/w.zip"),
        // Certificates, whatever their names; not those in code, nor a store of roots, nor what the configuration names.
        (silent(["assets/x.bin": pki.leaf.pem]), "", "\(alone): (a certificate)"),
        (silent(["assets/x.pem": "i:C = US, O = Let's Encrypt, \"Inc.\"\n" + pki.leaf.pem]), "", alone),
        (silent(["assets/x.pem": "\u{FEFF}" + pki.leaf.pem]), "", alone),
        (silent(["assets/x.js": "var x = '\n" + pki.leaf.pem]), "", passes),
        (
            silent(["assets/roots.pem": String(repeating: pki.leaf.pem, count: 21)]), "",
            "\(passes): is a store of 21 certificates"
        ),
        // Both are notes, which do not change the exit status of a strict run.
        (
            app(pinned, ["assets/roots.pem": String(repeating: pki.leaf.pem, count: 21)]), "--fail-on warn",
            "pass pin-matched: is a store of 21 certificates"
        ), (app(dated), "--fail-on warn", "pass pin-matched: Android ignores 'T00:00:00Z' behind the date"),
        (app(ownAnchors) { ($0.own, $0.files) = (pki.rootA.pem, ["assets/copy.pem": pki.rootA.pem]) }, "", passes),
    ]

    private static let line = "verify @chain.pem --host $HOST --pins @app.apk"

    @Test(arguments: rows.indices) func anAppIsJudgedByWhatItConfigures(index: Int) async throws {
        let (app, words, end) = Self.rows[index]
        let desk = try Desk()
        try desk.files.write(Self.expanded(app, at: desk).apk, to: "app.apk")
        await desk.expect(Self.line + (words.contains("--anchors") ? " " : " --anchors @root.pem ") + words, end)
    }

    /// Each notation of one configuration: a table's lists and letters, the protocol buffers of a bundle, an archive of apps.
    @Test func everyFormOfAnAppIsJudgedAsItsText() async throws {
        for (configuration, end) in [
            (Self.pinned, "pass pin-matched"), (Self.junk, "fail pin-mismatch"), (Self.ownAnchors, Self.passes),
        ] {
            let desk = try Desk()
            let app = Self.expanded(Self.app(configuration) { $0.own = pki.rootA.pem }, at: desk)
            var archives: [String: [UInt8]] = ["app.aab": app.aab]
            for entries in BuiltApp.Entries.allCases {
                for isUTF8 in [true, false] {
                    var app = app
                    (app.entries, app.isUTF8) = (entries, isUTF8)
                    archives["\(entries)-\(isUTF8).apk"] = app.apk
                }
            }
            var split = app
            split.attributes = "split=\"config.de\""
            var set = StoredZip()
            for (name, bytes) in [("a.apk", split.apk), ("base.apk", app.apk), ("z.apk", app.apk)] {
                set.add(name, bytes)
            }
            archives["app.xapk"] = set.archive
            for (name, bytes) in archives {
                try desk.files.write(bytes, to: name)
                await desk.expect("verify @chain.pem --anchors @root.pem --host $HOST --pins @\(name)", end)
            }
        }
    }

    /// Apps of aapt and aapt2, the second optimized with shortened paths, one name for all resources and sparse lists.
    @Test(arguments: ["aapt.apk", "optimized.apk", "bundle.aab"]) func theAppsOfTheBuildToolsAreRead(name: String)
        async throws
    {
        let path = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Samples/" + name
        let reading = try PinSource(path).read()
        let entries = reading.configurations.flatMap(\.entries)
        #expect(entries.map { $0.hosts?.description } == ["a.example and all names below it", "b.example"])
        #expect(
            entries.map { $0.pins.map(\.spkiSHA256.base64) } == [["DrAg3OFzs1mtSNCcMNZzs/hTLj7o+X56X7QiC7UnUOk="], []])
        #expect(
            entries.map { $0.expiration?.date } == ["2030-01-01", nil]
                && entries.map(\.hasExemptAnchors) == [false, true])
        let trust = try #require(reading.networkSecurity.first)
        #expect(
            trust.targetSDK == 35 && trust.certificates.count == 1 && trust.base.sources?.map(\.origin) == [.system])
    }

    /// A debuggable build reads `NAME_debug` next to the configuration NAME.
    @Test func aTwinForDebuggableBuildsIsNoVerdictOfThose() async throws {
        let desk = try Desk()
        let plain = Self.expanded(Self.app(Self.pinned), at: desk)
        var twin = plain
        (twin.names, twin.files) = (["nsc", "own", "nsc_debug"], ["res/xml/nsc_debug.xml": ""])
        for archive in [plain.apk, plain.aab, twin.apk, twin.aab] {
            try desk.files.write(archive, to: "app.apk")
            await desk.expect("\(Self.line) --anchors @root.pem", "pass pin-matched")
            let isTwin = archive == twin.apk || archive == twin.aab
            await desk.expect(
                "\(Self.line) --anchors @root.pem --client android:debuggable",
                isTwin ? "data: a debuggable build reads nsc_debug" : "pass pin-matched")
        }
        // Names on the same bytes could keep a reader busy for minutes.
        twin.names = ["nsc"] + Array(repeating: String(repeating: "x", count: 900), count: 100)
        try desk.files.write(twin.apk, to: "app.apk")
        await desk.expect(
            "\(Self.line) --anchors @root.pem --client android:debuggable",
            "data: a debuggable build throws … bytes of names")
    }

    @Test func aSetOfAppsHasOneBase() async throws {
        let desk = try Desk()
        var split = Self.expanded(Self.app(Self.pinned), at: desk)
        let other = Self.expanded(Self.app(Self.junk), at: desk)
        let base = split
        split.attributes = "split=\"config.de\""
        for (name, apps, end) in [
            ("splits.apks", [split, split], "data: has splits of an app alone"),
            ("many.apks", Array(repeating: split, count: 61), "data: unpack it and name the base .apk"),
            ("two.apks", [base, other], "data: has two apps that are configured differently"),
        ] {
            var set = StoredZip()
            for (index, app) in apps.enumerated() { set.add("splits/\(index).apk", app.apk) }
            try desk.files.write(set.archive, to: name)
            await desk.expect("VERIFY --pins @\(name)", end)
        }
    }

    private static func ipa(_ files: [String: String]) -> [UInt8] {
        var zip = StoredZip()
        let all = files.merging(["Info.plist": AppText.plist("<key>CFBundleName</key><string>x</string>")]) { $1 }
        for (name, text) in all.sorted(by: { $0.key < $1.key }) { zip.add("Payload/App.app/" + name, text.bytes) }
        return zip.archive
    }

    @Test(arguments: [
        ("main.jsbundle", "a('$LEAF')", alone + ": Payload/App.app/main.jsbundle"), ("App", "\u{FEFF}\0$LEAF\0", alone),
        ("www/certificates/x.cer", pki.leaf.pem, alone + ": www/certificates/x.cer (a certificate)"),
        ("flutter_assets/x.pem", pki.leaf.pem, alone),
        ("PlugIns/E.appex/Info.plist", AppText.ats(AppText.pinnedDomains(leaf: ["$LEAF64"])), alone),
        ("App", "\0$LEAF64\0kTSKPublicKeyHashes\0", alone),
        (
            "App", "\0$LEAF64\0",
            "pass pins-not-applied: and an executable that the App Store encrypted shows none … nothing-pinned"
        ),
        (
            "roots.pem", String(repeating: pki.rootB.pem, count: 130),
            "pass pins-not-applied: nothing-pinned … is a store of 130 certificates"
        ),
    ]) func anIPAIsLookedThrough(name: String, text: String, end: String) async throws {
        let desk = try Desk()
        try desk.files.write(Self.ipa([name: desk.expand(text)]), to: "App.ipa")
        await desk.expect("VERIFY --pins @App.ipa", end)
    }

    @Test func aKeyOfABinaryListInAnAppIsNoPartOfItsPath() async throws {
        let identities = ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": String(pki.leaf.pin.dropFirst(7))]]]
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSAppTransportSecurity": ["NSPinnedDomains": ["a.example.com": identities]]],
            format: .binary, options: 0)
        var zip = StoredZip()
        zip.add("Payload/App.app/Info.plist", [UInt8](list))
        let desk = try Desk()
        try desk.files.write(zip.archive, to: "App.ipa")
        let finding = try await desk.expect("lint @App.ipa -f json", "pass").json["findings"][0]
        #expect(finding["key"].text == "NSAppTransportSecurity.NSPinnedDomains.a.example.com")
        #expect(finding["file"].text == "\(desk.files.path)/App.ipa:Payload/App.app/Info.plist")
    }

    /// A key goes on, except in a file that AFNetworking loads and may crash on.
    @Test(arguments: [("k.pem", false), ("www/k.cer", false), ("k.crt", false), ("k.der", false), ("k.cer", true)])
    func aPrivateKeyInAnAppIsToldOnce(name: String, isLoaded: Bool) async throws {
        let desk = try Desk()
        try desk.files.write(Self.ipa([name: try pki.leaf.key.privateKeyPEM()]), to: "App.ipa")
        await desk.expect("VERIFY --pins @App.ipa", isLoaded ? "data" : "pass pins-not-applied")
        let lint = await desk.expect("lint @App.ipa -f json", isLoaded ? "data" : "fail")
        #expect(try lint.json["findings"].array.count { $0["id"].text == "private-key" } == 1)
    }

    /// An Info.plist's own pins are of known hosts; what it holds for code is not.
    @Test func thePropertyListOfAnAppIsLookedThrough() async throws {
        let domains =
            "<key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict><key>other.example.com</key><dict>"
            + "<key>TSKPublicKeyHashes</key><array><string>$LEAF64</string><string>$JUNK64</string></array></dict></dict></dict>"
        let own = domains.replacing("other.example.com", with: "$HOST")
        let reporting = own.replacing(
            "$HOST</key><dict>", with: "$HOST</key><dict><key>TSKEnforcePinning</key><false/>")
        let found = "<key>API_PIN</key><string>$LEAF</string>"
        for (body, end) in [
            (found, Self.alone), (domains, "pass pins-not-applied"), (own + found, "pass pin-matched: pins-in-code"),
            (reporting + found, Self.alone),
        ] {
            let desk = try Desk()
            let text = AppText.plist("<key>CFBundleName</key><string>x</string>" + body)
            var zip = StoredZip()
            zip.add("Payload/App.app/Info.plist", desk.expand(text).bytes)
            try desk.files.write(zip.archive, to: "App.ipa")
            await desk.expect("VERIFY --pins @App.ipa", end)
        }
    }

    /// A program can outlive the pins that it read.
    @Test func codeCountsByTheMomentOfTheCheck() throws {
        let desk = try Desk()
        let days = (0...2).map { Timestamp(secondsSinceEpoch: LabClock.now + $0 * LabClock.day) }
        let body = AppText.domain(AppText.pinSet("$LEAF64", "$JUNK64", until: days[1].date))
        let app = Self.expanded(Self.app(body) { $0.files = ["classes.dex": "$OTHER"] }, at: desk)
        let path = try desk.files.write(app.apk, to: "app.apk")
        let clock = Mutex(days[0])
        let checker = try PinChecker(
            pins: [path], anchors: [desk.files.path + "/root.pem"], now: { clock.withLock { $0 } })
        #expect(try checker.check(chain: served.map(\.der), for: host).outcome == .accepted)
        clock.withLock { $0 = days[2] }
        let late = try checker.check(chain: served.map(\.der), for: host)
        #expect(late.outcome == .notSetUp && late.reason.id == "pins-in-code")
    }

    @Test func anAppInADirectoryIsNotLeftOut() async throws {
        let desk = try Desk(["Pins/list.txt": "$LEAF"])
        let apk = Self.expanded(Self.silent(["a.dex": "$LEAF"]), at: desk).apk
        try desk.files.write(apk, to: "Pins/app.apk")
        await desk.expect("VERIFY --pins @Pins", "data: is an app, which is judged by itself")
        await desk.expect("lint @Pins", "fail: pins-not-read")
        try desk.files.write([0], to: "set/toc.pb")
        try desk.files.write(apk, to: "set/splits/base-master.apk")
        await desk.expect("VERIFY --pins @set", Self.alone)
    }

    @Test func aLockedFileIsNoVerdict() async throws {
        let desk = try Desk()
        var apk = Self.silent(["classes2.dex": "x"]).apk
        // Bit 0 of the flags, in the entry and in the table of contents.
        for place in apk.indices.dropLast(60) where Array(apk[place..<place + 4]) == [0x50, 0x4B, 0x03, 0x04] {
            apk[place + 6] |= 1
        }
        for place in apk.indices.dropLast(46) where Array(apk[place..<place + 4]) == [0x50, 0x4B, 0x01, 0x02] {
            apk[place + 8] |= 1
        }
        try desk.files.write(apk, to: "x.apk")
        await desk.expect("VERIFY --pins @x.apk", "data: is encrypted in the archive")
    }

    @Test func lintTellsEachHashWithItsFile() async throws {
        let desk = try Desk(["list.txt": "$HOST $LEAF $OTHER"])
        try desk.files.write(Self.expanded(Self.silent(["classes2.dex": "\0$LEAF\0"]), at: desk).apk, to: "App.apk")
        let lint = await desk.expect(
            "lint @App.apk -f json", "fail: \"id\" : \"pins-in-code\" … host-not-pinned … App.apk:classes2.dex")
        let pins = try lint.json["findings"].array.compactMap { $0["pin"].text }
        #expect(pins == [pki.leaf.pin])
        await desk.expect("lint @App.apk @list.txt", "fail: drift-pins")
        await desk.expect("pins --from @App.apk", "data: # HOST $LEAF   classes2.dex")
        try desk.files.write(
            Self.expanded(Self.app(Self.pinned) { $0.files = ["a.dex": "$OTHER"] }, at: desk).apk, to: "Some.apk")
        await desk.expect("pins --from @Some.apk -f okhttp", "pass: $LEAF … # HOST $OTHER   a.dex")
        // A hash in the code may be for a host that is configured, too.
        await desk("lint @Some.apk @list.txt").says("[drift-pins]", not: desk.expand("$OTHER is pinned"))
    }
}
