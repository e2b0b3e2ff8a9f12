import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct PinFileTests {
    private static let (a, b) = (Samples.a, Samples.b)

    private func lines(of reading: PinReading) -> [Int?] {
        reading.pins.map { $0.origin.split(separator: ":").last.flatMap { Int($0) } }
    }

    @Test(arguments: ["leaf.cer", "leaf.der", "leaf.pem", "leaf"]) func aDERCertificateIsRead(name: String) throws {
        let files = try TemporaryDirectory()
        let path = try files.write(leaf.der, to: name)
        let reading = try PinSource(path).read()
        #expect(reading.pins.map(\.certificate?.der) == [leaf.der])
        #expect(reading.pins.map(\.origin) == [path])
        #expect(reading.notes.isEmpty)
    }

    @Test func severalPEMCertificatesWithJunkAroundThemKeepTheirLines() throws {
        let text = "subject=CN = leaf\nnoise \u{e9}\n" + leaf.pem + "\n\r\nmore noise, 100 % of it\n" + root.pem + "end"
        let reading = try reading(ofFile: "chain.pem", text)
        #expect(reading.pins.map(\.certificate?.der) == [leaf.der, root.der])
        let second = 3 + leaf.pem.split(separator: "\n").count + 3
        #expect(lines(of: reading) == [3, second])
    }

    @Test func aPublicKeyIsReadFromPEMAndDER() throws {
        for algorithm in [LabKey.Algorithm.p256, .p384, .ed25519, .rsa(bits: 2048)] {
            let key = try LabKey.shared(algorithm, label: "PinFormats")
            let expected = [Pin.Material.publicKey(try #require(SHA256Digest(bytes: key.publicKeySHA256)))]
            #expect(try reading(ofFile: "key.pub", key.publicKeyPEM).pins.map(\.material) == expected)
            #expect(try reading(ofFile: "key.der", key.publicKeyInfo).pins.map(\.material) == expected)
        }
    }

    @Test func parametersBesideACertificateAreNamedAndPassedOver() throws {
        let text = pem([0x30, 0x00], label: "DH PARAMETERS") + leaf.pem
        let reading = try reading(ofFile: "chain.pem", text)
        #expect(reading.pins.count == 1)
        #expect(reading.notes.map(\.kind) == [.ignored])
        #expect(
            reading.notes.first?.description.hasSuffix("/chain.pem:1: 'DH PARAMETERS' is not a pin and was passed over")
                == true)
    }

    @Test func aListOfPinsHasCommentsAndEveryNotation() throws {
        let text = """
            \u{FEFF}# the server's key

            sha256/\(Self.a)   # in use
            \tsha256//\(Self.b);sha256//\(Self.a)\r
            \(Self.b)
            pin-sha256="\(Self.a)"; max-age=5; pin-sha256="\(Self.b)"
            """
        let reading = try reading(ofFile: "pins.txt", text)
        #expect(reading.pins.map(\.spkiSHA256) == [first, second, first, second, first, second])
        #expect(lines(of: reading) == [3, 4, 4, 5, 6, 6])
    }

    @Test func aFileWinsOverAPinOfTheSameText() throws {
        // Not in the working directory, so the path has to be more than the pin.
        let files = try TemporaryDirectory()
        let path = try files.write("sha256/\(Self.b)", to: "sha256/\(Self.a)")
        #expect(try hashes(path) == [second])
    }

    @Test(arguments: [
        ("sha256/AAEC", FindingID.wrongLength, "'sha256/AAEC' has 3 bytes"),
        ("hello world", .notAPin, "the text (5 characters) is"),
        ("api.example.com sha256/\(a)", .notAPin, "the text (15 characters) is"),
        ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", .padding, "the text (43 characters) lacks the padding"),
        ("pin-sha1=\"AA==\"", .wrongAlgorithm, "'pin-sha1=\"AA==\"' is a hash of sha1"),
    ]) func everyMistakeInAListHasItsLineAndShowsNoTextThatClaimsNothing(
        line: String, problem: FindingID, message: String
    ) throws {
        let error = try failure(ofFile: "pins.txt", "# pins\nsha256/\(Self.a)\n\(line)\n")
        #expect(error.id == problem && error.kind == .data)
        #expect(error.description.contains("/pins.txt:3: \(message)"))
    }

    private static let refused: [(String, [UInt8], FindingID)] = [
        ("empty.pem", [], .empty), ("comments.txt", "# nothing\n\n".bytes, .notAPin),
        ("prose.txt", "Dear reader,\nthere is no pin here.".bytes, .notAPin),
        ("junk.der", [0, 1, 2, 3, 0xFF], .binaryJunk),
        ("sequence.der", [0x30, 0x03, 0x01, 0x01, 0xFF], .brokenCertificate),
        ("key.cer", leaf.key.publicKeyInfo, .cerNotDER), ("key.cer", leaf.key.publicKeyPEM.bytes, .cerNotDER),
        ("pins.cer", "sha256/\(a)".bytes, .cerNotDER),
        ("crl.pem", pem([0x30, 0x00], label: "X509 CRL").bytes, .otherKind),
        ("id.pub", "ssh-ed25519 AAAAC3NzaC1l me@here".bytes, .otherKind),
    ]

    @Test(arguments: refused) func whatHoldsNoPinIsNamed(name: String, bytes: [UInt8], problem: FindingID) throws {
        let error = try failure(ofFile: name, bytes)
        #expect(error.id == problem && error.kind == .data)
    }

    @Test func aPropertyListWithoutPinsSaysWhatItLacks() throws {
        let empty = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key><string>b</string></dict></plist>"
        let error = try failure(ofFile: "Info.plist", empty)
        #expect(error.reason.hasPrefix("is a property list with neither NSPinnedDomains"))
    }

    @Test func cutOffAndOverlongDERSaysHowManyBytesThereShouldBe() throws {
        let count = leaf.der.count
        let cut = try failure(ofFile: "leaf.cer", Array(leaf.der.dropLast(10)))
        #expect(cut.id == .wrongExtent)
        #expect(cut.reason == "a certificate that is cut off: \(count - 10) of \(count) bytes")
        let long = try failure(ofFile: "leaf.cer", leaf.der + root.der)
        #expect(long.reason == "a certificate of \(count) bytes followed by \(root.der.count) more")
        let key = leaf.key.publicKeyInfo
        #expect(
            try failure(ofFile: "key.der", Array(key.dropLast())).reason
                == "a public key that is cut off: \(key.count - 1) of \(key.count) bytes")
    }

    @Test func brokenPEMHasTheLineOfItsBlock() throws {
        let lines = leaf.pem.split(separator: "\n").count
        let damaged = leaf.pem + leaf.pem.replacing("\nMII", with: "\nM?I")
        #expect(try failure(ofFile: "chain.pem", damaged).id == .brokenPEM)
        for (text, beginning) in [
            (damaged, ":\(lines + 1): "), (String(leaf.pem.dropLast(60)), ":1: "),
            ("\n" + pem([0x30, 0x05, 0x01], label: "CERTIFICATE"), ":2: a certificate that is cut off: 3 of 7 bytes"),
        ] { #expect(try failure(ofFile: "chain.pem", text).description.contains("/chain.pem" + beginning)) }
    }

    @Test func aPEMNamedCERComesWithTheCommandThatConvertsIt() throws {
        let files = try TemporaryDirectory()
        let path = try files.write(leaf.pem, to: "api.cer")
        let error = try failure(path)
        #expect(error.id == .cerNotDER)
        #expect(error.kind == .data)
        #expect(
            error.description
                == "\(path): is PEM, and AFNetworking reads only DER from a .cer: it skips the file or crashes; "
                + "convert each certificate (openssl x509 -in \(path) -outform der -out NEW.cer), or name the file .pem"
        )
        let awkward = try files.write(leaf.pem, to: "it's two.CER")
        #expect(try failure(awkward).description.contains("-in '\(files.path)/it'\\''s two.CER' -outform"))
    }

    @Test func theKeyOfARequestIsPinnedAndSaysSo() throws {
        let request = try leaf.key.certificationRequest(for: "leaf")
        let text = pem(request, label: "CERTIFICATE REQUEST")
        for (bytes, place) in [(request, ""), (text.bytes, ":1")] {
            let reading = try reading(ofFile: "leaf.csr", bytes)
            #expect(reading.pins.map(\.material) == [.publicKey(SHA256Digest(bytes: leaf.publicKeySHA256)!)])
            #expect(reading.notes.map(\.kind) == [.request])
            #expect(
                reading.notes.first?.description.hasSuffix(
                    "leaf.csr\(place): a certificate request: its public key is pinned, for there is no certificate yet"
                ) == true)
        }
        #expect(try failure(ofFile: "leaf.cer", request).id == .cerNotDER)
        #expect(try failure(ofFile: "leaf.cer", text).id == .cerNotDER)
        let cut = try failure(ofFile: "leaf.csr", Array(request.dropLast()))
        #expect(cut.id == .wrongExtent)
        var altered = request
        altered[altered.count - 1] ^= 1
        let forged = try failure(ofFile: "leaf.csr", altered)
        #expect(forged.id == .otherKind)
        #expect(forged.advice == "make the request again")
    }

    @Test func pkcs7ComesWithTheCommandThatTakesItsCertificates() throws {
        let message = signedData(of: [leaf])
        let ber: [UInt8] = [0x30, 0x80] + message.dropFirst(4) + [0, 0]
        let block = pem(message, label: "PKCS7").bytes
        for (bytes, options) in [(message, "-inform der -in "), (ber, "-inform der -in "), (block, "-in ")] {
            let error = try failure(ofFile: "chain.p7b", bytes)
            #expect(error.id == .otherKind)
            #expect(error.advice?.hasPrefix("take its certificates: openssl pkcs7 -print_certs \(options)") == true)
        }
    }

    @Test func relativesOfCertificatesComeWithTheCommandThatHelps() throws {
        let modulus: [UInt8] = [0x30, 0x0A, 0x02, 0x05, 0, 0xC1, 2, 3, 5, 0x02, 0x01, 3]
        #expect(try failure(ofFile: "rsa.der", modulus).advice?.contains("-RSAPublicKey_in -inform der -in ") == true)
        #expect(
            try failure(ofFile: "rsa.pem", pem(modulus, label: "RSA PUBLIC KEY")).advice?.contains("-RSAPublicKey_in")
                == true)
    }

    @Test func theBodyOfAPEMFilePastedAsAPinIsRecognised() throws {
        let body = leaf.pem.split(separator: "\n").dropFirst().dropLast().joined()
        let pin = SHA256Digest(bytes: leaf.publicKeySHA256)!
        let pasted = try failure("sha256/\(body)")
        #expect(pasted.id == .pemBody)
        #expect(
            pasted.description
                == "--pins: the text (\(body.count + 7) characters) is the body of a certificate and not a hash; "
                + "the pin of that certificate's key is \(pin)")
        let key = leaf.key.publicKeyPEM.split(separator: "\n").dropFirst().dropLast().joined()
        #expect(try failure(key).advice == "the pin of that key is \(pin)")
        let beheaded = leaf.pem.split(separator: "\n").dropFirst().joined(separator: "\n")
        let error = try failure(ofFile: "leaf.pem", beheaded)
        #expect(error.id == .pemBody)
        #expect(error.reason == "the text (64 characters) is the body of a certificate and not a hash")
    }
}

