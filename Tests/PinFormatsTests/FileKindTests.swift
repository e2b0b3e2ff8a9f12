import Base
import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

/// What files are that people give for pins and that are not read, and what a file is read as that has marks of several kinds.
@Suite struct FileKindTests {
    private static let a = first.base64
    private static let list = "lines such as: host sha256/…"
    private static let host = "api.example.com sha256/…"
    private static let option = "--pinnedpubkey 'sha256//…'"

    /// Name, contents, line of the sentence (0 for the file), its beginning, and the end of what to do.
    private static let unread = """
        Net.kt | val pins = listOf(⏎"sha256/\(a)",⏎) | 1 | is source that builds no CertificatePinner | \(list)
        Net.java | class Net { String host; } | 0 | is source that builds no CertificatePinner | \(list)
        Net.kt | class A(val p: CertificatePinner) | 1 | speaks of CertificatePinner, and no | \(list)
        Pins.swift | let pins = [⏎"sha256/\(a)",⏎]⏎let other = 1 | 1 | is Swift or Objective-C | \(list)
        Pins.m | NSString *pin = @"\(a)"; | 0 | is Swift or Objective-C | \(list)
        pins.dart | const pins = ['sha256/\(a)']; | 0 | is Dart | \(list)
        pins.ts | export const pins = {⏎'sha256/\(a)': 1 } | 0 | is JavaScript | \(list)
        app.js | module.exports = [] | 0 | is JavaScript | \(list)
        pins.py | x = 1 | 0 | is a program's source | \(list)
        get.sh | PIN=sha256//\(a)⏎curl --pinnedpubkey "$PIN" https://a.b/ | 2 | curl's option stands in a script | \(option)
        get | #!/bin/sh⏎echo a | 0 | is a script | \(option)
        get.sh | echo a | 0 | is a shell script | \(option)
        Makefile | all:⏎\tcurl --pinnedpubkey 'sha256//\(a)' https://a.b/ | 2 | curl's option stands | \(option)
        Makefile | all:⏎\techo | 0 | is a makefile | \(option)
        get.ps1 | Get-Item | 0 | is a script of Windows | \(option)
        .curlrc | silent | 0 | is curl's configuration | \(option)
        curlrc | pinnedpubkey = "sha256//\(a)"⏎ | 1 | curl's option stands | \(option)
        ci.yml | pins:⏎  - a | 0 | is YAML, which is not read | \(list)
        a.zone | $ORIGIN a.b.⏎@ IN SOA ns. h. 1 2 3 4 5⏎ | 0 | is a zone | to the app's client
        a.zone | $TTL 5⏎_443._tcp.a.b. IN TLSA 3 1 1 ( \(first.hexadecimal) ) | 2 | a TLSA record is no pin | give \
        the key's hash, sha256/\(a)
        dig.txt | ; dig⏎_443._tcp.a.b. 60 IN TLSA 3 0 1 \(first.hexadecimal) | 2 | a TLSA record is no pin | give the \
        key's hash, sha256/…
        dig.txt | _443._tcp.a.b. 60 IN TYPE52 \\# 35 030101\(first.hexadecimal) | 1 | a TLSA record is no pin | sha256/…
        record | 3 1 1 \(first.hexadecimal)⏎ | 1 | a TLSA record is no pin | sha256/\(a)
        pins.txt | sha256/\(a)⏎_443._tcp.a.b. IN TLSA 3 1 1 \(first.hexadecimal) | 2 | a TLSA record is no pin | sha256/\(a)
        headers | HTTP/1.1 200 OK\r⏎Public-Key-Pins: pin-sha256="\(a)"\r⏎ | 1 | is the header of a response | pin-sha256="…"
        headers | Public-Key-Pins-Report-Only: pin-sha256="\(a)"⏎ | 1 | is the header of a response | pin-sha256="…"
        ssl_config.json | {"sha256Keys": {"a.b": ["sha256/\(a)"]}} | 0 | is react-native-ssl-manager's | \(list)
        pins.json | {"domains": {"a.b": {"hashes": ["\(a)"]}}} | 0 | is JSON with hashes of domains | \(list)
        report.json | {"schema": "pincheck-pins/1", "results": []} | 0 | is a report of pincheck's | \(list)
        a.json | {"pins": []} | 1 | 'pins' is an empty list | or leave it out
        a.json | {"a": 1} | 0 | holds no pin | 44 characters of base64
        a.json | {"v.example.com":⏎["sha256/\(a)"]} | 2 | a pin stands here in a form that | \(host)
        a.json | ["\(a)"] | 1 | a pin stands here in a form that | \(host)
        list.txt | v.example.com YOUR_PIN_HERE | 1 | the text (13 characters) is a placeholder | the key there
        list.txt | a.b sha256/\(a)⏎c.d YOUR_PIN_HERE | 2 | the text (13 characters) is a placeholder | the key there
        .env | # pins⏎PIN=sha256//\(a) | 2 | a pin stands here in a form that | \(host)
        app.properties | pin=\(a) | 1 | a pin stands here in a form that | \(host)
        pins.txt | v.example.com=sha256/\(a) | 1 | a pin stands here in a form that | \(host)
        pins.html | <p>sha256/\(a)</p> | 1 | a pin stands here in a form that | \(host)
        """

