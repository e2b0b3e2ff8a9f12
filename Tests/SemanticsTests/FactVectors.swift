import LoopbackLab
import Pinning
import Testing
import X509

/// One world and what each client makes of it; the numbers are those of the rows in the article "Decision table".
struct Fact: Sendable, CustomTestStringConvertible {
    let name: String
    let scene: Scene
    let expected: [(clients: String, reason: String)]

    init(_ name: String, _ scene: Scene, _ expected: (String, String)...) {
        (self.name, self.scene) = (name, scene)
        self.expected = expected.map { (clients: $0.0, reason: $0.1) }
    }

    var testDescription: String { name }

    static let matched = "pin-matched"
    static let apple = "afnetworking alamofire trustkit nspinneddomains"
    static let android = "android okhttp"
    static let all = "\(apple) \(android) curl generic"

    /// The clients as they compare keys, each with the settings that do nothing else.
    static func client(_ name: Substring, _ pins: PinSet?) throws -> any ClientProcedure {
        switch name {
        case "afnetworking": AFNetworking(policy: AFSecurityPolicy(mode: .publicKey))
        case "alamofire": Alamofire(.publicKeys)
        case "trustkit": try TrustKit(pins: pins, enforcesPinning: false)
        case "nspinneddomains": NSPinnedDomains()
        case "android": AndroidNetworkSecurityConfig()
        case "okhttp": OkHttp()
        case "curl": Curl()
        default: Generic()
        }
    }

    func check() throws {
        for (clients, reason) in expected {
            for client in clients.split(separator: " ") {
                let verdict = try scene.verdict(of: Self.client(client, scene.pinSet))
                #expect(verdict.reason.id == reason, "\(name), \(client): \(verdict.trace)")
            }
        }
    }
}

extension Scene {
    /// A chain whose last certificate is the anchor alone unless others are given, with the keys of all of it pinned.
    static func chain(_ chain: [LabCertificate], anchors: [LabCertificate]? = nil) -> Scene {
        let anchors = anchors ?? [chain[chain.count - 1]]
        return .ordinary(pins: chain, presented: chain.filter { !anchors.contains($0) }, system: anchors)
    }
}

extension CertificateTemplate {
    var withPolicy: CertificateTemplate {
        with { $0.add(32, element(0x30, element(0x30, [0x06, 0x03, 0x2a, 0x03, 0x04]))) }
    }
    var askingForPolicy: CertificateTemplate { with { $0.add(36, element(0x30, element(0x80, [0]))) } }
}

@Suite("What a path's certificates say of themselves and of each other") struct PathFactVectors {
    private static let root = try! LabCertificate.selfSigned(.authority("Harbour Root").with { $0.serialNumber = [7] })
    private static let issuing = try! root.issue(.authority("Harbour Issuing").with { $0.serialNumber = [11] })
    private static let renewed = try! root.reissue(issuing) { $0.serialNumber = [12] }
    private static let server = CertificateTemplate.leaf(serverName)
    private static let other = "issuer-identifier"

    static let identifiers: [Fact] = {
        let bySerial = try! issuing.issue(server.naming(issuerOf: root.subject, serialNumber: [11]))
        let byKey = try! issuing.issue(server.with { $0.authorityKeyIdentifier = .bytes([1, 2, 3]) })
        let belowRoot = try! root.issue(server.naming(issuerOf: root.subject, serialNumber: [7]))
        let again = try! root.reissue(root) { $0.serialNumber = [8] }
        let keyBelowRoot = try! root.issue(server.with { $0.authorityKeyIdentifier = .bytes([1, 2, 3]) })
        return [
            Fact(
                "11 and 12", .chain([bySerial, renewed, root]), (Fact.android, Fact.matched),
                (Fact.apple, Fact.matched), ("curl generic", other)),
            Fact("11 (as it says)", .chain([bySerial, issuing, root]), (Fact.all, Fact.matched)),
            Fact(
                "13 and 14", .chain([byKey, issuing, root]), (Fact.android, Fact.matched), (Fact.apple, other),
                ("curl generic", other)),
            Fact(
                "15", .chain([belowRoot, again]), (Fact.android, other), (Fact.apple, Fact.matched),
                ("curl generic", other)), Fact("15 (key)", .chain([keyBelowRoot, root]), (Fact.all, other)),
        ]
    }()

