import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing
import X509

@Suite("TrustKit decides as the decision table's vectors 91 to 110 say") struct TrustKitVectors {
    static let yesterday = Timestamp(secondsSinceEpoch: LabClock.now - LabClock.day)

    static func vector(
        _ number: String, enforced: Bool = true, expiration: Timestamp? = nil, _ scene: Scene, _ reason: String
    ) -> ClientVector {
        let client = try! TrustKit(pins: try! scene.pinSet, enforcesPinning: enforced, expiration: expiration)
        return ClientVector(number, client, scene, reason)
    }

    static let matching = [
        vector("91", .ordinary(pins: [pki.leaf, pki.interA, pki.junk]), "pin-matched"),
        vector("92", .ordinary(pins: [pki.interA, pki.junk]), "pin-matched"),
        vector("93", .ordinary(pins: [pki.leaf, pki.junk]), "pin-matched"),
        vector("94", .ordinary(pins: [pki.rogue, pki.junk]), "pin-mismatch"),
        vector("96", enforced: false, .ordinary(pins: [pki.rogue, pki.junk]), "mismatch-not-enforced"),
    ]

    static let selfSigned: Scene = {
        let certificate = try! LabCertificate.selfSigned(.leaf(serverName))
        return .ordinary(pins: [pki.interA, pki.rootA], presented: [certificate])
    }()

    static let untrusted = [
        vector("97", selfSigned, "self-signed"),
        vector("97 (not enforced)", enforced: false, selfSigned, "self-signed"),
        vector("98", .ordinary(pins: [pki.interA, pki.junk], host: "www.example.org"), "name-mismatch"),
    ]

    @Test(arguments: matching + untrusted) func theTableDecides(_ vector: ClientVector) throws {
        let verdict = try vector.check()
        #expect(verdict.disposition == (verdict.isAccepted ? .useCredential : .cancelAuthenticationChallenge))
    }

    @Test func vector95ExpiredPinsLeaveTheDecisionToTheSystem() throws {
        let wrong = Scene.ordinary(pins: [pki.rogue, pki.junk])
        let verdict = try Self.vector("95", expiration: Self.yesterday, wrong, "pins-not-applied").check()
        #expect(verdict.disposition == .performDefaultHandling)
        try Self.vector("95", expiration: World.now, wrong, "pin-mismatch").check()
        let untrusted = wrong.with { $0.system = [] }
        let rejected = try Self.vector("95", expiration: Self.yesterday, untrusted, "unknown-issuer").check()
        #expect(rejected.disposition == .performDefaultHandling)
    }

    @Test func vector99AnInjectedRootIsPinnedAndPresentedButOnNoPath() throws {
        let scene = Scene.ordinary(
            pins: [pki.rootA, pki.junk], presented: [pki.rogue, pki.rogueI, pki.rootA], system: [pki.rootA, pki.rootB])
        let verdict = try Self.vector("99", scene, "pin-mismatch").check()
        #expect(verdict.warnings.map(\.id) == ["pin-only-presented"])
    }

    @Test func vector107AKeyThatCannotBeHashedBlocksTheChainAboveALeaf() throws {
        let authority = try pki.rootA.issue(.authority("P-521"), key: .generate(.p521))
        let leaf = try authority.issue(.leaf(serverName))
        let presented = [leaf, authority]
        let verdict = try Self.vector(
            "107", enforced: false, .ordinary(pins: [leaf, pki.junk], presented: presented), "client-error"
        ).check()
        guard case .clientError("ErrorCouldNotGenerateSpkiHash", let message) = verdict.reason else {
            return #expect(Bool(false), "\(verdict.reason)")
        }
        #expect(message.contains("EC P-521 key of CN=P-521"))
        // The walk starts at the root: a pin above the key ends it in time.
        try Self.vector("107", .ordinary(pins: [pki.rootA, pki.junk], presented: presented), "pin-matched").check()
    }

    @Test func aRootThatTheUserInstalledIsExemptOnAMacAlone() throws {
        let scene = Scene.ordinary(
            pins: [pki.leaf, pki.junk], presented: [pki.rogue, pki.rogueI], system: [pki.rootA, pki.rootB])
        for (root, notes) in [(pki.rootB, ["trustkit-on-macos"]), (pki.rootA, [])] {
            let client = try TrustKit(pins: try scene.pinSet, rootsThatPassOnMacs: Set(try values([root])))
            let verdict = try ClientVector("A3", client, scene, "pin-mismatch").check()
            #expect(verdict.findings.filter { $0.level == .note }.map(\.id) == notes)
        }
    }

