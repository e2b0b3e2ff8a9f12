import Testing

@testable import PinChecking

struct ChainComparisonTests {
    typealias Certificate = Snapshot.Certificate

    private static let names = ["a.example", "b.example"]

    /// The certificates of the table: those of one subject have the word for it in common.
    private static let world: [String: Certificate] = [
        "leaf": recorded("leaf", by: "I1", names: names),
        "leaf-renewed": recorded("leaf", by: "I1", names: names, from: 60, to: 150),
        "leaf-rekeyed": recorded("leaf", by: "I1", key: "new", names: names, from: 60, to: 150),
        "leaf-rsa": recorded("leaf", by: "I1", key: "rsa", type: "RSA 2048", names: names, to: 150),
        "leaf-short": recorded("leaf", by: "I1", key: "new", names: names, to: 47),
        "leaf-by-J1": recorded("leaf", by: "J1", key: "new", names: names),
        "leaf-case": recorded("leaf", by: "I1", names: ["B.example", "A.example"], to: 91),
        "leaf-more": recorded("leaf", by: "I1", names: names + ["c.example"], to: 91),
        "leaf-less": recorded("leaf", by: "I1", names: ["a.example"], to: 91),
        "leaf-other": recorded("leaf", by: "I1", names: ["a.example", "z.example", "y.example"], to: 91),
        "leaf-91": recorded("leaf", by: "I1", names: names, to: 91),
        "leaf-key-01": recorded("leaf", by: "I1", issuerKey: "01", names: names),
        "leaf-key-02": recorded("leaf", by: "I1", issuerKey: "02", names: names, to: 91),
        "I1": recorded("I1", by: "I2", to: 900), "I1-800": recorded("I1", by: "I2", to: 800),
        "I1-901": recorded("I1", by: "I2", to: 901), "I1-again": recorded("I1", by: "I2", to: 900, edition: 1),
        "I1-rekeyed": recorded("I1", by: "I2", key: "I1 new", to: 900), "I1-by-J2": recorded("I1", by: "J2", to: 900),
        "I2": recorded("I2", by: "R", to: 1_000), "I2-by-S": recorded("I2", by: "S", to: 1_000),
        "I2-aa": recorded("I2", by: "R", issuerKey: "aa", to: 1_000),
        "I2-bb": recorded("I2", by: "R", issuerKey: "bb", to: 1_000), "J1": recorded("J1", by: "I2", to: 900),
        "J1-by-S": recorded("J1", by: "S", to: 900), "J2": recorded("J2", by: "R", to: 1_000),
        "R": recorded("R", by: "R", to: 4_000), "R-rekeyed": recorded("R", by: "R", key: "R new", to: 4_000),
        "R-by-Old": recorded("R", by: "Old", to: 500), "S": recorded("S", by: "S", to: 4_000),
        "junk": recorded("junk", by: "nobody"), "self": recorded("self", by: "self"),
        "self-rekeyed": recorded("self", by: "self", key: "new"), "leaf-by-R": recorded("leaf", by: "R"),
        "leaf-by-S": recorded("leaf", by: "S"), "none": recorded("", by: "I1"),
        "none-rekeyed": recorded("", by: "I1", key: "new"),
    ]