    static let forms: [Fact] = {
        let demanding = try! root.issue(.authority("Harbour Policy").askingForPolicy)
        let holding = try! root.issue(.authority("Harbour Policy").askingForPolicy.withPolicy)
        let asking = try! LabCertificate.selfSigned(.authority("Harbour Demand").askingForPolicy)
        func issued(_ template: CertificateTemplate, by issuer: LabCertificate = issuing) -> [LabCertificate] {
            [try! issuer.issue(template), issuer, root]
        }
        let others = "\(Fact.apple) \(Fact.android) generic"
        let namesakes = (0..<2).map { _ in try! LabCertificate.selfSigned(.authority("Harbour Root")) }
        return [
            Fact("20", .chain(issued(server, by: demanding)), (others, "no-policy"), ("curl", Fact.matched)),
            Fact("20 (the anchor asks)", .chain([try! asking.issue(server), asking]), (Fact.all, Fact.matched)),
            Fact("21", .chain(issued(server.withPolicy, by: holding)), (Fact.all, Fact.matched)),
            Fact("22 (version)", .chain(issued(server.with { $0.version = 1 })), (others, "malformed")),
            Fact("22 (twice)", .chain(issued(server.with { $0.add(14, [0x04, 0x01, 0x09]) })), (others, "malformed")),
            Fact("23", .chain(issued(server.with { $0.garble(17) })), (others, "malformed")),
        ]
            + (1...2).map { count in
                let anchors = [root] + namesakes.prefix(count)
                return Fact(
                    "20 (\(count) more anchors of the name)", .chain(issued(server, by: demanding), anchors: anchors),
                    (others, "no-policy"))
            }
    }()

    static let namesakes: [Fact] = {
        let star = try! root.renew(root)
        let below = try! star.issue(.authority("Harbour Berth"))
        return [
            Fact(
                "1 and 2", .chain([try! star.issue(server), star, root]), (Fact.android, "self-issued"),
                (Fact.apple, Fact.matched), ("curl generic", Fact.matched)),
            Fact(
                "3", .chain([try! below.issue(server), below, star, root]), (Fact.android, "self-issued"),
                (Fact.apple, Fact.matched), ("curl generic", Fact.matched)),
        ]
    }()

    static let anchors: [Fact] = {
        let leaf = try! issuing.issue(server)
        let both = [leaf, issuing]
        let old = try! LabCertificate.selfSigned(server.expired())
        let box = try! LabCertificate.selfSigned(server, key: old.key)
        let chained = Scene.ordinary(pins: [leaf], presented: both, system: [root, leaf])
        let expired = Scene.ordinary(pins: [old], presented: [old], system: [box])
        let shallow = try! LabCertificate.selfSigned(.authority("Harbour Shallow", pathLength: 0))
        let upper = try! shallow.issue(.authority("Harbour Upper"))
        let lower = try! upper.issue(.authority("Harbour Lower"))
        let narrow = try! root.issue(.authority("Harbour Upper", pathLength: 0))
        let deep = try! narrow.issue(.authority("Harbour Lower"))
        return [
            Fact("4", chained.with { $0.pins = [root] }, (Fact.android, "pin-mismatch")),
            Fact("5", chained, (Fact.android, Fact.matched)),
            Fact("6", .ordinary(pins: [root], presented: both, system: [root, issuing]), (Fact.android, Fact.matched)),
            Fact(
                "7", .ordinary(pins: [root], presented: both + [root], system: [issuing]),
                (Fact.android, "pin-mismatch"), ("generic", "pin-mismatch")),
            Fact("8 and 9", expired, (Fact.android, Fact.matched), ("generic afnetworking", "expired")),
            Fact("8 (another name)", expired.with { $0.host = "other.example.com" }, (Fact.android, "name-mismatch")),
            Fact("8 (renewed)", .ordinary(pins: [box], presented: [box], system: [old]), (Fact.android, Fact.matched)),
            Fact(
                "10", .chain([try! lower.issue(server), lower, upper, shallow]), (Fact.android, Fact.matched),
                ("generic curl", "path-too-long"), (Fact.apple, "path-too-long")),
            Fact("10 (below)", .chain([try! deep.issue(server), deep, narrow, root]), (Fact.all, "path-too-long")),
        ]
    }()

