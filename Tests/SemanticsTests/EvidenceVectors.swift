import LoopbackLab
import Pinning
import Testing
import X509

/// Vectors 146, 149 and 150 are rows of ``PlatformVectors``, for every platform.
@Suite("Names are compared as the decision table's vectors 147 and 148 say") struct NameVectors {
    static let vectors: [(String, names: [GeneralName], host: String, Bool)] = [
        ("147 (iPAddress)", [.ip([10, 0, 0, 1])], "10.0.0.1", true),
        ("147 (other address)", [.ip([10, 0, 0, 1])], "10.0.0.2", false),
        ("147 (IPv6)", [.ip([UInt8](repeating: 0, count: 15) + [1])], "[::1]", true),
        ("147 (name)", [.ip([10, 0, 0, 1])], "host.example", false),
        ("148", [.dns("api.example.com")], "API.Example.COM.", true),
        ("148 (certificate)", [.dns("API.EXAMPLE.COM")], "api.example.com", true),
        ("leading dot", [.dns("*.example.com")], ".example.com", false),
        ("wildcard asked for", [.dns("*.example.com")], "*.example.com", false),
    ]

    @Test(arguments: vectors) func aCertificateIsValidForItsNamesAndForNoOthers(
        _ number: String, names: [GeneralName], host: String, expected: Bool
    ) throws {
        let leaf = try pki.interA.issue(.leaf(subject: "fake.yahoo.com", names: names))
        let scene = Scene.ordinary(presented: [leaf, pki.interA], host: host)
        let verdict = try scene.afNetworking4()
        #expect(verdict.reason.id == (expected ? "trusted-without-pins" : "name-mismatch"), "vector \(number)")
    }

    @Test(
        arguments: [
            ("fake.yahoo.com", [], "it names no server (the common name does not count) (a rule of Apple's platforms)"),
            ("10.0.0.1", [.dns("10.0.0.1")], "10.0.0.1 (a dNSName, which matches no address)"),
        ] as [(String, [GeneralName], String)]) func vectors146And147TheMessageSaysWhatDoesNotCount(
            host: String, names: [GeneralName], explanation: String
        ) throws
    {
        let leaf = try pki.interA.issue(.leaf(subject: "fake.yahoo.com", names: names))
        let failures = try Scene.ordinary(presented: [leaf, pki.interA], host: host).failures(of: AFNetworking.bare)
        #expect(failures.map(\.id) == ["name-mismatch"])
        #expect(failures.first?.description.hasSuffix(explanation) == true, "\(failures)")
    }
}

/// Which key usages the TLS of a platform takes (platform rules, "leaf keyUsage present").
@Suite("A handshake that the platform's TLS ends is never accepted") struct HandshakeVectors {
    private static let rsa = try! LabKey.shared(.rsa(bits: 2_048), label: "usage")
    private static let everyone: Set = ["apple", "android", "openssl", "generic"]

    private static func facts(_ version: ProtocolVersion, _ cipher: String) -> ConnectionFacts {
        let isStatic = version < .tls13 && !cipher.hasPrefix("ECDHE")
        let suite: UInt16 = isStatic ? 0x009C : version < .tls13 ? 0xC02F : 0x1301
        return ConnectionFacts(
            version, (suite, cipher), group: isStatic ? nil : (0x001D, "X25519"), isStaticRSA: isStatic)
    }

    private static let handshakes: [(name: String, facts: ConnectionFacts?)] = [
        ("none", nil), ("1.3", facts(.tls13, "TLS_AES_128_GCM_SHA256")),
        ("1.2 ECDHE", facts(.tls12, "ECDHE-RSA-AES128-GCM-SHA256")), ("1.2 RSA", facts(.tls12, "AES128-GCM-SHA256")),
    ]

    /// What the leaf may be used for, whether its key is RSA, and who accepts on which handshakes; on the others openssl and generic alone.
    static let rows: [(usage: [CertificateTemplate.KeyUsage]?, isRSA: Bool, phones: Set<String>, others: Bool)] = [
        (nil, true, ["none", "1.3", "1.2 ECDHE", "1.2 RSA"], true),
        ([.digitalSignature], true, ["none", "1.3", "1.2 ECDHE"], true),
        ([.digitalSignature], false, ["none", "1.3", "1.2 ECDHE", "1.2 RSA"], true),
        ([.keyEncipherment], true, ["1.2 RSA"], true), ([.keyAgreement], false, [], true),
        ([.digitalSignature, .keyEncipherment], true, ["none", "1.3", "1.2 ECDHE", "1.2 RSA"], true),
        ([.keyCertSign, .cRLSign], true, [], false),
    ]

