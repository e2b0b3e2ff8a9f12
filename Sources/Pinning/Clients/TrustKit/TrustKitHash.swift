/// What TrustKit for iOS hashes of a key (`TSKSPKIHashCache`): a fixed header for its kind, and the key as the system hands it out.
///
/// The header has the lengths of a key with a public exponent of three bytes, as 65537 is. For any other exponent what is hashed is
/// no SubjectPublicKeyInfo, and the hash none that anybody else computes.
public enum TrustKitHash {
    /// Pins of widely used roots, and the hashes that TrustKit compares instead: their exponent is 3.
    public static let knownDifferences: [(pin: String, owner: String, hash: String)] = [
        (
            "VjLZe/p3W/PJnd6lL8JVNBCGQBZynFLdZSTIqcO0SJ8=", "Go Daddy Class 2 CA",
            "AOXgejMSKWj6sXM5pVpFW5vVEu4Z+y3bHgb6cGWUlUg="
        ),
        (
            "FfFKxFycfaIz00eRZOgTf+Ne4POK6FgYPwhBDqgqxLQ=", "Starfield Class 2 CA",
            "/CxnVZU/SjLBSF07Q/veqUM+IwKHdSaSKPh4azdo6sI="
        ),
    ]

    /// The bytes that TrustKit hashes for `key`, `nil` for a kind of key it has no header for.
    public static func input(for key: PublicKey) -> [UInt8]? {
        guard let header = header(for: key.algorithm), let bits = bareKey(in: key.subjectPublicKeyInfo) else {
            return nil
        }
        return header + bits
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

    /// The contents of the BIT STRING of a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
    private static func bareKey(in info: [UInt8]) -> ArraySlice<UInt8>? {
        guard let whole = contents(of: info[...], tag: 0x30), let algorithm = contents(of: whole, tag: 0x30),
            let bits = contents(of: whole[algorithm.endIndex...], tag: 0x03), bits.first == 0
        else { return nil }
        return bits.dropFirst()
    }

    /// The contents of the DER element that `bytes` begin with.
    private static func contents(of bytes: ArraySlice<UInt8>, tag: UInt8) -> ArraySlice<UInt8>? {
        guard bytes.count >= 2, bytes.first == tag else { return nil }
        let first = Int(bytes[bytes.startIndex + 1])
        let lengthCount = first < 0x80 ? 0 : first & 0x7F
        guard lengthCount <= 3, bytes.count >= 2 + lengthCount else { return nil }
        let start = bytes.startIndex + 2 + lengthCount
        let length = first < 0x80 ? first : bytes[(start - lengthCount)..<start].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.endIndex - start else { return nil }
        return bytes[start..<(start + length)]
    }
}
