import Testing

@testable import Pinning

/// A certificate as far as a platform's rules look at it.
struct Described: Sendable {
    var key: KeyAlgorithm = .ec(curve: "P-256", bits: 256)
    var usage: [String]? = ["serverAuth"]
    var days: Int64 = 90
    /// By default after every date that a rule begins at.
    var from: Int64 = 1_750_000_000
    var signature = "ecdsa-with-SHA256"
    var isSelfIssued = false
    var fingerprint: SHA256Digest? = nil

    func certificate(_ number: UInt8 = 1) -> Certificate { certificate(number, key: number) }

    fileprivate func certificate(_ number: UInt8, key keyNumber: UInt8) -> Certificate {
        Certificate(
            der: [0x30, number], fingerprint: fingerprint ?? .repeating(number),
            publicKey: PublicKey(subjectPublicKeyInfo: [keyNumber], spkiSHA256: .repeating(keyNumber), algorithm: key),
            subject: "CN=\(number)", issuer: "CN=\(number + 1)", notBefore: Timestamp(secondsSinceEpoch: from),
            notAfter: Timestamp(secondsSinceEpoch: from + days * 86_400), names: [.dns("api.example.com")],
            extendedKeyUsage: usage, isSelfIssued: isSelfIssued, signatureAlgorithm: signature)
    }

    static let root = Described(usage: nil, days: 3_650, isSelfIssued: true)
    static let intermediate = Described(usage: nil, days: 1_825)
}

extension DeviceVersion {
    /// A version before the rules for leaves of own anchors.
    static let ios12 = DeviceVersion(12, 1, 1)
}

extension Platform {
    /// The ids of what the platform has against a path to a root of the system, with the depths.
    fileprivate func complaints(_ path: [Described]) -> [String] {
        let certificates = path.enumerated().map { $1.certificate(UInt8($0 + 1)) }
        let path = PlatformPath(certificates: certificates, anchorClass: .system, firstAnchor: certificates.count - 1)
        return failures(of: path).map { "\($0.id) \($0.depth)" }
    }
}

/// What no issued certificate shows: the vectors have the rest of the table.
@Suite("Platforms hold keys and signatures to their own floors") struct StrengthRuleTests {
    static let ordinary = [Described(), .intermediate, .root]

    /// A key, and the platforms that take it.
    static let keys = [
        (KeyAlgorithm.rsa(bits: 2_048), "apple android openssl generic"),
        (.rsa(bits: 2_047), "android openssl generic"), (.rsa(bits: 1_963), "android openssl generic"),
        (.rsa(bits: 1_962), "android generic"), (.rsa(bits: 1_024), "android generic"), (.rsa(bits: 1_023), ""),
        (.ec(curve: "P-521", bits: 521), "apple android openssl generic"),
        (.ec(curve: "secp256k1", bits: 256), "apple android openssl"),
        (.ec(curve: "secp224r1", bits: 224), "android openssl"), (.ec(curve: "secp160r1", bits: 160), "android"),
        (.ec(curve: "secp112r1", bits: 112), ""), (.other(name: "ED25519", bits: 256), "openssl"),
        (.other(name: "DSA", bits: 1_024), ""), (.other(name: "DSA", bits: 2_047), ""),
        (.other(name: "DSA", bits: 2_048), "openssl"), (.unknown(name: "1.2.3"), ""),
    ]

    @Test(arguments: keys, [0, 1, 2]) func keysAreHeldToEachPlatformsFloor(
        _ row: (algorithm: KeyAlgorithm, takers: String), _ depth: Int
    ) {
        var path = Self.ordinary
        path[depth].key = row.algorithm
        for (platform, name) in zip(Platform.all, ["apple", "android", "openssl", "generic"]) {
            // Of its anchors Conscrypt looks at nothing.
            let isTaken = row.takers.contains(name) || platform.family == .android && depth == 2
            #expect(platform.complaints(path) == (isTaken ? [] : ["weak-key \(depth)"]), "\(platform.family)")
        }
    }

    @Test(arguments: [
        "ripemd160WithRSA", "RSA-SHA3-256", "RSA-SM3", "RSA-SHA512/256", "mdc2WithRSA", "shaWithRSAEncryption",
        "rsassaPss with unusual parameters", "ED448",
    ]) func aDigestThatOnlyOpenSSLKnowsIsRefusedEverywhereElse(_ algorithm: String) {
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
    func aDigestThatAllKnowOrThatItsNameHidesIsNotRefusedByItsName(_ algorithm: String) {
        for platform in Platform.all {
            var path = Self.ordinary
            path[0].signature = algorithm
            #expect(platform.complaints(path).isEmpty, "\(platform.family)")
        }
    }
}

@Suite("Each platform needs timestamps of so many logs") struct TransparencyRuleTests {
    private static let day: Int64 = 86_400
    /// 2026-11-01T00:00:00Z, 2021-04-20T23:59:59Z, 2018-10-16T00:00:00Z and the second before.
    private static let (today, april, october, earlier): (Int64, Int64, Int64, Int64) = (
        1_793_491_200, 1_618_963_199, 1_539_648_000, 1_539_647_999
    )

