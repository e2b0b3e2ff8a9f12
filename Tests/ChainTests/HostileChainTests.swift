import LoopbackLab
import Pinning
import Testing
import X509

/// Counts, never times: what a chain may cost is budgeted before the work is done.
@Suite("A hostile chain costs no more than the budget") struct HostileChainTests {
    private func find(_ chain: [LabCertificate], anchors: [LabCertificate] = []) throws -> PathFindings {
        OpenSSLPathVerifier(trustStore: try TrustStore(anchors)).findPaths(try question(chain))
    }

    private func question(_ chain: [LabCertificate], by platform: Platform? = nil) throws -> PathQuestion {
        let observation = try ServerView(chain)
        return PathQuestion(
            presented: observation.presented, anchors: .trustStore, policy: .sslServer(name: observation.referenceName),
            time: observation.time, platform: platform)
    }

    private func ids(_ findings: PathFindings) -> Set<String> { Set(findings.failures.map(\.id)) }

    @Test(arguments: [(16, LabKey.Algorithm.p256), (8, .p521)]) func `a mesh of authorities is given up`(
        count: Int, algorithm: LabKey.Algorithm
    ) throws {
        let findings = try find(HostileChains.mesh(count, key: algorithm))
        #expect(findings.validPaths.isEmpty)
        #expect(ids(findings).contains("too-many-paths"))
    }

    @Test func `of what was given up each platform shows its own path`() throws {
        let chain = try HostileChains.mesh(16)
        let platforms: [Platform?] = [nil, .apple()]
        for order in [platforms, platforms.reversed()] {
            let verifier = OpenSSLPathVerifier(trustStore: try TrustStore([]))
            for platform in order {
                let findings = verifier.findPaths(try question(chain, by: platform))
                #expect(ids(findings).contains("too-many-paths"))
                // All of them bear one name: Apple's points are for the shortest path then, the others take the longest.
                #expect((findings.bestEffort.count == 2) == (platform != nil))
            }
        }
    }

    @Test func `a few namesakes do not hide the issuer`() throws {
        let (chain, root) = try HostileChains.namesakes(60)
        #expect(try find(chain, anchors: [root]).validPaths.map(\.count) == [3])
    }

    @Test func `costly namesakes are not all tried`() throws {
        let (chain, root) = try HostileChains.namesakes(250, of: .p521)
        let findings = try find(chain, anchors: [root])
        // Where the issuer comes among its namesakes is left to their hashes, so that the wire order has no say.
        #expect(findings.validPaths.isEmpty == ids(findings).contains("too-many-paths"))
    }

    @Test(arguments: [(9, 11), (10, 12), (13, 15), (14, 16)]) func `a path of up to sixteen certificates is followed`(
        rungs: Int, count: Int
    ) throws {
        let (chain, root) = try HostileChains.ladder(rungs)
        #expect(try find(chain, anchors: [root]).validPaths.map(\.count) == [count])
        #expect(try find([chain[0]] + chain.dropFirst().reversed(), anchors: [root]).validPaths.map(\.count) == [count])
    }

    @Test(arguments: [15, 16, 20, 100])
    func `of a longer one it is said that it is longer, and not that an issuer is missing`(rungs: Int) throws {
        let (chain, root) = try HostileChains.ladder(rungs)
        for anchors in [[root], []] {
            // With the root unknown, a path of just seventeen ends where nobody looks either.
            guard rungs > 15 || !anchors.isEmpty else { continue }
            let findings = try find(chain, anchors: anchors)
            #expect(findings.failures.map(\.id) == ["too-many-certificates"])
            #expect(findings.failures.first?.description.contains("more than 16 certificates") == true)
            #expect(findings.bestEffort.count == 16)
        }
    }

    @Test func `a path of sixteen whose issuer is missing says so`() throws {
        let (chain, _) = try HostileChains.ladder(15)
        #expect(ids(try find(chain)) == ["unknown-issuer"])
    }

    @Test func `of five hundred paths as many are tried as the budget allows`() throws {
        let (chain, root) = try HostileChains.doubledLadder(9)
        let cheap = try find(chain, anchors: [root]).validPaths.count
        #expect(cheap > 10 && cheap <= 64)
        let (costly, anchor) = try HostileChains.doubledLadder(9, key: .p521)
        let few = try find(costly, anchors: [anchor]).validPaths.count
        #expect(few >= 1 && few < cheap)
    }

    @Test func `ten thousand names below ordinary constraints are fine`() throws {
        let (chain, root) = try HostileChains.constraints(names: 10_000, constraints: 25, authorities: 2)
        #expect(try find(chain, anchors: [root]).validPaths.count == 1)
    }

    @Test func `names times constraints without measure are given up`() throws {
        for (names, constraints) in [(20_000, 20), (2_000, 250)] {
            let (chain, root) = try HostileChains.constraints(names: names, constraints: constraints, authorities: 8)
            let findings = try find(chain, anchors: [root])
            #expect(ids(findings) == ["too-many-paths"])
        }
    }

    @Test func `certificates that sign each other in a circle end`() throws {
        let first = try LabCertificate.selfSigned(.authority("First"))
        let second = try first.issue(.authority("Second"))
        let circle = [second, try second.crossSign(first)]
        let leaf = try second.issue(.leaf(HostileChains.name))
        #expect(ids(try find([leaf] + circle)) == ["unknown-issuer"])
        #expect(try find([leaf] + circle, anchors: [first]).validPaths.map(\.count) == [3])
    }

    @Test func `certificates of one name and key are not put in order for each of them`() throws {
        #expect(ids(try find(HostileChains.twins(20))) == ["untrusted-root"])
        let chain = try HostileChains.twins(240)
        #expect(ids(try find(chain)).contains("too-many-paths"))
        #expect(try find(chain, anchors: [chain[1]]).validPaths.map(\.count) == [2])
    }

    @Test func `a crowd of strangers changes nothing`() throws {
        #expect(ids(try find(HostileChains.crowd(200))) == ["unknown-issuer"])
    }
}
