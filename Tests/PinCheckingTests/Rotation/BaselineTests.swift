import Pinning
import Testing

@testable import PinChecking

struct BaselineTests {
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
        let newer = Snapshot(snapshot.endpoints + [endpoint(of: "b.example:443", leaf)])
        #expect(newer.endpoints.last?.leaf == leaf)
    }

    @Test func anEndpointIsFoundByItsAddressOrByItsName() {
        let recorded = Baseline(
            "base.json", Snapshot([endpoint(leaf), endpoint(of: "b.example:443", connect: "127.0.0.2:443", leaf)]))
        #expect(recorded.changes(at: endpoint(self.rekeyed)).changes.map(\.kind) == [.rekeyed])
        // An address of a target that is recorded by its name.
        #expect(recorded.changes(at: endpoint(connect: "127.0.0.9:443", leaf)).changes.isEmpty)
        // A name that was looked up and led to an address that is recorded.
        #expect(recorded.changes(at: endpoint(of: "b.example:443", leaf), from: "127.0.0.2:443").changes.isEmpty)
        // Another address of a target is compared with what its recorded ones served.
        let named = endpoint(of: "b.example:443", leaf)
        for (elsewhere, peer) in [
            (named, "127.0.0.3:443"), (named, nil),
            (endpoint(of: "b.example:443", connect: "127.0.0.3:443", leaf), nil),
        ] {
            #expect(recorded.changes(at: elsewhere, from: peer).changes.isEmpty)
            #expect(recorded.changes(at: elsewhere, from: peer).comparedWith == "127.0.0.2:443")
        }
        let rekeyed = endpoint(of: "b.example:443", connect: "127.0.0.3:443", self.rekeyed)
        #expect(recorded.changes(at: rekeyed).changes.map(\.kind).contains(.rekeyed))
        #expect(recorded.changes(at: endpoint(of: "c.example:443", leaf)).changes.map(\.kind) == [.targetAdded])
        #expect(
            recorded.changes(at: endpoint(of: "c.example:443", connect: "127.0.0.3:8443", leaf)).changes == [
                Change(kind: .targetAdded, old: nil, new: "c.example:443 → 127.0.0.3:8443 (SNI c.example)")
            ])
        var bare = endpoint(of: "c.example:443", leaf)
        bare.key.sni = nil
        #expect(recorded.changes(at: bare).changes.first?.new == "c.example:443 (no SNI, name c.example)")
    }

    @Test func whatIsOnlyInTheBaselineIsMissing() {
        let baseline = Snapshot([endpoint(leaf), endpoint(of: "b.example:443", leaf)])
        let recorded = Baseline("base.json", baseline)
        let missing = recorded.missing(from: [endpoint(leaf)])
        #expect(
            missing.flatMap(\.1.changes) == [
                Change(kind: .targetMissing, old: "b.example:443 (SNI b.example)", new: nil)
            ])
        #expect(recorded.missing(from: baseline.endpoints).isEmpty)
    }
}

let start = Timestamp(secondsSinceEpoch: 1_800_000_000)

func day(_ number: Int64) -> Timestamp { start.advanced(bySeconds: number * 86_400) }

func recorded(
    _ subject: String, by issuer: String, key: String? = nil, issuerKey: String? = nil, type: String = "EC P-256",
    names: [String] = [], from: Int64 = 0, to: Int64 = 90, edition: Int = 0
) -> Snapshot.Certificate {
    Snapshot.Certificate(
        subject: subject, issuer: issuer, issuerKeyID: issuerKey, names: names, notBefore: day(from), notAfter: day(to),
        key: type, spkiSHA256: "sha256/" + (key ?? subject),
        certificateSHA256:
            "\(subject)|\(issuer)|\(key ?? "")|\(issuerKey ?? "")|\(type)|\(from)|\(to)|\(names)|\(edition)")
}

func endpoint(of target: String = "api.example.com:443", connect: String? = nil, _ chain: Snapshot.Certificate...)
    -> Snapshot.Endpoint
{
    let name = String(target.split(separator: ":")[0])
    return Snapshot.Endpoint(Snapshot.Key(target: target, connect: connect, sni: name, verifyName: name), chain: chain)!
}
