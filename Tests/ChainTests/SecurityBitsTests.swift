import COpenSSL
import LoopbackLab
import Pinning
import Testing
import X509

@Suite("Keys are as strong as OpenSSL says that they are") struct SecurityBitsTests {
    /// Whether OpenSSL takes a key at level 2, which asks for 112 bits of security.
    private static func isTaken(_ key: LabKey) -> Bool {
        let info = key.publicKeyInfo
        let parsed = info.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_PUBKEY(nil, &cursor, bytes.count)
        }
        defer { EVP_PKEY_free(parsed) }
        return EVP_PKEY_get_security_bits(parsed) >= 112
    }

    @Test(arguments: [1_024, 1_900, 1_962, 1_963, 2_000, 2_047, 2_048, 3_072])
    func `RSA keys are taken at level 2 from the length on from which OpenSSL takes them`(bits: Int) throws {
        let key = try LabKey.generate(.rsa(bits: bits))
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let leaf = try root.issue(.leaf("a.example"), key: key)
        let chain = try [leaf].map { try CertificateReader.certificate(der: $0.der) }
        let question = PathQuestion(
            presented: try #require(PresentedChain(chain)),
            anchors: .only([try CertificateReader.certificate(der: root.der)]), policy: .sslServer(name: .unchecked),
            time: Timestamp(secondsSinceEpoch: LabClock.now), platform: .openssl)
        let findings = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [])).findPaths(question)
        #expect(findings.failures.isEmpty == Self.isTaken(key))
    }
}
