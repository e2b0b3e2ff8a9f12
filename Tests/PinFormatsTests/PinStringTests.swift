import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct PinStringTests {
    private static let a = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let b = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
    private static let slash = "/P3+/wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs="

    @Test(
        arguments: [
            ("sha256/\(a)", [first]), ("sha256//\(a)", [first]), (a, [first]), ("  sha256/\(a)\n", [first]),
            ("\"sha256/\(a)\"", [first]),
            // A hash that begins with a slash, after one slash and after two.
            ("sha256/\(slash)", [slashed]), ("sha256//\(slash)", [slashed]), (slash, [slashed]),
            ("sha256/\(a),sha256/\(b)", [first, second]), ("sha256/\(a) sha256/\(b)", [first, second]),
            ("sha256/\(a), \(b),", [first, second]), ("sha256/\(a) sha256/\(slash)", [first, slashed]),
            ("'sha256/\(a)', 'sha256/\(b)',", [first, second]), ("sha256//\(a);sha256//\(b)", [first, second]),
            ("sha256//\(slash);sha256//\(a)", [slashed, first]), ("\(a)\n\(a)", [first, first]),
            // HPKP, with the quotation marks and as a shell leaves it.
            ("pin-sha256=\"\(a)\"", [first]), ("pin-sha256=\(a)", [first]), ("PIN-SHA256='\(a)'", [first]),
            ("pin-sha256=\"\(a)\"; pin-sha256=\"\(b)\"; max-age=5184000; includeSubDomains", [first, second]),
            ("pin-sha256=\"\(a)\", pin-sha256=\"\(b)\"", [first, second]),
            ("pin-sha256=\"\(a)\" pin-sha256=\"\(b)\"", [first, second]),
        ] as [(String, [SHA256Digest])]) func everyNotationIsRead(text: String, expected: [SHA256Digest]) throws
    { #expect(try hashes(text) == expected) }

    @Test func aPinGivenAsTextComesFromTheOption() throws {
        let reading = try PinSource("sha256/\(Self.a)").read()
        #expect(reading.pins == [Pin(.publicKey(first), at: .named("--pins"))])
        #expect(reading.notes.isEmpty)
    }

    /// Hashes in base64, and what they are taken for.
    @Test(
        arguments: [
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "one letter repeated"),
            // Bits that are spare, as clients read them.
            ("BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=", "one letter repeated"),
            ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=", "one byte repeated"),
            ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "bytes that count"),
            ("//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=", "bytes that count"),
            ("abcdeabcdeabcdeabcdeabcdeabcdeabcdeabcdeabc=", "few letters repeated"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopo=", "the letters of the alphabet"),
            ("afwiKY3RxoMmLkuRW1l7QsPZTJPwDS2pdDROQjXw8ig=", "OkHttp's"),
            // The eighth sample is the key of thawte Primary Root CA.
            ("HXXQgxueCIU5TTLHob/bPbwcKOKw6DkfsTWYHbxbqTY=", nil),
            ("IAFX7+5uJay/x5piRNd/bQON6t3swCtllbXwBbsTY3I=", nil),
        ] as [(String, String?)]) func placeholdersAreToldFromHashes(base64: String, words: String?) throws
    {
        let placeholder = Placeholder(try #require(try hashes("sha256/" + base64).first))
        #expect(placeholder?.words.contains(words ?? "") == (words == nil ? nil : true))
    }

    /// What is wrong, the text, which a row says as '$', and what is said of it.
    private static let mistakes = """
        empty |  | the value is empty; name a file, a directory or a pin
        empty | sha256/ | $ has no hash; 44 characters of base64 belong there
        nulCharacter | Pins\0/../other | the value holds a NUL character
        // 31 and 33 bytes, and what an unfinished copy leaves.
        wrongLength | sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg== | \
        $ has 31 bytes instead of 32; a SHA-256 pin is 44 characters long, and this one is too short
        wrongLength | sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g | \
        $ has 33 bytes instead of 32; a SHA-256 pin is 44 characters long, and this one is too long
        wrongLength | sha256/AAECA | \
        $ has 5 characters of base64, which no number of bytes encodes to; a SHA-256 pin has 43 and one =; copy it again
        wrongLength | sha256/AAECAwQFBgcICQoLDA0ODxAREhM= | \
        $ has 20 bytes, which is SHA-1, and not the 32 of SHA-256; \(howToMakeAPin)
        wrongLength | AAECAwQFBgcICQoLDA0ODxAREhM= | \
        $ has 20 bytes, which is SHA-1, and not the 32 of SHA-256; \(howToMakeAPin)
        base64URL | sha256/_P3-_wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs | \
        $ is base64url (with - or _), pins are standard base64; write sha256/\(slash)
        padding | sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8 | $ lacks the padding; write sha256//\(a)
        padding | sha256/\(a)= | $ has 2 = at its end; write sha256/\(a)
        trailingBits | sha256/IAFX7+5uJay/x5piRNd/bQON6t3swCtllbXwBbsTY3J= | \
        $ has a last character that no 32 bytes encode to; it is mistyped or cut off; copy it again
        badCharacter | sha256/AAECAwQFBgcI?QoLDA0ODxAREhMUFRYXGBkaGxwdHh8= | \
        $ has '?' as character 13 of the hash, which base64 does not know; a pin has letters, digits, + and / and \
        ends with =
        badCharacter | sha256/AAECAwQF…Hh8= | \
        $ has '…' as character 9 of the hash, which base64 does not know; if a report shortened the pin, copy the \
        whole of it
        badCharacter | sha256/%2FP3 | \
        $ has '%' as character 1 of the hash, which base64 does not know; undo the percent-encoding: %2B is +, %2F is \
        /, %3D is =
        badCharacter | sha256/AAEC=AAEC= | $ goes on after its padding; separate pins by a comma or a space
        wrongLength | sha256/AAECAwQFBgcICQoLDA0ODxAR EhMUFRYXGBkaGxwdHh8= | \
        'sha256/AAECAwQFBgcICQoLDA0ODxAR' has 18 bytes instead of 32; a SHA-256 pin is 44 characters long, and this \
        one is too short
        badCharacter | pin-sha256="AAECAwQFBgcICQoLDA0ODxAR EhMUFRYXGBkaGxwdHh8=" | \
        'pin-sha256="AAECAwQFBgcICQoLDA0ODxAR' has '"' as character 1 of the hash, which base64 does not know; a pin \
        has letters, digits, + and / and ends with =
        slashes | sha256//\(a);sha256/\(b) | \
        'sha256/\(b)' has one slash in a ';' list, which is curl's notation with two; write sha256//\(b)
        slashes | sha256/\(a);sha256/\(b) | \
        'sha256/\(a)' has one slash in a ';' list, which is curl's notation with two; write sha256//\(a)
        slashes | sha256//\(a),sha256//\(b) | \
        'sha256//\(a)' has two slashes in a list without ';'; write sha256/\(a), or separate curl's pins by ';' and \
        nothing else
        slashes | sha256/\(a) sha256//\(b) | \
        'sha256//\(b)' has two slashes in a list without ';'; write sha256/\(b), or separate curl's pins by ';' and \
        nothing else
        whitespace | sha256//\(a); sha256//\(b) | \
        'sha256//\(b)' has white space around it in a ';' list; remove it, curl takes it as a part of the pin
        empty | sha256//\(a); | \
        an entry of the ';' list is empty; remove the extra ';', curl takes it as a part of the pin
        notation | sha256//\(a);\(b) | '\(b)' stands in a ';' list without 'sha256//' before it; add it
        wrongAlgorithm | sha1/AAECAwQFBgcICQoLDA0ODxAREhM= | \
        $ is a hash of sha1, and only SHA-256 is compared; \(howToMakeAPin)
        wrongAlgorithm | md5/AAECAwQFBgcICQoLDA0ODw== | \
        $ is a hash of md5, and only SHA-256 is compared; \(howToMakeAPin)
        wrongAlgorithm | pin-sha1="AAEC" | $ is a hash of sha1, and only SHA-256 is compared; \(howToMakeAPin)
        notation | SHA-256/\(a) | $ begins with 'SHA-256/'; write sha256/\(a)
        notation | sha256:\(a) | $ begins with 'sha256:'; write sha256/\(a)
        hashOfNothing | sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= | \
        $ is the SHA-256 of nothing; the command that made it got no input; look at the errors it printed and make it \
        again
        hexadecimal | 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f | \
        $ is hexadecimal, which can be the hash of a key or the fingerprint of a whole certificate; write \(a) if it \
        is the hash of the public key; a fingerprint cannot be converted, give the certificate's file
        hexadecimal | 00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13 | \
        $ has 40 hexadecimal digits of SHA-1; \(howToMakeAPin)
        hexadecimal | sha256/00:01:02:03 | $ has 8 hexadecimal digits instead of the 64 of SHA-256; \(howToMakeAPin)
        hexadecimal | 47 63 92\(String(repeating: " FD", count: 29)) | is hexadecimal, which can be the hash of a key or \
        the fingerprint of a whole certificate; write it in base64 if it is the hash of the public key; a fingerprint \
        cannot be converted, give the certificate's file
        pemBody | -----BEGIN CERTIFICATE-----⏎MIIB⏎-----END CERTIFICATE----- | \
        PEM text instead of a pin; give the name of its file
        otherKind | ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me@here | \
        this is an OpenSSH public key, which is not a pin; convert its file with: ssh-keygen -f FILE -e -m PKCS8
        // As 'openssl x509 -noout -fingerprint -sha256' prints it; older ones write the name in capitals.
        hexadecimal | sha256 Fingerprint=3C:76:00:11:22:33:44:55 | \
        this is the fingerprint of a whole certificate, as 'openssl x509 -fingerprint' prints it, and not the hash of \
        its key; it cannot be converted: give the certificate's file
        hexadecimal | SHA1 Fingerprint=3C:76:00:11 | \
        this is the fingerprint of a whole certificate, as 'openssl x509 -fingerprint' prints it, and not the hash of \
        its key; it cannot be converted: give the certificate's file
        notAPin | YOUR_PIN_HERE | $ is a placeholder, not a pin; put the hash of the key there
        notAPin | ${pin} | $ is a placeholder, not a pin; put the hash of the key there
        notAPin | api.example.com YOUR_PIN_HERE | \
        'YOUR_PIN_HERE' is a placeholder, not a pin; put the hash of the key there
        notAPin | sha256/\(a) hello | 'hello' is not a pin; a pin is sha256/ followed by 44 characters of base64
        notAPin | pin-sha256="\(a)"; pins=7 | \
        'pins=7' is not a directive of a pin header; each pin is written pin-sha256="…"
        notation | Public-Key-Pins: max-age=3 | \
        is the header of a response, and no browser enforces its pins any more; give its pins alone: pin-sha256="…"
        badCharacter | pin-sha256="\(a) | \
        $ has '"' as character 1 of the hash, which base64 does not know; a pin has letters, digits, + and / and ends \
        with =
        """

    @Test(arguments: table(mistakes, columns: 3)) func aMalformedPinSaysWhatIsWrongAndWhatItShouldBe(row: [String])
        throws
    {
        let (text, message) = (row[1], row[2])
        let error = try failure(text)
        #expect("\(error.id!)" == row[0])
        let whole = "--pins: " + (message.hasPrefix("$") ? "'\(text)'" + message.dropFirst() : message)
        #expect(KeyMaterial.cut(error.description) == KeyMaterial.cut(whole))
        #expect(error.kind == .data)
        #expect(error.place == .option)
        #expect(!error.description.contains("\n"))
    }

    private static let howToMakeAPin =
        "make the pin from the certificate: openssl x509 -in FILE -noout -pubkey "
        + "| openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64"

    @Test(arguments: [
        "pins.pem", "./NoPins", "/nowhere/pins.txt", "../no-pins", "Pins/api.example.com.cer", "nowhere",
        "My Pins/api.cer", "C:\\pins\\api.cer", "/usr/local/share/certificates/of/example", "no.such.file,nor.this",
    ]) func whatIsNeitherAFileNorLooksLikeAPinIsAMissingFile(text: String) throws {
        let error = try failure(text)
        #expect(error.id == .missingFile)
        #expect(error.kind == .noInput)
        #expect(error.description.hasPrefix("--pins: '"))
        #expect(error.description.contains("': there is no such file, and it is not a pin either"))
        #expect(error.description.utf8.count < 300)
    }

    @Test func anEndlessNameIsShortened() throws {
        let error = try failure(String(repeating: "long/", count: 2_000))
        #expect(error.id == .missingFile)
        #expect(error.description.count == 162)
    }

    @Test func anUnexpandedTildeIsExplained() throws {
        let error = try failure("~/nowhere/pins.pem")
        #expect(
            error.description == "--pins: '~/nowhere/pins.pem': there is no such file, and it is not a pin either; "
                + "the shell replaces ~ only at the start of a word of its own")
    }
}
