import LoopbackLab
import Pinning
import Testing
import X509

/// Counts, never times: what a chain may cost is budgeted before the work is done.
@Suite("A hostile chain costs no more than the budget") struct HostileChainTests {
    private func find(_ chain: [LabCertificate], anchors: [LabCertificate] = []) throws -> PathFindings {
        OpenSSLPathVerifier(trustStore: try TrustStore(anchors)).findPaths(try PathQuestion(chain))
    }

    private func ids(_ findings: PathFindings) -> Set<String> { Set(findings.failures.map(\.id)) }

    @Test func aMeshOfAuthoritiesIsGivenUp() throws {
        #expect(ids(try find(HostileChains.mesh(8, key: .p521))).contains("too-many-paths"))
    }

    @Test func ofWhatWasGivenUpTheLeafAloneIsCertain() throws {
        let chain = try HostileChains.mesh(16)
        let platforms: [Platform?] = [nil, .apple()]
        for order in [platforms, platforms.reversed()] {
            let verifier = OpenSSLPathVerifier(trustStore: try TrustStore([]))
            for platform in order {
                let findings = verifier.findPaths(try PathQuestion(chain, on: platform))
                #expect(findings.validPaths.isEmpty && ids(findings).contains("too-many-paths"))
                #expect(findings.bestEfforts.last?.count == 1)
            }
        }
    }

    @Test func aFewNamesakesDoNotHideTheIssuer() throws {
        let (chain, root) = try HostileChains.namesakes(60)
        #expect(try find(chain, anchors: [root]).validPaths.map(\.count) == [3])
    }

    @Test func costlyNamesakesAreNotAllTried() throws {
        let (chain, root) = try HostileChains.namesakes(250, of: .p521)
        let findings = try find(chain, anchors: [root])
        // Where the issuer comes among its namesakes is left to their hashes, so that the wire order has no say.
        #expect(findings.validPaths.isEmpty == ids(findings).contains("too-many-paths"))
    }

    @Test(arguments: [(9, 11), (10, 12), (13, 15), (14, 16)]) func aPathOfUpToSixteenCertificatesIsFollowed(
        rungs: Int, count: Int
    ) throws {
        let (chain, root) = try HostileChains.ladder(rungs)
        #expect(try find(chain, anchors: [root]).validPaths.map(\.count) == [count])
        #expect(try find([chain[0]] + chain.dropFirst().reversed(), anchors: [root]).validPaths.map(\.count) == [count])
    }

    @Test(arguments: [15, 16, 20, 100]) func ofALongerOneItIsSaidThatItIsLonger(rungs: Int) throws {
        let (chain, root) = try HostileChains.ladder(rungs)
        for anchors in [[root], []] {
            // With the root unknown, a path of just seventeen ends where nobody looks either.
            guard rungs > 15 || !anchors.isEmpty else { continue }
            let findings = try find(chain, anchors: anchors)
            #expect(findings.failures.map(\.id) == ["too-many-certificates"])
            #expect(findings.failures.first?.description.contains("more than 16 certificates") == true)
            #expect(findings.bestEfforts.first?.count == 16)
        }
    }

    @Test func aPathOfSixteenWhoseIssuerIsMissingSaysSo() throws {
        let (chain, _) = try HostileChains.ladder(15)
        #expect(ids(try find(chain)) == ["unknown-issuer"])
    }

    @Test func ofFiveHundredPathsAsManyAreTriedAsTheBudgetAllows() throws {
        let (chain, root) = try HostileChains.doubledLadder(9)
        let cheap = try find(chain, anchors: [root]).validPaths.count
        #expect(cheap > 10 && cheap <= 64)
        let (costly, anchor) = try HostileChains.doubledLadder(9, key: .p521)
        let few = try find(costly, anchors: [anchor]).validPaths.count
        #expect(few >= 1 && few < cheap)
    }

    @Test func tenThousandNamesBelowOrdinaryConstraintsAreFine() throws {
        let (chain, root) = try HostileChains.constraints(names: 10_000, constraints: 25, authorities: 2)
        #expect(try find(chain, anchors: [root]).validPaths.count == 1)
    }