    @Test(arguments: table(unread)) func whatIsNotReadSaysWhatToGiveInstead(row: [String]) throws {
        let (line, reason, remedy) = (Int(row[2]) ?? 0, row[3], row[4])
        let files = try TemporaryDirectory()
        let path = try files.write(row[1], to: row[0])
        let problems = PinSource(path).inspect().problems
        try #require(problems.count == 1, "\(problems)")
        let error = try failure(path)
        #expect(problems == [error])
        #expect(error.place == (line == 0 ? .file(path) : .line(line, of: path)))
        #expect(error.reason.hasPrefix(reason), "\(error)")
        #expect(error.advice?.hasSuffix(remedy) == true, "\(error)")
    }

    @Test func whatIsCompressedSaysHowToUnpackIt() throws {
        let files = try TemporaryDirectory()
        let path = try files.write([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3], to: "list.gz")
        #expect(try failure(path).description == "\(path): is compressed with gzip; unpack it: gunzip -k \(path)")
    }

    @Test(arguments: ["pins.swift", "pins.sh", "pins.zone", "Makefile", "pins"]) func aListIsAListWhateverItsName(
        name: String
    ) throws { #expect(try reading(ofFile: name, "# pins\nsha256/\(Self.a)\n").pins.map(\.spkiSHA256) == [first]) }

    /// Nothing in a file is passed over for what another kind of file has in it.
    private static let mixed = """
        a.pem | sha256/\(a)⏎PEM | a pin is outside the PEM blocks here
        a.pem | PEM⏎curl --pinnedpubkey sha256//\(a) https://a.b/ | a pin is outside the PEM blocks here
        a.pem | pin: sha256:\(a)⏎PEM | a pin is outside the PEM blocks here
        a.pem | PEM⏎https://a.b/ sha1/AAAA | a pin is outside the PEM blocks here
        a.pem | SHA256:AA⏎PEM | a pin is outside the PEM blocks
        a.pem | \(a)⏎PEM | a pin is outside the PEM blocks here
        a.pem | PEM⏎\(a.dropLast()) | a pin is outside the PEM blocks here
        a.pem | a -----BEGIN line⏎sha256/\(a)⏎PEM | a pin is outside the PEM blocks here
        a.properties | api.pin=sha256/\(a)⏎PEM | a pin is outside the PEM blocks here
        a.conf | <ca>⏎PEM</ca>⏎PIN="\(a)" | a pin is outside the PEM blocks here
        Net.swift | let root = \"""⏎PEM\"""⏎let pin = "" | is Swift or Objective-C
        root.js | const root = `⏎PEM` | is JavaScript
        a.yaml | ca: |⏎PEM | is YAML, which is not read
        a.kt | val b = CertificatePinner.Builder().add("a.b", "sha256/\(a)").build()⏎sha256/\(a) | a pin here does \
        not belong to the pinner
        a.xml | <!-- PEM --><network-security-config/> | is not well-formed XML
        Info.plist | \
        <plist><dict><key>CFBundleName</key><string>x</string><key>NSPinnedDomains</key><dict/></dict></plist> | \
        'NSPinnedDomains' pins nothing here
        list.txt | v.example.com sha256/\(a)⏎; w.example.com sha256/\(a) | ';' begins no comment here
        list.txt | v.example.com sha256/\(a)⏎sha256/\(a) | give one host name, without scheme
        notes | pins of the app:⏎sha256/\(a)⏎and more prose⏎and more | the text (4 characters) is not a pin
        """

    @Test(arguments: table(mixed)) func aSecondNotationIsAMistake(row: [String]) throws {
        let files = try TemporaryDirectory()
        let path = try files.write(row[1].replacing("PEM", with: root.pem), to: row[0])
        let error = try failure(path)
        #expect(error.reason.contains(row[2]), "\(error)")
        #expect(PinSource(path).inspect().problems.count == 1)
    }

    @Test(arguments: [
        "# sha256/\(a)\n## SHA256: 00ff\nPEM", "Bag Attributes\n    localKeyID: 54 69\nsubject=CN = a.b\nPEM",
        "Signature Algorithm: sha256WithRSAEncryption\n        0B:4D:57:3F:47:EE:76:EC:80:E3:4F:F0:66:8C:1A:64:A9:69\nPEM",
        "sha256 Fingerprint=00:FF\n=====================================================\nPEM",
    ]) func whatOpenSSLPrintsBesidePEMIsPassedOver(text: String) throws {
        let text = text.replacing("PEM", with: root.pem)
        #expect(try reading(ofFile: "a.pem", text).pins.count == 1)
    }

    @Test func theFirstHostOfAListMayBeLocalhost() throws {
        let list = "localhost sha256/\(Self.a)\nv.example.com sha256/\(Self.a)\n"
        #expect(try reading(ofFile: "list.txt", list).configurations.flatMap(\.entries).count == 2)
    }

    @Test func aCommentOfAListMaySpeakOfAPinner() throws {
        let list =
            "# of CertificatePinner.Builder()\nv.example.com sha256/\(Self.a) # was .add(\"a.b\", \"sha256/AAAA\")\n"
        #expect(try reading(ofFile: "list.txt", list).configurations.map(\.kind) == [.okHttp])
    }

    private static let kinds: [(String, String)] = [
        ("network_security_config.xml", Samples.android), ("Info.plist", Samples.infoPlist),
        ("TrustKit.json", Samples.trustKit), ("native.json", Samples.reactNative), ("Net.kt", Samples.kotlin),
        ("hosts.txt", Samples.okHttpList), ("pins.txt", "sha256/\(Samples.a)\nsha256//\(Samples.b)\n"),
        ("policy.json5", "{version: 1, hosts: {'a.example.com': {pins: ['sha256/\(Samples.a)']}}}"),
    ]

    @Test(arguments: kinds) func badInputIsRefusedWithItsPlaceAndShowsNothing(name: String, text: String) throws {
        let key = try leaf.key.privateKeyPEM()
        let secret = key.split(separator: "\n")[1]
        let bad: [(String, [UInt8], Set<FindingID>)] = [
            ("empty", [], [.empty]), ("blank", " \n\n".bytes, [.notAPin, .notation, .empty]),
            ("UTF-16", [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, [.textEncoding]),
            ("Latin-1", text.bytes + [0xE9, 0x0A], [.textEncoding]),
            ("private key", (text + "\n" + key).bytes, [.privateKey]), ("private key alone", key.bytes, [.privateKey]),
        ]
        let files = try TemporaryDirectory()
        for (what, bytes, problems) in bad {
            let path = try files.write(bytes, to: name)
            let error = try failure(path)
            #expect(error.id.map(problems.contains) == true, "\(what): \(error)")
            #expect(error.place?.path == path)
            #expect(error.remedy != nil || error.id == .empty)
            #expect(!error.description.contains(secret) && !error.description.contains { $0.isNewline })
        }
        // Cut off anywhere it is refused, or less is read than the whole; a list may end behind any line.
        let whole = try PinSource(try files.write(text, to: name)).read()
        for end in stride(from: 0, to: text.utf8.count - 2, by: 7) {
            let cut = try files.write(Array(text.utf8.prefix(end)), to: name)
            guard case .success(let reading) = outcome(cut) else { continue }
            #expect(name.hasSuffix(".txt"), "\(name) cut after \(end) bytes")
            func entries(_ reading: PinReading) -> [[HostEntry]] { reading.configurations.map(\.entries) }
            #expect((reading.pins, entries(reading)) != (whole.pins, entries(whole)))
        }
    }

    @Test func manyLinesAndEqualKeysAreRefusedOrBounded() throws {
        let files = try TemporaryDirectory()
        let wrong = try files.write(String(repeating: "sha256/AAEC\n", count: 2_000), to: "pins.txt")
        let inspection = PinSource(wrong).inspect()
        #expect(inspection.problems.count == 1_000)
        #expect(inspection.omittedProblemCount == 1_000)
        let many = try files.write(String(repeating: "a\n", count: 1_000_000), to: "many.txt")
        #expect(try failure(many).id == .tooLarge)
        let twice = try files.write("{\"TSKPinnedDomains\": {}, \"TSKPinnedDomains\": {}}", to: "twice.json")
        #expect(try failure(twice).id == .duplicate)
    }
}
