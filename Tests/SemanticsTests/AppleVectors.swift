import Base
import LoopbackLab
import Pinning
import Testing
import X509

@Suite("Apple's NSPinnedDomains decides as the decision table's vectors 131 to 136 say") struct AppleVectors {
    static func entry(
        _ name: String = "example.org", leaf: [LabCertificate]? = nil, authorities: [LabCertificate]? = nil
    ) throws -> HostEntry {
        HostEntry(
            hosts: HostPattern(text: name, .upToOneLabel), origin: .named(name),
            identities: .positions(leaf: try leaf.map(pins), authorities: try authorities.map(pins)))
    }

    static func pins(_ list: [LabCertificate]) throws -> [Pin] {
        try list.map { Pin(.publicKey(try hash($0)), at: .named("")) }
    }

    static func client(_ entries: [HostEntry], _ host: String) throws -> NSPinnedDomains {
        let configuration = PinConfiguration(.nsPinnedDomains, entries: entries)
        let policy = configuration.policy(
            for: try ServerName(host).description, publicSuffix: SystemPublicSuffixList.publicSuffix)
        return NSPinnedDomains(identities: policy?.positions)
    }

    @Test func vector131ASubdomainWithATrailingDotIsPinnedToOneAuthority() throws {
        let client = try Self.client([Self.entry(authorities: [pki.interA])], "Subdomain.example.org.")
        #expect(client.identities == .positions(leaf: nil, authorities: try Self.pins([pki.interA])))
        try ClientVector("131", client, .ordinary(pins: [pki.interA]), "pin-matched").check()
    }

    @Test(arguments: ["a.b.example.org", "example.com", "notexample.org", "192.0.2.1"])
    func vector132TwoLabelsBelowAndOtherNamesAreNotPinned(_ host: String) throws {
        let client = try Self.client([Self.entry(authorities: [pki.junk])], host)
        #expect(client.identities == nil)
        let verdict = try ClientVector("132", client, .ordinary(), "pins-not-applied").check()
        #expect(verdict.disposition == .performDefaultHandling)
    }

    static let listed: [(String, leaf: [LabCertificate]?, authorities: [LabCertificate]?, String)] = [
        ("133", [pki.leaf], [pki.junk], "pin-mismatch"),
        ("133 (leaf differs)", [pki.junk], [pki.interA], "pin-mismatch"),
        ("133 (both)", [pki.leaf], [pki.rootA], "pin-matched"), ("134 (leaf)", [], nil, "pin-mismatch"),
        ("134 (authority)", [pki.leaf], [], "pin-mismatch"),
        ("A7 (authority as leaf)", [pki.interA], nil, "pin-mismatch"),
        ("A7 (leaf as authority)", nil, [pki.leaf], "pin-mismatch"), ("A7 (no list)", nil, nil, "pin-mismatch"),
    ]

    @Test(arguments: listed) func vectors133And134BothIdentitiesMustHoldAnEmptyListNeverDoes(
        _ number: String, leaf: [LabCertificate]?, authorities: [LabCertificate]?, reason: String
    ) throws {
        let client = try Self.client([Self.entry(leaf: leaf, authorities: authorities)], "example.org")
        let pins = (leaf ?? []) + (authorities ?? [])
        try ClientVector(number, client, .ordinary(pins: pins), reason).check()
    }

    @Test func theListsOfAllEntriesThatMatchAreMerged() throws {
        let entries = [
            try Self.entry("www.example.org", authorities: [pki.junk]), try Self.entry(authorities: [pki.interA]),
        ]
        let client = try Self.client(entries, "www.example.org")
        try ClientVector("A7", client, .ordinary(pins: [pki.junk, pki.interA]), "pin-matched").check()
    }

    @Test func vector135AnAuthorityIdentityFailsWhereTheLeafIsTheAnchor() throws {
        let scene = Scene.ordinary(pins: [pki.leaf], presented: [pki.leaf], system: [pki.leaf])
        let authorities = NSPinnedDomains(identities: .positions(leaf: nil, authorities: try Self.pins([pki.leaf])))
        try ClientVector("135", authorities, scene, "pin-mismatch").check()
        let leaf = NSPinnedDomains(identities: .positions(leaf: try Self.pins([pki.leaf]), authorities: nil))
        try ClientVector("135 (leaf)", leaf, scene, "pin-matched").check()
    }

    @Test func vector136TheSystemAloneTriesAnotherPathForThePins() throws {
        func scene(_ pinned: LabCertificate) -> Scene {
            Scene.ordinary(
                pins: [pinned, pki.junk], presented: [pki.leaf, pki.interA, pki.interAxB],
                system: [pki.rootA, pki.rootB]
            ).with { $0.mode = .publicKey }
        }
        let verdicts = try [pki.rootA, pki.rootB].map { root in
            let client = NSPinnedDomains(identities: .positions(leaf: nil, authorities: try Self.pins([root])))
            let verdict = try ClientVector("136", client, scene(root), "pin-matched").check()
            #expect(verdict.builtChain.certificates.last == (try x509(root)))
            return verdict
        }
        #expect(verdicts.filter { $0.warnings.map(\.id) == ["path-dependent"] }.count == 1)
        for client in [
            AFNetworking(policy: scene(pki.rootA).policy), Alamofire(.publicKeys), OkHttp(),
            AndroidNetworkSecurityConfig(), try TrustKit(pins: try scene(pki.rootA).pinSet), Generic(),
        ] as [any ClientProcedure] {
            let others = try [pki.rootA, pki.rootB].map { root in
                let verdict = try scene(root).verdict(of: client)
                let isPreferred = try verdict.builtChain.certificates.last == x509(root)
                #expect(verdict.isAccepted == isPreferred, "\(type(of: client))")
                return verdict
            }
            #expect(Set(others.map(\.reason.id)) == ["pin-matched", "pin-mismatch"], "\(type(of: client))")
            #expect(others.allSatisfy { $0.warnings.contains { $0.id == "path-dependent" } }, "\(type(of: client))")
        }
    }
}