    @Test(arguments: rows.indices) func keyUsageIsJudgedByTheHandshakeForAnyClient(_ index: Int) throws {
        let row = Self.rows[index]
        let leaf = try pki.interA.issue(
            CertificateTemplate.leaf(serverName).with { $0.keyUsage = row.usage }, key: row.isRSA ? Self.rsa : nil)
        let lenient = AFSecurityPolicy(mode: .publicKey, allowInvalidCertificates: true, validatesDomainName: false)
        let clients: [(platform: String, client: any ClientProcedure)] = [
            ("apple", AFNetworking(policy: lenient)),
            ("apple", AFNetworking(policy: lenient, validatesCertificateChain: false)),
            ("apple", Alamofire(.publicKeys)), ("apple", NSPinnedDomains()),
            ("apple", try TrustKit(pins: Scene.ordinary(pins: [leaf, pki.junk]).pinSet)), ("android", OkHttp()),
            ("android", AndroidNetworkSecurityConfig()), ("openssl", Curl()), ("generic", Generic()),
        ]
        for (name, facts) in Self.handshakes {
            var scene = Scene.ordinary(pins: [leaf, pki.junk], presented: [leaf, pki.interA])
            scene.connection = facts
            for (platform, client) in clients {
                let isPhone = platform == "apple" || platform == "android"
                let verdict = try scene.verdict(of: client)
                let isAccepted = isPhone ? row.phones.contains(name) : row.others
                #expect(verdict.isAccepted == isAccepted, "\(type(of: client)) on \(name): \(verdict.trace)")
                if isPhone, !isAccepted { #expect(verdict.reason.id == "key-usage", "\(type(of: client)) on \(name)") }
            }
        }
    }
}

@Suite("What comes along with a leaf is judged on the path") struct EvidenceVectors {
    private func verdict(
        _ client: some ClientProcedure, logs: Int = 0, isPublic: Bool = true, pins: [LabCertificate] = []
    ) throws -> Verdict {
        let timestamps = (0..<logs).map { log in
            SignedCertificateTimestamp(
                logID: SHA256Digest(bytes: [UInt8](repeating: UInt8(log), count: 32))!, time: World.now)
        }
        let bare = Scene.ordinary(pins: pins, hashes: false).with { $0.publicRoots = isPublic ? [pki.rootA] : [] }
        // Each platform searches a chain with two issuers of one key by itself, as one of the paths is refused.
        let forked = bare.with { $0.presented = [pki.leaf, pki.interAexp, pki.interA] }
        let verdicts = try [bare, forked].map { bare in
            let scene = bare.with { $0.evidence = LeafEvidence(timestamps: timestamps, at: World.now) }
            // Twice, because the verifier remembers: other evidence is another question.
            let verifier = try bare.verifier
            let verdicts = try [bare, scene, bare, scene].map {
                client.decide(try $0.observation, pins: try $0.pinSet, verifier: verifier)
            }
            #expect(verdicts[0].isAccepted && verdicts[2].isAccepted)
            #expect(verdicts[3].reason.id == verdicts[1].reason.id)
            return verdicts[1]
        }
        #expect(verdicts[0].isAccepted == verdicts[1].isAccepted)
        return verdicts[0]
    }

    @Test(arguments: [
        (1, "too-few-scts", "has SCTs of 1 log, 3 are needed"),
        (3, "trusted-without-pins", "3 SCTs from 3 logs; which logs is not judged"),
    ]) func logsBelowAPublicRootAreCountedInAStepOfItsOwn(logs: Int, reason: String, detail: String) throws {
        let verdict = try verdict(AFNetworking.bare, logs: logs)
        #expect(verdict.reason.id == reason)
        let step = try #require(verdict.trace.first { $0.id == "transparency" })
        #expect(step.status == (verdict.isAccepted ? .pass : .fail) && step.detail.contains(detail), "\(step)")
        #expect(step.detail.contains("Apple's platforms") == !verdict.isAccepted)
    }

    @Test func belowAnybodysOwnRootNoneAreNeeded() throws {
        #expect(try verdict(AFNetworking.bare, isPublic: false).isAccepted)
    }

    @Test func aPinnedPublicRootIsAPublicRoot() throws {
        let pins = [pki.rootA]
        let client = AFNetworking(policy: AFSecurityPolicy(mode: .certificate, allowInvalidCertificates: true))
        #expect(try verdict(client, logs: 2, pins: pins).reason.id == "too-few-scts")
        #expect(try verdict(client, logs: 3, pins: pins).isAccepted)
    }
}