    @Test func namesTimesConstraintsWithoutMeasureAreGivenUp() throws {
        for (names, constraints) in [(20_000, 20), (2_000, 250)] {
            let (chain, root) = try HostileChains.constraints(names: names, constraints: constraints, authorities: 8)
            let findings = try find(chain, anchors: [root])
            #expect(ids(findings) == ["too-many-paths"])
        }
    }

    @Test func certificatesThatSignEachOtherInACircleEnd() throws {
        let first = try LabCertificate.selfSigned(.authority("First"))
        let second = try first.issue(.authority("Second"))
        let circle = [second, try second.reissue(first)]
        let leaf = try second.issue(.leaf(HostileChains.name))
        #expect(ids(try find([leaf] + circle)) == ["unknown-issuer"])
        #expect(try find([leaf] + circle, anchors: [first]).validPaths.map(\.count) == [3])
    }

    @Test func certificatesOfOneNameAndKeyAreNotPutInOrderForEachOfThem() throws {
        #expect(ids(try find(HostileChains.twins(20))) == ["untrusted-root"])
        let chain = try HostileChains.twins(240)
        #expect(ids(try find(chain)).contains("too-many-paths"))
        #expect(try find(chain, anchors: [chain[1]]).validPaths.map(\.count) == [2])
    }

    @Test func aPolicyTreeWithoutMeasureIsEndedByOpenSSLsOwnLimit() throws {
        let (chain, root) = try HostileChains.policies(20, authorities: 4)
        let verifier = OpenSSLPathVerifier(trustStore: try TrustStore([root]))
        for platform in [nil, .apple(), .android()] as [Platform?] {
            let failures = verifier.findPaths(try PathQuestion(chain, on: platform)).failures
            #expect(failures.first?.id == "no-policy", "\(failures)")
        }
        #expect(try verifier.findPaths(PathQuestion(chain, on: .openssl)).failures.isEmpty)
    }

    @Test func questionsAboutOneTargetShareABudgetAnotherTargetHasItsOwn() throws {
        let mesh = try HostileChains.mesh(16)
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let ordinary = try PathQuestion([try root.issue(.leaf(HostileChains.name))])
        let verifier = OpenSSLPathVerifier(trustStore: try TrustStore([root]))
        let target = verifier.within(TargetBudget())
        // Anchors of its own make each a question of its own.
        for stranger in try LabCertificate.strangers(26) {
            var question = try PathQuestion(mesh)
            question.anchors = .only([try stranger.value()])
            #expect(ids(target.findPaths(question)).contains("too-many-paths"))
        }
        for _ in 0..<2 { #expect(target.findPaths(ordinary).failures.map(\.id) == ["too-many-paths"]) }
        #expect(verifier.within(TargetBudget()).findPaths(ordinary).failures.isEmpty)
    }

    @Test func aCrowdOfStrangersChangesNothing() throws {
        let leaf = try LabCertificate.selfSigned(.authority("Root")).issue(.leaf(HostileChains.name))
        #expect(ids(try find([leaf] + LabCertificate.strangers(200))) == ["unknown-issuer"])
    }
}

/// Chains made to cost a client as much as can be, each as large as a server can send: about 2 MiB.
enum HostileChains {
    static let name = RandomPKI.serverName

    typealias Rooted = (chain: [LabCertificate], root: LabCertificate)

    /// Authorities of one name that all vouch for each other, without key identifiers to tell them apart.
    static func mesh(_ count: Int, key algorithm: LabKey.Algorithm = .p256) throws -> [LabCertificate] {
        let template = anonymous(.authority("Mesh"))
        let authorities = try (0..<count).map { number in
            try LabCertificate.selfSigned(template, key: .shared(algorithm, label: "mesh \(number)"))
        }
        let mesh = try authorities.flatMap { issuer in
            try authorities.filter { $0 != issuer }.map { try issuer.issue(template, key: $0.key) }
        }
        return [try authorities[0].issue(anonymous(.leaf(name)))] + mesh
    }

