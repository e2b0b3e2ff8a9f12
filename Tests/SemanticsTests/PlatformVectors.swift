import LoopbackLab
import Pinning
import Testing
import X509

/// The rows of the table of platforms (the article *Devices*), decided end to end.
@Suite("Each client keeps the rules of its platform") struct PlatformVectors {
    static let host = "www.example.com"
    static let root = try! LabCertificate.selfSigned(.authority("Platform Root"))
    static let inter = try! root.issue(.authority("Platform CA"))

    /// One client of each platform that only asks for trust, by the table's columns.
    static let clients: [(column: String, client: any ClientProcedure)] = [
        ("apple", AFNetworking.bare), ("apple", Alamofire(.systemDefault)), ("apple", NSPinnedDomains()),
        ("apple", try! TrustKit(pins: nil)),
        ("apple", AFNetworking(policy: AFSecurityPolicy(mode: .none), validatesCertificateChain: true)),
        ("android", AndroidNetworkSecurityConfig()), ("okhttp", OkHttp()), ("openssl", Curl()), ("generic", Generic()),
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let chain: [LabCertificate]
        var root = PlatformVectors.root
        var isPublic = false
        var host = PlatformVectors.host
        let accepted: Set<String>
        let reason: String
        /// The reasons of columns that reject for another.
        var otherReasons: [String: String] = [:]

        var testDescription: String { name }
    }

    private static let all: Set = ["apple", "android", "okhttp", "openssl", "generic"]

    private static func leaf(
        _ names: [GeneralName] = [.dns(host)], key: LabKey? = nil, by issuer: LabCertificate = inter,
        _ change: (inout CertificateTemplate) -> Void = { _ in }
    ) -> LabCertificate {
        try! issuer.issue(CertificateTemplate.leaf(subject: "Leaf", names: names).with(change), key: key)
    }

    private static func named(_ name: String, host: String, _ accepted: Set<String>) -> Row {
        Row(
            name: "\(name) for \(host)", chain: [leaf([.dns(name)]), inter], host: host, accepted: accepted,
            reason: "name-mismatch")
    }

    private static func common(_ name: String, beside other: GeneralName, _ accepted: Set<String>) -> Row {
        Row(
            name: "a common name beside \(other)",
            chain: [try! inter.issue(.leaf(subject: DistinguishedName(commonName: name), names: [other])), inter],
            accepted: accepted, reason: "name-mismatch")
    }

    static let names: [Row] = [
        named("*.example.com", host: "www.example.com", all), named("w*.example.com", host: "www.example.com", []),
        named("*.example.com", host: "a.b.example.com", []),
        named("*.co.uk", host: "example.co.uk", ["android", "okhttp", "openssl"]),
        named("*.com", host: "example.com", ["okhttp"]), named("*.internal", host: "server.internal", ["okhttp"]),
        named("*.example.com", host: "a_b.example.com", all), named("a_b.example.com", host: "a_b.example.com", all),
        named("www.example.com.", host: "www.example.com", ["android", "okhttp", "openssl"]),
        named("*.example.com.", host: "www.example.com", ["android", "okhttp", "openssl"]),
        named("www.example.com..", host: "www.example.com", []), named("*", host: "localhost", []),
        named("*.*.com", host: "a.b.com", []), named("*.example.com", host: "example.com", []),
        named(".", host: "www.example.com", []), named("*.", host: "www.example.com", []),
        named("*.localhost", host: "a.localhost", ["okhttp"]), named("10.0.0.1", host: "10.0.0.1", []),
        Row(
            name: "a common name alone",
            chain: [try! inter.issue(.leaf(subject: "www.example.com", names: [])), inter], accepted: ["openssl"],
            reason: "name-mismatch"), common("www.example.com", beside: .dns("b.example"), []),
        common("www.example.com", beside: .ip([10, 0, 0, 1]), []),
        common("*.example.com", beside: .email("a@b.c"), ["openssl"]),
        Row(
            name: "an IPv4 address for the IPv6 one that maps it", chain: [leaf([.ip([192, 0, 2, 1])]), inter],
            host: "::ffff:192.0.2.1", accepted: ["okhttp"], reason: "name-mismatch"),
        Row(
            name: "the IPv4 address that an IPv6 one maps",
            chain: [leaf([.ip([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1])]), inter],
            host: "192.0.2.1", accepted: ["okhttp"], reason: "name-mismatch"),
    ]

    private static func used(
        _ name: String, _ usage: [OID]?, isPublic: Bool, _ accepted: Set<String>, _ reason: String = "wrong-purpose",
        _ others: [String: String] = [:]
    ) -> Row {
        Row(
            name: "\(name) below a \(isPublic ? "system root" : "root installed by hand")",
            chain: [leaf { $0.extendedKeyUsage = usage }, inter], isPublic: isPublic, accepted: accepted,
            reason: reason, otherReasons: others)
    }

