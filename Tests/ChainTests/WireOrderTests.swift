import Base
import LoopbackLab
import Pinning
import Testing
import X509

@Suite("What a server sends beside what is needed changes no verdict") struct WireOrderTests {
    @Test(arguments: Seeds.sample(4)) func orderRepetitionAndStrangersChangeNothing(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<5 {
            // Tests with deadlines run on the same threads.
            await Task.yield()
            let world = try World(using: &generator)
            let (leaf, rest) = (world.presented[0], world.presented.dropFirst())
            let repeated = rest + [world.presented.randomElement(using: &generator)!]
            let before = try world.verdicts(world.presented)
            let after = try world.verdicts([leaf] + repeated.shuffled(using: &generator))
            let crowd = try rest + world.strangers(using: &generator)
            let amongStrangers = try world.verdicts([leaf] + crowd.shuffled(using: &generator))
            for (index, verdict) in before.enumerated() {
                let place: Comment = "seed \(seed), world \(number), client \(index): \(verdict.reason)"
                #expect(after[index].reason == verdict.reason, place)
                #expect(after[index].builtChain == verdict.builtChain, place)
                #expect(amongStrangers[index].isAccepted == verdict.isAccepted, place)
            }
        }
    }

    @Test func theWorldsHaveVerdictsOfBothKinds() throws {
        var generator = SeededGenerator(seed: 300)
        let verdicts = try (0..<8).flatMap { _ in
            let world = try World(using: &generator)
            return try world.verdicts(world.presented).map(\.isAccepted)
        }
        #expect(verdicts.count(where: \.self) > 8 && verdicts.count { !$0 } > 8)
    }
}

private struct World {
    let presented: [LabCertificate]
    private let pki: RandomPKI
    private let pins: PinSet
    private let verifier: OpenSSLPathVerifier

    init(using generator: inout some RandomNumberGenerator) throws {
        pki = try RandomPKI(using: &generator)
        presented = try pki.presented(using: &generator)
        verifier = OpenSSLPathVerifier(trustStore: try TrustStore(pki.anchors(using: &generator)))
        let targets = [pki.leaf, pki.leaf] + pki.authorities + pki.roots
        var pins: [Pin] = []
        for _ in 0..<Int.random(in: 2...3, using: &generator) {
            let certificate = try targets.randomElement(using: &generator)!.value()
            let isWhole = generator.chance(60)
            pins.append(
                Pin(isWhole ? .certificate(certificate) : .publicKey(certificate.spkiSHA256), at: .named("test")))
        }
        // TrustKit and browsers want a backup.
        pins.append(Pin(.publicKey(try LabCertificate.strangers(1)[0].value().spkiSHA256), at: .named("backup")))
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
    func verdicts(_ presented: [LabCertificate]) throws -> [Verdict] {
        let policies = [
            AFSecurityPolicy(mode: .certificate), AFSecurityPolicy(mode: .publicKey),
            AFSecurityPolicy(mode: .publicKey, allowInvalidCertificates: true),
            AFSecurityPolicy(mode: .certificate, allowInvalidCertificates: true, validatesDomainName: false),
        ]
        // Not curl: OpenSSL takes the first issuer that fits, so that the order counts.
        let others: [any ClientProcedure] = [
            try TrustKit(pins: pins), OkHttp(), AndroidNetworkSecurityConfig(), NSPinnedDomains(), Generic(),
        ]
        let view = ServerView(
            presented: PresentedChain(try presented.map { try $0.value() })!,
            referenceName: ReferenceName(RandomPKI.serverName), time: RandomPKI.now)
        return (policies.map { AFNetworking(policy: $0) } + others).map {
            $0.decide(view, pins: pins, verifier: verifier)
        }
    }
}

/// Authorities as they grow over the years, in the same shape for a seed: cross-signed, issued again, renewed, expired, misconfigured.
struct RandomPKI {
    static let serverName = "server.example.com"
    static let now = Timestamp(secondsSinceEpoch: LabClock.now)

    private(set) var roots: [LabCertificate] = []
    private(set) var authorities: [LabCertificate] = []
    let leaf: LabCertificate

