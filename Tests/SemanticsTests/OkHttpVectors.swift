import LoopbackLab
import PinFormats
import Pinning
import Testing
import X509

@Suite("OkHttp decides as the decision table's vectors 111 to 125 say") struct OkHttpVectors {
    static let host = serverName

    static func pattern(_ text: String) throws -> HostPattern { try HostText.okHttpPattern(text) }

    @Test(arguments: ["md5/AAAAAAAAAAAAAAAAAAAAAA==", "sha256/", "sha256/AAAA", "sha256/not base64", "sha1/%%%"])
    func vector111APinWithAnotherHashOrBadBase64IsAnError(_ text: String) {
        #expect(throws: Problem.self) { try PinSource(text).read() }
    }

    @Test(arguments: ["example.*", "*", "**", "*.", "**.", "a*.b.c", "a.**.c", "*.*.c", "***.c", "*a.b", ""])
    func vector112AWildcardAnywhereButInFrontIsAnError(_ pattern: String) {
        #expect(throws: Problem.self) { try Self.pattern(pattern) }
    }

    @Test func vector113TwoCertificatesWithOneKeyHaveOnePin() throws {
        let (old, new) = (try x509(pki.leaf), try x509(pki.leafRe))
        #expect(old != new)
        #expect(old.spkiSHA256 == new.spkiSHA256)
        #expect(old.spkiSHA256.description.hasPrefix("sha256/"))
    }

    static let patterns: [(String, covered: [String], others: [String])] = [
        ("*.example.com", ["a.example.com"], ["example.com", "a.b.example.com", "aexample.com"]),
        (
            "**.example.co.uk", ["example.co.uk", "foo.example.co.uk", "foo.bar.example.co.uk"],
            ["uk", "co.uk", "anotherexample.co.uk"]
        ), ("example.com", ["example.com", "EXAMPLE.com."], ["a.example.com", "192.0.2.1"]),
        ("Example.COM", ["example.com"], []), ("10.0.2.2", ["10.0.2.2"], ["10.0.2.3", "example.com"]),
        ("example.com.", [], ["example.com"]), ("*.Example.COM", ["a.EXAMPLE.com"], []),
    ]

