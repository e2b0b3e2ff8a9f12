internal import Base
internal import Pinning

/// What makes two served chains differ, told apart by what it means to pins.
package enum ChainComparison {
    /// The changes from one chain to another, in the order of their kinds; none for equal chains.
    ///
    /// - Parameters:
    ///   - old: a chain in wire order, the leaf first.
    ///   - new: the chain that took its place.
    /// - Returns: at least one change when a certificate or their order differs.
    package static func changes(from old: [Snapshot.Certificate], to new: [Snapshot.Certificate]) -> [Change] {
        guard let oldLeaf = old.first, let newLeaf = new.first, old != new else { return [] }
        var authorities = AuthorityComparison(old, new)
        guard !authorities.isOrderAlone else { return [authorities.orderChange] }
        var changes: Set<Change> = []
        if oldLeaf != newLeaf { changes.formUnion(leafChanges(from: oldLeaf, to: newLeaf, authorities)) }
        changes.formUnion(authorities.changes())
        return changes.sorted { $0.kind != $1.kind ? $0.kind < $1.kind : ($0.old ?? "") < ($1.old ?? "") }
    }

    private static func leafChanges(
        from old: Snapshot.Certificate, to new: Snapshot.Certificate, _ authorities: AuthorityComparison
    ) -> [Change] {
        var changes: [Change] = []
        if old.spkiSHA256 == new.spkiSHA256 {
            // Of another issuer there is more to say than that.
            let isKnown = !old.hasSameIssuer(as: new) || authorities.knowsIssuer(of: old, and: new)
            changes.append(renewal(from: old, to: new, isIssuerKnown: isKnown))
        } else {
            changes.append(
                Change(
                    .rekeyed, old: "\(old.spkiSHA256) \(old.period)", new: "\(new.spkiSHA256) \(new.period)", from: old,
                    to: new))
            if old.key != new.key {
                changes.append(Change(.keyTypeChanged, old: old.key, new: new.key, from: old, to: new))
            }
        }
        let oldNames = Set(old.names.map { $0.lowercased() })
        let newNames = Set(new.names.map { $0.lowercased() })
        let added = newNames.subtracting(oldNames)
        let removed = oldNames.subtracting(newNames)
        if !added.isEmpty {
            changes.append(
                Change(.namesAdded, old: nil, new: listed(added.sorted(), first: mostNamed), from: old, to: new))
        }
        if !removed.isEmpty {
            changes.append(
                Change(.namesRemoved, old: listed(removed.sorted(), first: mostNamed), new: nil, from: old, to: new))
        }
        if let earlier = earlierEnd(from: old, to: new) { changes.append(earlier) }
        return changes
    }

    /// More names or certificates than these are counted.
    static let mostNamed = 8

    /// Authorities begin a lifetime when they issue: a key that was certified in advance has an end that is hours away from the old one.
    private static let toleratedSeconds: Int64 = 86_400

    /// The change when a certificate that took another one's place ends more than a day before it.
    static func earlierEnd(from old: Snapshot.Certificate, to new: Snapshot.Certificate) -> Change? {
        let (seconds, overflow) = old.notAfter.secondsSinceEpoch.subtractingReportingOverflow(
            new.notAfter.secondsSinceEpoch)
        guard new.notAfter < old.notAfter, overflow || seconds > toleratedSeconds else { return nil }
        return Change(
            .expiresEarlier, old: "\(old.title) until \(old.notAfter)", new: "\(new.title) until \(new.notAfter)",
            from: old, to: new)
    }

    /// The change when a certificate for the same key took another one's place.
    ///
    /// - Parameters:
    ///   - old: the certificate that was.
    ///   - new: the one that took its place.
    ///   - isIssuerKnown: whether the issuer's key is known to be the same; a name alone does not tell.
    /// - Returns: the change.
    static func renewal(from old: Snapshot.Certificate, to new: Snapshot.Certificate, isIssuerKnown: Bool) -> Change {
        Change(
            .renewed, old: "\(old.title) \(old.period)",
            new: "\(new.title) \(new.period)" + (isIssuerKnown ? "" : ", the key of its issuer is not known"),
            from: old, to: new)
    }
}

extension Snapshot.Certificate {
    /// The subject, or what stands for it in a certificate without one.
    var title: String { subject.isEmpty ? "(no subject)" : subject }

    /// The days of validity.
    var period: String { "(\(notBefore.date) to \(notAfter.date))" }

    /// Whether both name the same issuer, as far as they tell.
    func hasSameIssuer(as other: Snapshot.Certificate) -> Bool {
        issuer == other.issuer && (issuerKeyID == other.issuerKeyID || issuerKeyID == nil || other.issuerKeyID == nil)
    }

    /// Whether both hold the same key under the same name.
    func isSameEntity(as other: Snapshot.Certificate) -> Bool {
        spkiSHA256 == other.spkiSHA256 && subject == other.subject
    }
}
