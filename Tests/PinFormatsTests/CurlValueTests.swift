import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Values of curl's `--pinnedpubkey`, each held against what curl 7.88 did with it.
@Suite struct CurlValueTests {
    private static let (a, b) = (Samples.a, Samples.b)

    private func read(_ value: String) throws -> PinReading { try PinSource(pinnedPublicKey: value).read() }

    private func failure(_ value: String) throws -> Problem { try #require(throws: Problem.self) { try read(value) } }

    @Test func whatCurlWouldDoWithABadValueIsSaid() throws {
        let always = "curl ends with exit status 90 whatever the server's key is"
        let unpadded = try failure("sha256//\(Self.a.dropLast())")
        #expect(unpadded.id == .padding)
        #expect(
            unpadded.description
                == "--pinnedpubkey: '\(Self.a.prefix(8))…' lacks the padding: \(always); write sha256//\(Self.a)")
        let semicolon = try failure("sha256//\(Self.a);")
        #expect(
            semicolon.description
                == "--pinnedpubkey: '\(Self.a.prefix(8))…;' is one entry to curl, for only ';sha256//' begins another: \(always); "
                + "write sha256//\(Self.a) without the rest")
        #expect(try failure("sha256//\(Self.a); sha256//\(Self.b)").id == .notation)
        let later = try failure("sha256//\(Self.a);sha256//AAAA")
        #expect(
            later.reason
                == "'AAAA' has 3 bytes instead of 32: curl compares it as text and never finds it equal to the hash of a key"
        )
    }

    @Test func blanksInThePEMOfAKeyAreNotPassedOver() throws {
        let lines = leaf.key.publicKeyPEM.split(separator: "\n")
        let files = try TemporaryDirectory()
        let good = try files.write(lines.joined(separator: "\r\n").bytes, to: "good.pem")
        #expect(try read(good).pins.count == 1)
        for end in [" ", "\t"] {
            let text = lines.map { $0.hasPrefix("-") ? String($0) : $0 + end }.joined(separator: "\n") + "\n"
            let error = try failure(try files.write(text.bytes, to: "blank.pem"))
            #expect(error.id == .whitespace, "\(error)")
            #expect(error.description.contains("blank.pem:2: has blanks in the key, which curl does not pass over"))
        }
    }

    @Test(arguments: ["sha256/", "SHA256//", ""]) func aHashWithoutCurlsPrefixIsAFilesName(prefix: String) throws {
        let error = try failure(prefix + Self.a)
        #expect(
            error.description
                == "--pinnedpubkey: '\((prefix + Self.a).prefix(8))…' does not begin with 'sha256//': curl takes it for the name of a "
                + "file, finds none and ends with exit status 90; write sha256//\(Self.a)")
        let missing = try failure("no-such-file")
        #expect(missing.kind == .noInput)
        #expect(missing.reason.hasPrefix("'no-such-file': there is no such file: curl ends with exit status 90"))
    }

    @Test func aFileHoldsOnePublicKeyAndNoCertificate() throws {
        let pin = SHA256Digest(bytes: leaf.publicKeySHA256)!
        let files = try TemporaryDirectory()
        func file(_ bytes: [UInt8]) throws -> String { try files.write(bytes, to: "key") }
        let pem = leaf.key.publicKeyPEM
        let good = [
            leaf.key.publicKeyInfo, pem.bytes, (leaf.pem + pem).bytes, (pem + "trailing").bytes,
            pem.replacing("\n", with: "\r\n").bytes,
        ]
        for bytes in good { #expect(try read(file(bytes)).pins.map(\.spkiSHA256) == [pin]) }
        let two = try read(file((pem + root.key.publicKeyPEM).bytes))
        #expect(two.pins.map(\.spkiSHA256) == [pin])
        #expect(
            two.notes.first?.description.hasSuffix("holds 2 public keys, of which curl compares the first only") == true
        )
        let bad = [
            leaf.der, leaf.pem.bytes, (" " + pem).bytes, leaf.key.publicKeyInfo + [10],
            pem.replacing("PUBLIC", with: "RSA PUBLIC").bytes, [],
        ]
        for bytes in bad {
            let error = try failure(file(bytes))
            #expect(error.id == .otherKind)
            #expect(error.reason.hasSuffix("curl ends with exit status 90 whatever the server's key is"))
        }
        let certificate = try failure(file(leaf.der))
        #expect(certificate.reason.hasPrefix("is a certificate, and curl compares files with public keys only"))
        #expect(certificate.advice?.hasPrefix("take its key: openssl x509 -inform der -in ") == true)
        #expect(try failure(file(leaf.key.privateKeyPEM().bytes)).id == .privateKey)
    }
}
