import COpenSSL
import LoopbackLab
import Pinning
import Testing
import X509

@Suite struct KeyReaderTests {
    @Test(arguments: [LabKey.Algorithm.p256, .ed25519]) func aRequestGivesItsKey(algorithm: LabKey.Algorithm) throws {
        let key = try LabKey.shared(algorithm, label: "request")
        let request = try KeyReader.request(der: key.certificationRequest(for: "next.example.com"))
        #expect(request.subject == "CN=next.example.com")
        #expect(request.publicKey.subjectPublicKeyInfo == key.publicKeyInfo)
        #expect(request.publicKey.spkiSHA256.bytes == key.publicKeySHA256)
    }

    @Test(arguments: [LabKey.Algorithm.p256, .ed25519, .rsa(bits: 2048)]) func aPrivateKeyGivesItsPublicHalf(
        algorithm: LabKey.Algorithm
    ) throws {
        let key = try LabKey.shared(algorithm, label: "private")
        let block = try #require(try PEM.blocks(in: Array(key.privateKeyPEM().utf8)).first)
        #expect(try KeyReader.publicKey(ofPrivateKey: block.der).subjectPublicKeyInfo == key.publicKeyInfo)
        #expect(throws: X509Error(.notAPrivateKey)) { try KeyReader.publicKey(ofPrivateKey: block.der + [0]) }
        #expect(throws: X509Error(.notAPrivateKey)) {
            try KeyReader.publicKey(ofPrivateKey: Array(block.der.dropLast()))
        }
    }
}

@Suite struct CostlyObjectTests {
    @Test func aKeyOnACurveOfItsOwnIsReadWhereThatCostsLittle() throws {
        let key = try LabKey.shared(.p256Described, label: "described")
        let request = try key.certificationRequest(for: "next.example.com")
        #expect(try KeyReader.request(der: request).publicKey.subjectPublicKeyInfo == key.publicKeyInfo)
        // A prime that is no number: not the form that costs little.
        var costly = key.publicKeyInfo
        let prime = try #require(costly.firstRange(of: [0x02, 0x21, 0x00, 0xFF, 0xFF, 0xFF, 0xFF]))
        costly[prime.lowerBound] = 0x03
        #expect(throws: X509Error(.notAPublicKey)) { try CertificateReader.publicKey(der: costly) }
        let der = try #require(try PEM.blocks(in: Array(key.privateKeyPEM().utf8)).first).der
        #expect(throws: X509Error(.notAPrivateKey)) { try KeyReader.publicKey(ofPrivateKey: der) }
    }

    @Test func privateKeysAreLookedAtInEachOfTheirForms() throws {
        func objection(_ key: [UInt8]) -> Int { Int(COpenSSL_private_key(key, key.count)) }
        let own = COpenSSL_OWN_CURVE
        let number: [UInt8] = [2, 1, 1]
        let scalar = element(4, [7])
        let named: [UInt8] = [6, 5, 0x2B, 0x81, 4, 0, 0x21]
        let curve = element(0x30, number, element(0x30, [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 1, 2]))
        let ec: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
        // SEC 1, by itself and within PKCS #8.
        for (parameters, wanted) in [(named, 0), (curve, own)] {
            let key = element(0x30, number, scalar, element(0xA0, parameters))
            #expect(objection(key) == wanted)
            #expect(objection(element(0x30, number, element(0x30, ec, named), element(4, key))) == wanted)
            #expect(objection(element(0x30, number, element(0x30, ec, parameters), element(4, key))) == wanted)
        }
        #expect(objection(element(0x30, number, scalar)) == 0)
        // Of DSA and Diffie-Hellman OpenSSL computes the public half, of RSA it does not.
        let much = element(4, Array(repeating: 1, count: Int(COpenSSL_PRIVATE_KEY_MAX)))
        let dsa: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 1]
        let rsa: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
        #expect(objection(element(0x30, number, element(0x30, dsa), scalar)) == 0)
        #expect(objection(element(0x30, number, element(0x30, dsa), much)) == COpenSSL_COSTLY)
        #expect(objection(element(0x30, number, element(0x30, rsa), much)) == 0)
        #expect(objection(element(0x30, number, much)) == COpenSSL_COSTLY)
        #expect(objection(element(0x30, number, number)) == 0)
        #expect(objection(much) == COpenSSL_UNREADABLE)
    }
}
