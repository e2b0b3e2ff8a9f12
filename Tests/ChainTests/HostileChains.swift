import LoopbackLab

/// Chains made to cost a client as much as can be, each as large as a server can send: about 2 MiB.
enum HostileChains {
    static let name = RandomPKI.serverName

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
    ///
    /// The root is not among them.
    static func namesakes(_ count: Int, of algorithm: LabKey.Algorithm = .p256) throws -> (
        chain: [LabCertificate], root: LabCertificate
    ) {
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

    /// A path of so many authorities, each under the one before; the root is not part of it.
    static func ladder(_ count: Int, key algorithm: LabKey.Algorithm = .p256) throws -> (
        chain: [LabCertificate], root: LabCertificate
    ) {
        let root = try LabCertificate.selfSigned(.authority("Rung 0"), key: .shared(algorithm, label: "rung 0"))
        var rungs = [root]
        for number in 1...count {
            let template = CertificateTemplate.authority(DistinguishedName(commonName: "Rung \(number)"))
            rungs.append(try rungs[number - 1].issue(template, key: .shared(algorithm, label: "rung \(number % 4)")))
        }
        let leaf = try rungs[count].issue(.leaf(name))
        return ([leaf] + rungs.dropFirst().reversed(), root)
    }

    /// Two ways up from every rung: twice as many paths with each.
    static func doubledLadder(_ count: Int, key algorithm: LabKey.Algorithm = .p256) throws -> (
        chain: [LabCertificate], root: LabCertificate
    ) {
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

    /// A leaf with many names below authorities with many constraints.
    static func constraints(names: Int, constraints: Int, authorities: Int) throws -> (
        chain: [LabCertificate], root: LabCertificate
    ) {
        let root = try LabCertificate.selfSigned(.authority("Root"))
        var issuer = root
        var chain: [LabCertificate] = []
        for number in 0..<authorities {
            var template = CertificateTemplate.authority(DistinguishedName(commonName: "Constrained \(number)"))
            template.nameConstraints = .init(
                permitted: (0..<constraints).map { .dns("p\($0).example.org") } + [.dns("example.com")],
                excluded: (0..<constraints).map { .dns("x\($0).example.com") })
            issuer = try issuer.issue(template)
            chain.insert(issuer, at: 0)
        }
        return ([try issuer.issue(.leaf(name).withManyNames(names))] + chain, root)
    }

    /// Many small certificates that have nothing to do with the leaf.
    static func crowd(_ count: Int) throws -> [LabCertificate] {
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let key = try LabKey.shared(.ed25519, label: "crowd")
        return [try root.issue(.leaf(name))]
            + (try (0..<count).map { number in
                var template = anonymous(.leaf(subject: DistinguishedName(commonName: "\(number)"), names: []))
                (template.basicConstraints, template.keyUsage, template.extendedKeyUsage) = (nil, nil, nil)
                return try LabCertificate.selfSigned(template, key: key)
            })
    }

    private static func anonymous(_ template: CertificateTemplate) -> CertificateTemplate {
        template.with {
            $0.subjectKeyIdentifier = .absent
            $0.authorityKeyIdentifier = .absent
        }
    }
}
