import LoopbackLab
import PinFormats
import PinLint
import Pinning
import Testing

/// What is found of the clients' own configurations.
@Suite struct ClientRuleTests {
    private func android(_ inner: String) -> Files {
        Files(("nsc.xml", "<network-security-config>\n\(inner)\n</network-security-config>\n"))
    }

    private func pins(_ hashes: String..., expiration: String? = nil) -> String {
        let pins = hashes.map { "<pin digest=\"SHA-256\">\($0)</pin>" }.joined()
        return "<pin-set\(expiration.map { " expiration=\"\($0)\"" } ?? "")>\(pins)</pin-set>"
    }

    @Test func androidFailsOpenAfterItsExpiration() throws {
        let year = Timestamp(secondsSinceEpoch: LabClock.now + 2 * LabClock.year).date
        let future = android(
            "<domain-config>\n<domain>a.example.com</domain>\(pins(Hashes.a, Hashes.b, expiration: year))</domain-config>"
        )
        #expect(try future.lint() == ["note android-fails-open-after-expiration nsc.xml:3"])
        #expect(try future.lint(warningDays: 800) == ["warning pin-set-expires-soon nsc.xml:3"])
        #expect(try future.lint(at: LabClock.now + 3 * LabClock.year) == ["error pin-set-expired nsc.xml:3"])
        #expect(try future.findings().first?.subject == "a.example.com")
    }

    @Test func anchorsOfTheUserAreReportedAtTheirLine() throws {
        let anchors =
            "<trust-anchors>\n<certificates src=\"system\"/>\n<certificates src=\"user\"/>\n</trust-anchors>\n"
        let files = android(
            "<base-config>\n\(anchors)</base-config>\n<domain-config>\n<domain>a.example.com</domain>\n\(anchors)"
                + "</domain-config>")
        #expect(
            try files.lint().filter { $0.contains("user-anchors") } == [
                "warning user-anchors nsc.xml:5", "warning user-anchors nsc.xml:12",
            ])
    }

    /// A file, its text and all that is found in it. `$A`, `$B` and `$C` are hashes, `$YEAR` is the day in a year, `CA[AB]` Apple's
    /// list of two.
    private static let rows = """
        nsc.xml | <domain-config><domain>a.example.com</domain></domain-config> | warning host-not-pinned nsc.xml
        nsc.xml | <base-config><trust-anchors><certificates src="system" overridePins="true"/></trust-anchors></base-config>⏎\
        <domain-config><domain>a.example.com</domain>⏎<pin-set/></domain-config>⏎\
        <domain-config><domain>b.example.com</domain><pin-set><pin digest="SHA-256">$A</pin></pin-set></domain-config>⏎\
        <debug-overrides><trust-anchors><certificates src="user"/></trust-anchors></debug-overrides> | \
        warning pins-overridden nsc.xml:2, warning empty-pin-set nsc.xml:4, warning no-backup-pin nsc.xml:5, \
        note debug-overrides nsc.xml:6
        trustkit.json | {"TSKPinnedDomains": {⏎\
        "a.example.com": {"TSKPublicKeyHashes": ["$A", "$B"], "TSKExpirationDate": "$YEAR"},⏎\
        "b.example.com": {"TSKPublicKeyHashes": ["$A"], "TSKEnforcePinning": false,⏎\
        "TSKPublicKeyAlgorithms": ["TSKAlgorithmRsa2048"]}}} | \
        note trustkit-fails-open-after-expiration trustkit.json:2, warning no-backup-pin trustkit.json:3, \
        warning trustkit-not-enforced trustkit.json:3, note ignored trustkit.json:4
        // React Native's file is held against TrustKit's rules.
        pins.json | {"a.example.com": {"publicKeyHashes": ["$A"]},⏎"localhost": {"publicKeyHashes": ["$A", "$B"]}} | \
        error trustkit-too-few-pins pins.json:1, error trustkit-no-registered-suffix pins.json:2
        Info.plist | <key>a.example.com</key><dict><key>NSIncludesSubdomains</key><true/>CA[AB]</dict>⏎\
        <key>b.example.com</key><dict>CA[AB]Leaf[AC]</dict>⏎<key>c.example.com</key><dict>⏎CA[]⏎Leaf[]</dict>⏎\
        <key>d.example.com</key><dict/>⏎<key>e.example.com</key><dict>Leaf[AA]</dict> | \
        note nspinneddomains-one-label Info.plist:2, warning nspinneddomains-leaf-and-ca Info.plist:3, \
        error pinned-to-nothing Info.plist:5, error pinned-to-nothing Info.plist:6, error pinned-to-nothing Info.plist:7, \
        warning no-backup-pin Info.plist:8, warning duplicate-pin Info.plist:8
        hosts | *.example.com sha256/$A,sha256/$B⏎ | warning okhttp-one-label hosts:1
        hosts | *.example.com sha256/$A,sha256/$B⏎example.com sha256/$A,sha256/$B⏎ | note okhttp-one-label hosts:1
        hosts | **.example.com sha256/$A,sha256/$B⏎
        """

    @Test(arguments: table(rows)) func theTrapsOfAFileAreNamed(row: [String]) throws {
        let hashes: [Substring: String] = ["A": Hashes.a, "B": Hashes.b, "C": Hashes.c]
        let year = Timestamp(secondsSinceEpoch: LabClock.now + LabClock.year).date
        let lists = row[1].replacing("$YEAR", with: year).replacing(/(CA|Leaf)\[([ABC]*)\]/) { match in
            let pins = match.2.map { "<dict><key>SPKI-SHA256-BASE64</key><string>$\($0)</string></dict>" }.joined()
            return "<key>NSPinned\(match.1)Identities</key><array>\(pins)</array>"
        }
        let text = lists.replacing(/\$([ABC])/) { hashes[$0.1] ?? "" }
        let apple =
            "<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict>\n"
        let file =
            switch row[0] {
            case "nsc.xml": android(text)
            case "Info.plist": Files((row[0], "\(apple)\(text)\n</dict></dict></dict></plist>"))
            default: Files((row[0], text))
            }
        #expect(try file.lint() == row.dropFirst(2).flatMap { $0.split(separator: ", ").map(String.init) })
    }

    /// Which these are is proven by `PinInspectionTests` and `ConfigurationMistakeTests`.
    @Test func trustKitsStartUpRulesAreMalformedInItsOwnFile() throws {
        let text = "{\"TSKPinnedDomains\": {\"a.example.com\": {\"TSKPublicKeyHashes\": [\"\(Hashes.a)\"]}}}"
        let finding = try #require(Files(("trustkit.json", text)).findings().first)
        #expect(finding.id == "trustkit-too-few-pins" && finding.isObstacle && finding.level == .error)
    }

    @Test func trustKitCannotHashEveryKey() throws {
        let key = try LabKey.generate(.p521)
        let pin = SHA256Digest(bytes: key.publicKeySHA256)!.base64
        let text = """
            {"TSKPinnedDomains": {"a.example.com": {"TSKPublicKeyHashes": [
            "\(Hashes.a)",
            "\(pin)"]}}}
            """
        let found = try Files(("trustkit.json", text), ("key.pem", key.publicKeyPEM)).lint()
        #expect(found.contains("error trustkit-unsupported-key trustkit.json:3"))
        let loose = try Files(("key.pem", key.publicKeyPEM)).lint(clients: [.trustkit])
        #expect(loose == ["error trustkit-unsupported-key key.pem:1", "error trustkit-too-few-pins key.pem:1"])
    }

    @Test func filesThatAFNetworkingDoesNotLoadAreNamed() throws {
        let mixed = Files([("a.cer", pki.rootA.der), ("b.crt", pki.rootB.der), ("c.pem", Array(pki.interA.pem.utf8))])
        #expect(
            try mixed.lint(asDirectory: true).filter { $0.contains("loaded") } == [
                "warning not-loaded-by-afnetworking b.crt", "warning not-loaded-by-afnetworking c.pem:1",
            ])
        // Without a file for AFNetworking it is probably not for it.
        let others = Files([("b.crt", pki.rootB.der)])
        #expect(try others.lint(asDirectory: true).contains("note not-loaded-by-afnetworking b.crt"))
        #expect(
            try others.lint(asDirectory: true, clients: [.afnetworking]).contains(
                "warning not-loaded-by-afnetworking b.crt"))
        #expect(
            try mixed.lint(asDirectory: true, clients: [.alamofire]).filter { $0.contains("loaded") } == [
                "warning not-loaded-by-alamofire c.pem:1"
            ])
    }

    @Test func clientsThatTakeOtherFormsAreTold() throws {
        let list = Files(("pins.txt", "sha256/\(Hashes.a)\nsha256/\(Hashes.b)\n"))
        #expect(
            try list.lint(clients: [.afnetworking]) == [
                "note client-takes-certificates pins.txt:1", "note client-takes-certificates pins.txt:2",
            ])
        #expect(try list.lint(clients: [.curl]) == [])
        let certificates = Files([("a.cer", pki.leaf.der), ("b.cer", pki.rootA.der)])
        #expect(
            try certificates.lint(asDirectory: true, clients: [.curl]).filter { $0.contains("curl") } == [
                "error curl-takes-keys a.cer", "warning curl-compares-the-leaf b.cer",
            ])
    }
}
