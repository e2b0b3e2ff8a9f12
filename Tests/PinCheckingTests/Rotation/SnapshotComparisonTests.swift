import PinChecking
import Testing

/// Endpoints against what is recorded of them.
struct SnapshotComparisonTests {
    let leaf = recorded("leaf", by: "I")
    let rekeyed = recorded("leaf", by: "I", key: "new")

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
        #expect(comparison.changes(at: endpoint(leaf)).isEmpty)
        #expect(comparison.changes(at: endpoint(rekeyed)).map(\.kind) == [.rekeyed])
    }

    @Test func anEndpointIsFoundByItsAddressOrByItsName() {
        let comparison = SnapshotComparison(
            with: Snapshot([endpoint(leaf), endpoint(of: "b.example:443", connect: "127.0.0.2:443", leaf)]))
        // An address of a target that is recorded by its name.
        #expect(comparison.changes(at: endpoint(connect: "127.0.0.9:443", leaf)).isEmpty)
        // A name that was looked up and led to an address that is recorded.
        #expect(comparison.changes(at: endpoint(of: "b.example:443", peer: "127.0.0.2:443", leaf)).isEmpty)
        // Another address of a target is compared with what its recorded ones served.
        for elsewhere in [
            endpoint(of: "b.example:443", peer: "127.0.0.3:443", leaf), endpoint(of: "b.example:443", leaf),
            endpoint(of: "b.example:443", connect: "127.0.0.3:443", leaf),
        ] {
            #expect(comparison.changes(at: elsewhere).isEmpty)
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
}
