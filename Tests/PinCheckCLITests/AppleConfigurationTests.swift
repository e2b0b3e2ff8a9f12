import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// What the Info.plist of an app says decides for its clients, beside their pins.
@Suite(.endsSomeTime) struct AppleConfigurationTests {
    /// The same server with a key that static RSA needs.
    private static let leaf = try! pki.interA.issue(
        CertificateTemplate.leaf(host).with {
            $0.serialNumber = [0x12, 0x35]
            $0.keyUsage = [.digitalSignature, .keyEncipherment]
        }, key: .shared(.rsa(bits: 2048), label: "ats"))

    private static func exception(_ keys: String, for name: String = "$HOST") -> String {
        AppText.ats("<key>NSExceptionDomains</key><dict><key>\(name)</key><dict>\(keys)</dict></dict>")
    }

    private static func least(_ version: String) -> String {
        "<key>NSExceptionMinimumTLSVersion</key><string>\(version)</string>"
    }

    private static let none = AppText.ats()
    private static let off = AppText.ats("<key>NSAllowsArbitraryLoads</key><true/>")
    private static let noForwardSecrecy = "<key>NSExceptionRequiresForwardSecrecy</key><false/>"
    private static let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"

    private static let modern = TLSServerSettings(presenting: [leaf, pki.interA])
    private static let tls12 = modern.with { $0.maximumVersion = .tls12 }
    private static let tls11 = modern.with { $0.maximumVersion = .tls11 }
    private static let staticRSA = tls12.with { $0.options["CipherString"] = "kRSA:@SECLEVEL=0" }
    /// Prefers static RSA and has ECDHE too.
    private static let both = tls12.with {
        $0.options["CipherString"] = "AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
        $0.options["Options"] = "ServerPreference"
    }

    private static let trusted = "pass trusted-without-pins"
    private static let old = "afnetworking --device ios-18 --min-tls 1.0"
    private static let noSecrecy =
        "fail ats-forward-secrecy: known from Apple's documentation … offer ECDHE alone to settle it: --ciphers ECDHE"

    private static let connections: [(server: TLSServerSettings, info: String, client: String, end: String)] = [
        (tls11, none, old, "fail ats-tls-version"), (tls11, exception(least("TLSv1.1")), old, trusted),
        (tls12, exception(least("TLSv1.3")), "afnetworking", "fail ats-tls-version"),
        // What is no app of Apple's does not mind.
        (tls11, none, "generic --min-tls 1.0", trusted), (staticRSA, none, "afnetworking", noSecrecy),
        (both, none, "afnetworking", noSecrecy), (both, none, "afnetworking --ciphers ECDHE", trusted),
        (staticRSA, exception(noForwardSecrecy), "afnetworking", trusted),
    ]

    @Test(arguments: connections.indices) func theConnectionIsHeldToTheEntryOfTheHost(index: Int) async throws {
        let (settings, info, client, end) = Self.connections[index]
        try await Desk.serving(.tls(settings), ["Info.plist": info]) { desk, server in
            await desk.expect("CHECK --pins @Info.plist --client \(client)", end)
            #expect(server.connections.count == 1)
        }
    }

    @Test func theHostIsTheURLs() async throws {
        let unpinned = "pass pins-not-applied"
        try await Desk.serving(.tls(Self.tls11)) { desk, _ in
            // The name has an entry, the address does not; before iOS 17 addresses are left alone.
            for (info, arguments, end) in [
                (Self.exception(Self.least("TLSv1.0")), " --device ios-18", "fail ats-tls-version"),
                (
                    Self.exception(Self.least("TLSv1.0"), for: "127.0.0.0/8"), " --device ios-18",
                    "\(unpinned): ats-exception-needed"
                ), (Self.none, " --device ios-16", unpinned),
            ] {
                try desk.write(info, to: "Info.plist")
                let line = "https://$SERVER/ --host $HOST --anchors @root.pem --pins @Info.plist --min-tls 1.0"
                await desk.expect(line + arguments, end)
            }
        }
    }

    private static func issued(_ key: LabKey? = nil, _ digest: SignatureDigest = .sha256) -> [LabCertificate] {
        let template = CertificateTemplate.leaf(host).with { $0.digest = digest }
        return [try! pki.interA.issue(template, key: key), pki.interA]
    }

    private static let good = served
    private static let short = issued(try! .shared(.rsa(bits: 1024), label: "ats"))
    private static let lenient = "--mode certificate --allow-invalid-certificates"
    private static let basic = "--no-validate-domain-name " + lenient
    private static let asking = exception("<key>NSRequiresCertificateTransparency</key><true/>")
    private static let needed = "pass pin-matched: ats-exception-needed … NSExceptionAllowsInsecureHTTPLoads"

    private static let chains: [(info: String?, isTrusted: Bool, chain: [LabCertificate], line: String, end: String)] =
        [
            // What the system refuses needs an exception, and what it takes by itself none.
            (none, false, good, lenient, "fail ats-exception-needed"),
            (exception(insecure), false, good, lenient, "pass pin-matched"),
            (off, false, good, lenient, "pass pin-matched"), (none, true, good, lenient, "pass pin-matched"),
            // A rejection by the client stays the client's.
            (none, false, good, "--mode certificate", "fail unknown-issuer"),
            (
                none, false, good, "--client alamofire:evaluator=pinned-certificates:accept-self-signed",
                "fail ats-exception-needed"
            ),
            // Without an Info.plist that is a note, which does not change the exit status of a strict run.
            (nil, false, good, lenient, needed),
            (
                nil, false, good,
                lenient + " --client alamofire:accept-self-signed --fail-on warn --ignore breaks-at-renewal", needed
            ),
            // The key lengths go with forward secrecy.
            (exception(insecure), true, short, basic, "fail ats-weak-key"),
            (exception(insecure + noForwardSecrecy), true, short, basic, "pass pin-matched"),
            (exception(insecure + noForwardSecrecy), true, issued(nil, .sha1), basic, "fail ats-weak-signature"),
            (asking, true, good, "--mode certificate", "fail ats-too-few-scts"),
        ]

