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
        ("a.sh", .curl, "# CertificatePinner: .add(HERE, \"OTHER\")\ncurl --pinnedpubkey OWN https://v.example.com/"),
        ("a.zone", .tlsa, "; app: .add(HERE, \"OTHER\")\n_443._tcp.v.example.com. IN TLSA 3 1 1 HEX"),
    ]) func whatIsCommentedOrForAnotherPurposeIsNoPin(name: String, kind: PinConfiguration.Kind, text: String) throws {
        let base64 = first.base64
        let text = try Self.filled(text).replacing("KEY", with: base64).replacing("SPARE", with: second.base64)
            .replacing("HEX", with: first.hexadecimal).replacing(
                "--pinnedpubkey sha256/", with: "--pinnedpubkey sha256//")
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

    /// The name of a file plays no part: a source has nothing else in its comments and texts, whatever it is called.
    @Test(
        arguments: [
            "/* By hand:\n * curl --pinnedpubkey sha256//KEY https://v.example.com/\n */\nval b = PINNER.add(HERE, \"OTHER\")",
            "// curl --pinnedpubkey sha256//KEY https://w.example.com/\nval b = PINNER.add(HERE, \"OTHER\")",
            "class A { val ca = \"\"\"PEM\"\"\"\nval b = PINNER.add(HERE, \"OTHER\") }",
            "/* was\nsha256/KEY\n*/ val b = PINNER.add(HERE, \"OTHER\")",
            "private const val P =\n\"OTHER\"\nval b = PINNER.add(HERE, P)",
            "val p: String =\n\"OTHER\"\nval b = PINNER.add(HERE, p)", "val b = PINNER\n.add(\nHERE,\n\"OTHER\",\n)",
        ], ["Net.kt", "Net.kt.orig", "Net.scala", "stdin"]) func theSourceOfAPinnerIsASourceUnderAnyName(
            text: String, name: String
        ) throws
    {
        let reading = try reading(ofFile: name, Self.filled(text).replacing("KEY", with: first.base64))
        #expect(reading.pins.isEmpty)
        #expect(reading.configurations.map(\.kind) == [.okHttp])
        #expect(reading.configurations.flatMap(\.entries).flatMap(\.pins).map(\.spkiSHA256) == [second])
    }

    @Test(arguments: [
        "curl --pinnedpubkey sha256//KEY https://v.example.com/", "PEM", "sha256/KEY",
        "_443._tcp.v.example.com. IN TLSA 3 1 1 HEX", "_443._tcp.v.example.com. IN tlsa 3 1 1 HEX",
        "_443._tcp.v.example.com. IN TYPE52 \\# 35 030101HEX", "KEY", "HEX", "\"sha256/KEY\"",
        "pinnedpubkey = \"sha256//KEY\"\nurl = https://v.example.com/",
    ]) func aPinnerBesideAnotherNotationIsAMistake(other: String) throws {
        let text = try Self.filled("```kotlin\nval b = PINNER.add(HERE, \"OTHER\").build()\n```\n\(other)\n").replacing(
            "KEY", with: first.base64
        ).replacing("HEX", with: first.hexadecimal)
        let error = try failure(ofFile: "README.md", text)
        #expect(
            error.reason
                == "has a pinner of OkHttp's and pins in another notation, and does not say which of them count")
    }

    /// What a list, a zone or PEM says of a pin it had is no source, whatever it looks like.
    @Test(arguments: [
        ("list.txt", "sha256/\(first.base64) # was builder.add(HERE, \"OTHER\")"),
        ("list.txt", "# pins\nsha256/\(first.base64)\n\u{A0}# was builder.add(HERE, \"OTHER\")"),
        ("hosts.txt", "v.example.com sha256/\(first.base64) # was builder.add(HERE, \"OTHER\")"),
        ("a.zone", "_443._tcp.v.example.com. IN TLSA 3 1 1 \(first.hexadecimal) ; add(HERE, \"OTHER\")"),
        (
            "fetch",
            "grep -q 'add(HERE, \"OTHER\")' App.kt\ncurl --pinnedpubkey sha256//\(first.base64) https://v.example.com/"
        ),
        (
            "headers",
            "HTTP/1.1 200 OK\r\nPublic-Key-Pins: pin-sha256=\"\(first.base64)\"; max-age=1\r\n\r\nb.add(HERE, \"OTHER\")"
        ), ("a.pem", "-- builder.add(HERE, \"OTHER\")\nPEM"),
        ("a.pem", "CertificatePinner\r: builder.add(HERE, \"OTHER\")\r\r\nPEM"),
    ]) func aCallInACommentOfAnotherNotationIsNoPin(name: String, text: String) throws {
        let reading = try reading(ofFile: name, Self.filled(text))
        let pins = reading.pins + reading.configurations.flatMap(\.entries).flatMap(\.pins)
        #expect(pins.count == 1)
        #expect((pins.first?.certificate != nil) == (name == "a.pem"))
        if name != "a.pem" { #expect(pins.first?.spkiSHA256 == first) }
    }

    @Test func aCallInACommentBelowALooseListIsNoPinEither() throws {
        let text = try Self.filled("pins of the app:\nsha256/\(first.base64)\n# builder.add(HERE, \"OTHER\")")
        let error = try failure(ofFile: "notes", text)
        #expect(error.reason == "the text (4 characters) is not a pin")
    }

    @Test func whatElseIsInALargeSourceIsNoPin() throws {
        let comment = "/*" + String(repeating: " ", count: PinListFormat.mostBytes) + "*/"
        let text = try Self.filled("val b = PINNER.add(HERE, \"OTHER\")\nval ca = \"\"\"PEM\"\"\"\n\(comment)")
        #expect(try failure(ofFile: "Net.kt", text).reason == "is a source of more than 1 MiB")
    }

    @Test(arguments: ["<ops@example.com>", "<<< ops >>>"]) func aCommandOfCurlBesidePEMIsAMistake(author: String) throws
    {
        let text = try Self.filled(
            "\(author) Get it: curl --pinnedpubkey sha256//\(first.base64) https://v.example.com/\nPEM")
        let error = try failure(ofFile: "a.pem", text)
        #expect(error.reason == "has PEM and a command of curl with a pin, and does not say which of them counts")
    }

    @Test func aSemicolonBeginsAStatementOfASourceOfWhateverName() throws {
        let text = "val p = PINNER.add(HERE, \"OWN\").build()\n;val q = PINNER.add(HERE, \"OTHER\").build()"
        #expect(try PinnerSource(text, in: "a.scala").notes == [PinnerSource.apart(2, from: 1)])
    }
}