    private func chain(_ words: String) throws -> [Certificate] {
        try words.split(separator: " ").map { try #require(Self.world[String($0)], "\($0)") }
    }

    private static let rows: [(String, String, String)] = [
        ("leaf I1 I2", "leaf I1 I2", ""), ("R", "R", ""), ("leaf I1", "leaf-renewed I1", "renewed"),
        ("leaf I1", "leaf-rekeyed I1", "rekeyed"), ("leaf I1", "leaf-rsa I1", "rekeyed key-type-changed"),
        ("leaf I1", "leaf-case I1", "renewed"), ("leaf I1", "leaf-more I1", "renewed names-added"),
        ("leaf I1", "leaf-less I1", "renewed names-removed"),
        ("leaf I1", "leaf-other I1", "renewed names-added names-removed"),
        ("leaf I1", "leaf-short I1", "rekeyed expires-earlier"), ("none I1", "none-rekeyed I1", "rekeyed"),
        // A day is what a renewal may end earlier without being told.
        ("leaf-91", "leaf", "renewed"), ("leaf-renewed", "leaf", "renewed expires-earlier"),
        ("leaf I1", "leaf I1-800", "renewed expires-earlier"), ("leaf I1", "leaf I1-901", "renewed"),
        ("leaf I1 I2", "leaf I1-again I2", "renewed"), ("leaf I1 I2", "leaf-by-J1 J1 I2", "rekeyed issuer-changed"),
        ("leaf I1", "leaf-by-J1 J1", "rekeyed issuer-changed"),
        ("leaf I1", "leaf-91 I1-rekeyed", "renewed issuer-changed"),
        // What issued a leaf that is sent alone need not be a root.
        ("leaf", "leaf-by-J1 J1", "rekeyed issuer-changed"),
        ("leaf-key-01", "leaf-key-02", "renewed issuer-changed root-changed"), ("leaf-key-01", "leaf-91", "renewed"),
        ("leaf I1 I2", "leaf I1-by-J2 J2", "issuer-changed"), ("leaf I1 I2", "leaf I1 I2-by-S", "root-changed"),
        ("leaf I1 I2 R", "leaf I1 I2-by-S S", "root-changed"), ("leaf I1 I2 R", "leaf I1 I2-by-S", "root-changed"),
        ("leaf I1 I2", "leaf I1 I2-by-S S", "root-changed"), ("leaf I1 I2-aa", "leaf I1 I2-bb", "root-changed"),
        ("leaf I1 I2-aa R", "leaf I1 I2-bb R-rekeyed", "root-changed"),
        ("leaf I1 I2", "leaf-by-J1 J1-by-S", "rekeyed issuer-changed root-changed"),
        // With two levels the issuer that is sent is the root and nothing else.
        ("leaf-by-R R", "leaf-by-S S", "renewed root-changed"), ("self", "self-rekeyed", "rekeyed"),
        ("self", "leaf I1", "rekeyed names-added chain-changed"), ("leaf I1 I2", "leaf I1", "intermediate-missing"),
        ("leaf I1 I2", "leaf", "intermediate-missing"), ("leaf I1 I2", "leaf I2", "intermediate-missing"),
        ("leaf I1 I2 R", "leaf I1", "intermediate-missing chain-changed"),
        ("leaf I1", "leaf-by-J1", "rekeyed issuer-changed intermediate-missing"),
        ("leaf I1", "leaf I1 I2", "chain-changed"), ("leaf", "leaf I1", "chain-changed"),
        ("leaf I1", "leaf I1 junk", "intermediate-extra"), ("leaf I1", "leaf I1 I1", "chain-changed"),
        ("leaf I1 junk", "leaf I1", "chain-changed"), ("leaf I1 I1", "leaf I1", "chain-changed"),
        ("leaf I1 I2", "leaf I1 I2 R", "chain-changed"), ("leaf I1 I2 R", "leaf I1 I2", "chain-changed"),
        ("leaf I1 I2 R", "leaf I1 I2 S", "intermediate-extra chain-changed"),
        ("leaf I1", "leaf R", "intermediate-missing intermediate-extra"), ("leaf R", "leaf I1", "chain-changed"),
        ("leaf I1 I2", "leaf I2 I1", "chain-changed"), ("leaf I1", "I1 leaf", "chain-changed"),
        ("leaf I1 I2", "leaf-renewed I2 I1", "renewed chain-changed"),
        // A root that is cross-signed goes on and is no other root.
        ("leaf I1 I2", "leaf I1 I2 R-by-Old", "chain-changed"),
        ("leaf I1 I2 R-by-Old", "leaf I1 I2", "intermediate-missing"),
        ("leaf I1 I2 R", "leaf I1 I2 R-by-Old", "chain-changed expires-earlier"),
        ("leaf I1 I2 R-by-Old", "leaf I1 I2 R", "chain-changed"),
    ]

    @Test(arguments: rows) func aRotationIsCalledByWhatItMeansToPins(old: String, new: String, kinds: String) throws {
        let changes = ChainComparison.changes(from: try chain(old), to: try chain(new))
        #expect(changes.map(\.kind.id).joined(separator: " ") == kinds)
    }

    @Test(
        arguments: [
            (
                "leaf I1", "leaf-renewed I1", Change.Kind.renewed, "leaf (2027-01-15 to 2027-04-15)",
                "leaf (2027-03-16 to 2027-06-14)"
            ),
            (
                "leaf I1", "leaf-rekeyed I1", .rekeyed, "sha256/leaf (2027-01-15 to 2027-04-15)",
                "sha256/new (2027-03-16 to 2027-06-14)"
            ), ("leaf I1", "leaf-rsa I1", .keyTypeChanged, "EC P-256", "RSA 2048"),
            ("leaf I1", "leaf-other I1", .namesAdded, nil, "y.example, z.example"),
            ("leaf I1", "leaf-other I1", .namesRemoved, "b.example", nil),
            (
                "leaf I1", "leaf-short I1", .expiresEarlier, "leaf until 2027-04-15T08:00:00Z",
                "leaf until 2027-03-03T08:00:00Z"
            ), ("leaf I1", "leaf-by-J1 J1", .issuerChanged, "I1", "J1"),
            (
                "leaf I1", "leaf-91 I1-rekeyed", .issuerChanged, "I1 with the key sha256/I1",
                "I1 with the key sha256/I1 new"
            ),
            (
                "leaf-key-01", "leaf-key-02", .issuerChanged, "I1 with the key identifier 01",
                "I1 with the key identifier 02"
            ), ("leaf I1 I2", "leaf I1 I2-by-S", .rootChanged, "R", "S"),
            ("leaf I1 I2", "leaf", .intermediateMissing, "I1, I2", nil),
            ("leaf I1 I2", "leaf I2 I1", .chainChanged, "leaf, I1, I2", "leaf, I2, I1"),
        ] as [(String, String, Change.Kind, String?, String?)]) func aChangeSaysWhatWasAndWhatIs(
            old: String, new: String, kind: Change.Kind, before: String?, after: String?
        ) throws
    {
        let changes = ChainComparison.changes(from: try chain(old), to: try chain(new))
        #expect(changes.first { $0.kind == kind } == Change(kind: kind, old: before, new: after))
    }

    @Test func tenThousandNamesAreNotAllListed() throws {
        let many = recorded("leaf", by: "I1", names: Self.names + (0..<10_000).map { "n\($0).example" }, to: 91)
        let changes = ChainComparison.changes(from: try chain("leaf"), to: [many])
        let new = changes.first { $0.kind == .namesAdded }?.new
        #expect(new?.hasSuffix(" and 9992 more") == true && (new?.count ?? 0) < 200)
    }

    /// Whatever two chains are, they are equal or there is something to say, each thing once and in order.
    @Test func noDifferenceGoesUnsaid() {
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        func chain() -> [Certificate] {
            (0...random(4)).map { _ in
                let names = ["A", "B", "C"]
                let subject = names[random(3)]
                return recorded(
                    subject, by: names[random(3)], key: ["k1", "k2"][random(2)],
                    issuerKey: [nil, "01", "02"][random(3)], edition: random(2))
            }
        }
        for _ in 0..<20_000 {
            let old = chain()
            let new = chain()
            let changes = ChainComparison.changes(from: old, to: new)
            #expect(changes.isEmpty == (old == new), "\(old.map(\.certificateSHA256)) \(new.map(\.certificateSHA256))")
            let ranks = changes.compactMap { Change.Kind.allCases.firstIndex(of: $0.kind) }
            #expect(ranks == ranks.sorted())
            #expect(Set(changes).count == changes.count)
            #expect(changes.allSatisfy { $0.old != nil || $0.new != nil })
        }
    }
}
