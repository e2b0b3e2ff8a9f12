import COpenSSL
import LoopbackLab
import Pinning
import Testing
import X509

@Suite("Certificates are read as they are, and nothing else is") struct CertificateReaderTests {
    @Test func aKeyOfAnAlgorithmThatNobodyKnowsIsCalledByItsNumber() throws {
        var der = pki.leaf.der
        // id-ecPublicKey (RFC 5480, 2.1.1), of which the last arc is changed.
        let identifier: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let range = try #require(der.firstRange(of: identifier))
        der[range.upperBound - 1] = 0x63
        let key = try CertificateReader.certificate(der: der).publicKey
        #expect(key.algorithm == .unknown(name: "1.2.840.10045.2.99"))
        #expect(key.algorithm.description == "1.2.840.10045.2.99")
    }

    @Test(
        arguments: [
            ([1], [1], 32, true), ([2], [2], 48, true), ([3], [3], 64, true), ([1], [1], 20, false),
            ([2], [1], 48, false), ([4], [4], 28, false), ([6], [6], 32, false),
        ] as [([UInt8], [UInt8], UInt8, Bool)]) func rsassaPSSIsToldApartByItsParameters(
            digest: [UInt8], mask: [UInt8], salt: UInt8, isUsual: Bool
        ) throws
    {
        // RFC 4055, 3.1: id-RSASSA-PSS with digests by id-sha256, -384, -512, -224 and -512/256.
        func hash(_ last: [UInt8]) -> [UInt8] {
            element(0x30, element(6, [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2] + last), [5, 0])
        }
        let maskGeneration = element(0x30, element(6, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 8]), hash(mask))
        let parameters = element(
            0x30, element(0xA0, hash(digest)), element(0xA1, maskGeneration), element(0xA2, element(2, [salt])))
        let algorithm = element(0x30, element(6, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]), parameters)
        let issued = try pki.interA.issue(CertificateTemplate.leaf("a.example").with { $0.outerAlgorithm = algorithm })
        let name = try x509(issued).signatureAlgorithm
        #expect(name == (isUsual ? "rsassaPss" : "rsassaPss with unusual parameters"))
    }

    @Test func theFactsOfACertificateAreThoseItWasIssuedWith() throws {
        var template = CertificateTemplate.leaf(
            subject: DistinguishedName(commonName: "api", organization: "Org"),
            names: [.dns("api.example.com"), .ip([192, 0, 2, 7]), .uri("https://x/"), .email("a@b")])
        template.serialNumber = [0x0A, 0xBC]
        template = template.valid(from: 1_000_000_000, to: 4_200_000_000)
        let issued = try pki.interA.issue(template)
        let certificate = try x509(issued)
        #expect(certificate.der == issued.der)
        #expect(certificate.fingerprint.bytes == issued.sha256)
        #expect(certificate.spkiSHA256.bytes == issued.publicKeySHA256)
        #expect(certificate.publicKey.algorithm == .ec(curve: "P-256", bits: 256))
        #expect(certificate.subject == "CN=api,O=Org" || certificate.subject == "O=Org,CN=api")
        #expect(certificate.issuer == "CN=InterA")
        #expect(certificate.commonName == "api")
        #expect(certificate.serialNumber == "0ABC")
        #expect(certificate.notBefore.secondsSinceEpoch == 1_000_000_000)
        #expect(certificate.notAfter.secondsSinceEpoch == 4_200_000_000)
        #expect(
            certificate.names == [
                .dns("api.example.com"), .ip([192, 0, 2, 7]), .other(kind: "URI", value: "https://x/"),
                .other(kind: "email", value: "a@b"),
            ])
        #expect(certificate.extendedKeyUsage == ["serverAuth"])
        #expect(certificate.authorityKeyIdentifier == (try x509(pki.interA)).subjectKeyIdentifier)
        #expect(!certificate.isSelfIssued)
        #expect(certificate.signatureAlgorithm == "ecdsa-with-SHA256")
        let root = try x509(pki.rootA)
        #expect(root.isCertificateAuthority == true)
        #expect(root.keyUsage == ["keyCertSign", "cRLSign"] && root.isSelfIssued)
    }

    @Test func ofMorePurposesThanAnyCertificateHasThoseCountThatHaveAName() throws {
        let template = CertificateTemplate.leaf(subject: "Many", names: []).with {
            $0.extendedKeyUsage =
                (0..<2_000).map { OID(1, 3, 6, 1, 4, 1, 99_999, $0) } + [.serverAuth, .anyExtendedKeyUsage]
        }
        let issued = try pki.interA.issue(template)
        let read = try x509(issued)
        let purposes = try #require(read.extendedKeyUsage)
        #expect(purposes.count == 66)
        #expect(purposes.suffix(2) == ["serverAuth", "anyExtendedKeyUsage"])
    }

    @Test(arguments: [
        (LabKey.Algorithm.p384, KeyAlgorithm.ec(curve: "P-384", bits: 384)), (.p521, .ec(curve: "P-521", bits: 521)),
        (.rsa(bits: 2_048), .rsa(bits: 2_048)), (.ed25519, .other(name: "ED25519", bits: 256)),
    ]) func theKindOfKeyIsTold(kind: LabKey.Algorithm, expected: KeyAlgorithm) throws {
        let certificate = try x509(.selfSigned(.leaf("a.example"), key: .shared(kind, label: "kinds")))
        #expect(certificate.publicKey.algorithm == expected)
    }

    @Test func hostileTextInASubjectIsKeptWithoutControlsInOneLine() throws {
        let name = DistinguishedName(commonNameBytes: Array("a\u{1B}[31m\u{0}b\u{202E}c\n".utf8))
        let certificate = try x509(.selfSigned(.leaf(subject: name, names: [])))
        #expect(certificate.commonName == "a\u{1B}[31m\u{0}b\u{202E}c\n")
        #expect(!certificate.subject.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func aTruncatedExtendedOrAlteredEncodingIsRefused() throws {
        let der = pki.leaf.der
        for broken in [[], Array(der.dropLast()), der + [0], Array(der.dropFirst()), Array("hello".utf8)] {
            #expect(throws: X509Error.self) { try CertificateReader.certificate(der: broken) }
        }
    }
}