    /// A real issuer behind so many of its name with other keys.
    static func namesakes(_ count: Int, of algorithm: LabKey.Algorithm = .p256) throws -> Rooted {
        let template = anonymous(.authority("Issuer"))
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let issuer = try root.issue(template)
        let key = try LabKey.shared(algorithm, label: "namesake")
        let namesakes = try (0..<count).map { _ in try root.issue(template, key: key) }
        return ([try issuer.issue(anonymous(.leaf(name)))] + namesakes + [issuer], root)
    }

    /// A leaf under so many certificates of one name and one key, each signed by that key.
    static func twins(_ count: Int) throws -> [LabCertificate] {
        let template = anonymous(.authority("Twin"))
        let issuer = try LabCertificate.selfSigned(template)
        let twins = try (1..<count).map { _ in try issuer.issue(template, key: issuer.key) }
        return [try issuer.issue(anonymous(.leaf(name))), issuer] + twins
    }

    /// A leaf below so many authorities, each under the one before.
    private static func stack(
        _ count: Int, leaf: CertificateTemplate = .leaf(name), _ template: (Int) -> CertificateTemplate
    ) throws -> Rooted {
        let root = try LabCertificate.selfSigned(.authority("Root"))
        var chain = [root]
        for number in 0..<count {
            let key = try LabKey.shared(.p256, label: "rung \(number % 4)")
            chain.insert(try chain[0].issue(template(number), key: key), at: 0)
        }
        return ([try chain[0].issue(leaf)] + chain.dropLast(), root)
    }

    static func ladder(_ count: Int) throws -> Rooted {
        try stack(count) { .authority(DistinguishedName(commonName: "Rung \($0)")) }
    }

    /// Two ways up from every rung: twice as many paths with each.
    static func doubledLadder(_ count: Int, key algorithm: LabKey.Algorithm = .p256) throws -> Rooted {
        let root = try LabCertificate.selfSigned(.authority("Rung 0"), key: .shared(algorithm, label: "rung 0"))
        var chain: [LabCertificate] = []
        var rung = root
        for number in 1...count {
            let template = anonymous(.authority(DistinguishedName(commonName: "Rung \(number)")))
            let key = try LabKey.shared(algorithm, label: "rung \(number)")
            let next = try rung.issue(template, key: key)
            chain = [next, try rung.reissue(next)] + chain
            rung = next
        }
        return ([try rung.issue(anonymous(.leaf(name)))] + chain, root)
    }

    static func constraints(names: Int, constraints: Int, authorities: Int) throws -> Rooted {
        try stack(authorities, leaf: .leaf(name).withManyNames(names)) { number in
            CertificateTemplate.authority(DistinguishedName(commonName: "Constrained \(number)")).with {
                $0.permittedNames = (0..<constraints).map { .dns("p\($0).example.org") } + [.dns("example.com")]
                $0.excludedNames = (0..<constraints).map { .dns("x\($0).example.com") }
            }
        }
    }

    /// A path of authorities that ask for a policy, and each map so many of them to all of each other.
    static func policies(_ count: UInt8, authorities: Int) throws -> Rooted {
        let all = (0..<count).map { [0x06, 0x03, 0x2a, 0x03, $0] as [UInt8] }
        func policies(_ template: CertificateTemplate) -> CertificateTemplate {
            template.with { $0.add(32, element(0x30, all.flatMap { element(0x30, $0) })) }
        }
        let pairs = all.flatMap { one in all.flatMap { element(0x30, one, $0) } }
        return try stack(authorities, leaf: policies(.leaf(name))) { number in
            policies(.authority(DistinguishedName(commonName: "Policy \(number)"))).with {
                $0.add(33, element(0x30, pairs))
                $0.add(36, element(0x30, element(0x80, [0])))
            }
        }
    }

    private static func anonymous(_ template: CertificateTemplate) -> CertificateTemplate {
        template.with {
            $0.subjectKeyIdentifier = .absent
            $0.authorityKeyIdentifier = .absent
        }
    }
}