    @Test func a3AKeyThatCannotBeHashedOnAnotherValidPathIsWarnedAbout() throws {
        let other = try LabCertificate.selfSigned(.authority("P-521 Root"), key: .generate(.p521))
        let cross = try other.reissue(pki.rootA)
        let scene = Scene.ordinary(
            pins: [pki.leaf, pki.junk], presented: [pki.leaf, pki.interA, cross], system: [pki.rootA, other])
        let verdict = try Self.vector("A3", scene, "pin-matched").check()
        #expect(verdict.warnings.map(\.id) == ["path-dependent"])
    }

    @Test func a3AnRSAKeyWhoseExponentIsNotOfThreeBytesHasAnotherHash() throws {
        let key = try LabKey.shared(.rsa(bits: 2_048), label: "vector 108").publicKeyInfo
        func isOf(_ info: [UInt8]) throws -> Bool { TrustKit.hashesAsPins(try CertificateReader.publicKey(der: info)) }
        #expect(try isOf(key))
        // The same modulus with the exponent 3.
        let short =
            [0x30, 0x82, 0x01, 0x20] + key[4..<19] + [0x03, 0x82, 0x01, 0x0D, 0x00, 0x30, 0x82, 0x01, 0x08]
            + key[28..<289] + [0x02, 0x01, 0x03]
        #expect(try !isOf(short))
        for (kind, isHashed) in [(LabKey.Algorithm.p256, true), (.p384, true), (.p521, false), (.ed25519, false)] {
            #expect(try isOf(LabKey.shared(kind, label: "vector 108").publicKeyInfo) == isHashed)
        }
    }

    /// The DER before the key itself, which TrustKit has in a table.
    static let headers: [(LabKey.Algorithm, hexadecimal: String)] = [
        (.rsa(bits: 2_048), "30820122300d06092a864886f70d01010105000382010f00"),
        (.rsa(bits: 3_072), "308201a2300d06092a864886f70d01010105000382018f00"),
        (.p256, "3059301306072a8648ce3d020106082a8648ce3d03010703420004"),
        (.p384, "3076301006072a8648ce3d020106052b8104002203620004"),
    ]

    @Test(arguments: headers) func vector108APinIsTheHashOfTheHeaderTrustKitPutsBeforeAKey(
        _ algorithm: LabKey.Algorithm, hexadecimal: String
    ) throws {
        let key = try LabKey.shared(algorithm, label: "vector 108")
        let certificate = try x509(try LabCertificate.selfSigned(.leaf("www.good.com"), key: key))
        let info = certificate.publicKey.subjectPublicKeyInfo
        let header = info.prefix(hexadecimal.utf8.count / 2)
        #expect(header.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == hexadecimal)
        #expect(certificate.spkiSHA256 == Hashing.sha256(info))
    }
}

@Suite("TrustKit takes and looks up configurations as the decision table's vectors 100 to 106 say")
struct TrustKitConfigurationVectors {
    static let one = try! hash(pki.leaf)
    static let other = try! hash(pki.junk)

    static func domain(
        _ name: String, subdomains: Bool = false, hashes: [SHA256Digest] = [one, other], isExcluded: Bool = false,
        isEnforced: Bool? = nil
    ) -> HostEntry {
        var entry = HostEntry(
            hosts: HostPattern(text: name, subdomains ? .anyNumber : .exact), origin: .named(name),
            identities: .anywhere(hashes.map { Pin(.publicKey($0), at: .named(name)) }))
        (entry.isExcluded, entry.enforcesPinning) = (isExcluded, isEnforced)
        return entry
    }

    static func violations(_ domains: [HostEntry]) -> [String] {
        domains.flatMap { domain in TrustKit.violations(of: domain, among: domains).map(\.message) }
    }

    static func policy(_ domains: [HostEntry], _ host: String) throws -> [HostEntry]? {
        PinConfiguration(.trustKit, entries: domains).policy(
            for: try ServerName(host).description, publicSuffix: SystemPublicSuffixList.publicSuffix)
    }

    static let excluded = domain("unsecured.good.com", hashes: [], isExcluded: true)

    /// Configurations that end an app at its start, and what the message names.
    static let exceptions: [(String, [HostEntry], String)] = [
        ("101 (one pin)", [domain("good.com", hashes: [one])], "add a backup pin"),
        ("101 (equal pins)", [domain("good.com", hashes: [one, one])], "has 1 pin and needs 2"),
        ("101 (none)", [domain("good.com", hashes: [], isEnforced: false)], "has 0 different pins and needs 1"),
        ("104 (com)", [domain("com", subdomains: true)], "public suffix 'com'"),
        ("104 (co.uk)", [domain("co.uk", subdomains: true)], "public suffix 'co.uk'"),
        ("106 (no parent)", [excluded, domain("good.com")], "no parent domain includes its subdomains"),
        (
            "106 (more keys)", [domain("good.com", subdomains: true), domain("unsecured.good.com", isExcluded: true)],
            "must be the only key"
        ), ("A3 (localhost)", [domain("localhost")], "no registered suffix"),
        (
            "104 (private)", [domain("github.io", subdomains: true)],
            "'github.io'; TrustKit's list is of 2018-07-10: a suffix registered since then is none to it"
        ),
    ]

