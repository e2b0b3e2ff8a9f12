import Pinning
import Testing

@testable import PinFormats

/// What stands beside a host's pins in a file and is not for it: a server would be accepted by it that the client rejects.
@Suite struct ForeignSectionTests {
    private let own = first
    private let other = second

    /// The pins of `v.example.com` in a file, where OWN is its pin and OTHER that of another.
    private func pins(ofFile name: String, _ text: String) throws -> [SHA256Digest?] {
        let text = text.replacing("OWN64", with: own.base64).replacing("OTHER64", with: other.base64).replacing(
            "OWN", with: own.hexadecimal
        ).replacing("OTHER", with: other.hexadecimal)
        let reading = try reading(ofFile: name, text)
        guard let configuration = reading.configurations.first else { return reading.pins.map(\.spkiSHA256) }
        return configuration.entries.filter { $0.hosts == nil || $0.hosts?.name == "v.example.com" }.flatMap(\.pins)
            .map(\.spkiSHA256)
    }

    @Test(arguments: [
        "url=https://v.example.com\npinnedpubkey = \"sha256//OWN64\"\nnext\nurl=https://w.example.com\npinnedpubkey = \"sha256//OTHER64\"\n",
        "curl --pinnedpubkey sha256//OWN64 https://v.example.com --next --pinnedpubkey sha256//OTHER64 https://w.example.com",
        "curl --pinnedpubkey sha256//OWN64 https://v.example.com -: --pinnedpubkey sha256//OTHER64 https://w.example.com",
    ]) func curlsOptionsAreForTheURLsBesideThem(text: String) throws {
        #expect(try pins(ofFile: "script", text) == [own])
    }

    @Test(arguments: [
        "url=https://v.example.com\npinnedpubkey = \"sha256//OWN64\"\nnext # other\nurl=https://w.example.com\npinnedpubkey = \"sha256//OTHER64\"\n",
        "curl -x https://v.example.com --pinnedpubkey sha256//OTHER64 https://w.example.com\ncurl --pinnedpubkey sha256//OWN64 https://v.example.com",
        "curl --referer https://v.example.com --pinnedpubkey sha256//OTHER64 https://w.example.com\ncurl --pinnedpubkey sha256//OWN64 https://v.example.com",
        "curl --pinnedpubkey sha256//OWN64 https://v.\\\nexample.com",
        "x=$(curl --pinnedpubkey sha256//OWN64 https://v.example.com)",
        "url=https://v.example.com\r\npinnedpubkey = \"sha256//OWN64\"\r\n",
    ]) func curlsWordsAreReadAsAShellReadsThem(text: String) throws {
        #expect(try pins(ofFile: "script", text) == [own])
    }

    @Test(arguments: ["echo it's\n", "# a\n- name: Don't\n"]) func anApostropheThatSwallowsCommandsIsAMistake(
        before: String
    ) throws {
        let text = before + "curl --pinnedpubkey sha256//\(own.base64) https://v.example.com\n"
        let others = "curl --pinnedpubkey sha256//\(other.base64) https://w.example.com\n"
        #expect(try failure(ofFile: "script", others + text).problem == .notation)
    }

    @Test func aFileOfCurlsWithoutAnyURLIsForAllHosts() throws {
        #expect(try pins(ofFile: "curlrc", "pinnedpubkey = \"sha256//OWN64\"\n") == [own])
        #expect(try pins(ofFile: "script", "curl --pinnedpubkey sha256//OWN64 \"$URL\"\n") == [own])
    }