@Suite(.timeLimit(.minutes(5))) struct UnreadableSourceTests {
    @Test func aPipeIntoWhichNobodyWritesIsNotWaitedForForEver() throws {
        let files = try TemporaryDirectory()
        let path = files.path + "/pins.pem"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try failure(path).description == "\(path): is a pipe without a writer")
        // In a directory its name promises a pin.
        let error = try failure(files.path)
        #expect(error.id == .notARegularFile)
        #expect(error.kind == .noInput)
        #expect(
            error.description
                == "\(path): is a pipe, a socket or a device and not a file; save what it gives to a file first")
        try #require(rename(path, files.path + "/pipe") == 0)
        #expect(try failure(files.path).id == .noPinsInDirectory)
    }

    @Test func aPipeThatTheUserNamesIsRead() throws {
        // What a shell makes of <(…).
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = "sha256/\(first.base64)\n"
        try #require(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        #expect(try hashes("/dev/fd/\(ends[0])") == [first])
    }

    @Test(arguments: ["/dev/zero", "/dev/null", "/dev/tty"]) func aDeviceIsRefused(path: String) throws {
        #expect(try failure(path).id == .notARegularFile)
    }

    @Test func aLinkToItselfCannotBeRead() throws {
        let files = try TemporaryDirectory()
        let path = files.path + "/loop.pem"
        try #require(symlink(path, path) == 0)
        let error = try failure(path)
        #expect(error.id == .unreadable)
        #expect(error.kind == .noInput)
        #expect(error.description.hasPrefix("\(path): cannot be read: "))
        #expect(try failure(files.path).kind == .noInput)
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything")) func aFileWithoutPermissionCannotBeRead() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("sha256/", to: "pins.txt")
        try #require(chmod(path, 0) == 0)
        #expect(try failure(path).id == .unreadable)
        #expect(try failure(files.path).id == .unreadable)
    }
}