    static let algorithms: [Fact] = {
        let ecdsa: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03]
        let rsa: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]
        let byRSA = try! root.issue(.authority("Harbour RSA"), key: .shared(.rsa(bits: 2_048), label: "harbour"))
        func leaf(_ algorithm: [UInt8], by issuer: LabCertificate = issuing) -> LabCertificate {
            try! issuer.issue(server.with { $0.outerAlgorithm = algorithm })
        }
        let withoutNull = leaf(element(0x30, rsa), by: byRSA)
        let withNull = leaf(element(0x30, ecdsa, [0x02, 0x05, 0x00]))
        let others = "\(Fact.android) curl generic"
        return [
            Fact(
                "16 and 17", .chain([withoutNull, byRSA, root]), (Fact.apple, Fact.matched),
                (others, "algorithm-mismatch")),
            Fact(
                "16 and 17 (a NULL too many)", .chain([withNull, issuing, root]), (Fact.apple, Fact.matched),
                (others, "algorithm-mismatch")),
            Fact("18", .chain([leaf(element(0x30, ecdsa, [0x03])), issuing, root]), (Fact.all, "bad-signature")),
            Fact("19", .chain([withoutNull.withBrokenSignature(), byRSA, root]), (Fact.all, "bad-signature")),
        ]
    }()

    /// An authority below its own namesake, and a leaf that says nothing of its issuer's key.
    static let chosen: Fact = {
        let template = CertificateTemplate.authority("Harbour Twice").with { $0.subjectKeyIdentifier = .absent }
        let anchor = try! LabCertificate.selfSigned(template)
        let between = try! anchor.issue(.authority("Harbour Between").with { $0.authorityKeyIdentifier = .absent })
        let namesake = try! between.issue(template)
        let leaf = try! namesake.issue(server.with { $0.authorityKeyIdentifier = .absent })
        return Fact(
            "28", .chain([leaf, namesake, between, anchor]), ("generic", Fact.matched), ("curl", "bad-signature"))
    }()

    @Test(arguments: identifiers + forms + namesakes + anchors + algorithms + [chosen])
    func eachClientDecidesAsItsOwnCodeDoes(_ fact: Fact) throws { try fact.check() }

    @Test func whatWasFoundIsSaidAndNeverThatTheIssuerIsMissing() throws {
        for (fact, sentence) in [
            (Self.identifiers[0], "another issuer and serial number (authority key identifier)"),
            (Self.identifiers[2], "another key identifier (authority key identifier)"),
            (Self.forms[0], "CN=Harbour Policy (depth 1) asks for a certificate policy (requireExplicitPolicy)"),
            (Self.forms[3], "is malformed: it is of version 1 and has extensions"),
            (Self.forms[4], "is malformed: it has 2.5.29.14 twice"),
            (Self.forms[5], "is malformed: its subjectAltName cannot be read"),
        ] {
            let failures = try fact.scene.failures(of: Generic())
            #expect(failures.first?.description.contains(sentence) == true, "\(failures)")
            #expect(!failures.contains { ["unknown-issuer", "key-usage"].contains($0.id) })
        }
    }

    @Test func thePathThatAndroidLooksAtIsSaidAndWhatItIsRefusedFor() throws {
        let ended = try Self.namesakes[1].scene.failures(of: OkHttp())
        #expect(
            ended.first?.description
                == "the path ends at CN=Harbour Root (depth 2), which bears the name of its issuer, and it is not "
                + "trusted (a rule of Android)")
        let generic = try Self.namesakes[0].scene.verdict(of: Generic())
        #expect(generic.warnings.contains { $0.message.hasPrefix("Android refuses this server: the path ends at ") })
        for (number, count) in [(0, 1), (1, 1), (2, 3)] {
            let verdict = try Self.anchors[number].scene.verdict(of: AndroidNetworkSecurityConfig())
            #expect(verdict.builtChain.certificates.count == count)
            #expect(!verdict.warnings.contains { $0.id == "path-dependent" })
        }
    }

    @Test func onADeviceAPinComparedByHandIsJudgedByItsPlatform() throws {
        let scene = Self.algorithms[0].scene
        for (release, isAccepted) in [(PlatformRelease.apple(.newest), true), (.android(level: 36), false)] {
            #expect(try scene.with { $0.release = release }.verdict(of: Generic()).isAccepted == isAccepted)
        }
    }

    @Test func ofThreeExtensionsTheOneThatIsNotForServersIsNamed() throws {
        let netscape = CertificateTemplate.Extension(OID(2, 16, 840, 1, 113730, 1, 1), value: [0x03, 0x02, 0x07, 0x80])
        let rows: [(change: @Sendable (inout CertificateTemplate) -> Void, words: String)] = [
            ({ $0.additionalExtensions.append(netscape) }, "(Netscape certificate type)"),
            ({ $0.keyUsage = [.cRLSign] }, "(key usage)"),
            ({ $0.extendedKeyUsage = [.clientAuth] }, "(extended key usage)"),
        ]
        for row in rows {
            let leaf = try Self.issuing.issue(Self.server.with(row.change))
            let failures = try Scene.chain([leaf, Self.issuing, Self.root]).failures(of: Generic())
            #expect(failures.first?.id == "wrong-purpose")
            #expect(failures.first?.description.hasSuffix(row.words) == true, "\(failures)")
        }
    }

    @Test func whoseNameConstraintsAreBrokenIsSaid() throws {
        let narrow = try LabCertificate.selfSigned(
            .authority("Narrow").with { $0.permittedNames = [.dns("example.org")] })
        let authority = try narrow.issue(.authority("Below"))
        let leaf = try authority.issue(Self.server)
        let failure = try Scene.chain([leaf, authority, narrow]).failures(of: Generic()).first
        #expect(failure?.description.contains("the names that CN=Narrow (depth 2) may certify") == true, "\(failure)")
    }
}

