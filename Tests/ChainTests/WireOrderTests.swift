import LoopbackLab
import Pinning
import Synchronization
import Testing
import X509

/// What a server sends besides its leaf may stand in any order, be there twice, or be of no use to anybody.
@Suite("What a server sends beside what is needed changes no verdict") struct WireOrderTests {
    @Test(arguments: Seeds.sample(4)) func `shuffling and repeating change nothing that any client sees`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<5 {
            // Tests with deadlines run on the same threads.
            await Task.yield()
            let world = try World(using: &generator)
            let before = try world.verdicts(world.presented)
            for _ in 0..<3 {
                var others = world.presented.dropFirst() + [world.presented.randomElement(using: &generator)!]
                others.shuffle(using: &generator)
                let after = try world.verdicts([world.presented[0]] + others)
                for (name, verdict) in before {
                    let place: Comment = "seed \(seed), world \(number), \(name)"
                    #expect(after[name]?.reason == verdict.reason, place)
                    #expect(after[name]?.builtChain == verdict.builtChain, place)
                }
            }
        }
    }

    @Test(arguments: Seeds.sample(4)) func `strangers change no verdict`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<5 {
            // Tests with deadlines run on the same threads.
            await Task.yield()
            let world = try World(using: &generator)
            let before = try world.verdicts(world.presented)
            let others = (world.presented.dropFirst() + (try world.strangers(using: &generator))).shuffled(
                using: &generator)
            let after = try world.verdicts([world.presented[0]] + others)
            for (name, verdict) in before {
                #expect(
                    after[name]?.isAccepted == verdict.isAccepted,
                    "seed \(seed), world \(number), \(name): \(verdict.reason), then \(String(describing: after[name]?.reason))"
                )
            }
        }
    }

    @Test func `the worlds have verdicts of both kinds`() throws {
        var generator = SeededGenerator(seed: 300)
        var (accepted, rejected) = (0, 0)
        for _ in 0..<20 {
            let world = try World(using: &generator)
            for verdict in try world.verdicts(world.presented).values {
                if verdict.isAccepted { accepted += 1 } else { rejected += 1 }
            }
        }
        #expect(accepted > 40)
        #expect(rejected > 40)
    }
}

/// A server, a device and the pins of all its clients.
private struct World {
    let presented: [LabCertificate]
    private let pki: RandomPKI
    private let pins: PinSet
    private let verifier: RememberingVerifier

    init(using generator: inout some RandomNumberGenerator) throws {
        pki = try RandomPKI(using: &generator)
        presented = try pki.presented(using: &generator)
        verifier = RememberingVerifier(try TrustStore(pki.anchors(using: &generator)))
        let targets = [pki.leaf, pki.leaf] + pki.authorities + pki.roots
        var pins: [Pin] = []
        for _ in 0..<Int.random(in: 2...3, using: &generator) {
            let certificate = try targets.randomElement(using: &generator)!.value()
            let isWhole = generator.chance(60)
            pins.append(
                Pin(isWhole ? .certificate(certificate) : .publicKey(certificate.publicKey.spkiSHA256), origin: "test"))
        }
        // TrustKit and browsers want a backup.
        pins.append(Pin(.publicKey(try LabCertificate.strangers(1)[0].value().publicKey.spkiSHA256), origin: "backup"))
        self.pins = PinSet(pins)!
    }

    /// Certificates that belong to no path: unknown names, known names with unknown keys, and leaves of those.
    func strangers(using generator: inout some RandomNumberGenerator) throws -> [LabCertificate] {
        let stranger = try LabCertificate.selfSigned(.authority("Nobody"))
        let known = (pki.authorities + pki.roots).shuffled(using: &generator).prefix(3)
        let namesakes = try known.flatMap { authority in
            let template = authority.template.with { $0.serialNumber = nil }
            return [try LabCertificate.selfSigned(template), try stranger.issue(template)]
        }
        return [stranger, try stranger.issue(.leaf(RandomPKI.serverName))] + namesakes
    }

    /// What every client decides; those that compare what was merely presented are left out.
    func verdicts(_ presented: [LabCertificate]) throws -> [String: Verdict] {
        let observation = try ServerView(presented)
        let clients: [(String, any ClientProcedure)] = [
            ("certificate", AFNetworking(policy: AFSecurityPolicy(mode: .certificate))),
            ("publicKey", AFNetworking(policy: AFSecurityPolicy(mode: .publicKey))),
            (
                "publicKey, invalid allowed",
                AFNetworking(policy: AFSecurityPolicy(mode: .publicKey, allowInvalidCertificates: true))
            ),
            (
                "certificate, invalid allowed, no name",
                AFNetworking(
                    policy: AFSecurityPolicy(
                        mode: .certificate, allowInvalidCertificates: true, validatesDomainName: false))
            ), ("trustkit", try TrustKit(pins: pins)), ("okhttp", OkHttp()),
            ("android", AndroidNetworkSecurityConfig()), ("nspinneddomains", NSPinnedDomains()),
            // Not curl: OpenSSL takes the first issuer that fits, so that the order counts.
            ("generic", Generic()),
        ]
        var verdicts: [String: Verdict] = [:]
        for (name, client) in clients { verdicts[name] = client.decide(observation, pins: pins, verifier: verifier) }
        return verdicts
    }
}

/// Answers a question that another client asked before from memory.
private final class RememberingVerifier: PathVerifier {
    private let verifier: OpenSSLPathVerifier
    private let answers = Mutex<[PathQuestion: PathFindings]>([:])

    init(_ trustStore: TrustStore) { verifier = OpenSSLPathVerifier(trustStore: trustStore) }

    func findPaths(_ question: PathQuestion) -> PathFindings {
        if let known = answers.withLock({ $0[question] }) { return known }
        let findings = verifier.findPaths(question)
        answers.withLock { $0[question] = findings }
        return findings
    }
}