@Suite("PEM is read alike in every form it is written in") struct PEMTests {
    /// A bundle is read without OpenSSL where it has the usual form; whatever is changed in it, the bytes are OpenSSL's.
    @Test(arguments: Seeds.sample(3)) func aDamagedBlockIsReadAsOpenSSLReadsIt(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = Array(pem((0..<UInt8.random(in: 90...150, using: &generator)).map { $0 }, label: "CERTIFICATE").utf8)
        for _ in 0..<2_000 {
            let damaged = text.damaged(most: 2, length: 1, texts: "=\n\r -:AZ\0".map(String.init), using: &generator)
            let read = (try? PEM.blocks(in: damaged))?.first?.der
            guard damaged.starts(with: "-----BEGIN ".utf8) else { continue }
            #expect(read == openSSLsBlock(damaged), "seed \(seed): \(String(decoding: damaged, as: UTF8.self))")
        }
    }

    private func openSSLsBlock(_ text: [UInt8]) -> [UInt8]? {
        let bio = BIO_new_mem_buf(text, Int32(text.count))
        defer { BIO_free(bio) }
        var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
        var (data, length): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        guard PEM_read_bio(bio, &name, &header, &data, &length) == 1 else { return nil }
        defer {
            COpenSSL_OPENSSL_free(name)
            COpenSSL_OPENSSL_free(header)
            COpenSSL_OPENSSL_free(data)
        }
        return header?.pointee == 0 ? Array(UnsafeBufferPointer(start: data, count: length)) : []
    }

    private static func blocks(_ text: String) throws -> [[UInt8]] { try PEM.blocks(in: Array(text.utf8)).map(\.der) }

    @Test(arguments: [1, 2, 3, 47, 48, 49, 95, 96, 97, 144, 1_000])
    func aBlockOfAnyLengthReadsTheSameInEveryFormOfLines(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37) }
        let text = pem(bytes, label: "CERTIFICATE")
        #expect(try Self.blocks(text) == [bytes])
        #expect(try Self.blocks(text + text) == [bytes, bytes])
        #expect(try Self.blocks("note\n" + text + "note\n" + text + "note") == [bytes, bytes])
        #expect(try Self.blocks(text.split(separator: "\n").joined(separator: "\r\n") + "\r\n") == [bytes])
        #expect(try Self.blocks(String(text.dropLast())) == [bytes])
        let lines = text.split(separator: "\n")
        let body = Array(lines.dropFirst().dropLast().joined())
        let short = stride(from: 0, to: body.count, by: 32).map { String(body[$0..<min($0 + 32, body.count)]) }
        #expect(
            try Self.blocks(
                ([String(lines[0])] + short + [String(lines[lines.count - 1])]).joined(separator: "\n") + "\n") == [
                    bytes
                ])
    }

    @Test(
        "a block that is cut off, ends otherwise than it began or holds other characters is an error with its line",
        arguments: [
            ("-----END CERTIFICATE-----", ""), ("-----END CERTIFICATE-----", "-----END CERTIFICATES-----"),
            ("-----END CERTIFICATE-----", "-----END X509 CRL-----"), ("AAAA", "AA!A"), ("AAAA", "A=AA"),
        ]) func damage(part: String, replacement: String) throws
    {
        let text = pem([UInt8](repeating: 0, count: 100), label: "CERTIFICATE")
        let damaged = text.replacing(part, with: replacement, maxReplacements: 1)
        let error = #expect(throws: X509Error.self) { try Self.blocks("\n" + damaged) }
        #expect(error?.problem == .brokenPEM)
        #expect(error?.line == 2)
    }
}