    /// Where a leaf begins, how many seconds it lives, and how many logs Apple's platforms and Chrome and Android need.
    @Test(
        arguments: [
            (today, 1, 2, 2), (today, 180 * day, 2, 2),
            // A second more is over Apple's limit; Conscrypt counts whole days.
            (today, 180 * day + 1, 3, 2), (today, 181 * day - 1, 3, 2), (today, 181 * day, 3, 3),
            (today, 825 * day, 3, 3), (today, 825 * day + 1, 4, 3), (today, -1, 2, 2), (april, 454 * day - 1, 2, 3),
            (april, 454 * day, 4, 3), (april, 825 * day, 4, 3), (april, 826 * day, 5, 3), (april + 1, 454 * day, 3, 3),
            (october, 90 * day, 2, 2), (earlier, 825 * day, nil, 3), (.min, .max, nil, 3),
        ] as [(Int64, Int64, Int?, Int)]) func theLifetimeAndTheAgeDecideHowMany(
            start: Int64, lifetime: Int64, apple: Int?, chrome: Int
        )
    {
        let notBefore = Timestamp(secondsSinceEpoch: start)
        let notAfter = start == .min ? Timestamp(secondsSinceEpoch: .max) : notBefore.advanced(bySeconds: lifetime)
        #expect(PlatformFamily.apple.logsNeeded(notBefore: notBefore, notAfter: notAfter) == apple)
        #expect(PlatformFamily.android.logsNeeded(notBefore: notBefore, notAfter: notAfter) == chrome)
    }

    @Test func logsAreCountedOnceAndAPromiseFromTheFutureNotAtAll() {
        let now = Timestamp(secondsSinceEpoch: Self.today)
        func timestamp(_ log: UInt8, _ seconds: Int64) -> SignedCertificateTimestamp {
            SignedCertificateTimestamp(logID: .repeating(log), time: now.advanced(bySeconds: seconds))
        }
        let evidence = LeafEvidence(
            timestamps: [timestamp(1, 0), timestamp(1, -9), timestamp(2, -1), timestamp(3, 1)], at: now)
        #expect(evidence.logs == 2 && evidence.timestamps.count == 3)
        #expect(evidence.earliestTimestamp == now.advanced(bySeconds: -9))
    }
}

@Suite("An issuer is fetched from where Apple's platform would look") struct IssuerFetchingTests {
    @Test(
        arguments: [
            ([], []), (["http://a.example/1"], ["http://a.example/1"]),
            (["https://a.example/1", "ldap://a.example/1", "http://b.example/"], ["http://b.example/"]),
            (["HTTP://a.example/1", "http:/a", "http://", "http:///x", "http://a b", "http://\u{E9}"], []),
            ((0..<5).map { "http://a.example/\($0)" }, (0..<3).map { "http://a.example/\($0)" }),
            (["ldap://x"] + (0..<8).map { "http://a.example/\($0)" }, (0..<3).map { "http://a.example/\($0)" }),
            (["ldap://x"] + (0..<9).map { "http://a.example/\($0)" }, []),
        ] as [([String], [String])]) func threeAreTriedOfTenNone(places: [String], tried: [String])
    { #expect(Platform.triedPlaces(of: places) == tried) }
}

extension Certificate {
    /// A certificate that needs no cryptography: its bytes and its key are made from a number each.
    static func fake(_ number: UInt8, key: UInt8? = nil) -> Certificate {
        Described(usage: nil, from: 0).certificate(number, key: key ?? number)
    }
}

extension SHA256Digest {
    static func repeating(_ byte: UInt8) -> SHA256Digest { SHA256Digest(bytes: [UInt8](repeating: byte, count: 32))! }
}

/// A verifier whose answers are given: what the device's store says, and what the pins as anchors say.
struct FakeVerifier: PathVerifier {
    var systemPaths: [[Certificate]] = []
    var pinnedPaths: [[Certificate]] = []
    var failures: [TrustFailure] = []
    var bestEffort: [Certificate] = []

    func issuerPlaces(of certificate: Certificate) -> [String] { [] }
    func holdsAnchor(like certificate: Certificate) -> Bool { false }

    func findPaths(_ question: PathQuestion) -> PathFindings {
        let paths = question.anchors.includesTrustStore ? systemPaths : pinnedPaths
        let leaf = question.presented.leaf
        return PathFindings(
            validPaths: paths,
            failures: paths.isEmpty
                ? (failures.isEmpty ? [TrustFailure(.unknownIssuer, at: 0, of: leaf)] : failures) : [],
            bestEfforts: bestEffort.isEmpty ? [] : [bestEffort])
    }
}
