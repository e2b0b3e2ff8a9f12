/// What TrustKit for iOS hashes of a key (`TSKSPKIHashCache`): a fixed header for its kind, and the key as the system hands it out.
public enum TrustKitHash {
    /// Whether TrustKit's hash of `key` is that of its SubjectPublicKeyInfo, as pins are.
    ///
    /// It has headers for RSA with 2048, 3072 and 4096 bits, P-256 and P-384. Those of RSA have the lengths of a key with a public
    /// exponent of three bytes, as 65537 is.
    public static func isOfSubjectPublicKeyInfo(_ key: PublicKey) -> Bool {
        header(for: key.algorithm).map { key.subjectPublicKeyInfo.starts(with: $0) } ?? false
    }

    private static func header(for algorithm: KeyAlgorithm) -> [UInt8]? {
        func rsa(_ whole: [UInt8], _ key: [UInt8]) -> [UInt8] {
            [0x30, 0x82] + whole + [
                0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82,
            ] + key + [0x00]
        }
        let ellipticCurve: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        return switch algorithm {
        case .rsa(bits: 2_048): rsa([0x01, 0x22], [0x01, 0x0F])
        case .rsa(bits: 3_072): rsa([0x01, 0xA2], [0x01, 0x8F])
        case .rsa(bits: 4_096): rsa([0x02, 0x22], [0x02, 0x0F])
        case .ec(curve: "P-256", _):
            [0x30, 0x59, 0x30, 0x13] + ellipticCurve + [
                0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
            ]
        case .ec(curve: "P-384", _):
            [0x30, 0x76, 0x30, 0x10] + ellipticCurve + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00]
        default: nil
        }
    }
}