    init(using generator: inout some RandomNumberGenerator) throws {
        for number in 0..<Int.random(in: 1...3, using: &generator) {
            let name = generator.chance(10) ? "Root 0" : "Root \(number)"
            var template = CertificateTemplate.authority(DistinguishedName(commonName: name))
            if generator.chance(5) { template = template.expired() }
            if generator.chance(10) { template.subjectKeyIdentifier = .absent }
            roots.append(try .selfSigned(template))
        }
        var layer = roots
        for depth in 0..<Int.random(in: 0...4, using: &generator) {
            var next: [LabCertificate] = []
            for number in 0..<Int.random(in: 1...2, using: &generator) {
                let template = Self.authority("CA \(depth).\(number)", using: &generator)
                next.append(try layer.randomElement(using: &generator)!.issue(template))
            }
            authorities += next
            layer = next
        }
        let issuer = layer.randomElement(using: &generator)!
        authorities += try Self.history(of: roots + authorities, using: &generator)
        let template = Self.server(using: &generator)
        leaf = generator.chance(4) ? try .selfSigned(template) : try issuer.issue(template)
    }

    /// What years of operation leave behind: authorities issued again, or renewed, by their own issuer or another.
    private static func history(of authorities: [LabCertificate], using generator: inout some RandomNumberGenerator)
        throws -> [LabCertificate]
    {
        var everyone = authorities
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let subject = everyone.randomElement(using: &generator)!
            let issuer = everyone.randomElement(using: &generator)!
            var template = subject.template.with { $0.serialNumber = nil }
            if generator.chance(15) { template = template.expired() }
            // A renewed one has the same name and another key: of use to nobody who knows the old one.
            everyone.append(try issuer.issue(template, key: generator.chance(60) ? subject.key : nil))
        }
        return Array(everyone.dropFirst(authorities.count))
    }

    private static func authority(_ name: String, using generator: inout some RandomNumberGenerator)
        -> CertificateTemplate
    {
        var template = CertificateTemplate.authority(DistinguishedName(commonName: name))
        if generator.chance(10) { template.pathLength = Int.random(in: 0...2, using: &generator) }
        if generator.chance(6) { template = template.expired() }
        if generator.chance(15) { template.subjectKeyIdentifier = .absent }
        if generator.chance(15) { template.authorityKeyIdentifier = .absent }
        if generator.chance(3) { template.isAuthority = false }
        if generator.chance(3) { template.keyUsage = [.digitalSignature] }
        if generator.chance(5) { template.extendedKeyUsage = [generator.chance(50) ? .serverAuth : .clientAuth] }
        if generator.chance(5) { template.permittedNames = [.dns(generator.chance(60) ? "example.com" : "other.test")] }
        return template
    }

    private static func server(using generator: inout some RandomNumberGenerator) -> CertificateTemplate {
        var template = CertificateTemplate.leaf(generator.chance(8) ? "other.example.com" : serverName)
        if generator.chance(7) { template = template.expired() }
        if generator.chance(3) { template = template.notYetValid() }
        if generator.chance(12) { template.extendedKeyUsage = generator.chance(60) ? nil : [.clientAuth] }
        return template
    }

    func presented(using generator: inout some RandomNumberGenerator) throws -> [LabCertificate] {
        var others = authorities.filter { _ in generator.chance(85) } + roots.filter { _ in generator.chance(40) }
        if generator.chance(30) { others += try LabCertificate.strangers(Int.random(in: 1...2, using: &generator)) }
        if generator.chance(20) { others.append((others + [leaf]).randomElement(using: &generator)!) }
        if generator.chance(70) { others.shuffle(using: &generator) }
        return [leaf] + others
    }

    func anchors(using generator: inout some RandomNumberGenerator) -> [LabCertificate] {
        roots.filter { _ in generator.chance(65) } + authorities.filter { _ in generator.chance(4) }
    }
}

extension RandomNumberGenerator {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

extension LabCertificate { func value() throws -> Certificate { try CertificateReader.certificate(der: der) } }

extension TrustStore {
    init(_ anchors: [LabCertificate]) throws { self.init(anchors: [AnchorBundle(try anchors.map { try $0.value() })]) }
}

extension PathQuestion {
    init(
        _ presented: [LabCertificate], name: ReferenceName = ReferenceName(RandomPKI.serverName),
        on platform: Platform? = nil, at time: Timestamp = RandomPKI.now
    ) throws {
        self.init(
            presented: PresentedChain(try presented.map { try $0.value() })!, anchors: .trustStore,
            policy: .sslServer(name: name), time: time, platform: platform)
    }
}