    @Test(arguments: exceptions) func aConfigurationThatTrustKitThrowsAnExceptionForIsAnError(
        _ number: String, domains: [HostEntry], message: String
    ) {
        let violations = Self.violations(domains)
        #expect(violations.first?.contains(message) == true, "vector \(number): \(violations)")
    }

    /// Names whose suffix TrustKit's list has or lacks, whatever newer lists say.
    static let suffixes: [(String, isKnown: Bool)] = [
        ("q1.execute-api.eu-west-1.amazonaws.com", false), ("b.s3.eu-west-1.amazonaws.com", false),
        ("b.s3-eu-west-1.amazonaws.com", true), ("s3-eu-west-1.amazonaws.com", true), ("amazonaws.com", false),
        ("x.amazonaws.com", false), ("b.s3.amazonaws.com", true), ("b.s3.us-east-2.amazonaws.com", true),
        ("b.s3.dualstack.us-east-1.amazonaws.com", true), ("b.dualstack.us-east-1.amazonaws.com", false),
        ("b.us-east-1.amazonaws.com", true), ("compute.amazonaws.com", false),
        ("a.eu-west-1.compute.amazonaws.com", true), ("b.s3.cn-north-1.amazonaws.com.cn", true),
        ("b.cn-north-1.amazonaws.com.cn", false), ("map.fastly.net", true), ("b.global.ssl.fastly.net", true),
        ("c.ssl.fastly.net", false), ("fastly.net", false), ("notfastly.net", true), ("example.com", true),
        ("nas", false), ("192.0.2.7", false), ("printer.local", false), ("shop.test", false),
    ]

    @Test(arguments: suffixes) func aSuffixIsOneOfTheListOf2018(_ name: String, isKnown: Bool) {
        #expect(TrustKit.hasRegisteredSuffix(name) == isKnown)
    }

    @Test func vector101OnePinIsEnoughWherePinningIsNotEnforced() throws {
        let domain = Self.domain("good.com", hashes: [Self.one], isEnforced: false)
        #expect(Self.violations([domain]).isEmpty)
        let pins = PinSet([
            Pin(.publicKey(Self.one), at: .named("test")), Pin(.publicKey(Self.one), at: .named("again")),
        ])
        #expect(throws: ClientConfigurationError.self) { try TrustKit(pins: pins) }
        #expect(try TrustKit(pins: pins, enforcesPinning: false).enforcesPinning == false)
    }

    static let lookups: [(String, [HostEntry], host: String, entry: String?)] = [
        ("100 (other)", [domain("good.com")], "www.google.com", nil),
        ("100 (subdomain)", [domain("good.com")], "www.good.com", nil),
        ("A3 (itself)", [domain("good.com")], "good.com", "good.com"),
        ("A3 (capitals)", [domain("GOOD.com")], "good.com", nil), ("A3 (dot)", [domain("good.com.")], "good.com", nil),
        ("102", [domain("good.com", subdomains: true)], "good.com.otherdomaingood.com", nil),
        ("102 (suffix)", [domain("good.com", subdomains: true)], "notgood.com", nil),
        ("103", [domain("good.com", subdomains: true)], "test.good.net", nil),
        ("A3 (deep)", [domain("good.com", subdomains: true)], "a.b.good.com", "good.com"),
        (
            "105", [domain("good.com", subdomains: true), domain("www.good.com", subdomains: true)], "sub.www.good.com",
            "www.good.com"
        ),
        (
            "105 (exact)", [domain("good.com", subdomains: true), domain("www.good.com")], "www.good.com",
            "www.good.com"
        ), ("A3 (address)", [domain("good.com", subdomains: true)], "192.0.2.1", nil),
    ]

    @Test(arguments: lookups) func theEntryForAHostIsItsOwnOrTheLongestParents(
        _ number: String, domains: [HostEntry], host: String, entry: String?
    ) throws {
        #expect(try Self.policy(domains, host)?.map(\.origin.description) == entry.map { [$0] }, "vector \(number)")
    }

    @Test func vector100AHostWithoutPolicyOrExcludedFromItIsNotPinned() throws {
        let domains = [Self.domain("good.com", subdomains: true), Self.excluded]
        for (host, count) in [("unsecured.good.com", 0), ("www.example.org", 0), ("www.good.com", 2)] {
            #expect(try Self.policy(domains, host)?.pins?.pins.count ?? 0 == count, "\(host)")
        }
        let verdict = try ClientVector("100", TrustKit(pins: nil), .ordinary(), "pins-not-applied").check()
        #expect(verdict.isAccepted && verdict.disposition == .performDefaultHandling)
    }
}
