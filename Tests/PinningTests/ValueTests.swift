import LoopbackLab
import Pinning
import Testing

@Suite("Values are written in the notations people paste") struct ValueTests {
    @Test func aDigestHasExactly32Bytes() {
        for count in 31...33 {
            #expect((SHA256Digest(bytes: [UInt8](repeating: 0, count: count)) != nil) == (count == 32))
        }
    }

    @Test func aDigestIsWrittenAsOkHttpWritesAPin() throws {
        // SHA-256 of nothing, a value everybody can check.
        let bytes: [UInt8] = [
            0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24, 0x27, 0xAE,
            0x41, 0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
        ]
        let digest = try #require(SHA256Digest(bytes: bytes))
        #expect(digest.description == "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(digest.hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (1_590_969_600, "2020-06-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"), (-30_610_224_000, "1000-01-01T00:00:00Z"),
    ]) func aTimestampIsWrittenAsRFC3339(seconds: Int64, expected: String) {
        #expect(Timestamp(secondsSinceEpoch: seconds).description == expected)
        #expect(Timestamp(secondsSinceEpoch: seconds).date == expected.prefix(10))
    }

    @Test func theEndsOfTimeDoNotOverflow() {
        #expect(!Timestamp(secondsSinceEpoch: .max).description.isEmpty)
        #expect(!Timestamp(secondsSinceEpoch: .min).description.isEmpty)
        #expect(Timestamp(secondsSinceEpoch: .max).advanced(bySeconds: 1) == Timestamp(secondsSinceEpoch: .max))
        #expect(Timestamp(secondsSinceEpoch: .min).advanced(bySeconds: -1) == Timestamp(secondsSinceEpoch: .min))
    }

    @Test func anEmptyPinSetCannotExist() {
        #expect(PinSet([]) == nil)
        #expect(PresentedChain([]) == nil)
    }
}

@Suite struct HostIndexTests {
    @Test func aHostIsFoundAsByLookingAtEachPattern() {
        let depths: [HostPattern.Depth] = [.exact, .oneLabel, .upToOneLabel, .anyNumber]
        let names = [
            "com", "example.com", "api.example.com", "a.api.example.com", "example.com.", ".com", "", "1.2.3.4",
        ]
        let patterns = names.flatMap { name in depths.map { HostPattern(text: name, $0) } }
        let index = HostIndex(patterns.map { ($0, $0) })
        for host in names + ["b.a.api.example.com", "xample.com", "a..com", "4", "api.example.org"] {
            #expect(index.covering(host) == patterns.filter { $0.covers(host) }, "\(host)")
        }
    }
}