    private static let anyPurpose = OID.anyExtendedKeyUsage
    private static let email = OID(1, 3, 6, 1, 5, 5, 7, 3, 4)

    static let purposes: [Row] = [
        used("serverAuth", [.serverAuth], isPublic: true, all), used("nothing", nil, isPublic: false, all),
        used("nothing", nil, isPublic: true, all.subtracting(["apple"]), "no-server-auth"),
        used("any purpose", [anyPurpose], isPublic: false, ["apple", "android", "okhttp"]),
        used(
            "any purpose", [anyPurpose], isPublic: true, ["android", "okhttp"], "wrong-purpose",
            ["apple": "no-server-auth"]), used("e-mail", [email], isPublic: false, []),
        used("e-mail", [email], isPublic: true, []),
    ]

    private static func below(_ name: String, _ inter: [OID]?, root: [OID]?, _ accepted: Set<String>) -> Row {
        let root = try! LabCertificate.selfSigned(
            CertificateTemplate.authority("Purpose Root").with { $0.extendedKeyUsage = root })
        let inter = try! root.issue(CertificateTemplate.authority("Purpose CA").with { $0.extendedKeyUsage = inter })
        return Row(
            name: name, chain: [leaf(by: inter), inter], root: root, isPublic: true, accepted: accepted,
            reason: "wrong-purpose")
    }

    static let authorityPurposes: [Row] = [
        below("an intermediate for servers", [.serverAuth], root: nil, all),
        below("an intermediate for anything", [anyPurpose], root: nil, all.subtracting(["openssl", "generic"])),
        below("an intermediate for e-mail", [email], root: nil, ["android", "okhttp"]),
        below("a root for e-mail", nil, root: [email], all.subtracting(["openssl", "generic"])),
    ]

    private static func strong(
        _ name: String, _ kind: LabKey.Algorithm, at depth: Int, _ accepted: Set<String>, _ reason: String = "weak-key"
    ) -> Row {
        let key = try! LabKey.generate(kind)
        let root = depth == 2 ? try! LabCertificate.selfSigned(.authority("Key Root"), key: key) : root
        let inter = depth == 0 ? inter : try! root.issue(.authority("Key CA"), key: depth == 1 ? key : nil)
        return Row(
            name: "\(name) at depth \(depth)", chain: [leaf(key: depth == 0 ? key : nil, by: inter), inter], root: root,
            isPublic: true, accepted: accepted, reason: reason)
    }

    static let keys: [Row] = [
        strong("RSA 2048", .rsa(bits: 2_048), at: 0, all),
        strong("RSA 1024", .rsa(bits: 1_024), at: 0, ["android", "okhttp"]),
        strong("RSA 1024", .rsa(bits: 1_024), at: 1, ["android", "okhttp"]),
        strong("RSA 1024", .rsa(bits: 1_024), at: 2, ["android", "okhttp"]),
        strong("RSA 512", .rsa(bits: 512), at: 0, []),
        strong("RSA 512", .rsa(bits: 512), at: 2, ["android", "okhttp"]),
        strong("Ed25519", .ed25519, at: 0, ["openssl", "generic"], "handshake"), strong("P-384", .p384, at: 0, all),
    ]

    private static func signed(_ name: String, _ digest: SignatureDigest, at depth: Int, _ accepted: Set<String>) -> Row
    {
        func change(_ at: Int) -> (inout CertificateTemplate) -> Void { { if at == depth { $0.digest = digest } } }
        let root = try! LabCertificate.selfSigned(
            CertificateTemplate.authority("Old Root").with(change(2)), key: .generate(.rsa(bits: 2_048)))
        let inter = try! root.issue(
            CertificateTemplate.authority("Old CA").with(change(1)), key: .generate(.rsa(bits: 2_048)))
        return Row(
            name: "\(name) at depth \(depth)", chain: [leaf(by: inter, change(0)), inter], root: root, isPublic: true,
            accepted: accepted, reason: "weak-signature")
    }

    static let signatures: [Row] = [
        signed("SHA-1", .sha1, at: 0, []), signed("SHA-1", .sha1, at: 1, []), signed("SHA-1", .sha1, at: 2, all),
        signed("MD5", .md5, at: 0, []), signed("MD5", .md5, at: 2, all),
    ]

    private static func lasting(_ days: Int64, isPublic: Bool, _ accepted: Set<String>) -> Row {
        Row(
            name: "\(days) days, \(isPublic ? "system" : "installed by hand")",
            chain: [
                leaf { $0 = $0.valid(from: LabClock.now - LabClock.day, to: LabClock.now + (days - 1) * LabClock.day) },
                inter,
            ], isPublic: isPublic, accepted: accepted, reason: "lifetime-too-long")
    }

