import Base
import PinFormats
import Pinning
import Testing

@Suite struct PinStringTests {
    private static let a = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let b = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
    private static let slash = "/P3+/wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs="

    @Test(
        arguments: [
            // One pin.
            ("sha256/\(a)", [first]), ("sha256//\(a)", [first]), (a, [first]), ("  sha256/\(a)\n", [first]),
            ("\"sha256/\(a)\"", [first]),
            // A hash that begins with a slash, after one slash and after two.
            ("sha256/\(slash)", [slashed]), ("sha256//\(slash)", [slashed]), (slash, [slashed]),
            // Several.
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
        #expect(reading.pins == [Pin(.publicKey(first), origin: "--pins")])
        #expect(reading.notes.isEmpty)
    }

    @Test(
        arguments: [
            ("", .empty, "the value is empty; name a file, a directory or a pin"),
            ("sha256/", .empty, "$ has no hash; 44 characters of base64 belong there"),
            // 31 and 33 bytes, and what an unfinished copy leaves.
            (
                "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", .wrongLength,
                "$ has 31 bytes instead of 32; a SHA-256 pin is 44 characters long, and this one is too short"
            ),
            (
                "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", .wrongLength,
                "$ has 33 bytes instead of 32; a SHA-256 pin is 44 characters long, and this one is too long"
            ),
            (
                "sha256/AAECA", .wrongLength,
                "$ has 5 characters of base64, which no number of bytes encodes to; "
                    + "a SHA-256 pin has 43 and one =; copy it again"
            ),
            (
                "sha256/AAECAwQFBgcICQoLDA0ODxAREhM=", .wrongLength,
                "$ has 20 bytes, which is SHA-1, and not the 32 of SHA-256; " + howToMakeAPin
            ),
            (
                "AAECAwQFBgcICQoLDA0ODxAREhM=", .wrongLength,
                "$ has 20 bytes, which is SHA-1, and not the 32 of SHA-256; " + howToMakeAPin
            ),
            // Base64 in another form.
            (
                "sha256/_P3-_wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs", .base64URL,
                "$ is base64url (with - or _), pins are standard base64; write sha256/\(slash)"
            ),
            (
                "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", .padding,
                "$ lacks the padding; write sha256//\(a)"
            ), ("sha256/\(a)=", .padding, "$ has 2 = at its end; write sha256/\(a)"),
            (
                "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", .trailingBits,
                "$ has a last character that no 32 bytes encode to; it is mistyped or cut off; copy it again"
            ),
            // Characters that do not belong.
            (
                "sha256/AAECAwQFBgcI?QoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", .badCharacter,
                "$ has '?' as character 13 of the hash, "
                    + "which base64 does not know; a pin has letters, digits, + and / and ends with ="
            ),
            (
                "sha256/AAECAwQF…Hh8=", .badCharacter,
                "$ has '…' as character 9 of the hash, which base64 does not know; "
                    + "if a report shortened the pin, copy the whole of it"
            ),
            (
                "sha256/%2FP3", .badCharacter,
                "$ has '%' as character 1 of the hash, which base64 does not know; "
                    + "undo the percent-encoding: %2B is +, %2F is /, %3D is ="
            ), ("sha256/AAEC=AAEC=", .badCharacter, "$ goes on after its padding; separate pins by a comma or a space"),
            (
                "sha256/AAECAwQFBgcICQoLDA0ODxAR EhMUFRYXGBkaGxwdHh8=", .wrongLength,
                "'sha256/AAECAwQFBgcICQoLDA0ODxAR' has 18 bytes instead of 32; "
                    + "a SHA-256 pin is 44 characters long, and this one is too short"
            ),
            (
                "pin-sha256=\"AAECAwQFBgcICQoLDA0ODxAR EhMUFRYXGBkaGxwdHh8=\"", .badCharacter,
                "'pin-sha256=\"AAECAwQFBgcICQoLDA0ODxAR' has '\"' as character 1 of the hash, which base64 does not "
                    + "know; a pin has letters, digits, + and / and ends with ="
            ),
            // Slashes.
            (
                "sha256//\(a);sha256/\(b)", .slashes,
                "'sha256/\(b)' has one slash in a ';' list, which is curl's notation with two; write sha256//\(b)"
            ),
            (
                "sha256/\(a);sha256/\(b)", .slashes,
                "'sha256/\(a)' has one slash in a ';' list, which is curl's notation with two; write sha256//\(a)"
            ),
            (
                "sha256//\(a),sha256//\(b)", .slashes,
                "'sha256//\(a)' has two slashes in a list without ';'; write sha256/\(a), "
                    + "or separate curl's pins by ';' and nothing else"
            ),
            (
                "sha256/\(a) sha256//\(b)", .slashes,
                "'sha256//\(b)' has two slashes in a list without ';'; write sha256/\(b), "
                    + "or separate curl's pins by ';' and nothing else"
            ),
            (
                "sha256//\(a); sha256//\(b)", .whitespace,
                "'sha256//\(b)' has white space around it in a ';' list; remove it, curl takes it as a part of the pin"
            ),
            (
                "sha256//\(a);", .empty,
                "an entry of the ';' list is empty; remove the extra ';', curl takes it as a part of the pin"
            ), ("sha256//\(a);\(b)", .notation, "'\(b)' stands in a ';' list without 'sha256//' before it; add it"),
            // Other algorithms and spellings.
            (
                "sha1/AAECAwQFBgcICQoLDA0ODxAREhM=", .wrongAlgorithm,
                "$ is a hash of sha1, and only SHA-256 is compared; " + howToMakeAPin
            ),
            (
                "md5/AAECAwQFBgcICQoLDA0ODw==", .wrongAlgorithm,
                "$ is a hash of md5, and only SHA-256 is compared; " + howToMakeAPin
            ),
            (
                "pin-sha1=\"AAEC\"", .wrongAlgorithm,
                "$ is a hash of sha1, and only SHA-256 is compared; " + howToMakeAPin
            ), ("SHA-256/\(a)", .notation, "$ begins with 'SHA-256/'; write sha256/\(a)"),
            ("sha256:\(a)", .notation, "$ begins with 'sha256:'; write sha256/\(a)"),
            (
                "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .hashOfNothing,
                "$ is the SHA-256 of nothing; "
                    + "the command that made it got no input; look at the errors it printed and make it again"
            ),
            // Fingerprints.
            (
                "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", .hexadecimal,
                "$ is hexadecimal, which can be the hash of a key or the fingerprint "
                    + "of a whole certificate; write \(a) if it is the hash of the public key; "
                    + "a fingerprint cannot be converted, give the certificate's file"
            ),
            (
                "00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13", .hexadecimal,
                "$ has 40 hexadecimal digits of SHA-1; " + howToMakeAPin
            ),
            (
                "sha256/00:01:02:03", .hexadecimal,
                "$ has 8 hexadecimal digits instead of the 64 of SHA-256; " + howToMakeAPin
            ),
            // Things of the trade that are no pins.
            (
                "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", .pemBody,
                "PEM text instead of a pin; give the name of its file"
            ),
            (
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me@here", .otherKind,
                "this is an OpenSSH public key, which is not a pin; convert its file with: ssh-keygen -f FILE -e -m PKCS8"
            ),
            // As 'openssl x509 -noout -fingerprint -sha256' prints it; older ones write the name in capitals.
            (
                "sha256 Fingerprint=3C:76:00:11:22:33:44:55", .hexadecimal,
                "this is the fingerprint of a whole certificate, as 'openssl x509 -fingerprint' prints it, and not the hash "
                    + "of its key; it cannot be converted: give the certificate's file"
            ),
            (
                "SHA1 Fingerprint=3C:76:00:11", .hexadecimal,
                "this is the fingerprint of a whole certificate, as 'openssl x509 -fingerprint' prints it, and not the hash "
                    + "of its key; it cannot be converted: give the certificate's file"
            ),
            // In lists.
            (
                "sha256/\(a) hello", .notAPin,
                "'hello' is not a pin; a pin is sha256/ followed by 44 characters of base64"
            ),
            (
                "pin-sha256=\"\(a)\"; pins=7", .notAPin,
                "'pins=7' is not a directive of a pin header; each pin is written pin-sha256=\"…\""
            ),
            (
                "Public-Key-Pins: max-age=3", .notation,
                "is the header of a response, and no browser enforces its pins any more; give its pins alone: pin-sha256=\"…\""
            ),
            (
                "pin-sha256=\"\(a)", .badCharacter,
                "$ has '\"' as character 1 of the hash, which base64 does not know; "
                    + "a pin has letters, digits, + and / and ends with ="
            ),
        ] as [(String, PinProblem, String)]) func aMalformedPinSaysWhatIsWrongAndWhatItShouldBe(
            text: String, problem: PinProblem, message: String
        ) throws
    {
        let error = try failure(text)
        #expect(error.problem == problem)
        // A row says the text that it is about as '$'.
        let whole = "--pins: " + (message.hasPrefix("$") ? "'\(text)'" + message.dropFirst() : message)
        #expect(KeyMaterial.cut(error.description) == KeyMaterial.cut(whole))
        #expect(error.kind == .malformed)
        #expect(error.place == .option)
        #expect(!error.description.contains("\n"))
    }

    private static let howToMakeAPin =
        "make the pin from the certificate: openssl x509 -in FILE -noout -pubkey "
        + "| openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64"

    @Test(arguments: [
        "pins.pem", "./NoPins", "/nowhere/pins.txt", "../no-pins", "Pins/api.example.com.cer", "nowhere",
        "My Pins/api.cer", "C:\\pins\\api.cer", "/usr/local/share/certificates/of/example", "no.such.file,nor.this",
        "-",
    ]) func whatIsNeitherAFileNorLooksLikeAPinIsAMissingFile(text: String) throws {
        let error = try failure(text)
        #expect(error.problem == .missingFile)
        #expect(error.kind == .missing)
        #expect(error.description.hasPrefix("--pins: '"))
        #expect(error.description.contains("': there is no such file, and it is not a pin either"))
        #expect(error.description.utf8.count < 300)
    }

    @Test func anEndlessNameIsShortened() throws {
        let error = try failure(String(repeating: "long/", count: 2_000))
        #expect(error.problem == .missingFile)
        #expect(error.description.count == 162)
    }

    @Test func aNULCharacterIsRefused() throws {
        let error = try failure("Pins\0/../other")
        #expect(error.problem == .nulCharacter)
        #expect(error.description == "--pins: the value holds a NUL character")
    }

    @Test func anUnexpandedTildeIsExplained() throws {
        let error = try failure("~/nowhere/pins.pem")
        #expect(
            error.description == "--pins: '~/nowhere/pins.pem': there is no such file, and it is not a pin either; "
                + "the shell replaces ~ only at the start of a word of its own")
    }
}