    @Test(arguments: patterns) func vectors115And116APatternCoversOneLabelOrAnyNumber(
        _ text: String, covered: [String], others: [String]
    ) throws {
        let pattern = try Self.pattern(text)
        for host in covered { #expect(pattern.covers(try ServerName(host).description), "\(host)") }
        for host in others { #expect(!pattern.covers(try ServerName(host).description), "\(host)") }
    }

    @Test(arguments: ["σkhttp.com", "*.σkhttp.com", "**.Σkhttp.com"]) func vector118APatternIsComparedInItsASCIIForm(
        _ text: String
    ) throws {
        let pattern = try Self.pattern(text)
        #expect(pattern.name == "xn--khttp-fde.com")
        #expect(pattern.covers(try ServerName("www.XN--khttp-fde.com").description) == text.hasPrefix("*"))
    }

    static func vector(
        _ number: String, pins: [LabCertificate], presented: [LabCertificate] = [pki.leaf, pki.interA],
        system: [LabCertificate] = [pki.rootA], _ reason: String
    ) -> ClientVector {
        ClientVector(number, OkHttp(), .ordinary(pins: pins, presented: presented, system: system), reason)
    }

    static let chains: [ClientVector] = {
        let twin = try! pki.rootA.issue(.authority("InterA"))
        let attacker = try! pki.leaf.issue(.leaf(host))
        let limited = try! pki.rootA.issue(.authority("Limited", pathLength: 0))
        let below = try! limited.issue(.authority("Below"))
        let deep = try! below.issue(.leaf(host))
        return [
            vector("119", pins: [pki.rootA], "pin-matched"), vector("120", pins: [pki.interA], "pin-matched"),
            vector(
                "121", pins: [pki.leaf], presented: [pki.rogue, pki.rogueI, pki.leaf], system: [pki.rootA, pki.rootB],
                "pin-mismatch"), vector("122", pins: [twin], presented: [pki.leaf, twin, pki.interA], "pin-mismatch"),
            vector("123", pins: [pki.leaf], presented: [attacker, pki.leaf, pki.interA], "not-an-authority"),
            vector("124", pins: [limited], presented: [deep, below, limited], "path-too-long"),
            ClientVector(
                "A5 (incomplete)", OkHttp(), .ordinary(pins: [pki.interA], presented: [pki.leaf], hashes: false),
                "unknown-issuer"),
        ]
    }()

    @Test(arguments: chains) func theTableDecides(_ vector: ClientVector) throws { try vector.check() }

    @Test(arguments: [2, 3]) func vectors121And122WhatIsOnlyPresentedIsWarnedAbout(_ index: Int) throws {
        #expect(try Self.chains[index].check().warnings.map(\.id) == ["pin-only-presented"])
    }

    @Test func vectors114And117ThePinsOfAPatternThatCoversTheHostCount() throws {
        for (pattern, pin, reason) in [
            ("www.example.org", pki.junk, "pins-not-applied"), ("*.example.com", pki.leaf, "pin-matched"),
            (Self.host, pki.leaf, "pin-matched"), ("**.example.com", pki.junk, "pin-mismatch"),
        ] {
            let client = OkHttp(pattern: try Self.pattern(pattern))
            try ClientVector("117", client, .ordinary(pins: [pin]), reason).check()
        }
        // The pins are of no use to a chain that is not trusted.
        try ClientVector("A5", OkHttp(), Scene.ordinary(pins: [pki.leaf]).with { $0.system = [] }, "unknown-issuer")
            .check()
        try ClientVector("114", OkHttp(), Scene.ordinary(), "pins-not-applied").check()
    }

    private func chain(authorities count: Int) throws -> [LabCertificate] {
        var chain = [try LabCertificate.selfSigned(.authority("Chain root"))]
        for number in 0..<count {
            chain.insert(try chain[0].issue(.authority(DistinguishedName(commonName: "Signer \(number)"))), at: 0)
        }
        return [try chain[0].issue(.leaf(Self.host))] + chain
    }

    @Test(arguments: [(8, "pin-matched"), (9, "client-error")]) func vector125TenCertificatesAreNotTooManyAndElevenAre(
        _ authorities: Int, reason: String
    ) throws {
        let chain = try chain(authorities: authorities)
        let scene = Scene.ordinary(pins: [chain[0]], presented: chain.dropLast(), system: [chain[chain.count - 1]])
        let verdict = try ClientVector("125", OkHttp(), scene, reason).check()
        #expect(verdict.builtChain.certificates.count == authorities + 2)
    }

    @Test func vector125TheOrderOfPresentationAndStrangersDoNotMatter() throws {
        let chain = try chain(authorities: 3)
        let junk = pki.junk
        for presented in [
            [chain[0], chain[3], chain[1], chain[2]], [chain[0], junk, chain[2], chain[1], chain[3], chain[4]],
        ] {
            let scene = Scene.ordinary(pins: [chain[2]], presented: presented, system: [chain[4]])
            let verdict = try ClientVector("125", OkHttp(), scene, "pin-matched").check()
            #expect(verdict.builtChain.certificates == (try values(chain)))
        }
    }

    @Test func vector125ATrustedIntermediateEndsTheChainUnlessMoreIsTrusted() throws {
        let alone = Scene.ordinary(pins: [pki.interA], system: [pki.interA])
        let verdict = try ClientVector("125", OkHttp(), alone, "pin-matched").check()
        #expect(verdict.builtChain.certificates.count == 2)
        let both = Scene.ordinary(pins: [pki.rootA], system: [pki.interA, pki.rootA])
        let longer = try ClientVector("125", OkHttp(), both, "pin-matched").check()
        #expect(longer.builtChain.certificates.count == 3)
    }
}
