import Base
import Pinning

/// The differences between two presented chains, by their meaning for pins; each is followed from issuer to issuer, and
/// the last issuer name counts as the root, even if the server does not send it.
package struct ChainComparison {
    private struct Link {
        let name: String
        let certificate: Snapshot.Certificate?
        let keyID: String?

        func canBe(_ other: Link) -> Bool {
            guard name == other.name else { return false }
            if let own = certificate?.spkiSHA256, let others = other.certificate?.spkiSHA256 { return own == others }
            return keyID == other.keyID || keyID == nil || other.keyID == nil
        }

        func words(besides other: Link) -> String {
            let name = name.isEmpty ? "(no name)" : name
            guard self.name == other.name else { return name }
            if let key = certificate?.spkiSHA256, other.certificate != nil { return "\(name) with the key \(key)" }
            return keyID.map { "\(name) with the key identifier \($0)" } ?? name
        }
    }

    private struct Side {
        let chain: [Snapshot.Certificate]
        var path: [Snapshot.Certificate] = []
        var links: [Link] = []

        init(_ chain: [Snapshot.Certificate]) {
            self.chain = chain
            var unused = chain[...]
            var next = unused.popFirst()
            while let certificate = next {
                path.append(certificate)
                guard !certificate.isSelfIssued else { break }
                next = unused.firstIndex { $0.subject == certificate.issuer }.map { unused.remove(at: $0) }
                links.append(Link(name: certificate.issuer, certificate: next, keyID: certificate.issuerKeyID))
            }
        }

        /// `true` if only the name of the leaf's issuer is known, which need not be a root's.
        var isBare: Bool { links.count == 1 && links[0].certificate == nil }
        var root: Snapshot.Certificate? { path.count > 1 && path.last?.isSelfIssued == true ? path.last : nil }

        func lacks(_ certificate: Snapshot.Certificate) -> Bool {
            links.contains { $0.name == certificate.subject } && !chain.contains { $0.subject == certificate.subject }
        }

        func passes(_ link: Link) -> Bool { links.dropLast().contains { $0.canBe(link) } }
    }

    private let old: Side
    private let new: Side

    /// The changes from one sent chain to another, by kind; empty only if the chains are equal.
    static func changes(from old: [Snapshot.Certificate], to new: [Snapshot.Certificate]) -> [Change] {
        guard let oldLeaf = old.first, let newLeaf = new.first, old != new else { return [] }
        let comparison = ChainComparison(old: Side(old), new: Side(new))
        guard old.map(\.certificateSHA256).sorted() != new.map(\.certificateSHA256).sorted() else {
            return [comparison.chainChange]
        }
        var changes = Set(oldLeaf == newLeaf ? [] : leafChanges(from: oldLeaf, to: newLeaf))
        changes.formUnion(comparison.changesAboveLeaf())
        if changes.isEmpty { changes.insert(comparison.chainChange) }
        return changes.sorted { ($0.kind.rank, $0.old ?? "") < ($1.kind.rank, $1.old ?? "") }
    }

    private static func leafChanges(from old: Snapshot.Certificate, to new: Snapshot.Certificate) -> [Change] {
        var changes: [Change] = []
        if old.spkiSHA256 == new.spkiSHA256 {
            changes.append(old.renewal(to: new))
        } else {
            changes.append(old.change(.rekeyed, to: new) { "\($0.spkiSHA256) \($0.period)" })
            if old.key != new.key { changes.append(old.change(.keyTypeChanged, to: new, by: \.key)) }
        }
        let oldNames = Set(old.names.map { $0.lowercased() })
        let newNames = Set(new.names.map { $0.lowercased() })
        let added = listed(newNames.subtracting(oldNames).sorted(), first: mostNamed)
        let removed = listed(oldNames.subtracting(newNames).sorted(), first: mostNamed)
        if !added.isEmpty { changes.append(old.change(.namesAdded, to: new) { $0 == new ? added : nil }) }
        if !removed.isEmpty { changes.append(old.change(.namesRemoved, to: new) { $0 == old ? removed : nil }) }
        return changes + [earlierEnd(from: old, to: new)].compactMap(\.self)
    }

    private static let mostNamed = 8
    /// One day: CAs begin a lifetime at issue, so a certificate made in advance ends hours before or after the old.
    private static let toleratedSeconds: Int64 = 86_400

    private static func earlierEnd(from old: Snapshot.Certificate, to new: Snapshot.Certificate) -> Change? {
        guard new.notAfter.seconds(to: old.notAfter) > toleratedSeconds else { return nil }
        return old.change(.expiresEarlier, to: new) { "\($0.title) until \($0.notAfter)" }
    }

    private var chainChange: Change {
        func titles(of side: Side) -> String { listed(side.chain.map(\.title), first: Self.mostNamed) }
        return Change(kind: .chainChanged, old: titles(of: old), new: titles(of: new))
    }

    private func changesAboveLeaf() -> Set<Change> {
        var found = Set([issuerChange, rootChange].compactMap(\.self))
        let isReplaced = !found.isEmpty
        let isOtherRoot = found.contains { $0.kind == .rootChanged }
        var isChanged = old.chain.filter(new.chain.contains) != new.chain.filter(old.chain.contains)
        // The certificates of only one chain; leaves are compared by themselves.
        var lost = old.chain.dropFirst().filter { !new.chain.contains($0) }
        var gained = new.chain.dropFirst().filter { !old.chain.contains($0) }
        for certificate in lost {
            let index = gained.firstIndex {
                $0.spkiSHA256 == certificate.spkiSHA256 && $0.subject == certificate.subject
            }
            guard let index else { continue }
            let newer = gained.remove(at: index)
            lost.removeAll { $0 == certificate }
            if let earlier = Self.earlierEnd(from: certificate, to: newer) { found.insert(earlier) }
            let keyIDs = [certificate.issuerKeyID, newer.issuerKeyID].compactMap(\.self)
            if certificate.issuer == newer.issuer, Set(keyIDs).count < 2 {
                found.insert(certificate.renewal(to: newer))
            } else if !isReplaced {
                isChanged = true
            }
        }
        var missing: [String] = []
        for certificate in lost {
            if certificate.isSelfIssued {
                isChanged = isChanged || !isOtherRoot || certificate != old.root
            } else if new.lacks(certificate) || old.path.contains(certificate) && !isReplaced {
                missing.append(certificate.title)
            } else if !old.path.contains(certificate) {
                isChanged = true
            }
        }
        let extra = gained.filter { !new.path.contains($0) }
        if !extra.isEmpty {
            let titles = listed(extra.map(\.title), first: Self.mostNamed)
            found.insert(Change(kind: .intermediateExtra, old: nil, new: titles))
        }
        for certificate in gained where !extra.contains(certificate) {
            let isExplained = certificate == new.root ? isOtherRoot : isReplaced && new.path.contains(certificate)
            isChanged = isChanged || !isExplained || old.lacks(certificate)
        }
        if missing.isEmpty, lacksIssuer, let issuer = old.links.first { missing.append(issuer.name) }
        if !missing.isEmpty {
            found.insert(Change(kind: .intermediateMissing, old: listed(missing, first: Self.mostNamed), new: nil))
        }
        if isChanged { found.insert(chainChange) }
        return found
    }

    /// The lowest CA that differs, which explains the differences above it.
    private var issuerChange: Change? {
        for (index, (before, after)) in zip(old.links, new.links).enumerated() where !before.canBe(after) {
            let areRoots = index == old.links.count - 1 && index == new.links.count - 1
            // The leaf's issuer may not be a root if the server does not send it.
            let mayBeBelow = index == 0 && (before.certificate == nil || after.certificate == nil)
            guard !areRoots || mayBeBelow else { return nil }
            return Change(kind: .issuerChanged, old: before.words(besides: after), new: after.words(besides: before))
        }
        return nil
    }

    private var rootChange: Change? {
        // One chain may be longer than the other, and without its intermediate its last name is not a root's.
        guard let before = old.links.last, let after = new.links.last, !before.canBe(after), !old.passes(after),
            !new.passes(before), old.isBare == new.isBare
        else { return nil }
        return Change(kind: .rootChanged, old: before.words(besides: after), new: after.words(besides: before))
    }

    private var lacksIssuer: Bool {
        guard let first = new.links.first, let before = old.links.first else { return false }
        return new.isBare && old.links.count > 1 && !before.canBe(first)
    }
}