@Suite("An address is what inet_pton takes") struct IPAddressTests {
    static func inetPton(_ text: String) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: length)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    @Test(arguments: [
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.4.",
        ".1.2.3.4", "1..3.4", "0x7f.0.0.1", "127.1", "2130706433", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4", "1.2.3.+4",
        "00.0.0.0", "١.2.3.4", "::", "::1", "1::", "1::8", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3::5:6:7:8", "1::2::3", ":::", ":1", "1:", "12345::", "fe80::1%eth0",
        "::ffff:1.2.3.4", "::1.2.3.4", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4",
        "::01.2.3.4", "::g", "FE80::ABCD", "[::1]", "", ":", "1", "::\u{0}1", "2001:db8::1/64",
        "0000:0000:0000:0000:0000:0000:0000:0001", "::00001",
    ]) func bothReadTheSameBytesOrRefuse(_ text: String) { #expect(IPAddress(text)?.bytes == Self.inetPton(text)) }

    @Test(arguments: Seeds.sample(2)) func randomTextsAreReadAsInetPtonReadsThem(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["0", "1", "01", "255", "256", "a", "ffff", "10000", ":", "::", ".", "1.2.3.4", "", "-", "%"]
        for _ in 0..<6_000 {
            let text = (0..<Int.random(in: 1...17, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            #expect(IPAddress(text)?.bytes == Self.inetPton(text), "\(text)")
        }
    }

    @Test(arguments: [
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"), ("0::0", "::"),
        ("::FFFF:192.0.2.7", "::ffff:192.0.2.7"), ("192.0.2.7", "192.0.2.7"),
    ]) func anAddressIsWrittenInItsShortestForm(text: String, short: String) {
        #expect(IPAddress(text)?.description == short)
        #expect(IPAddress(text).map { SubjectAlternativeName.ip($0.bytes).description } == short)
    }
}

@Suite("A server name is in the one form that is safe to compare") struct ServerNameTests {
    @Test(arguments: [
        ("api.example.com", "api.example.com"), ("API.Example.COM.", "api.example.com"), ("localhost", "localhost"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("_sip.example.com", "_sip.example.com"),
        ("1.2.3.4", "1.2.3.4"), ("[::1]", "::1"), ("2001:DB8::1", "2001:db8::1"), ("3com.example", "3com.example"),
        ("host.0xyz", "host.0xyz"),
        // The longest name: 127 labels of one letter, and a dot at the end.
        (String(repeating: "a.", count: 127), String(repeating: "a.", count: 126) + "a"),
    ]) func goodNamesAreNormalised(text: String, expected: String) throws {
        #expect(try ServerName(text).description == expected)
    }

    @Test(arguments: [
        ("", "is empty"), (".", "is empty"), (".example.com", "empty label"), ("a..b", "empty label"),
        ("example.com..", "empty label"), ("*.example.com", "holds '*'"), ("https://example.com", "holds ':'"),
        ("example.com/path", "holds '/'"), ("user@example.com", "holds '@'"), ("[1.2.3.4]", "holds '['"),
        ("[::1", "holds '['"), ("a b", "control character"), ("a\u{0}b", "control character"),
        ("a\nb", "control character"), ("bücher.example", "is not ASCII"),
        // A fullwidth dot and a soft hyphen are not ASCII either.
        ("example。com", "is not ASCII"), (String(repeating: "a", count: 64) + ".com", "more than 63"),
        (Array(repeating: String(repeating: "a", count: 63), count: 5).joined(separator: "."), "more than 253"),
        ("1.2.3.4.5", "ends in a number"), ("01.2.3.4", "ends in a number"), ("127.1", "ends in a number"),
        ("0x7f.0x1", "ends in a number"), ("example.0x", "ends in a number"), ("0xfF", "ends in a number"),
    ]) func namesThatNoCertificateCanHaveAreRefusedInOneLine(text: String, words: String) {
        let error = #expect(throws: ServerNameError.self) { try ServerName(text) }
        #expect(error.map { $0.description.count < 220 && !$0.description.contains("\n") } == true)
        #expect(error?.text == text && error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error.map { ReferenceName(text) == .impossible($0) } == true)
    }
}

@Suite struct FindingTests {
    @Test func everyIDIsARowWithAWordLevelsAndASentence() {
        let all = FindingID.allCases
        #expect(Set(all.map(\.word)).count == all.count)
        for id in all {
            #expect(id.word.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(id)")
            #expect(!(id.levels + id.lintLevels).isEmpty, "\(id)")
            #expect(!id.levels.contains(.error) && !id.lintLevels.contains(.fail), "\(id)")
            #expect(id.sentence.hasSuffix(".") && id.sentence.count > 20, "\(id)")
            #expect(id.sentence.first?.isUppercase == true || id.sentence.hasPrefix("curl"), "\(id)")
            #expect(FindingID(word: id.word) == id)
        }
    }

    @Test func levelsAreOrderedAndWordsThatAreNoneAreNoID() {
        #expect(Finding.Level.allCases == Finding.Level.allCases.sorted())
        #expect(FindingID(word: "") == nil && FindingID(word: "pirvate-root") == nil)
    }
}
