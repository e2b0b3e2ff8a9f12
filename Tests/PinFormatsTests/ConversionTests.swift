import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct ConversionTests {
    private static let (a, b, c) = (first.base64, second.base64, slashed.base64)

    private func converted(_ text: String, to format: PinBlockFormat, host: String? = nil) throws -> String {
        try format.block(PinGroup.groups(of: try reading(ofFile: "source", text), host: host), host: host)
    }

    private func pins(_ block: String) throws -> [String: Set<SHA256Digest>] {
        var pins: [String: Set<SHA256Digest>] = [:]
        for entry in try reading(ofFile: "block", block).configurations.flatMap(\.entries) {
            pins[entry.hosts?.description ?? "*", default: []].formUnion(entry.pins.map(\.spkiSHA256))
        }
        return pins
    }

    /// Formats that name the hosts of pins, and can be read back.
    static let readable: [PinBlockFormat] = [.okhttp, .trustkit, .nspinned, .android]

    @Test(arguments: readable, readable) func everyFormatKeepsPins(from: PinBlockFormat, to: PinBlockFormat) throws {
        let list =
            "api.example.com sha256/\(Self.a),sha256/\(Self.b)\nwww.example.org sha256/\(Self.b),sha256/\(Self.c)"
        let start = try converted(list, to: from)
        for block in [start, try converted(start, to: to)] {
            #expect(try pins(block) == ["api.example.com": [first, second], "www.example.org": [second, slashed]])
        }
    }

    private static let trustKit = """
        {"TSKPinnedDomains": {"example.com": {"TSKIncludeSubdomains": true, "TSKPublicKeyHashes": ["\(a)", "\(b)"], \
        "TSKExpirationDate": "2040-06-01", "TSKReportUris": ["https://r.example.com/?a=1&b=2"]}}}
        """
    private static let exempt = trustKit.replacing(
        "}}}", with: "}, \"static.example.com\": {\"kSKExcludeSubdomainFromParentPolicy\": true}}}")

    private static func plist(_ body: String) -> String {
        "<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict><key>example.com</key>"
            + "<dict>\(body)</dict></dict></dict></dict></plist>"
    }
    private static func identities(_ key: String, _ hash: String) -> String {
        "<key>\(key)</key><array><dict><key>SPKI-SHA256-BASE64</key><string>\(hash)</string></dict></array>"
    }
    private static let both = plist(identities("NSPinnedLeafIdentities", a) + identities("NSPinnedCAIdentities", b))

    private static func android(_ anchors: String = "") -> String {
        """
        <network-security-config><domain-config><domain>example.com</domain><trust-anchors>\(anchors)</trust-anchors>\
        <pin-set><pin digest="SHA-256">\(a)</pin></pin-set></domain-config></network-security-config>
        """
    }

    /// A configuration, the format it is written in, and a part of what that comes to.
    private static let written = """
        \(trustKit) | okhttp | .add("**.example.com", "sha256/\(a)")
        \(trustKit) | okhttp | // Until 2040-06-01 only; OkHttp has no such date.
        \(trustKit) | okhttp | // Mismatches were reported; OkHttp has no place to report them to.
        \(trustKit) | android | <pin-set expiration="2040-06-01">
        \(trustKit) | trustkit | <string>2040-06-01</string>
        \(trustKit) | trustkit | <string>https://r.example.com/?a=1&amp;b=2</string>
        \(exempt) | trustkit | <key>kSKExcludeSubdomainFromParentPolicy</key>
        \(exempt) | android | <!-- No pin-set: the pins of its parent domain do not apply here. -->
        \(plist(identities("NSPinnedCAIdentities", b))) | okhttp | authority:
        \(both) | nspinned | <key>NSPinnedCAIdentities</key>
        example.com sha256/\(a) | trustkit | TrustKit refuses to start with fewer than two pins.
        example.com sha256/\(a) | nspinned | <!-- Move the keys of CAs to NSPinnedCAIdentities
        *.example.com sha256/\(a) | okhttp | .add("*.example.com",
        example.com sha256/\(a)⏎*.example.com sha256/\(a) | nspinned | <true/>
        **.example.com sha256/\(a)⏎api.example.com sha256/\(a) | android | <domain includeSubdomains="false">
        """

    @Test(arguments: table(written)) func whatTheOtherClientCanSayIsWritten(row: [String]) throws {
        let block = try converted(row[0], to: try #require(PinBlockFormat(rawValue: row[1])))
        #expect(block.contains(row[2]), "\(block)")
    }

    private static let apple = plist("<key>NSIncludesSubdomains</key><true/>" + identities("NSPinnedCAIdentities", a))
    private static let lenient = trustKit.replacing(
        "{\"TSKInclude", with: "{\"TSKEnforcePinning\": false, \"TSKInclude")
    private static let twice = trustKit.replacing(
        "}}}", with: "}, \"api.example.com\": {\"TSKPublicKeyHashes\": [\"\(a)\", \"\(c)\"]}}}")
    private static let overriding = "<certificates src=\"system\" overridePins=\"true\"/>"
    private static let two = "<certificates src=\"system\"/><certificates src=\"user\"/>"

    private static let refused = """
        *.example.com sha256/\(a) | trustkit | TrustKit cannot say *.example.com; list the hosts
        *.example.com sha256/\(a) | nspinned | NSPinnedDomains cannot say *.example.com; list the hosts
        **.example.com sha256/\(a) | nspinned | NSPinnedDomains cannot say example.com and all names below it; list the hosts
        \(apple) | android | Android cannot say example.com and one label below it; list the hosts
        \(exempt) | okhttp | OkHttp cannot exempt static.example.com from the pins of example.com and all names below it;
        \(both) | okhttp | OkHttp cannot ask for a leaf's and a CA's key at once;
        \(lenient) | android | Android cannot leave a mismatch unenforced;
        \(android(overriding)) | trustkit | TrustKit cannot exempt anchors from pinning (overridePins);
        \(android()) | okhttp | trust anchors are not written, and paths may end at nothing; copy them by hand
        \(android(two)) | android | trust anchors are not written, and paths may end at system, user; copy them by hand
        // Pins that one client adds up, and another does not.
        **.example.com sha256/\(a)⏎api.example.com sha256/\(b) | android | Android cannot pin api.example.com beside \
        example.com and all names below it as it is;
        \(twice) | okhttp | OkHttp cannot pin api.example.com beside example.com and all names below it as it is;
        example.com sha256/\(a) | afnetworking | AFNetworking cannot pin a hash; give it certificate files
        a.example sha256/\(a)⏎b.example sha256/\(b) | curl | curl cannot name hosts; choose one with --host
        """

    @Test(arguments: table(refused)) func whatDecidesAndCannotBeSaidIsRefused(row: [String]) throws {
        let format = try #require(PinBlockFormat(rawValue: row[1]))
        let error = try #require(throws: Problem.self) { try converted(row[0], to: format) }
        #expect(error.kind == .data)
        #expect(error.description.contains(": " + row[2]), "\(error)")
    }

    @Test(
        arguments: [
            ("a.example sha256/\(a)\nb.example sha256/\(b)", "b.example", ["b.example": [b]]),
            (
                "**.example.com sha256/\(a)\napi.example.com sha256/\(b)", "api.example.com",
                ["api.example.com": [a, b]]
            ), (trustKit, "api.example.com", ["api.example.com": [a, b]]),
            ("a.example sha256/\(a)", nil, ["a.example": [a]]), ("sha256/\(c)", "c.example", ["c.example": [c]]),
        ] as [(String, String?, [String: [String]])]) func curlTakesThePinsOfOneHost(
            source: String, host: String?, expected: [String: [String]]
        ) throws
    {
        let commands = try converted(source, to: .curl, host: host).split(separator: "\n").filter { !$0.hasPrefix("#") }
        let wanted = expected.map { host, pins in
            "curl --pinnedpubkey '\(pins.map { "sha256//" + $0 }.joined(separator: ";"))' 'https://\(host)/'"
        }
        #expect(commands.map(String.init) == wanted)
    }

    @Test func aHostThatNothingIsPinnedForIsRefused() throws {
        let error = try #require(throws: Problem.self) {
            try converted(Self.exempt, to: .curl, host: "static.example.com")
        }
        #expect(error.reason == "nothing is pinned for static.example.com")
    }

    @Test func certificatesGoThroughAFNetworkingsFiles() throws {
        let files = try TemporaryDirectory()
        let pem = try files.write(leaf.pem + root.pem, to: "pins.pem")
        let groups = PinGroup.groups(of: try PinSource(pem).read(), host: "api.example.com")
        let block = try PinBlockFormat.afnetworking.block(groups)
        let saver = try CertificateSaver(directory: files.path + "/saved")
        for item in groups.flatMap(\.items) {
            let saved = try saver.save(try #require(item.certificate), role: item.role)
            #expect(block.contains("\(saved.path.split(separator: "/").last ?? ""): add to the bundle"))
        }
        let back = try PinSource(files.path + "/saved").read()
        #expect(Set(back.pins.compactMap(\.certificate?.der)) == [leaf.der, root.der])
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["*.a$.example.com", "a.example.com"])
    func thousandsOfLinesAreConvertedInOnePass(host: String) throws {
        let list = (0..<4_000).map { "\(host.replacing("$", with: "\($0)")) sha256/\(first.base64)\n" }.joined()
        let block = try converted(list, to: .okhttp)
        #expect(block.split(separator: ".add(").count == (host.contains("$") ? 4_001 : 2))
    }
}