    @Test(arguments: [
        (
            "A.kt",
            #"CertificatePinner.Builder().add("v.example.com", "sha256/OWN64") /* a /* b */ .add("v.example.com", "sha256/OTHER64") */"#
        ),
        (
            "A.kt",
            "val a = \"\"\"\n.add(\"v.example.com\", \"sha256/OTHER64\")\n\"\"\"\nb.add(\"v.example.com\", \"sha256/OWN64\")"
        ),
        ("A.java", #"/* a /* b */ b.add("v.example.com", "sha256/OWN64"); // .add("v.example.com", "sha256/OTHER64")"#),
        ("A.java", #"if (c == '"') x(); b.add("v.example.com", "sha256/OWN64"); d = '\''; e = "'";"#),
    ]) func whatIsNoCodeAddsNoPin(name: String, text: String) throws { #expect(try pins(ofFile: name, text) == [own]) }

    @Test func aConstantWithTwoValuesIsNotFollowed() throws {
        let text = """
            object A { val PIN = "sha256/\(own.base64)"; fun a() = CertificatePinner.Builder().add("v.example.com", PIN) }
            object B { val PIN = "sha256/\(other.base64)"; fun b() = CertificatePinner.Builder().add("w.example.com", PIN) }
            """
        #expect(try failure(ofFile: "A.kt", text).problem == .wrongValue)
    }

    @Test(arguments: [
        (
            "A.kt",
            #"a = Builder().add("v.example.com", "sha256/OWN64"); b = Builder().add("v.example.com", "sha256/OTHER64")"#,
            "line 1 has"
        ),
        (
            "script",
            "curl --pinnedpubkey sha256//OWN64 https://v.example.com/a\ncurl --pinnedpubkey sha256//OTHER64 https://v.example.com/b",
            "another command has"
        ),
    ]) func twoThatPinAHostDifferentlyAreNoted(name: String, text: String, note: String) throws {
        let text = text.replacing("OWN64", with: own.base64).replacing("OTHER64", with: other.base64)
        let notes = try reading(ofFile: name, text).notes.map(\.text)
        #expect(
            notes.contains { $0.hasPrefix("\(note) other pins for v.example.com: they are put together here") },
            "\(notes)")
    }

    @Test(arguments: [
        #"val H = "v.example.com".replace("v", "w"); CertificatePinner.Builder().add(H, "sha256/OTHER64")"#,
        #"CertificatePinner.Builder().add("v.example.com", C.PIN).add("w.example.com", "sha256/OTHER64")"#,
        #"CertificatePinner.Builder().add("v.example.com", *pins).add("w.example.com", "sha256/OTHER64")"#,
        #"CertificatePinner.Builder().add("v.example.com", "sha256/OWN64", *m().also { it.add("sha256/OTHER64") })"#,
    ]) func aHostOrPinsThatAreComputedAreAMistake(text: String) throws {
        let text = text.replacing("OWN64", with: own.base64).replacing("OTHER64", with: other.base64)
        #expect(try failure(ofFile: "A.kt", text).problem == .wrongValue)
    }

    @Test(arguments: [
        #"const val PIN: String = "sha256/OWN64"; a = Builder().add("v.example.com", PIN)"#,
        #"val a = "${f("//")}"; b = Builder().add("v.example.com", "sha256/OWN64")"#,
    ]) func constantsWithATypeAndTemplatesAreRead(text: String) throws {
        #expect(try pins(ofFile: "A.kt", text) == [own])
    }

    @Test func templatesWithinTemplatesThatDoNotEndAreAMistake() throws {
        let text = String(repeating: "\"${", count: 100_000) + "\nBuilder().add(\"v.example.com\", \"sha256/OWN64\")"
        #expect(try failure(ofFile: "A.kt", text).problem == .wrongValue)
    }

    @Test(arguments: [
        "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n_443._tcp.v.example.com. CLASS3 TLSA 3 1 1 OTHER\n",
        "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n_443._tcp.v.example.com. IN NSEC n.example.com. TLSA RRSIG NSEC\n",
        "www IN CNAME tlsa\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\ntlsa IN A 192.0.2.1\n",
        "$ORIGIN example.com.\n$ORIGIN v\n_443._tcp IN TLSA 3 1 1 OWN\n",
        "t TXT \"a ( b\"\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n_443._tcp.v.example.com. 60 IN TLSA ( 3 1 1\n OWN )\n",
    ]) func aZoneIsReadAsAServerReadsIt(text: String) throws { #expect(try pins(ofFile: "zone", text) == [own]) }

    @Test(arguments: [
        "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n_443._udp.v.example.com. IN TLSA 3 1 1 OTHER\n",
        "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n_443._tcp.w.example.com. IN TXT x\n   IN TLSA 3 1 1 OTHER\n",
        "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n_443._tcp.v.example.com. CH TLSA 3 1 1 OTHER\n",
        "_443._tcp.v.example.com. 3600 IN TLSA 3 1 1 OWN\n_443._tcp.v.example.com. 3600 IN RRSIG TLSA 13 5 3600 20261201000000 20261101000000 1234 example.com. abcd==\n",
    ]) func recordsOfOthersAreNotForTheHost(text: String) throws { #expect(try pins(ofFile: "zone", text) == [own]) }

    @Test(arguments: [
        "Public-Key-Pins: pin-sha256=\"OWN64\"; max-age=9\nPublic-Key-Pins-Report-Only: pin-sha256=\"OTHER64\"; max-age=9\n",
        "HTTP/1.1 200 OK\nPublic-Key-Pins-Report-Only: pin-sha256=\"OTHER64\"\nPublic-Key-Pins: pin-sha256=\"OWN64\"\nServer: x\n",
        "Public-Key-Pins: pin-sha256=\"OWN64\"; max-age=9\nPublic-Key-Pins: pin-sha256=\"OTHER64\"; max-age=9\n",
        "Public-Key-Pins-Report-Only: pin-sha256=\"OWN64\"\n",
    ]) func theFirstHeaderThatIsEnforcedCounts(text: String) throws {
        #expect(try pins(ofFile: "headers", text) == [own])
    }

    @Test func aListMayBeginWithAHeader() throws {
        let text = "Public-Key-Pins: pin-sha256=\"OWN64\"\nsha256/OTHER64\n"
        #expect(try pins(ofFile: "list", text) == [own, other])
    }
}
