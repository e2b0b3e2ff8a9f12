import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

/// What a file is read as that has marks of several notations.
@Suite struct FormatChoiceTests {
    /// In its text OWN and OTHER are pins, HERE is `v.example.com` in quotation marks, and PEM a certificate.
    private static func filled(_ text: String) throws -> String {
        let pem = try StandardPKI.shared().rootA.pem
        return PinnerSource.filled(text).replacing("PEM", with: pem)
    }

    /// Certificates and pins that are in a comment, or are there for something else, are not what a client is pinned to.
    @Test(arguments: [
        (
            "a.plist", PinConfiguration.Kind.trustKit,
            """
            <?xml version="1.0"?>
            <plist version="1.0"><dict><key>CA</key><string>PEM</string><key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict>
            <key>v.example.com</key><dict><key>TSKPublicKeyHashes</key>
            <array><string>KEY</string><string>SPARE</string></array></dict></dict></dict></dict></plist>
            """
        ),
        ("Net.kt", .okHttp, "val ca = \"\"\"PEM\"\"\"\nval b = CertificatePinner.Builder().add(HERE, \"OWN\").build()"),
        ("Net.kt", .okHttp, "/* as in <network-security-config> */\nval b = PINNER.add(HERE, \"OWN\").build()"),
        ("a.sh", .curl, "cat > ca.pem <<END\nPEMEND\ncurl --pinnedpubkey OWN https://v.example.com/"),
        (
            "a.sh", .curl,
            "# CertificatePinner: .add(HERE, \"OTHER\")\ncurl --pinnedpubkey OWN https://v.example.com/"
        ),
        ("a.zone", .tlsa, "; app: .add(HERE, \"OTHER\")\n_443._tcp.v.example.com. IN TLSA 3 1 1 HEX"),
    ])
    func whatIsCommentedOrForAnotherPurposeIsNoPin(name: String, kind: PinConfiguration.Kind, text: String) throws {
        let base64 = first.base64
        let text = try Self.filled(text).replacing("KEY", with: base64)
            .replacing("SPARE", with: second.base64).replacing("HEX", with: first.hexadecimal)
            .replacing("--pinnedpubkey sha256/", with: "--pinnedpubkey sha256//")
        let reading = try reading(ofFile: name, text)
        #expect(reading.pins.isEmpty)
        #expect(reading.configurations.map(\.kind) == [kind])
        let pins = Set(reading.configurations.flatMap(\.entries).flatMap(\.pins).map(\.spkiSHA256))
        #expect(pins.subtracting([second]) == [first])
        #expect(pins.contains(second) == text.contains("TSKConfiguration"))
    }

    @Test func noPEMIsReadOfXMLThatIsNotWellFormed() throws {
        // A comment has no two hyphens in a row.
        let text = try Self.filled("<!-- PEM --><network-security-config/>")
        let error = try failure(ofFile: "a.xml", text)
        #expect(error.reason.hasPrefix("is not well-formed XML"), "\(error)")
    }

    @Test func aSemicolonBeginsNoCommentOfAList() throws {
        let text = "v.example.com sha256/\(first.base64)\n; w.example.com sha256/\(second.base64)\n"
        let error = try failure(ofFile: "list.txt", text)
        #expect(error.problem == .notation)
        #expect(error.place.description.hasSuffix("list.txt:2"))
        #expect(error.reason == "';' begins no comment here")
    }
}
