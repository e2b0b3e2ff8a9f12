@testable import Pinning
import Testing

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
    var names: [SubjectAlternativeName] = [.dns("api.example.com")]
    var commonName: String?

    func certificate(_ number: UInt8 = 1) -> Certificate {
        Certificate(
            der: [0x30, number], fingerprint: SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!,
            publicKey: PublicKey(
                subjectPublicKeyInfo: [number], spkiSHA256: SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!,
                algorithm: key), subject: "CN=\(number)", issuer: "CN=\(number + 1)", commonName: commonName,
            serialNumber: "01", notBefore: Timestamp(secondsSinceEpoch: from),
            notAfter: Timestamp(secondsSinceEpoch: from + days * 86_400 + seconds), names: names, basicConstraints: nil,
            keyUsage: nil, extendedKeyUsage: usage, subjectKeyIdentifier: nil, authorityKeyIdentifier: nil,
            isSelfIssued: isSelfIssued, signatureAlgorithm: signature)
    }

    static let root = Described(usage: nil, days: 3_650, isSelfIssued: true)
    static let intermediate = Described(usage: nil, days: 1_825)
}

extension AppleRelease {
    /// A version before the rules for leaves of own anchors.
    static let ios12 = AppleRelease(
        limitsLeavesOfOwnAnchors: false, requiresTransparency: true, judgesAddressesByTransportSecurity: false)
}

extension Platform {
    /// The ids of what the platform has against a path, with the depths.
    func complaints(
        _ path: [Described], _ anchorClass: AnchorClass = .system, firstAnchor: Int? = nil,
        policy: TrustPolicy = .sslServer(name: .unchecked)
    ) -> [String] {
        let certificates = path.enumerated().map { $1.certificate(UInt8($0 + 1)) }
        return failures(of: PlatformPath(certificates, endingAt: anchorClass, firstAnchor: firstAnchor), under: policy)
            .map { "\($0.id) \($0.depth)" }
    }
}

@Suite("Platforms judge paths by their own rules") struct PlatformTests {
    static let ordinary = [Described(), .intermediate, .root]

