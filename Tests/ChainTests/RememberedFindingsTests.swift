import LoopbackLab
import Pinning
import Testing
import X509

@Suite("What a verifier remembers changes no answer") struct RememberedFindingsTests {
    private static let names: [ReferenceName] = [
        ReferenceName(RandomPKI.serverName), ReferenceName("other.test"), ReferenceName("192.0.2.1"), .unchecked,
        ReferenceName("a..b"),
    ]
    private static let platforms: [Platform?] = [nil, .apple(), .android(), .openssl]
    private static let revoked = LeafEvidence.Staple.revoked(at: RandomPKI.now, reason: 1)

    @Test(arguments: Seeds.sample(3)) func aVerifierAskedBeforeAnswersAsANewOne(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<4 {
            await Task.yield()
            let pki = try RandomPKI(using: &generator)
            let anchors = pki.anchors(using: &generator)
            let remembering = OpenSSLPathVerifier(trustStore: try TrustStore(anchors))
            let presented = try PresentedChain(pki.presented(using: &generator).map { try $0.value() })!
            let pinned = try pki.roots.map { try $0.value() }
            // Dates at which something begins or ends, and the seconds beside them.
            let boundaries = presented.certificates.flatMap { [$0.notBefore, $0.notAfter] } + [RandomPKI.now]
            for _ in 0..<12 {
                let boundary = boundaries.randomElement(using: &generator)!
                let time = Timestamp(
                    secondsSinceEpoch: boundary.secondsSinceEpoch + Int64.random(in: -1...1, using: &generator))
                let question = PathQuestion(
                    presented: presented, intermediates: generator.chance(30) ? pinned : [],
                    anchors: [.trustStore, .trustStore, .only(pinned), .only([])].randomElement(using: &generator)!,
                    policy: generator.chance(20)
                        ? .basicX509 : .sslServer(name: Self.names.randomElement(using: &generator)!), time: time,
                    platform: Self.platforms.randomElement(using: &generator)!,
                    evidence: generator.chance(50) ? LeafEvidence(timestamps: [], staple: Self.revoked, at: time) : nil)
                let fresh = OpenSSLPathVerifier(trustStore: try TrustStore(anchors)).findPaths(question)
                let remembered = remembering.findPaths(question)
                let place: Comment = "seed \(seed), world \(number), \(question.policy), \(time)"
                #expect(remembered.validPaths == fresh.validPaths, place)
                #expect(remembered.failures == fresh.failures, place)
                #expect(remembered.bestEfforts == fresh.bestEfforts, place)
            }
        }
    }

    @Test(arguments: Seeds.sample(3)) func sharingDevicesAnswerAsIfTheyDidNot(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<4 {
            await Task.yield()
            let pki = try RandomPKI(using: &generator)
            var listed: [[UInt8]] = []
            let all = try pki.roots + pki.anchors(using: &generator) + pki.presented(using: &generator)
            for der in all.map(\.der) where !listed.contains(der) { listed.append(der) }
            let bundle = try AnchorBundle(listed: listed)
            let shared = FindingsCache()
            func isListed(_ selection: [Int]) -> @Sendable (Certificate) -> Bool {
                let roots = Set(selection.map { listed[$0] })
                return { roots.contains($0.der) }
            }
            let selections = (0..<4).map { _ in listed.indices.filter { _ in generator.chance(60) } }
            let devices = selections.map { selection in
                OpenSSLPathVerifier(
                    trustStore: TrustStore(AnchorSelection(selection, of: bundle)), sharing: shared,
                    isPublicRoot: isListed(selection))
            }
            let pinned = try pki.roots.map { try $0.value() }
            for _ in 0..<6 {
                let question = PathQuestion(
                    presented: PresentedChain(try pki.presented(using: &generator).map { try $0.value() })!,
                    intermediates: generator.chance(30) ? pinned : [],
                    anchors: generator.chance(20) ? .only(pinned) : .trustStore,
                    policy: .sslServer(name: Self.names.randomElement(using: &generator)!), time: RandomPKI.now,
                    platform: Self.platforms.randomElement(using: &generator)!)
                for (device, selection) in zip(devices, selections) {
                    let own = try AnchorBundle(listed: selection.map { listed[$0] })
                    let alone = OpenSSLPathVerifier(
                        trustStore: TrustStore(anchors: [own]), isPublicRoot: isListed(selection)
                    ).findPaths(question)
                    let sharing = device.findPaths(question)
                    let place: Comment = "seed \(seed), world \(number), \(selection), \(question.policy)"
                    #expect(sharing.validPaths == alone.validPaths, place)
                    #expect(sharing.failures == alone.failures, place)
                    #expect(sharing.bestEfforts == alone.bestEfforts, place)
                }
            }
        }
    }

    @Test func eachRejectedPathThatMayBeHandedOutIsToldWhoeverAskedFirst() throws {
        func name(_ text: String) -> CertificateTemplate { .authority(DistinguishedName(commonName: text)) }
        let root = try LabCertificate.selfSigned(name("Root"))
        let issuer = try root.issue(name("Issuer"))
        let above = try LabCertificate.selfSigned(name("Not sent")).issue(name("Above"))
        let between = try above.issue(name("Between"))
        let other = try between.issue(name("Issuer"), key: issuer.key)
        let leaf = try issuer.issue(.leaf(RandomPKI.serverName))
        let presented = [leaf, issuer, root, other, between, above]
        let platforms: [Platform?] = [nil, .apple()]
        for order in [platforms, platforms.reversed()] {
            let verifier = OpenSSLPathVerifier(trustStore: try TrustStore([]))
            for platform in order {
                let shown = verifier.findPaths(try PathQuestion(presented, name: .unchecked, on: platform)).bestEfforts
                let expected = [[leaf, issuer, root], [leaf, other, between, above]]
                #expect(shown == (try expected.map { try $0.map { try $0.value() } }))
            }
        }
    }
}
