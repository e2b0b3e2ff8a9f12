import LoopbackLab
import PinLint
import Pinning
import Testing

/// What is found of several sources that should say the same.
@Suite struct DriftTests {
    private static let ab = [Hashes.a, Hashes.b]
    private static let two = "sha256/\(ab[0]),sha256/\(ab[1])\n"

    private static func android(_ hosts: String..., below: Bool = false, pins: [String] = ab) -> (String, String) {
        let configs = hosts.map { host in
            """
            <domain-config>
            <domain includeSubdomains="\(below)">\(host)</domain>
            <pin-set>\(pins.map { "<pin digest=\"SHA-256\">\($0)</pin>" }.joined())</pin-set></domain-config>
            """
        }.joined(separator: "\n")
        return ("nsc.xml", "<network-security-config>\n\(configs)\n</network-security-config>")
    }

    private static func trustKit(_ host: String, _ hashes: [String], _ settings: String = "") -> (String, String) {
        let list = hashes.map { "\"\($0)\"" }.joined(separator: ", ")
        let text = "{\"TSKPinnedDomains\": {\n\"\(host)\": {\"TSKPublicKeyHashes\": [\(list)]\(settings)}}}"
        return ("tk.json", text)
    }

    private static func plist(_ host: String) -> (String, String) {
        let list = ab.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }.joined()
        let text = """
            <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict>
            <key>\(host)</key><dict><key>NSIncludesSubdomains</key><true/>
            <key>NSPinnedCAIdentities</key><array>\(list)</array></dict></dict></dict></dict></plist>
            """
        return ("Info.plist", text)
    }

    private static let api = android("api.example.com")
    private static let all = android("example.com", below: true)
    private static let kotlin =
        "CertificatePinner.Builder().add(\"api.example.com\", \"sha256/\(ab[0])\", \"sha256/\(ab[1])\").build()"
    private static let many = (0..<3_000).map { "h\($0).example.com \(two)" }.joined()

    /// Sources, and how they differ; of those that do not, everything that is found.
    private static let rows: [(files: [(String, String)], found: [String])] = [
        ([api, trustKit("api.example.com", ab.reversed()), ("Net.kt", kotlin)], []),
        (
            [api, trustKit("api.example.com", [Hashes.b, Hashes.c])],
            ["warning drift-pins nsc.xml:3", "warning drift-pins tk.json:2"]
        ),
        (
            [android("api.example.com", "cdn.example.com"), trustKit("api.example.com", ab)],
            ["warning drift-hosts tk.json"]
        ),
        // Hosts are looked up by the rules of their clients.
        ([all, ("hosts", "**.example.com \(two)")], []),
        (
            [all, trustKit("api.example.com", [Hashes.a, Hashes.c])],
            [
                "warning drift-hosts tk.json", "warning drift-pins nsc.xml:3", "warning drift-pins tk.json:2",
                "warning drift-subdomains tk.json:2",
            ]
        ), ([all, ("hosts", "*.example.com \(two)")], ["warning drift-hosts hosts"]),
        ([all, trustKit("example.com", ab, ", \"TSKEnforcePinning\": false")], ["warning drift-subdomains tk.json:2"]),
        // What Apple cannot say is a note.
        ([all, plist("example.com")], ["note drift-subdomains Info.plist:2"]),
        (
            [
                ("ios.txt", "sha256/\(Hashes.a)\nsha256/\(Hashes.b)\n"),
                ("android.txt", "sha256/\(Hashes.b)\nsha256/\(Hashes.c)\n"),
            ], ["warning drift-pins ios.txt", "warning drift-pins android.txt"]
        ),
        // A source that is broken lacks nothing.
        ([api, trustKit("api.example.com", ab + ["AAAA"])], ["error wrong-length tk.json:2"]),
        ([("a", many), ("b", many)], []),
    ]

    private static func files(_ texts: [(String, String)]) -> Files { Files(texts.map { ($0.0, Array($0.1.utf8)) }) }

    @Test(arguments: rows.indices) func sourcesDriftAsTheTableSays(index: Int) throws {
        let (texts, found) = Self.rows[index]
        let isWhole = texts[0].0 != "nsc.xml" || !found.contains { $0.contains("drift") }
        #expect(try Self.files(texts).lint().filter { isWhole || $0.contains("drift") } == found)
    }

    @Test func whatASourceLacksIsNamedThere() throws {
        let findings = try Self.files(Self.rows[1].files).findings()
        try #require(findings.map(\.subject) == ["api.example.com", "api.example.com"])
        #expect(findings[0].message.hasPrefix("sha256/\(Hashes.c) is pinned for api.example.com in "))
        #expect(findings[0].message.hasSuffix("tk.json:2 and not here"))
        #expect(findings[1].message.hasPrefix("sha256/\(Hashes.a) is pinned"))
        #expect(try Self.files(Self.rows[2].files).findings().first?.subject == "cdn.example.com")
    }

    @Test func aBundleIsHeldAgainstAConfiguration() throws {
        let (name, xml) = Self.android("api.example.com", pins: [pki.rootA.hash, pki.rootB.hash])
        for (other, found) in [
            (pki.rootB, []), (pki.junk, ["warning drift-pins nsc.xml", "warning drift-pins a.cer"]),
        ] {
            let files = Files([(name, Array(xml.utf8)), ("a.cer", pki.rootA.der), ("b.cer", other.der)])
            #expect(try files.lint().filter { $0.contains("drift") } == found)
        }
    }
}