extension Snapshot.Certificate {
    fileprivate var title: String { subject.isEmpty ? "(no subject)" : subject }
    fileprivate var period: String { "(\(notBefore.date) to \(notAfter.date))" }

    fileprivate func change(_ kind: Change.Kind, to new: Self, by words: (Self) -> String?) -> Change {
        Change(kind: kind, old: words(self), new: words(new), oldCertificate: self, newCertificate: new)
    }

    fileprivate func renewal(to new: Self) -> Change { change(.renewed, to: new) { "\($0.title) \($0.period)" } }
}

package struct Change: Hashable {
    package let kind: Kind
    package let old: String?
    package let new: String?
    package var oldCertificate: Snapshot.Certificate?
    package var newCertificate: Snapshot.Certificate?

    /// The words, by which changes are compared.
    private var words: [String?] { [kind.id, old, new] }
    package static func == (left: Change, right: Change) -> Bool { left.words == right.words }
    package func hash(into hasher: inout Hasher) { hasher.combine(words) }

    /// The kinds of differences, roughly from harmless to grave: a row each, with its stable id and a sentence.
    package enum Kind: String, CaseIterable {
        case renewed = "renewed a new certificate for the same key and name"
        case rekeyed = "rekeyed the server has a new key"
        case keyTypeChanged = "key-type-changed the server's key is of another kind or size"
        case issuerChanged = "issuer-changed another CA, or another key of it, issued"
        case rootChanged = "root-changed the chain leads to another root"
        case namesAdded = "names-added the certificate is for more names"
        case namesRemoved = "names-removed the certificate is no longer for some names"
        case intermediateMissing = "intermediate-missing a certificate on the way to the root is no longer sent"
        /// A certificate that may be a stranger's.
        case intermediateExtra = "intermediate-extra a certificate is sent that leads nowhere"
        /// Another order, one less that leads nowhere, or a root that is sent now or no longer.
        case chainChanged = "chain-changed other certificates are sent beside the leaf, or in another order"
        case expiresEarlier = "expires-earlier a new certificate ends more than a day before the old one"
        case targetAdded = "target-added the target is not in the baseline"
        case targetMissing = "target-missing the target is only in the baseline"

        package var id: String { String(rawValue.prefix { $0 != " " }) }
        package var summary: String { String(rawValue.dropFirst(id.count + 1)) }
        fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }
}