    @Test(arguments: chains.indices) func theCertificateIsHeldToTheEntryOfTheHost(index: Int) async throws {
        let (info, isTrusted, chain, line, end) = Self.chains[index]
        let desk = try Desk(["Info.plist": info ?? "", "chain.pem": chain.map(\.pem).joined()])
        try desk.files.write(chain[0].der, to: "pin.cer")
        let pins = "--pins @pin.cer" + (info == nil ? "" : " --pins @Info.plist")
        await desk.expect(
            "verify @chain.pem --host $HOST --anchors @\(isTrusted ? "root" : "other").pem \(pins) \(line)", end)
    }

    @Test func whatWasAppliedIsListedAndWhatWasNotLookedAtIsSkipped() async throws {
        let info = Self.exception(Self.least("TLSv1.1") + Self.noForwardSecrecy + Self.insecure)
        try await Desk.serving(.tls(Self.tls12), ["Info.plist": info]) { desk, _ in
            let applied = try await desk("CHECK --pins @Info.plist --client afnetworking,trustkit -f json").json[
                "pins"]["applied"][0]
            #expect(applied["kind"].text == "app-transport-security" && applied["hosts"].text == desk.expand("$HOST"))
            #expect(applied["clients"].array.map(\.text) == ["afnetworking", "trustkit"])
            #expect(applied["origin"].text?.hasSuffix("Info.plist:2") == true)
            #expect(
                applied["settings"].array.map(\.text) == [
                    "at least TLS 1.1", "no forward secrecy asked for", "the app may accept what the system refuses",
                ])
            let steps = try await desk("VERIFY --pins @Info.plist --pins @leaf.cer --client afnetworking -f json").json[
                "checks"
            ].array.map { "\($0["id"].text ?? "") \($0["status"].text ?? "")" }
            #expect(
                steps.filter { $0.hasPrefix("ats-") } == [
                    "ats-tls skip", "ats-forward-secrecy skip", "ats-certificate pass", "ats-trust pass",
                ])
        }
    }

    @Test func lintFindsWhatWeakensConnectionsAndWhatCountsForNothing() async throws {
        let weak = AppText.ats(
            "<key>NSAllowsArbitraryLoads</key><true/><key>NSExceptionDomains</key><dict>\n"
                + "<key>a.example</key><dict>\(Self.least("TLSv1.0"))\(Self.noForwardSecrecy)\(Self.insecure)</dict></dict>"
        )
        try await Desk(["weak.plist": weak]).expect(
            "lint @weak.plist",
            "pass: weak.plist:1: warning: NSAllowsArbitraryLoads switches App Transport Security off … "
                + "weak.plist:3: warning: the exception for a.example allows TLS 1.0, keys that ")
        for (key, home) in [
            ("TSKPinnedDomains", "TSKConfiguration"), ("NSAppTransportSecurity~ipad", "NSAppTransportSecurity"),
        ] {
            let body = "<key>\(key)</key><dict/><key>NSAppTransportSecurity</key><dict/>"

            try await Desk(["Info.plist": AppText.plist(body)]).expect(
                "VERIFY --pins @Info.plist", "data: '\(key)' pins nothing here; put it into \(home)")
        }
    }

    @Test func aLinkedCertificateInABundleIsAPin() async throws {
        let desk = try Desk(["Shop.app/Info.plist": Self.none, "Shop.app/certificates/x": ""])
        try desk.files.write(pki.rogue.der, to: "Shop.app/certificates/api.der")
        #expect(symlink("certificates/api.der", desk.files.path + "/Shop.app/api.cer") == 0)
        // A bundle has links to itself, too.
        #expect(symlink(".", desk.files.path + "/Shop.app/Current") == 0)
        await desk.expect("VERIFY --pins @Shop.app", "fail pin-mismatch")
        #expect(symlink("..", desk.files.path + "/Shop.app/Web") == 0)
        await desk("lint @Shop.app").says("links out of the app were not looked into: Web")
        try FileManager.default.createDirectory(
            atPath: desk.files.path + "/Shop.app" + String(repeating: "/a", count: 25),
            withIntermediateDirectories: true)
        await desk.expect("VERIFY --pins @Shop.app", "data: has more than 24 directories in each other")
    }

    @Test func anInfoPlistIsReadHoweverItSpellsItsKeys() async throws {
        let plist = AppText.ats(AppText.pinnedDomains(leaf: ["$JUNK64"]))
        let desk = try Desk(["Shop.app/x": ""])
        try desk.files.write(pki.leaf.der, to: "Shop.app/leaf.cer")
        let text = desk.expand(plist)
        for (bytes, end) in [
            (text.replacing("NSPinnedD", with: "NSPinned&#68;").bytes, "fail pin-mismatch"),
            (Array(try #require(text.data(using: .utf16))), "fail pin-mismatch"), ([], "data"),
            ((0..<60).map { UInt8(truncatingIfNeeded: $0 &* 37) }, "data"),
        ] as [([UInt8], String)] {
            try desk.files.write(bytes, to: "Shop.app/Info.plist")
            await desk.expect("VERIFY --client nspinneddomains --pins @Shop.app", end)
        }
    }
}
