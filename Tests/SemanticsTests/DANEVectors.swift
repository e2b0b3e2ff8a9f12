import LoopbackLab
import Pinning
import Testing
import X509

@Suite("DANE decides as the decision table's vectors 142 to 144 say") struct DANEVectors {
    static let pki = World.shared.standard

    /// A record for a certificate, written as in a zone file: usage, selector, matching.
    static func record(_ numbers: String, _ certificate: LabCertificate) throws -> TLSARecord {
        let values = numbers.split(separator: " ").compactMap { UInt8($0) }
        let selector = try #require(TLSARecord.Selector(rawValue: values[1]))
        let matching = try #require(TLSARecord.Matching(rawValue: values[2]))
        let selected = selector == .certificate ? certificate.der : certificate.key.publicKeyInfo
        let data =
            switch matching {
            case .full: selected
            case .sha256: Hashing.sha256(selected).bytes
            case .sha512: Hashing.sha512(selected)
            }
        let usage = try #require(TLSARecord.Usage(rawValue: values[0]))
        return try #require(TLSARecord(usage: usage, selector: selector, matching: matching, data: data))
    }

    static let unknown = Scene.ordinary(system: [])
    static let withRoot = Scene.ordinary(presented: [pki.leaf, pki.interA, pki.rootA], system: [])
    static let elsewhere = withRoot.with { $0.host = "www.example.org" }
    static let expired = Scene.ordinary(
        presented: [pki.leafExp, pki.interA, pki.rootA], system: [], host: "other.example")

    static let selfSigned = try! LabCertificate.selfSigned(.leaf(StandardPKI.serverName))

    static let vectors: [(String, record: String, LabCertificate, Scene, reason: String)] = [
        ("142", "3 1 1", pki.leaf, expired, "pin-matched"),
        ("142 (certificate)", "3 0 2", pki.leafExp, expired, "pin-matched"),
        ("142 (other key)", "3 1 1", pki.leaf2, unknown, "pin-mismatch"),
        ("142 (authority)", "3 1 1", pki.interA, unknown, "pin-mismatch"),
        ("143 (not presented)", "2 0 1", pki.rootA, unknown, "pin-mismatch"),
        ("143 (presented)", "2 0 1", pki.rootA, withRoot, "pin-matched"),
        ("143 (name)", "2 0 1", pki.rootA, elsewhere, "name-mismatch"),
        ("143 (date)", "2 0 1", pki.rootA, expired, "expired"),
        ("143 (intermediate)", "2 1 1", pki.interA, unknown, "pin-matched"),
        ("143 (leaf)", "2 1 1", pki.leaf, unknown, "pin-mismatch"),
        ("143 (whole certificate)", "2 0 0", pki.rootA, unknown, "pin-matched"),
        ("143 (whole key)", "2 1 0", pki.rootA, unknown, "pin-matched"),
        ("143 (whole key, its holder presented)", "2 1 0", pki.rootA, withRoot, "pin-matched"),
        ("143 (whole key of the issuer)", "2 1 0", pki.interA, Scene.ordinary(presented: [pki.leaf]), "pin-matched"),
        ("143 (whole key, name)", "2 1 0", pki.rootA, elsewhere, "name-mismatch"),
        ("143 (whole other key)", "2 1 0", pki.rootB, unknown, "pin-mismatch"),
        ("143 (whole key of the leaf)", "2 1 0", pki.leaf, unknown, "pin-mismatch"),
        (
            "143 (whole key of a self-signed leaf)", "2 1 0", selfSigned, .ordinary(presented: [selfSigned]),
            "pin-matched"
        ),
        (
            "143 (whole key, its holder expired)", "2 1 0", pki.interA,
            Scene.ordinary(presented: [pki.leaf, pki.interAexp], system: []), "expired"
        ), ("144 (0)", "0 0 1", pki.interA, unknown, "unknown-issuer"),
        ("144 (1)", "1 1 1", pki.leaf, unknown, "unknown-issuer"),
        ("144 (0, trusted)", "0 0 1", pki.rootA, .ordinary(), "pin-matched"),
        ("144 (0, leaf)", "0 1 1", pki.leaf, .ordinary(), "pin-mismatch"),
        ("144 (1, trusted)", "1 1 1", pki.leaf, .ordinary(), "pin-matched"),
        ("144 (1, authority)", "1 1 1", pki.interA, .ordinary(), "pin-mismatch"),
        ("144 (1, name)", "1 1 1", pki.leaf, .ordinary(host: "www.example.org"), "name-mismatch"),
    ]

    @Test(arguments: vectors) func `the verdict and its reason are those of the table`(
        _ number: String, record: String, certificate: LabCertificate, scene: Scene, reason: String
    ) throws {
        let client = try DANE(records: [try Self.record(record, certificate)])
        try ClientVector(number, client, scene, reason).check()
    }

    @Test func `one record that holds is enough`() throws {
        let records = [
            try Self.record("3 1 1", Self.pki.junk), try Self.record("2 0 1", Self.pki.junk),
            try Self.record("1 1 1", Self.pki.leaf),
        ]
        let verdict = try ClientVector("A10", try DANE(records: records), .ordinary(), "pin-matched").check()
        #expect(verdict.reason == .pinMatched(PinMatch(pinIndex: 2, depth: 0)))
        #expect(throws: ClientConfigurationError.self) { try DANE(records: []) }
    }

    @Test func `vector 143: a bare key vouches for what it signed and for nothing beside`() throws {
        let bare = try DANE(records: [try Self.record("2 1 0", Self.pki.rootA)])
        let verdict = try Self.unknown.verdict(of: bare)
        #expect(verdict.reason == .pinMatched(PinMatch(pinIndex: 0, depth: 1)))
        #expect(
            verdict.trace.last?.detail == "the key in the record (usage 2, the key) signed the certificate at depth 1")
        // An interceptor presents the genuine intermediate beside a chain of its own.
        let rogue = Scene.ordinary(presented: [Self.pki.rogue, Self.pki.rogueI, Self.pki.interA], system: [])
        try ClientVector("143", bare, rogue, "pin-mismatch").check()
        let damaged = try #require(TLSARecord(usage: .trustAnchor, selector: .publicKey, matching: .full, data: [0x30]))
        try ClientVector("143", try DANE(records: [damaged]), Self.unknown, "pin-mismatch").check()
    }
}
