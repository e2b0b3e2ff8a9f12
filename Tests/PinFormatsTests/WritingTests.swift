import Foundation
import LoopbackLab
import PinFormats
import Pinning
import Testing
import X509

/// Blocks for clients, read back by those who read such things.
@Suite struct WritingTests {
    static let host = "api.example.com"

    let leaf: PinItem
    let intermediate: PinItem
    let root: PinItem

    init() throws {
        leaf = try Self.item(pki.leaf)
        intermediate = try Self.item(pki.interA, .intermediate)
        root = try Self.item(pki.rootA, .root)
    }

    private static func item(_ certificate: LabCertificate, _ role: PinItem.Role = .leaf, source: String = "presented")
        throws -> PinItem
    { PinItem(try CertificateReader.certificate(der: certificate.der), role: role, source: source) }

    private func group(_ items: [PinItem]? = nil, host: String? = host, port: Int = 443, chosen: [PinItem] = [])
        -> PinGroup
    {
        PinGroup(
            host: host, port: port, origins: ["a test"], items: items ?? [leaf, intermediate, root],
            chosen: Set(chosen.map(\.spkiSHA256)))
    }

    private func list(_ block: String) throws -> [String: Any] {
        let list = try PropertyListSerialization.propertyList(from: Data(block.utf8), format: nil)
        return try #require(list as? [String: Any])
    }

    @Test func pinsWithoutAHostAreForAnyHost() {
        #expect(group().hosts == Self.host && group(host: nil).hosts == "whatever host")
    }

    @Test func notationsAreReadAsTheSamePin() throws {
        for notation in [PinNotation.okhttp, .curl, .hpkp, .base64] {
            #expect(try hashes(leaf[notation]) == [leaf.spkiSHA256])
        }
    }

    @Test(arguments: [PinBlockFormat.okhttp, .trustkit, .nspinned, .android])
    func twoPortsOfAHostAreOneEntryWhereEntriesHaveNone(format: PinBlockFormat) throws {
        let other = try Self.item(pki.rogue)
        let block = try format.block([group([leaf]), group([other], port: 8_443)])
        let entries = try reading(ofFile: "block", block).configurations.flatMap(\.entries)
        // OkHttp has a line for each pin, and counts them together.
        #expect(entries.count == (format == .okhttp ? 2 : 1), "\(block)")
        #expect(Set(entries.flatMap(\.pins).map(\.spkiSHA256)) == [leaf.spkiSHA256, other.spkiSHA256], "\(block)")
    }

    @Test func aBackupKeyTakesThePlaceOfTheIssuer() throws {
        let key = try LabKey.shared(.p256, label: "backup")
        let publicKey = try CertificateReader.publicKey(der: key.publicKeyInfo)
        let backup = PinItem(publicKey, role: .publicKey, source: "backup.pub")
        let all = try list(try PinBlockFormat.trustkit.block([group(), group([backup])]))
        let domains = (all["TSKConfiguration"] as? [String: Any])?["TSKPinnedDomains"] as? [String: [String: Any]]
        #expect(domains?[Self.host]?["TSKPublicKeyHashes"] as? [String] == [leaf[.base64], backup[.base64]])
    }

    @Test func curlGetsTheKeysOfServersOnly() throws {
        let block = try PinBlockFormat.curl.block([group(port: 8443)])
        let command = try #require(block.split(separator: "\n").last)
        #expect(command == "curl --pinnedpubkey '\(leaf[.curl])' 'https://api.example.com:8443/'")
        let authorities = try PinBlockFormat.curl.block([group([root], chosen: [root])])
        #expect(authorities.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
    }

    @Test(arguments: PinBlockFormat.allCases) func withoutAHostAPlaceholderStands(format: PinBlockFormat) throws {
        let block = try format.block([group(host: nil)])
        #expect(block.contains("Write the host of your requests for your-host.example."))
        #expect(try format.block([]).isEmpty)
    }