    @Test(arguments: Platform.all, AnchorClass.allCases) func `everybody takes an ordinary path`(
        _ platform: Platform, _ anchorClass: AnchorClass
    ) { #expect(platform.complaints(Self.ordinary, anchorClass).isEmpty) }

    // MARK: Purposes

    struct Purpose: Sendable {
        let usage: [String]?
        /// By the class of the anchor, as Apple has it: own, installed by hand, system.
        let apple: [String]
        let android: String
        let openssl: String
        let browser: String
    }

    static let purposes: [Purpose] = [
        Purpose(usage: ["serverAuth"], apple: ["", "", ""], android: "", openssl: "", browser: ""),
        Purpose(
            usage: nil, apple: ["no-server-auth 0", "", "no-server-auth 0"], android: "", openssl: "", browser: ""),
        Purpose(
            usage: ["anyExtendedKeyUsage"], apple: ["no-server-auth 0", "", "no-server-auth 0"], android: "",
            openssl: "wrong-purpose 0", browser: "wrong-purpose 0"),
        Purpose(
            usage: ["clientAuth"], apple: ["wrong-purpose 0", "wrong-purpose 0", "wrong-purpose 0"],
            android: "wrong-purpose 0", openssl: "wrong-purpose 0", browser: "wrong-purpose 0"),
        Purpose(
            usage: ["msSGC"], apple: ["wrong-purpose 0", "", "wrong-purpose 0"], android: "wrong-purpose 0",
            openssl: "wrong-purpose 0", browser: "wrong-purpose 0"),
    ]

    @Test(arguments: purposes) func `the purpose of a leaf is judged as the table says`(_ row: Purpose) {
        let path = [Described(usage: row.usage), .intermediate, .root]
        for (anchorClass, expected) in zip([AnchorClass.own, .installedByHand, .system], row.apple) {
            #expect(Platform.apple().complaints(path, anchorClass).joined() == expected, "apple, \(anchorClass)")
        }
        for anchorClass in AnchorClass.allCases {
            #expect(Platform.android().complaints(path, anchorClass).joined() == row.android)
            #expect(Platform.openssl.complaints(path, anchorClass).joined() == row.openssl)
            #expect(Platform.browser.complaints(path, anchorClass).joined() == row.browser)
        }
    }

    @Test func `Apple asks leaves under own anchors for a purpose after June 2019 and from iOS 13 on`() {
        func complaints(_ release: AppleRelease, from: Int64) -> [String] {
            Platform.apple(release).complaints([Described(usage: nil, from: from), .intermediate], .own)
        }
        let start: Int64 = 1_561_935_600
        #expect(complaints(.newest, from: start).isEmpty)
        #expect(complaints(.newest, from: start + 1) == ["no-server-auth 0"])
        #expect(complaints(.ios12, from: start + 1).isEmpty)
        #expect(Platform.apple(.ios12).complaints([Described(usage: nil), .root], .system) == ["no-server-auth 0"])
    }

    struct AuthorityPurpose: Sendable {
        let usage: [String]
        let depth: Int
        /// apple, android, openssl, browser.
        let accepts: [Bool]
    }

    @Test(arguments: [
        AuthorityPurpose(usage: ["serverAuth"], depth: 1, accepts: [true, true, true, true]),
        AuthorityPurpose(usage: ["anyExtendedKeyUsage"], depth: 1, accepts: [true, true, false, true]),
        AuthorityPurpose(usage: ["emailProtection"], depth: 1, accepts: [false, true, false, false]),
        AuthorityPurpose(usage: ["emailProtection"], depth: 2, accepts: [true, true, false, true]),
        AuthorityPurpose(usage: ["anyExtendedKeyUsage"], depth: 2, accepts: [true, true, false, true]),
    ]) func `the purpose of an authority is judged as the table says`(_ row: AuthorityPurpose) {
        var path = Self.ordinary
        path[row.depth].usage = row.usage
        for (platform, accepts) in zip(Platform.all, row.accepts) {
            let expected = accepts ? [] : ["wrong-purpose \(row.depth)"]
            #expect(platform.complaints(path) == expected, "\(platform.family)")
        }
    }

    // MARK: Lifetimes

    struct Lifetime: Sendable {
        let days: Int64
        var seconds: Int64 = 0
        var from: Int64 = 1_750_000_000
        var release = AppleRelease.newest
        /// own, installed by hand, system.
        let isTaken: [Bool]
    }

    static let june2019: Int64 = 1_561_935_600
    static let september2020: Int64 = 1_598_918_400
    static let march2018: Int64 = 1_519_862_400

    @Test(arguments: [
        Lifetime(days: 398, isTaken: [true, true, true]),
        Lifetime(days: 398, seconds: 1, isTaken: [true, true, false]),
        Lifetime(days: 825, isTaken: [true, true, false]),
        Lifetime(days: 825, seconds: 3_600, isTaken: [true, true, false]),
        Lifetime(days: 825, seconds: 3_601, isTaken: [false, false, false]),
        Lifetime(days: 826, from: june2019, isTaken: [false, false, false]),
        Lifetime(days: 826, from: june2019 - 1, isTaken: [true, true, false]),
        Lifetime(days: 825, from: september2020 - 1, isTaken: [true, true, true]),
        Lifetime(days: 399, from: september2020, isTaken: [true, true, false]),
        Lifetime(days: 826, from: march2018 - 1, isTaken: [true, true, true]),
        Lifetime(days: 826, from: march2018, isTaken: [true, true, false]),
        Lifetime(days: 3_000, release: .ios12, isTaken: [true, true, false]),
    ]) func `Apple limits the lifetime of leaves by the class of their anchor`(_ row: Lifetime) {
        let path = [Described(days: row.days, seconds: row.seconds, from: row.from), .intermediate, .root]
        for (anchorClass, isTaken) in zip([AnchorClass.own, .installedByHand, .system], row.isTaken) {
            let complaints = Platform.apple(row.release).complaints(path, anchorClass)
            #expect(complaints == (isTaken ? [] : ["lifetime-too-long 0"]), "\(anchorClass)")
        }
        #expect(Platform.android().complaints(path).isEmpty)
        #expect(Platform.openssl.complaints(path).isEmpty)
    }

    @Test func `a failure of a lifetime says the days and the limit`() {
        let path = PlatformPath([Described(days: 900).certificate(), Described.root.certificate(2)], endingAt: .own)
        let failures = Platform.apple().failures(of: path, under: .sslServer(name: .unchecked))
        #expect(failures.map(\.reason) == [.lifetimeTooLong(days: 900, limit: 825)])
        #expect(failures[0].description == "CN=1 (depth 0) is valid for 900 days, more than 825")
    }

    @Test func `a leaf that is installed by hand as it is has neither a limit nor a floor`() {
        let leaf = Described(key: .rsa(bits: 1_024), days: 5_000, isSelfIssued: true)
        #expect(Platform.apple().complaints([leaf], .installedByHand).isEmpty)
        #expect(Platform.apple().complaints([leaf], .own) == ["lifetime-too-long 0", "weak-key 0"])
    }

    // MARK: Strength

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

    @Test(arguments: ["sha1WithRSAEncryption", "ecdsa-with-SHA1", "md5WithRSAEncryption"])
    func `old digests are refused wherever a signature counts`(_ algorithm: String) {
        for platform in Platform.all {
            for depth in 0...1 {
                var path = Self.ordinary
                path[depth].signature = algorithm
                #expect(platform.complaints(path) == ["weak-signature \(depth)"], "\(platform.family)")
            }
            var path = Self.ordinary
            path[2].signature = algorithm
            #expect(platform.complaints(path).isEmpty, "a root signed itself")
            var anchored = Array(Self.ordinary.prefix(2))
            anchored[1].signature = algorithm
            let isApple = platform.family == .apple
            #expect(platform.complaints(anchored, .own) == (isApple ? ["weak-signature 1"] : []))
            #expect(platform.complaints(anchored, .installedByHand).isEmpty)
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

    @Test func `Conscrypt looks at nothing from the first anchor on`() {
        var path = Self.ordinary
        path[1].key = .rsa(bits: 512)
        path[1].signature = "md5WithRSAEncryption"
        #expect(Platform.android().complaints(path, firstAnchor: 1).isEmpty)
        #expect(Platform.android().complaints(path) == ["weak-key 1", "weak-signature 1"])
        let weak = Described(key: .rsa(bits: 512), usage: ["clientAuth"])
        #expect(Platform.android().complaints([weak], .installedByHand).isEmpty)
    }

    @Test func `the basic rules ask for little`() {
        let weak = Described(
            key: .rsa(bits: 1_024), usage: ["clientAuth"], days: 9_000, signature: "sha1WithRSAEncryption")
        #expect(Platform.apple().complaints([weak, .root], .own, policy: .basicX509).isEmpty)
        let weaker = Described(key: .rsa(bits: 1_023), signature: "md5WithRSAEncryption")
        #expect(
            Platform.apple().complaints([weaker, .root], .own, policy: .basicX509) == [
                "weak-key 0", "weak-signature 0",
            ])
    }

    // MARK: Dates

    @Test func `whose dates count differs`() {
        let certificates = Self.ordinary.enumerated().map { $1.certificate(UInt8($0 + 1)) }
        func judged(_ platform: Platform, _ anchorClass: AnchorClass, firstAnchor: Int? = nil) -> [Bool] {
            let path = PlatformPath(certificates, endingAt: anchorClass, firstAnchor: firstAnchor)
            return certificates.indices.map { platform.judgesDates(at: $0, of: path) }
        }
        #expect(judged(.apple(), .system) == [true, true, true])
        #expect(judged(.openssl, .system) == [true, true, true])
        #expect(judged(.android(), .system) == [true, true, false])
        #expect(judged(.android(), .own, firstAnchor: 0) == [false, false, false])
        #expect(judged(.browser, .system) == [true, true, false])
        #expect(judged(.browser, .installedByHand) == [true, true, true])
    }
}