@Suite("What libraries refuse that a pin compared by hand takes") struct LibraryFactVectors {
    private static let root = try! LabCertificate.selfSigned(.authority("Quay Root"))
    private static let issuing = try! root.issue(.authority("Quay Issuing"))
    private static let leaf = try! issuing.issue(.leaf(serverName))

    /// The scene, and who refuses the server, each with a word of the reason.
    static let rows: [(scene: Scene, refusals: [String])] = {
        let bare = try! LabCertificate.selfSigned(.authority("Quay Bare").with { $0.isAuthority = nil })
        let narrow = try! LabCertificate.selfSigned(
            .authority("Quay Narrow").with { $0.excludedNames = [.dns("device.example.com")] })
        let device = try! narrow.issue(.leaf(subject: "device.example.com", names: [GeneralName("192.0.2.7")]))
        let encrypting = try! issuing.issue(
            CertificateTemplate.leaf(serverName).with { $0.keyUsage = [.keyEncipherment] })
        let nameless = try! issuing.issue(.leaf(subject: .empty, names: [.dns(serverName)]))
        let underscored = try! issuing.issue(.leaf("*.example.com"))
        let gone = try! LabCertificate.selfSigned(.authority("Quay Gone"))
        let crossed = try! gone.issue(.authority("Quay Issuing"), key: issuing.key)
        let long = try! issuing.issue(.leaf(serverName).with { $0.notAfter = $0.notBefore + 900 * LabClock.day })
        let others = (0..<9).map { number in
            try! LabCertificate.selfSigned(.authority(DistinguishedName(commonName: "Quay \(number)")))
        }
        func chain(_ leaf: LabCertificate) -> Scene { .chain([leaf, issuing, root]) }
        return [
            (chain(leaf), []), (chain(leaf).with { $0.presented += others[..<8] }, []),
            (chain(leaf).with { $0.presented += others }, ["Java refuses: it sends 11 certificates"]),
            (chain(long), ["iOS refuses: valid for 900 days"]),
            (.chain([leaf, issuing]), ["Node and Python before 3.13 refuse: not a root"]),
            // OpenSSL takes the first trusted issuer, although the other leads to a root.
            (
                chain(leaf).with { $0.system = [crossed, root] },
                ["Node and Python before 3.13 refuse: CN=Quay Issuing (depth 1), which is not a root"]
            ), (.chain([try! bare.issue(.leaf(serverName)), bare]), ["Go and Java refuse: no basicConstraints"]),
            (
                Scene.chain([device, narrow]).with { $0.host = "192.0.2.7" },
                ["Node and Python refuse: CN=Quay Narrow (depth 1)"]
            ),
            (
                chain(encrypting),
                [
                    "iOS refuses: digitalSignature", "Android refuses: digitalSignature",
                    "Java and dio refuse: digitalSignature",
                ]
            ), (chain(nameless), ["Java refuses: not critical"]),
            (
                chain(underscored).with { $0.host = "a_b.example.com" },
                ["Java refuses: the name a_b.example.com has a _"]
            ),
        ]
    }()

    @Test(arguments: rows.indices) func withPinsItIsAWarningWithoutANote(_ index: Int) throws {
        let (scene, refusals) = Self.rows[index]
        for (scene, level) in [(scene, Finding.Level.warning), (scene.with { $0.pins = [] }, .note)] {
            let verdict = try scene.verdict(of: Generic())
            #expect(verdict.isAccepted)
            let findings = verdict.findings.filter { $0.message.contains("this server: ") }
            try #require(findings.count == refusals.count, "\(findings.map(\.message))")
            for (finding, refusal) in zip(findings, refusals) {
                let parts = refusal.split(separator: ": ", maxSplits: 1).map(String.init)
                #expect(finding.message.hasPrefix("\(parts[0]) this server: "))
                #expect(finding.message.contains(parts[1]), "\(finding.message)")
                let isOfSystem = parts[0].hasPrefix("iOS") || parts[0].hasPrefix("Android")
                #expect(finding.kind == (isOfSystem ? .platformRule : .libraryDiffers) && finding.level == level)
                if parts[0].hasPrefix("iOS"), level == .warning { #expect(finding.remedy == .judgeOn(.apple)) }
            }
        }
    }

    @Test func onADeviceItsSystemAloneIsAsked() throws {
        let scene = Scene.chain([Self.leaf, Self.issuing]).with { $0.release = .apple(.newest) }
        #expect(try !scene.verdict(of: Generic()).findings.contains { $0.message.contains("this server: ") })
    }
}
