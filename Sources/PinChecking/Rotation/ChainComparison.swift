internal import Base
internal import Pinning

/// What makes two presented chains differ, told apart by what it means to pins.
package enum ChainComparison {
    /// The changes from one chain in wire order to another, in the order of their kinds; none for equal chains alone.
    package static func changes(from old: [Snapshot.Certificate], to new: [Snapshot.Certificate]) -> [Change] {
        guard let oldLeaf = old.first, let newLeaf = new.first, old != new else { return [] }
        guard old.map(\.certificateSHA256).sorted() != new.map(\.certificateSHA256).sorted() else {
            return [chainChange(from: old, to: new)]
        }
        var changes = Set(leafChanges(from: oldLeaf, to: newLeaf))
        changes.formUnion(AuthorityComparison(old, new).changes())
        if changes.isEmpty { changes.insert(chainChange(from: old, to: new)) }
        return changes.sorted { $0.kind != $1.kind ? $0.kind < $1.kind : ($0.old ?? "") < ($1.old ?? "") }
    }

    private static func leafChanges(from old: Snapshot.Certificate, to new: Snapshot.Certificate) -> [Change] {
        guard old != new else { return [] }
        func change(_ kind: Change.Kind, _ before: String?, _ after: String?) -> Change {
            Change(kind: kind, old: before, new: after, oldCertificate: old, newCertificate: new)
        }
        var changes: [Change] = []
        if old.spkiSHA256 == new.spkiSHA256 {
            changes.append(renewal(from: old, to: new))
        } else {
            changes.append(change(.rekeyed, "\(old.spkiSHA256) \(old.period)", "\(new.spkiSHA256) \(new.period)"))
            if old.key != new.key { changes.append(change(.keyTypeChanged, old.key, new.key)) }
        }
        let oldNames = Set(old.names.map { $0.lowercased() })
        let newNames = Set(new.names.map { $0.lowercased() })
        let added = newNames.subtracting(oldNames).sorted()
        let removed = oldNames.subtracting(newNames).sorted()
        if !added.isEmpty { changes.append(change(.namesAdded, nil, listed(added, first: mostNamed))) }
        if !removed.isEmpty { changes.append(change(.namesRemoved, listed(removed, first: mostNamed), nil)) }
        if let earlier = earlierEnd(from: old, to: new) { changes.append(earlier) }
        return changes
    }

    static let mostNamed = 8

    /// A key that was certified in advance has an end that is hours away from the old one, since CAs begin a lifetime when they issue.
    private static let toleratedSeconds: Int64 = 86_400

    /// The change when a certificate that took another one's place ends more than a day before it.
    static func earlierEnd(from old: Snapshot.Certificate, to new: Snapshot.Certificate) -> Change? {
        let (seconds, overflow) = old.notAfter.secondsSinceEpoch.subtractingReportingOverflow(
            new.notAfter.secondsSinceEpoch)
        guard new.notAfter < old.notAfter, overflow || seconds > toleratedSeconds else { return nil }
        return Change(
            kind: .expiresEarlier, old: "\(old.title) until \(old.notAfter)", new: "\(new.title) until \(new.notAfter)",
            oldCertificate: old, newCertificate: new)
    }

    /// The change when a certificate for the same key took another one's place.
    static func renewal(from old: Snapshot.Certificate, to new: Snapshot.Certificate) -> Change {
        Change(
            kind: .renewed, old: "\(old.title) \(old.period)", new: "\(new.title) \(new.period)", oldCertificate: old,
            newCertificate: new)
    }

    /// The change of what is sent, or of its order.
    static func chainChange(from old: [Snapshot.Certificate], to new: [Snapshot.Certificate]) -> Change {
        func sent(_ chain: [Snapshot.Certificate]) -> String { listed(chain.map(\.title), first: mostNamed) }
        return Change(kind: .chainChanged, old: sent(old), new: sent(new))
    }
}

extension Snapshot.Certificate {
    /// The subject, or what stands for it in a certificate without one.
    var title: String { subject.isEmpty ? "(no subject)" : subject }

    fileprivate var period: String { "(\(notBefore.date) to \(notAfter.date))" }
}
