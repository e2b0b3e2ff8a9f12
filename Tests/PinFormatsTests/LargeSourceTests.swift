import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Sources made to take more time or memory than they are worth.
@Suite(.timeLimit(.minutes(5))) struct LargeSourceTests {
    @Test(arguments: [("certificate.cer", [0x30, 0x83, 0xFF]), ("pins.txt", "sha256/".bytes)] as [(String, [UInt8])])
    func fiftyMegabytesAreRefused(name: String, start: [UInt8]) throws {
        let files = try TemporaryDirectory()
        let path = try files.write(start, to: name)
        try #require(truncate(path, 50_000_000) == 0)
        #expect(try failure(path).id == .tooLarge)
        #expect(try failure(files.path).id == .tooLarge)
    }

    private func expectUnreasonable(_ bytes: some Sequence<UInt8>, at place: SourceLocation = #_sourceLocation) throws {
        let error = try failure(ofFile: "source", Array(bytes), at: place)
        #expect(error.id == .unreasonableDocument, sourceLocation: place)
    }

    @Test func entitiesAreNotExpanded() throws {
        let laughs = (1...9).map { "<!ENTITY a\($0) \"\(String(repeating: "&a\($0 - 1);", count: 10))\">" }.joined()
        for (name, root) in [("network-security-config", "&a9;"), ("plist", "<string>NSPinnedDomains&a9;</string>")] {
            let text = "<!DOCTYPE x [<!ENTITY a0 \"ha\">\(laughs)]><\(name)>\(root)</\(name)>"
            try expectUnreasonable(text.utf8)
        }
        let external =
            "<!DOCTYPE plist [<!ENTITY a SYSTEM \"/etc/passwd\">]><plist><key>NSPinnedDomains&a;</key></plist>"
        try expectUnreasonable(external.utf8)
    }

    @Test func noDocumentIsDeeperThanAConfiguration() throws {
        let deep = String(repeating: "<domain-config>", count: 1_000)
        let json = String(repeating: "[", count: 10_000)
        for text in [
            "<network-security-config>\(deep)", "<plist><dict><key>NSPinnedDomains</key>\(deep)",
            "{\"TSKPinnedDomains\": \(json)", "{hosts: \(json)", "{hosts: \(json.replacing("[", with: "{a:"))",
        ] { try expectUnreasonable(text.utf8) }
        var der: [UInt8] = []
        for _ in 0..<2_000 {
            der = [0x30, 0x83] + [16, 8, 0].map { UInt8(truncatingIfNeeded: der.count >> $0) } + der
        }
        let problem = try failure(ofFile: "source", der).id
        #expect([.brokenCertificate, .binaryJunk].contains(problem), "\(problem)")
    }

    @Test func manyAttributesAndElementsAreTooMany() throws {
        let attributes = (0..<50_001).map { "a\($0)=''" }.joined(separator: " ")
        for text in [
            "<network-security-config \(attributes)/>",
            "<network-security-config>" + String(repeating: "<a/>", count: 100_000),
            "{\"publicKeyHashes\": [" + String(repeating: "1,", count: 100_000) + "]}",
        ] { try expectUnreasonable(text.utf8) }
    }

    @Test func hostsThatShareTheirPinsHaveNotMoreThanAConfiguration() throws {
        let domains = (0..<400).map { "<domain>a\($0).example.com</domain>" }.joined()
        let pins = String(repeating: "<pin digest=\"SHA-256\">\(first.base64)</pin>", count: 400)
        try expectUnreasonable(
            "<network-security-config><domain-config>\(domains)<pin-set>\(pins)</pin-set></domain-config></network-security-config>"
                .utf8)
        let list = Array(repeating: "\"sha256/\(first.base64)\"", count: 400).joined(separator: ",")
        let hosts = (0..<400).map { "\"a\($0).example.com\": {}" }.joined(separator: ",")
        try expectUnreasonable("{version: 1, defaults: {pins: [\(list)]}, hosts: {\(hosts)}}".utf8)
    }

    @Test func aFileThatManyHostsOfAPolicyNameIsReadOnce() throws {
        let files = try TemporaryDirectory()
        try files.write(String(repeating: "# comment\n", count: 2_000) + first.base64, to: "pins.txt")
        let hosts = (0..<2_000).map { "\"a\($0).example.com\": {pins: \"pins.txt\"}" }.joined(separator: ",")
        let path = try files.write("{version: 1, hosts: {\(hosts)}}", to: "policy.json5")
        let entries = try PinSource(path).read().configurations.flatMap(\.entries)
        #expect(entries.count == 2_000)
        #expect(Set(entries.flatMap(\.pins).map(\.origin)).count == 1)
    }

    /// A binary property list of `objects`, of which the first is the root; references have two bytes.
    private func binaryList(_ objects: [[UInt8]]) -> [UInt8] {
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var list = "bplist00".bytes
        var offsets: [UInt8] = []
        for object in objects {
            offsets += bytes(list.count, 4)
            list += object
        }
        let table = list.count
        return list + offsets + [0, 0, 0, 0, 0, 0, 4, 2] + bytes(objects.count, 8) + bytes(0, 8) + bytes(table, 8)
    }

    private static let mark: [UInt8] = [0x5F, 0x10, 0x0F] + "NSPinnedDomains".bytes

    @Test func objectsThatManyShareAreCountedForEach() throws {
        let arrays = (1...30).map { index -> [UInt8] in
            [0xAF, 0x11, 0x03, 0xE8] + Array(repeating: [0, UInt8(index)] as [UInt8], count: 1_000).joined()
        }
        try expectUnreasonable(binaryList(arrays + [Self.mark]))
        try expectUnreasonable(binaryList([[0xA2, 0, 0, 0, 0], Self.mark]))
        // One long text that is there ten thousand times.
        let text = [0x5F, 0x12, 0x00, 0x02, 0x00, 0x00] + [UInt8](repeating: 0x61, count: 1 << 17)
        let shared = [0xAF, 0x11, 0x27, 0x10] + Array(repeating: [0, 1] as [UInt8], count: 10_000).joined()
        try expectUnreasonable(binaryList([shared, text, Self.mark]))
    }

    /// A hundred kilobytes of what could be gone through again from every place in it, which takes minutes where it is quadratic.
    static let traps: [String: String] = [
        "calls": "CertificatePinner " + String(repeating: "add(", count: 25_000),
        "hosts": "CertificatePinner " + String(repeating: "add(\"a.b\",", count: 10_000),
        "comments": "CertificatePinner add( " + String(repeating: "/*", count: 50_000),
        "parentheses": "CertificatePinner add" + String(repeating: "(", count: 100_000),
        "arguments": "CertificatePinner add(\"a.b\"" + String(repeating: ",\"sha256/a\"", count: 9_000),
        "line": "sha256/" + String(repeating: "A", count: 100_000),
        "words": String(repeating: "sha256/AAAA ", count: 8_000),
        "white space": "sha256/AAAA" + String(repeating: " ", count: 100_000) + "x",
        "directives": String(repeating: "pin-sha256=\"a\";", count: 6_500),
        "semicolons": "sha256//AAAA" + String(repeating: ";", count: 100_000),
        "record": "_443._tcp.a IN TLSA 3 1 1 (" + String(repeating: "\n", count: 100_000),
        "names": (0..<4_000).map { "val a\($0) = \"b.c\"\n" }.joined() + "CertificatePinner.Builder()"
            + (0..<4_000).map { ".add(a\($0), a\($0))" }.joined(),
        "keys": "{\"domains\": {" + (0..<4_000).map { "\"k\($0)\": {\"hashes\": []}," }.joined(),
        "key": "{hosts: {\"a.b\": {\"" + String(repeating: "k", count: 100_000) + "\": 1}}}",
        "number": "{hosts: {\"a.b\": {timeout: " + String(repeating: "1", count: 100_000) + "}}}",
        "JSON comments": "{hosts: " + String(repeating: "/**/", count: 25_000),
        "blocks": String(repeating: "-----BEGIN A-----\n\n-----END A-----\n", count: 2_800),
        "begins": String(repeating: "-----BEGIN ", count: 9_000),
        "exempt domains": "{\"TSKPinnedDomains\": {"
            + (0..<2_000).map { "\"d\($0).example.com\": {\"kSKExcludeSubdomainFromParentPolicy\": true}" }.joined(
                separator: ",") + "}}",
        "host": "<network-security-config><domain-config><domain>" + String(repeating: "é", count: 50_000)
            + "</domain><pin-set><pin digest=\"SHA-256\">\(first.base64)</pin></pin-set>"
            + "</domain-config></network-security-config>",
    ]

    @Test(arguments: traps.keys.sorted()) func nothingIsGoneThroughAgainAndAgain(name: String) throws {
        let error = try failure(ofFile: "source", try #require(Self.traps[name]))
        #expect(error.description.utf8.count < 2_000)
        #expect(!error.description.contains { $0.isNewline })
    }

    @Test func constantsThatAreAddedAgainAndAgainAreNotFollowed() throws {
        let text = """
            val A = "sha256/\(String(repeating: "A", count: 20_000))"
            CertificatePinner.Builder().add("a.example.com", \(Array(repeating: "A", count: 20_000).joined(separator: " + ")))
            """
        #expect(try failure(ofFile: "Pins.kt", text).id == .wrongValue)
    }

    @Test func aCharacterAsLongAsTheTextIsShortened() throws {
        let character = "a" + String(repeating: "\u{301}", count: 10_000)
        for text in [character, "sha256/\(character)"] { #expect(try failure(text).description.utf8.count < 2_000) }
        let json = "{\"TSKPinnedDomains\": {\"\(character)\": {\"TSKPublicKeyHashes\": []}}}"
        #expect(try failure(ofFile: "source", json).description.utf8.count < 2_000)
        let short = try #require(throws: ServerNameError.self) {
            try ServerName("a" + String(character.unicodeScalars.prefix(400)))
        }
        #expect(short.description.utf8.count < 500)
    }

    @Test func manyKeysArePEMBlocksTooMany() throws {
        try expectUnreasonable(String(repeating: "-----BEGIN A-----\nAAAA\n-----END A-----\n", count: 10_001).utf8)
    }

    @Test func moreThanAKeyIsNotTriedAsOne() throws {
        let nested = Array(repeating: [0x30, 0x80] as [UInt8], count: 150_000).joined()
        let files = try TemporaryDirectory()
        let path = try files.write(Array(nested), to: "key.der")
        let error = try #require(throws: Problem.self) { try KeyFile.publicHalf(ofKeyFile: path) }
        #expect(error.id == .otherKind)
    }

    @Test func moreAppsThanAnArchiveHasAreRefused() throws {
        var zip = ZipWriter()
        for index in 0..<30 { zip.add("Payload/A\(index).app/Info.plist", "<plist/>") }
        #expect(try failure(ofFile: "many.ipa", zip.archive).id == .unreasonableDocument)
    }
}
