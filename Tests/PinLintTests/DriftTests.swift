import LoopbackLab
import PinLint
import Pinning
import Testing

/// What is found of several sources that should say the same.
@Suite struct DriftTests {
    private func android(_ domains: (String, Bool, [String])..., expiration: String? = nil) -> String {
        let configs = domains.map { host, includesSubdomains, hashes in
            """
            <domain-config>
            <domain includeSubdomains="\(includesSubdomains)">\(host)</domain>
            <pin-set\(expiration.map { " expiration=\"\($0)\"" } ?? "")>\
            \(hashes.map { "<pin digest=\"SHA-256\">\($0)</pin>" }.joined())</pin-set></domain-config>
            """
        }.joined(separator: "\n")
        return "<network-security-config>\n\(configs)\n</network-security-config>"
    }

    private func trustKit(_ host: String, _ hashes: [String], _ settings: String = "") -> String {
        """
        {"TSKPinnedDomains": {
          "\(host)": {"TSKPublicKeyHashes": [\(hashes.map { "\"\($0)\"" }.joined(separator: ", "))]\(settings)}}}
        """
    }

    private func drift(_ files: Files) throws -> [String] { try files.lint().filter { $0.contains("drift") } }

    private let ab = [Hashes.a, Hashes.b]

    @Test func sourcesThatSayTheSameDoNotDrift() throws {
        let files = Files(
            ("nsc.xml", android(("api.example.com", false, ab))),
            ("tk.json", trustKit("api.example.com", ab.reversed())),
            (
                "Net.kt",
                "CertificatePinner.Builder().add(\"api.example.com\", \"sha256/\(ab[0])\", \"sha256/\(ab[1])\").build()"
            ))
        #expect(try files.lint() == [])
    }

    @Test func pinsThatOneSourceLacksAreNamedThere() throws {
        let files = Files(
            ("nsc.xml", android(("api.example.com", false, ab))),
            ("tk.json", trustKit("api.example.com", [Hashes.b, Hashes.c])))
        #expect(try drift(files) == ["warning drift-pins nsc.xml:3", "warning drift-pins tk.json:2"])
        let findings = try files.findings()
        try #require(findings.map(\.host) == ["api.example.com", "api.example.com"])
        #expect(findings[0].message.hasPrefix("sha256/\(Hashes.c) is pinned for api.example.com in "))
        #expect(findings[0].message.hasSuffix("tk.json:2 and not here"))
        #expect(findings[1].message.hasPrefix("sha256/\(Hashes.a) is pinned"))
    }

    @Test func hostsThatOneSourceLacksAreNamedThere() throws {
        let files = Files(
            ("nsc.xml", android(("api.example.com", false, ab), ("cdn.example.com", false, ab))),
            ("tk.json", trustKit("api.example.com", ab)))
        #expect(try drift(files) == ["warning drift-hosts tk.json"])
        #expect(try files.findings().first?.host == "cdn.example.com")
    }

    @Test func hostsAreLookedUpByTheRulesOfTheirClients() throws {
        let covered = Files(
            ("nsc.xml", android(("example.com", true, ab))),
            ("hosts", "**.example.com sha256/\(ab[0]),sha256/\(ab[1])\n"))
        #expect(try covered.lint() == [])
        let own = Files(
            ("nsc.xml", android(("example.com", true, ab))),
            ("tk.json", trustKit("api.example.com", [Hashes.a, Hashes.c])))
        #expect(
            try drift(own) == [
                "warning drift-hosts tk.json", "warning drift-pins nsc.xml:3", "warning drift-pins tk.json:2",
                "warning drift-subdomains tk.json:2",
            ])
        let apex = Files(
            ("nsc.xml", android(("example.com", true, ab))),
            ("hosts", "*.example.com sha256/\(ab[0]),sha256/\(ab[1])\n"))
        #expect(try drift(apex) == ["warning drift-hosts hosts"])
    }

    @Test func settingsThatDifferAreNamed() throws {
        let year = Timestamp(secondsSinceEpoch: LabClock.now + LabClock.year).date
        let files = Files(
            ("nsc.xml", android(("example.com", true, ab), expiration: year)),
            ("tk.json", trustKit("example.com", ab, ", \"TSKEnforcePinning\": false")))
        #expect(
            try drift(files) == [
                "warning drift-subdomains tk.json:2", "warning drift-expiration tk.json:2",
                "warning drift-enforcement tk.json:2",
            ])
        #expect(
            try files.findings().first { $0.id == "drift-expiration" }?.message.hasPrefix(
                "the pins of example.com expire on \(year) in ") == true)
    }

    @Test func whatAppleCannotSayIsANote() throws {
        let year = Timestamp(secondsSinceEpoch: LabClock.now + LabClock.year).date
        let list = ab.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }.joined()
        let plist = """
            <plist version="1.0"><dict><key>NSPinnedDomains</key><dict>
            <key>example.com</key><dict><key>NSIncludesSubdomains</key><true/>
            <key>NSPinnedCAIdentities</key><array>\(list)</array></dict></dict></dict></plist>
            """
        let files = Files(("nsc.xml", android(("example.com", true, ab), expiration: year)), ("Info.plist", plist))
        #expect(try drift(files) == ["note drift-subdomains Info.plist:2", "note drift-expiration Info.plist:2"])
    }

    @Test func aBundleIsHeldAgainstAConfiguration() throws {
        let pki = try StandardPKI.shared()
        let xml = android(("api.example.com", false, [pki.rootA.hash, pki.rootB.hash]))
        let same = Files([("nsc.xml", Array(xml.utf8)), ("a.cer", pki.rootA.der), ("b.cer", pki.rootB.der)])
        #expect(try drift(same) == [])
        let other = Files([("nsc.xml", Array(xml.utf8)), ("a.cer", pki.rootA.der), ("j.cer", pki.junk.der)])
        #expect(try drift(other) == ["warning drift-pins nsc.xml", "warning drift-pins a.cer"])
    }

    @Test func listsDriftToo() throws {
        let files = Files(
            ("ios.txt", "sha256/\(Hashes.a)\nsha256/\(Hashes.b)\n"),
            ("android.txt", "sha256/\(Hashes.b)\nsha256/\(Hashes.c)\n"))
        #expect(try files.lint() == ["warning drift-pins ios.txt", "warning drift-pins android.txt"])
    }

    @Test func aSourceThatIsBrokenLacksNothing() throws {
        let files = Files(
            ("nsc.xml", android(("api.example.com", false, ab))),
            ("tk.json", trustKit("api.example.com", [Hashes.a, Hashes.b, "AAAA"])))
        #expect(try files.lint() == ["error wrong-length tk.json:2"])
    }

    @Test func manyHostsAreCompared() throws {
        let hosts = (0..<3_000).map { "h\($0).example.com sha256/\(Hashes.a),sha256/\(Hashes.b)\n" }.joined()
        #expect(try Files(("a", hosts), ("b", hosts)).lint() == [])
    }
}
