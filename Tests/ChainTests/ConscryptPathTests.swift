import LoopbackLab
import Pinning
import Testing
import X509

/// Android's search beside a model of its rules that was written from the article *Devices* alone.
@Suite struct ConscryptPathTests {
    @Test(arguments: Seeds.sample(20)) func randomWorldsHaveThePathsThatConscryptBuilds(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for number in 0..<100 {
            let world = try ConscryptWorld(using: &generator)
            let verifier = OpenSSLPathVerifier(trustStore: try TrustStore(world.anchors.map(\.certificate)))
            let question = try PathQuestion(
                [world.leaf.certificate] + world.presented.map(\.certificate), on: .android())
            let found = verifier.findPaths(question).validPaths
            let expected = world.validPaths.map { $0.map(\.certificate.der) }
            #expect(
                Set(found.map { $0.map(\.der) }) == Set(expected),
                "seed \(seed), world \(number): \(found.map { $0.map(\.subject) })")
            if !expected.isEmpty { accepted += 1 }
        }
        #expect(accepted > 10)
    }
}

/// A few authorities that issue each other, with all that can be wrong with identifiers, dates and lengths.
struct ConscryptWorld {
    /// A name and a key; others can have either.
    struct Authority: Hashable {
        let name: Int
        let key: Int
    }

    struct Issued {
        let certificate: LabCertificate
        let subject: Authority
        let issuer: Authority

        var isSelfIssued: Bool { subject.name == issuer.name }
    }

    private static let time = LabClock.now
    private static let leafKey = 99

    let leaf: Issued
    private(set) var presented: [Issued] = []
    private(set) var anchors: [Issued] = []

    init(using generator: inout some RandomNumberGenerator) throws {
        let authorities = (0..<Int.random(in: 2...5, using: &generator)).map { _ in
            Authority(name: Int.random(in: 0..<4, using: &generator), key: Int.random(in: 0..<5, using: &generator))
        }
        var issued: [Issued] = []
        func draw(_ template: CertificateTemplate, _ subject: Authority) throws -> Issued {
            let isRoot = subject.key != Self.leafKey && generator.chance(35)
            let issuer = isRoot ? subject : authorities.randomElement(using: &generator)!
            var template = template.with { $0.serialNumber = [0x40, UInt8(issued.count)] }
            if generator.chance(8) { template = template.expired() }
            switch Int.random(in: 0..<100, using: &generator) {
            case ..<25: template.authorityKeyIdentifier = .absent
            case ..<35: template.authorityKeyIdentifier = .bytes([1, 2, 3])
            case ..<45:
                // One of the certificates of the issuer, which another may take the place of.
                let named = issued.filter { $0.subject == issuer }.randomElement(using: &generator)
                if let named, let serial = named.certificate.template.serialNumber {
                    template = template.naming(issuerOf: Self.name(named.issuer), serialNumber: serial)
                }
            default: break
            }
            let signer = Self.signers[issuer.name][issuer.key]
            return Issued(
                certificate: try signer.issue(template, key: Self.key(subject.key)), subject: subject, issuer: issuer)
        }
        for _ in 0..<Int.random(in: 3...9, using: &generator) {
            let subject = authorities.randomElement(using: &generator)!
            var template = CertificateTemplate.authority(Self.name(subject))
            if generator.chance(10) { template.pathLength = Int.random(in: 0...1, using: &generator) }
            if generator.chance(4) { template.isAuthority = false }
            if generator.chance(15) { template.subjectKeyIdentifier = .absent }
            issued.append(try draw(template, subject))
        }
        let server = Authority(name: generator.chance(10) ? authorities[0].name : 50, key: Self.leafKey)
        let template = CertificateTemplate.leaf(subject: Self.name(server), names: [.dns(RandomPKI.serverName)])
        leaf = try draw(template, server)
        if generator.chance(8) {
            anchors.append(leaf)
        } else if generator.chance(8) {
            anchors.append(try draw(template, server))
        }
        for one in issued {
            if generator.chance(70) { presented.append(one) }
            if generator.chance(35) { anchors.append(one) }
        }
    }

    private static func name(_ authority: Authority) -> DistinguishedName {
        DistinguishedName(commonName: "Authority \(authority.name)")
    }

    /// By name and key: whoever issues has both.
    private static let signers = (0..<4).map { name in
        (0..<5).map { key in
            try! LabCertificate.selfSigned(.authority(Self.name(Authority(name: name, key: key))), key: Self.key(key))
        }
    }

    private static func key(_ number: Int) throws -> LabKey { try .shared(.p256, label: "conscrypt \(number)") }

    var validPaths: [[Issued]] {
        let anchor =
            anchors.first { $0.certificate == leaf.certificate } ?? anchors.first { $0.subject == leaf.subject }
        return anchor.map { extend([$0], firstAnchor: 0) } ?? extend([leaf], firstAnchor: nil)
    }

    private func extend(_ path: [Issued], firstAnchor: Int?) -> [[Issued]] {
        let last = path[path.count - 1]
        func isUnused(_ one: Issued) -> Bool { !path.contains { $0.subject == one.subject } }
        let whole = firstAnchor.map { isValid(path, below: $0) ? [path] : [] } ?? []
        if last.isSelfIssued { return whole }
        // Anchors that issued the last certificate come first; once one is on the path only anchors follow.
        let above = anchors.filter { $0.subject == last.issuer && isUnused($0) }
        let found = above.flatMap { extend(path + [$0], firstAnchor: firstAnchor ?? path.count) }
        if firstAnchor != nil { return above.isEmpty ? whole : found }
        guard found.isEmpty else { return found }
        let shown = presented.filter { one in
            one.subject.name == last.issuer.name && isUnused(one)
                && !anchors.contains { $0.certificate == one.certificate }
        }
        return shown.flatMap { extend(path + [$0], firstAnchor: nil) }
    }

    /// Whether nothing is wrong before the first anchor, of which nothing counts but its key and, at the link below it, its identifiers.
    private func isValid(_ path: [Issued], below anchor: Int) -> Bool {
        for depth in 0..<anchor {
            let (one, issuer) = (path[depth], path[depth + 1])
            let template = one.certificate.template
            guard template.notAfter >= Self.time, one.issuer == issuer.subject else { return false }
            if depth > 0 {
                guard template.isAuthority == true, depth - 1 <= template.pathLength ?? .max else { return false }
            }
            if depth == anchor - 1, namesOther(than: issuer, one) { return false }
        }
        return true
    }

    private func namesOther(than issuer: Issued, _ one: Issued) -> Bool {
        if let named = one.certificate.template.additionalExtensions.first {
            let serial = issuer.certificate.template.serialNumber ?? []
            return !named.value.suffix(serial.count).elementsEqual(serial)
        }
        return one.certificate.template.authorityKeyIdentifier == .bytes([1, 2, 3])
            && issuer.certificate.template.subjectKeyIdentifier != .absent
    }
}