    @Test(arguments: PinBlockFormat.allCases) func aHostileNameStaysInItsComment(format: PinBlockFormat) throws {
        let attack = "evil --> <key>a</key> */ /* \\u000a \n\r\u{2028}\u{85}$(id) `id` \u{202E}\" ' ; \\ ]]> ?> -"
        let hostile = try LabCertificate.selfSigned(
            .leaf(subject: DistinguishedName(commonNameBytes: attack.bytes), names: []))
        let item = try Self.item(hostile, source: attack)
        let plain = try LabCertificate.selfSigned(.leaf(subject: "plain", names: []))
        let other = try Self.item(plain)
        let block = try format.block([
            PinGroup(host: Self.host, port: 443, origins: [attack], items: [item], remarks: [attack])
        ])
        let harmless = try format.block([PinGroup(host: Self.host, port: 443, origins: ["a"], items: [other])])
        func lineCount(_ text: String) -> Int {
            text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
        }
        #expect(lineCount(block) == lineCount(harmless))
        #expect(block.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value < 0x7F || $0 == "…" })
        for line in block.split(separator: "\n") where line.contains("evil") {
            let text = line.drop { $0 == " " }
            switch format {
            case .trustkit, .nspinned, .android:
                #expect(text.hasPrefix("<!-- ") && text.hasSuffix(" -->"))
                #expect(!text.dropFirst(4).dropLast(3).contains("--"))
            case .curl: #expect(text.hasPrefix("# "))
            case .okhttp, .afnetworking:
                #expect(text.hasPrefix("// ") && !text.contains("\\u") && !text.hasSuffix("\\"))
            }
        }
        switch format {
        case .trustkit, .nspinned: _ = try list(block)
        case .android: _ = try reading(ofFile: "network_security_config.xml", block)
        default: break
        }
    }

    /// A reader in bytes sees the quotation mark before a combining mark; one in characters sees another letter.
    @Test(arguments: ["", "\u{301}", "\u{20DD}"]) func aHostThatIsNoHostStaysInItsString(mark: String) throws {
        let attack = "a\"\(mark)b\\\(mark)c$\(mark)d'\(mark)e<\(mark)f>&\(mark)\u{D4E}\";g h"
        func holds(_ format: PinBlockFormat, _ text: String) throws -> Bool {
            try format.block([group(host: attack)]).unicodeScalars.firstRange(of: text.unicodeScalars) != nil
        }
        #expect(try holds(.okhttp, ".add(\"a\\\"\(mark)b\\\\\(mark)c\\$\(mark)d'"))
        #expect(try holds(.curl, "'https://a\"\(mark)b\\\(mark)c$\(mark)d'\\''\(mark)e<\(mark)f>&"))
        #expect(try holds(.android, "a&quot;\(mark)b\\\(mark)c$\(mark)d&apos;\(mark)e&lt;\(mark)f&gt;&amp;\(mark)"))
        let suffixed = try PinBlockFormat.trustkit.block([group(host: attack + ".com")])
        #expect(try list(suffixed)["TSKConfiguration"] != nil)
    }

    @Test(
        arguments: [
            ("api.example.com", "leaf-api.example.com.cer"), ("*.example.com", "leaf-example.com.cer"),
            ("../../etc/passwd", "leaf-etc-passwd.cer"), ("..", nil), ("", nil), ("a\u{0}b\nc", "leaf-a-b-c.cer"),
            ("Große Straße", "leaf-Gro-e-Stra-e.cer"), ("-rf . ..x", "leaf-rf-x.cer"),
            (String(repeating: "x", count: 500), "leaf-" + String(repeating: "x", count: 60) + ".cer"),
        ] as [(String, String?)]) func fileNamesHoldPlainCharactersOnly(commonName: String, expected: String?) throws
    {
        let made = try LabCertificate.selfSigned(
            .leaf(subject: DistinguishedName(commonNameBytes: commonName.bytes), names: []))
        let certificate = try CertificateReader.certificate(der: made.der)
        let name = CertificateFileName.name(of: certificate, role: .leaf)
        #expect(name == expected ?? "leaf-\(certificate.fingerprint.hexadecimal.prefix(16)).cer")
    }

    @Test func aFileIsNeverReplacedAndAnotherCertificateGetsAnotherName() throws {
        let renewed = try CertificateReader.certificate(der: pki.leafRe.der)
        let certificate = try #require(leaf.certificate)
        let files = try TemporaryDirectory()
        let saver = try CertificateSaver(directory: files.path + "/new")
        let saved = try saver.save(certificate, role: .leaf)
        #expect(saved.path == files.path + "/new/leaf-leaf.cer" && !saved.wasThere)
        #expect(try saver.save(certificate, role: .leaf).wasThere)
        let other = try saver.save(renewed, role: .leaf)
        #expect(other.path.hasSuffix("/leaf-leaf-\(renewed.fingerprint.hexadecimal.prefix(8)).cer"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path + "/new").count == 2)
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: saved.path))) == certificate.der)
        let mode = try FileManager.default.attributesOfItem(atPath: saved.path)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        #expect(throws: Problem.self) { try CertificateSaver(directory: saved.path) }
        #expect(throws: Problem.self) { try CertificateSaver(directory: "") }
    }
}