    static let lifetimes: [Row] = [
        lasting(398, isPublic: true, all), lasting(399, isPublic: true, ["android", "okhttp", "openssl", "generic"]),
        lasting(825, isPublic: false, all), lasting(826, isPublic: false, all.subtracting(["apple"])),
    ]

    private static func dated(_ name: String, isPublic: Bool, _ accepted: Set<String>, _ reason: String) -> Row {
        var template = CertificateTemplate.authority("Dated Root")
        template = reason == "expired" ? template.expired() : template.notYetValid()
        let root = try! LabCertificate.selfSigned(template)
        let inter = try! root.issue(.authority("Dated CA"))
        return Row(
            name: "\(name), \(isPublic ? "system" : "installed by hand")", chain: [leaf(by: inter), inter], root: root,
            isPublic: isPublic, accepted: accepted, reason: reason)
    }

    static let dates: [Row] = [
        dated("an expired root", isPublic: true, ["android", "okhttp"], "expired"),
        dated("an expired root", isPublic: false, ["android", "okhttp"], "expired"),
        dated("a root that is not yet valid", isPublic: true, ["android", "okhttp"], "not-yet-valid"),
    ]

    static let constraints: [Row] = {
        let inter = try! root.issue(
            CertificateTemplate.authority("Constrained CA").with { $0.permittedNames = [.dns("example.com")] })
        let leaf = try! inter.issue(.leaf(subject: "other.example.net", names: [.ip([192, 0, 2, 1])]))
        return [
            Row(
                name: "a common name outside the constraints, beside an address", chain: [leaf, inter],
                host: "192.0.2.1", accepted: all.subtracting(["openssl"]), reason: "name-constraint")
        ]
    }()

    @Test(
        arguments: names + purposes + authorityPurposes + keys + signatures + lifetimes + dates + constraints,
        [false, true]) func theRowOfTheTableIsWhatEachClientDecides(_ row: Row, afterOthers: Bool) throws
    {
        let scene = Scene(
            presented: row.chain, system: [row.root], publicRoots: row.isPublic ? [row.root] : [], host: row.host)
        // What one client was told must not be what another is told: all ask one verifier, or each its own.
        let shared = try scene.verifier
        for (column, client) in Self.clients {
            let asked = afterOthers ? shared : try scene.verifier
            let verdict = client.decide(try scene.observation, pins: nil, verifier: asked)
            let expected = row.accepted.contains(column) ? nil : row.otherReasons[column] ?? row.reason
            let found = verdict.isAccepted ? nil : verdict.reason.id
            #expect(found == expected, "\(type(of: client)): \(verdict.trace)")
        }
    }

    @Test func aLeafThatIsItselfTrustedIsJudgedByItsNameAloneOnAndroid() throws {
        let leaf = try Self.inter.issue(
            CertificateTemplate.leaf(Self.host).expired().with { $0.extendedKeyUsage = [Self.email] },
            key: .generate(.rsa(bits: 512)))
        for (host, reason) in [(Self.host, "pins-not-applied"), ("other.example.com", "name-mismatch")] {
            let scene = Scene(presented: [leaf], system: [leaf], host: host)
            for client in [OkHttp(), AndroidNetworkSecurityConfig()] as [any ClientProcedure] {
                try ClientVector("5", client, scene, reason).check()
            }
            try ClientVector("5", AFNetworking.bare, scene, "expired").check()
        }
    }

    @Test func aRootThatIsNoAuthorityIsAnAnchorAllTheSameOnAndroid() throws {
        let root = try LabCertificate.selfSigned(
            CertificateTemplate.authority("No Authority").with { $0.isAuthority = false })
        let scene = Scene(presented: [try root.issue(.leaf(Self.host))], system: [root], host: Self.host)
        try ClientVector("5", OkHttp(), scene, "pins-not-applied").check()
        try ClientVector("5", Curl(), scene, "not-an-authority").check()
        try ClientVector("5", AFNetworking.bare, scene, "not-an-authority").check()
    }

    @Test func aRejectionByARuleThatOthersDoNotHaveNamesThePlatform() throws {
        func failures(_ row: Row) throws -> [TrustFailure] {
            try Scene(presented: row.chain, system: [row.root], host: row.host).failures(of: AFNetworking.bare)
        }
        let long = try failures(Self.lifetimes[3])
        #expect(long.map(\.platform) == [.apple])
        #expect(
            long[0].description
                == "CN=Leaf (depth 0) is valid for 826 days, more than 825 (a rule of Apple's platforms)")
        #expect(try failures(Self.signatures[0]).map(\.platform) == [nil])
    }
}
