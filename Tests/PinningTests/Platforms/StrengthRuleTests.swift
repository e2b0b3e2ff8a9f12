import Testing

@testable import Pinning

/// A certificate as far as a platform's rules look at it.
struct Described: Sendable {
    var key: KeyAlgorithm = .ec(curve: "P-256", bits: 256)
    var usage: [String]? = ["serverAuth"]
    var days: Int64 = 90
    var seconds: Int64 = 0
    /// By default after every date that a rule begins at.
    var from: Int64 = 1_750_000_000
    var signature = "ecdsa-with-SHA256"
    var isSelfIssued = false

    func certificate(_ number: UInt8 = 1) -> Certificate {
        Certificate(
            der: [0x30, number], fingerprint: SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!,
            publicKey: PublicKey(
                subjectPublicKeyInfo: [number], spkiSHA256: SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!,
                algorithm: key), subject: "CN=\(number)", issuer: "CN=\(number + 1)", commonName: nil,
            serialNumber: "01", notBefore: Timestamp(secondsSinceEpoch: from),
            notAfter: Timestamp(secondsSinceEpoch: from + days * 86_400 + seconds), names: [.dns("api.example.com")],
            basicConstraints: nil, keyUsage: nil, extendedKeyUsage: usage, subjectKeyIdentifier: nil,
            authorityKeyIdentifier: nil, isSelfIssued: isSelfIssued, signatureAlgorithm: signature)
    }

    static let root = Described(usage: nil, days: 3_650, isSelfIssued: true)
    static let intermediate = Described(usage: nil, days: 1_825)
}

extension AppleRelease {
    /// A version before the rules for leaves of own anchors.
    static let ios12 = AppleRelease(iOS: DeviceVersion(12, 1, 1))
}

extension Platform {
    /// The ids of what the platform has against a path to a root of the system, with the depths.
    fileprivate func complaints(_ path: [Described]) -> [String] {
        let certificates = path.enumerated().map { $1.certificate(UInt8($0 + 1)) }
        return failures(of: PlatformPath(certificates, endingAt: .system), under: .sslServer(name: .unchecked)).map {
            "\($0.id) \($0.depth)"
        }
    }
}

/// What no issued certificate shows: the vectors have the rest of the table.
@Suite("Platforms hold keys and signatures to their own floors") struct StrengthRuleTests {
    static let ordinary = [Described(), .intermediate, .root]

    struct Key: Sendable {
        let algorithm: KeyAlgorithm
        /// apple, android, openssl, browser.
        let accepts: [Bool]
    }

    static let keys: [Key] = [
        Key(algorithm: .rsa(bits: 2_048), accepts: [true, true, true, true]),
        Key(algorithm: .rsa(bits: 2_047), accepts: [false, true, true, true]),
        Key(algorithm: .rsa(bits: 1_963), accepts: [false, true, true, true]),
        Key(algorithm: .rsa(bits: 1_962), accepts: [false, true, false, true]),
        Key(algorithm: .rsa(bits: 1_024), accepts: [false, true, false, true]),
        Key(algorithm: .rsa(bits: 1_023), accepts: [false, false, false, false]),
        Key(algorithm: .ec(curve: "P-521", bits: 521), accepts: [true, true, true, true]),
        Key(algorithm: .ec(curve: "secp256k1", bits: 256), accepts: [true, true, true, false]),
        Key(algorithm: .ec(curve: "secp224r1", bits: 224), accepts: [false, true, true, false]),
        Key(algorithm: .ec(curve: "secp160r1", bits: 160), accepts: [false, true, false, false]),
        Key(algorithm: .ec(curve: "secp112r1", bits: 112), accepts: [false, false, false, false]),
        Key(algorithm: .other(name: "ED25519", bits: 256), accepts: [false, false, true, false]),
        Key(algorithm: .other(name: "DSA", bits: 1_024), accepts: [false, false, false, false]),
        Key(algorithm: .other(name: "DSA", bits: 2_047), accepts: [false, false, false, false]),
        Key(algorithm: .other(name: "DSA", bits: 2_048), accepts: [false, false, true, false]),
        Key(algorithm: .unknown(name: "1.2.3"), accepts: [false, false, false, false]),
    ]

    @Test(arguments: keys, [0, 1, 2]) func `keys are held to each platform's floor`(_ row: Key, _ depth: Int) {
        var path = Self.ordinary
        path[depth].key = row.algorithm
        for (platform, accepts) in zip(Platform.all, row.accepts) {
            // Of its anchors Conscrypt looks at nothing.
            let isTaken = accepts || platform.family == .android && depth == 2
            #expect(platform.complaints(path) == (isTaken ? [] : ["weak-key \(depth)"]), "\(platform.family)")
        }
    }

    @Test(arguments: [
        "ripemd160WithRSA", "RSA-SHA3-256", "RSA-SM3", "RSA-SHA512/256", "mdc2WithRSA", "shaWithRSAEncryption",
        "rsassaPss with unusual parameters", "ED448",
    ]) func `a digest that only OpenSSL knows is refused everywhere else`(_ algorithm: String) {
        for platform in Platform.all {
            for depth in 0...1 {
                var path = Self.ordinary
                path[depth].signature = algorithm
                let isRefused = platform.family != .openssl
                #expect(
                    platform.complaints(path) == (isRefused ? ["weak-signature \(depth)"] : []), "\(platform.family)")
            }
        }
    }

    @Test(arguments: ["sha224WithRSAEncryption", "ecdsa-with-SHA512", "rsassaPss", "ED25519"])
    func `a digest that all know, or that its name hides, is not refused by its name`(_ algorithm: String) {
        for platform in Platform.all {
            var path = Self.ordinary
            path[0].signature = algorithm
            #expect(platform.complaints(path).isEmpty, "\(platform.family)")
        }
    }
}
