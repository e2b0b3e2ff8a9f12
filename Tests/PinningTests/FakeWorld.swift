import Pinning

extension Certificate {
    /// A certificate that needs no cryptography: its bytes and its key are made from a number each.
    static func fake(_ number: UInt8, key: UInt8? = nil) -> Certificate {
        let keyByte = key ?? number
        return Certificate(
            der: [0x30, number], fingerprint: SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!,
            publicKey: PublicKey(
                subjectPublicKeyInfo: [keyByte],
                spkiSHA256: SHA256Digest(bytes: [UInt8](repeating: keyByte, count: 32))!,
                algorithm: .ec(curve: "P-256", bits: 256)), subject: "CN=fake \(number)", issuer: "CN=fake issuer",
            commonName: "fake \(number)", serialNumber: "01", notBefore: Timestamp(secondsSinceEpoch: 0),
            notAfter: Timestamp(secondsSinceEpoch: 1_000_000), names: [.dns("api.example.com")], basicConstraints: nil,
            keyUsage: nil, extendedKeyUsage: nil, subjectKeyIdentifier: nil, authorityKeyIdentifier: nil,
            isSelfIssued: false, signatureAlgorithm: "ecdsa-with-SHA256")
    }
}

/// A verifier whose answers are given: what the device's store says, and what the pins as anchors say.
struct FakeVerifier: PathVerifier {
    var systemPaths: [[Certificate]] = []
    var pinnedPaths: [[Certificate]] = []
    var failures: [TrustFailure] = []
    var bestEffort: [Certificate] = []

    func findPaths(_ question: PathQuestion) -> PathFindings {
        let paths =
            switch question.anchors {
            case .trustStore: systemPaths
            case .trustStoreAnd: pinnedPaths + systemPaths
            case .only: pinnedPaths
            }
        let leaf = question.presented.leaf
        return PathFindings(
            validPaths: paths,
            failures: paths.isEmpty
                ? (failures.isEmpty ? [TrustFailure(.unknownIssuer, at: 0, of: leaf)] : failures) : [],
            bestEfforts: bestEffort.isEmpty ? [] : [bestEffort])
    }

}
