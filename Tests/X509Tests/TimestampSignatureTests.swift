import LoopbackLab
import Pinning
import Testing
import X509

@Suite("A timestamp is a log's own when its key made the signature") struct TimestampSignatureTests {
    private static let pki = try! StandardPKI.shared()

    private func isValid(
        _ timestamp: SignedCertificateTimestamp, by log: LabLog, for leaf: LabCertificate,
        issuer: LabCertificate? = Self.pki.interA
    ) throws -> Bool? {
        var signature = TimestampSignature(
            for: try CertificateReader.certificate(der: leaf.der),
            issuedBy: try issuer.map { try CertificateReader.certificate(der: $0.der) })
        return signature.isValid(timestamp, byKey: log.key.publicKeyInfo)
    }

    @Test(arguments: [LabKey.Algorithm.p256, .rsa(bits: 2048)])
    func `in a certificate it signs the certificate without it`(_ algorithm: LabKey.Algorithm) throws {
        let log = try LabLog(key: .shared(algorithm, label: "log"))
        let other = try LabLog(key: .shared(algorithm, label: "other log"))
        let leaf = try Self.pki.interA.issue(.leaf("a.example"), loggedBy: [log, other])
        let list = try TimestampListReader.embedded(in: CertificateReader.certificate(der: leaf.der))
        let timestamps = try #require(list).timestamps
        #expect(try isValid(timestamps[0], by: log, for: leaf) == true)
        #expect(try isValid(timestamps[1], by: other, for: leaf) == true)
        #expect(try isValid(timestamps[0], by: other, for: leaf) == false)
        #expect(try isValid(timestamps[0], by: log, for: leaf, issuer: Self.pki.rootA) == false)
        #expect(try isValid(timestamps[0], by: log, for: Self.pki.leaf) == false)
        #expect(try isValid(timestamps[0], by: log, for: leaf, issuer: nil) == nil)
    }

    @Test(arguments: [SignedCertificateTimestamp.Source.handshake, .staple])
    func `beside a certificate it signs the whole of it`(_ source: SignedCertificateTimestamp.Source) throws {
        let log = try LabLog()
        let bytes = try log.timestamp(for: .certificate(Self.pki.leaf.der))
        let timestamp = try TimestampListReader.read(LabLog.list([bytes]), from: source).timestamps[0]
        #expect(try isValid(timestamp, by: log, for: Self.pki.leaf, issuer: nil) == true)
        #expect(try isValid(timestamp, by: log, for: Self.pki.interA) == false)
        var changed = bytes
        changed[40] ^= 1
        let later = try TimestampListReader.read(LabLog.list([changed]), from: source).timestamps[0]
        #expect(try isValid(later, by: log, for: Self.pki.leaf) == false)
    }

    @Test func `a key that is none and another algorithm make no signature`() throws {
        let log = try LabLog()
        let bytes = try log.timestamp(for: .certificate(Self.pki.leaf.der))
        let timestamp = try TimestampListReader.read(LabLog.list([bytes]), from: .handshake).timestamps[0]
        let leaf = try CertificateReader.certificate(der: Self.pki.leaf.der)
        var signature = TimestampSignature(for: leaf, issuedBy: nil)
        #expect(signature.isValid(timestamp, byKey: [1, 2]) == false)
        for index in [bytes.count - timestamp.signature.count - 4, bytes.count - timestamp.signature.count - 3] {
            var changed = bytes
            changed[index] = 2
            let other = try TimestampListReader.read(LabLog.list([changed]), from: .handshake).timestamps[0]
            #expect(try isValid(other, by: log, for: Self.pki.leaf) == false)
        }
    }
}
