import LoopbackLab
import Pinning
import Testing
import X509

/// Keys in what is no certificate.
@Suite struct KeyReaderTests {
    @Test(arguments: [LabKey.Algorithm.p256, .ed25519]) func aRequestGivesItsKey(algorithm: LabKey.Algorithm) throws {
        let key = try LabKey.shared(algorithm, label: "request")
        let request = try KeyReader.request(der: key.certificationRequest(for: "next.example.com"))
        #expect(request.subject == "CN=next.example.com")
        #expect(request.publicKey.subjectPublicKeyInfo == key.publicKeyInfo)
        #expect(request.publicKey.spkiSHA256.bytes == key.publicKeySHA256)
    }

    @Test func aRequestThatWasAlteredIsRefused() throws {
        let key = try LabKey.shared(.p256, label: "request")
        var der = try key.certificationRequest(for: "next.example.com")
        let position = try #require(der.firstRange(of: Array("next".utf8))?.lowerBound)
        der[position] = UInt8(ascii: "N")
        #expect(throws: X509Error.self) { try KeyReader.request(der: der) }
        for broken in [[], Array(der.dropLast()), der + [0]] {
            #expect(throws: X509Error.self) { try KeyReader.request(der: broken) }
        }
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
