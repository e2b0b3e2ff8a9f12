import PinChecking
import Testing

/// Endpoints against what is recorded of them.
struct SnapshotComparisonTests {
    let leaf = recorded("leaf", by: "I")
    let rekeyed = recorded("leaf", by: "I", key: "new")
    let renewed = recorded("leaf", by: "I", edition: 1)

    @Test func snapshotsAreSortedAndHoldEachEndpointOnce() {
        let snapshot = Snapshot([
            endpoint(of: "b.example:443", leaf), endpoint(of: "a.example:443", connect: "127.0.0.2:443", leaf),
            endpoint(of: "a.example:443", leaf), endpoint(of: "b.example:443", rekeyed),
        ])
        #expect(snapshot.endpoints.map(\.key.target) == ["a.example:443", "a.example:443", "b.example:443"])
        #expect(snapshot.endpoints.map(\.key.connect) == [nil, "127.0.0.2:443", nil])
        #expect(snapshot.endpoints.last?.leaf == rekeyed)
        #expect(snapshot.replacing([endpoint(of: "b.example:443", leaf)]).endpoints.last?.leaf == leaf)
    }

    @Test func whatIsTheSameIsUnchanged() {
        let comparison = SnapshotComparison(with: Snapshot([endpoint(leaf)]))
        #expect(comparison.changes(at: endpoint(leaf)) == [Change(.unchanged, old: nil, new: nil)])
        #expect(comparison.changes(at: endpoint(rekeyed)).map(\.kind) == [.rekeyed])
    }

    @Test func theConnectionIsComparedWhereBothSayWhatItWas() {
        let comparison = SnapshotComparison(with: Snapshot([endpoint(leaf)]))
        #expect(
            comparison.changes(at: endpoint(tls: "TLSv1.2", leaf)) == [
                Change(.tlsChanged, old: "TLSv1.3", new: "TLSv1.2")
            ])
        #expect(
            comparison.changes(at: endpoint(asksForClient: true, leaf)) == [
                Change(.tlsChanged, old: "TLSv1.3", new: "TLSv1.3, asks for a client certificate")
            ])
        #expect(comparison.changes(at: endpoint(tls: nil, leaf)).map(\.kind) == [.unchanged])
    }

    @Test func anEndpointIsFoundByItsAddressOrByItsName() {
        let comparison = SnapshotComparison(
            with: Snapshot([endpoint(leaf), endpoint(of: "b.example:443", connect: "127.0.0.2:443", leaf)]))
        // An address of a target that is recorded by its name.
        #expect(comparison.changes(at: endpoint(connect: "127.0.0.9:443", leaf)).map(\.kind) == [.unchanged])
        // A name that was looked up and led to an address that is recorded.
        #expect(
            comparison.changes(at: endpoint(of: "b.example:443", peer: "127.0.0.2:443", leaf)).map(\.kind) == [
                .unchanged
            ])
        // Another address of a target is compared with what its recorded ones served.
        for elsewhere in [
            endpoint(of: "b.example:443", peer: "127.0.0.3:443", leaf), endpoint(of: "b.example:443", leaf),
            endpoint(of: "b.example:443", connect: "127.0.0.3:443", leaf),
        ] {
            #expect(comparison.changes(at: elsewhere).map(\.kind) == [.unchanged])
            #expect(comparison.counterpart(for: elsewhere)?.isElsewhere == true)
            #expect(comparison.counterpart(for: elsewhere)?.endpoint.place == "127.0.0.2:443")
        }
        let rekeyed = endpoint(of: "b.example:443", connect: "127.0.0.3:443", recorded("leaf", by: "I", key: "new"))
        #expect(comparison.changes(at: rekeyed).map(\.kind).contains(.rekeyed))
        #expect(comparison.changes(at: endpoint(of: "c.example:443", leaf)).map(\.kind) == [.targetAdded])
        #expect(
            comparison.changes(at: endpoint(of: "c.example:443", connect: "127.0.0.3:8443", leaf)) == [
                Change(.targetAdded, old: nil, new: "c.example:443 → 127.0.0.3:8443 (SNI c.example)")
            ])
        var bare = endpoint(of: "c.example:443", leaf)
        bare.key.sni = nil
        #expect(comparison.changes(at: bare).first?.new == "c.example:443 (no SNI, name c.example)")
    }

    @Test func whatIsOnlyInTheBaselineIsMissing() {
        let baseline = Snapshot([endpoint(leaf), endpoint(of: "b.example:443", leaf)])
        let comparison = SnapshotComparison(with: baseline)
        let missing = comparison.missing(from: [endpoint(leaf)])
        #expect(missing.map(\.change) == [Change(.targetMissing, old: "b.example:443 (SNI b.example)", new: nil)])
        #expect(comparison.missing(from: baseline.endpoints).isEmpty)
    }

    @Test func anAddressThatServesSomethingElseStandsOut() {
        func addresses(_ leaves: Snapshot.Certificate...) -> [Snapshot.Endpoint] {
            leaves.enumerated().map { endpoint(connect: "127.0.0.\($0 + 1):443", $1) }
        }
        let comparison = SnapshotComparison(with: Snapshot(addresses(leaf, leaf, leaf, leaf)))
        #expect(comparison.differences(among: addresses(leaf, leaf, leaf, leaf)).isEmpty)
        #expect(comparison.differences(among: addresses(rekeyed, rekeyed, rekeyed, rekeyed)).isEmpty)
        #expect(
            comparison.differences(among: addresses(rekeyed, leaf, rekeyed, rekeyed)) == [
                1: Change(
                    .endpointsDiffer, old: "all served sha256/leaf",
                    new: "127.0.0.2:443 serves sha256/leaf, 3 of 4 serve sha256/new")
            ])
        // As many of one as of the other: the later ones.
        #expect(comparison.differences(among: addresses(rekeyed, leaf, leaf, rekeyed)).keys.sorted() == [1, 2])
        // The same key in another certificate.
        #expect(
            comparison.differences(among: addresses(leaf, leaf, renewed))[2]?.new
                == "127.0.0.3:443 serves certificate leaf|I|||EC P-25…, 2 of 3 serve certificate leaf|I|||EC P-25…")
        // What was accepted as different is nothing new.
        let mixed = SnapshotComparison(with: Snapshot(addresses(leaf, rekeyed)))
        #expect(mixed.differences(among: addresses(leaf, rekeyed)).isEmpty)
        // Other targets are other matters.
        #expect(comparison.differences(among: [endpoint(leaf), endpoint(of: "b.example:443", rekeyed)]).isEmpty)
        #expect(SnapshotComparison(with: Snapshot([])).differences(among: addresses(leaf, rekeyed))[1]?.old == nil)
    }
}
