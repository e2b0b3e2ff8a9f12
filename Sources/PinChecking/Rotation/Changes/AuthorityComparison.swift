internal import Base

/// Compares what two chains say of the authorities above the leaf.
///
/// Both chains are walked from the leaf from issuer to issuer, whatever order they were sent in. The last issuer that is named
/// counts as the root, sent or not.
struct AuthorityComparison {
    /// An authority as one certificate names it: its issuer.
    private struct Link {
        let name: String
        /// The certificate of the issuer where it was sent.
        let certificate: Snapshot.Certificate?
        let keyID: String?

        /// Whether both can be the same authority: the same name, and nothing that tells their keys apart.
        func canBe(_ other: Link) -> Bool {
            guard name == other.name else { return false }
            if let key = certificate?.spkiSHA256, let otherKey = other.certificate?.spkiSHA256 {
                return key == otherKey
            }
            if let keyID, let otherID = other.keyID { return keyID == otherID }
            return true
        }

        /// The name, and the key where the name alone does not tell it from `other`.
        func words(besides other: Link) -> String {
            let name = name.isEmpty ? "(no name)" : name
            guard self.name == other.name else { return name }
            if let key = certificate?.spkiSHA256, other.certificate != nil { return "\(name) with the key \(key)" }
            return keyID.map { "\(name) with the key identifier \($0)" } ?? name
        }
    }

    /// A chain with the path that its names make.
    private struct Side {
        let chain: [Snapshot.Certificate]
        let path: [Snapshot.Certificate]
        let links: [Link]

        init(_ chain: [Snapshot.Certificate]) {
            self.chain = chain
            var path: [Snapshot.Certificate] = []
            var links: [Link] = []
            var unused = chain[...]
            var next = unused.popFirst()
            while let certificate = next {
                let isRoot = Self.isRoot(certificate, above: path.last)
                path.append(certificate)
                guard !isRoot else { break }
                let index = unused.firstIndex { $0.subject == certificate.issuer }
                next = index.map { unused.remove(at: $0) }
                links.append(Link(name: certificate.issuer, certificate: next, keyID: certificate.issuerKeyID))
            }
            self.path = path
            self.links = links
        }

        /// Whether a certificate on the path names this one as its issuer.
        func names(_ certificate: Snapshot.Certificate) -> Bool { links.contains { $0.name == certificate.subject } }

        /// Whether any certificate with this subject was sent.
        func sends(_ certificate: Snapshot.Certificate) -> Bool { chain.contains { $0.subject == certificate.subject } }

        /// Whether a certificate ends the path, as one with its own name as the issuer does.
        ///
        /// A link certificate of a root whose key was rolled over has that too, but is signed by the key before: its key is
        /// the one that the certificate below names, and its issuer's is another.
        private static func isRoot(_ certificate: Snapshot.Certificate, above child: Snapshot.Certificate?) -> Bool {
            guard certificate.isSelfIssued else { return false }
            guard let own = child?.issuerKeyID, let issuer = certificate.issuerKeyID else { return true }
            return own == issuer
        }

        /// The root at the end of the path, where it was sent.
        var root: Snapshot.Certificate? {
            guard path.count > 1, let last = path.last, Self.isRoot(last, above: path[path.count - 2]) else {
                return nil
            }
            return last
        }

        /// The root that was sent behind a gap: the path ends below it, at an authority that is an intermediate of `other`.
        func rootBeyondGap(knownFrom other: Side) -> Snapshot.Certificate? {
            guard let end = links.last, end.certificate == nil,
                other.path.contains(where: { $0.subject == end.name && !$0.isSelfIssued })
            else { return nil }
            return chain.dropFirst().first { $0.isSelfIssued && !path.contains($0) }
        }
    }

    private let old: Side
    private let new: Side
    /// The roots that were sent, also without the intermediates that lead to them.
    private let sentRoots: (old: Snapshot.Certificate?, new: Snapshot.Certificate?)
    /// Certificates of one chain alone.
    private var lost: [Snapshot.Certificate]
    private var gained: [Snapshot.Certificate]
    private var found: Set<Change> = []

    init(_ old: [Snapshot.Certificate], _ new: [Snapshot.Certificate]) {
        let sides = (old: Side(old), new: Side(new))
        self.old = sides.old
        self.new = sides.new
        sentRoots = (
            sides.old.root ?? sides.old.rootBeyondGap(knownFrom: sides.new),
            sides.new.root ?? sides.new.rootBeyondGap(knownFrom: sides.old)
        )
        lost = old
        gained = new
        for certificate in old {
            guard let index = gained.firstIndex(of: certificate) else { continue }
            gained.remove(at: index)
            if let index = lost.firstIndex(of: certificate) { lost.remove(at: index) }
        }
    }

    /// Whether both chains hold the same certificates.
    var isOrderAlone: Bool { lost.isEmpty && gained.isEmpty }

    /// The change of the order.
    var orderChange: Change {
        func order(_ side: Side) -> String { listed(side.chain.map(\.title), first: ChainComparison.mostNamed) }
        return Change(.orderChanged, old: order(old), new: order(new))
    }

    /// The changes above the leaf.
    mutating func changes() -> Set<Change> {
        if old.chain[0] != new.chain[0] {
            // The leaves are compared by themselves.
            if let index = lost.firstIndex(of: old.chain[0]) { lost.remove(at: index) }
            if let index = gained.firstIndex(of: new.chain[0]) { gained.remove(at: index) }
        }
        compareIssuers()
        compareRoots()
        compareReissued()
        compareSent()
        compareOrder()
        return found
    }

    /// Reports the lowest authority that is another one; those above it follow from that.
    private mutating func compareIssuers() {
        for (index, (before, after)) in zip(old.links, new.links).enumerated() where !before.canBe(after) {
            let areRoots = index == old.links.count - 1 && index == new.links.count - 1
            // What issued the leaf may be no root where it is not sent.
            let mayBeBelow = index == 0 && (before.certificate == nil || after.certificate == nil)
            guard !areRoots || mayBeBelow else { return }
            add(.issuerChanged, before.words(besides: after), after.words(besides: before))
            return
        }
    }

    private mutating func add(_ kind: Change.Kind, _ old: String?, _ new: String?) {
        found.insert(Change(kind, old: old, new: new))
    }

    private func has(_ kinds: Change.Kind...) -> Bool { found.contains { kinds.contains($0.kind) } }

    private func isBelowRoot(_ link: Link, of side: Side) -> Bool { side.links.dropLast().contains { $0.canBe(link) } }

    private mutating func compareRoots() {
        guard let oldRoot = rootLink(old, sentRoots.old), let newRoot = rootLink(new, sentRoots.new),
            !oldRoot.canBe(newRoot)
        else { return }
        // One chain may only go on where the other ends.
        guard !isBelowRoot(newRoot, of: old), !isBelowRoot(oldRoot, of: new) else { return }
        // Without its intermediate a chain names as its last issuer what is no root.
        guard !lacksIssuer || sentRoots.new != nil else { return }
        add(.rootChanged, oldRoot.words(besides: newRoot), newRoot.words(besides: oldRoot))
    }

    /// The root a chain leads to: the one that is sent behind a gap, or the last issuer that is named.
    private func rootLink(_ side: Side, _ sent: Snapshot.Certificate?) -> Link? {
        guard let sent, !side.path.contains(sent) else { return side.links.last }
        return Link(name: sent.subject, certificate: sent, keyID: nil)
    }

    /// Whether the key of the issuer is known to be the same for two certificates that name the same one.
    func knowsIssuer(of before: Snapshot.Certificate, and after: Snapshot.Certificate) -> Bool {
        if before.isSelfIssued || before.issuerKeyID != nil && after.issuerKeyID != nil { return true }
        func key(_ certificate: Snapshot.Certificate, _ side: Side) -> String? {
            side.chain.first { $0.subject == certificate.issuer && $0 != certificate }?.spkiSHA256
        }
        return key(before, old) != nil && key(before, old) == key(after, new)
    }

    /// Whether the leaf's issuer was sent, and the other issuer it has now is not.
    private var lacksIssuer: Bool {
        guard let first = new.links.first, let before = old.links.first else { return false }
        return new.links.count == 1 && first.certificate == nil && old.links.count > 1 && !before.canBe(first)
    }

    /// Reports authorities with a new certificate for the same key and name, and takes them off the lists.
    private mutating func compareReissued() {
        for certificate in lost {
            guard let index = gained.firstIndex(where: { $0.isSameEntity(as: certificate) }) else { continue }
            let newer = gained.remove(at: index)
            if let index = lost.firstIndex(of: certificate) { lost.remove(at: index) }
            if let earlier = ChainComparison.earlierEnd(from: certificate, to: newer) { found.insert(earlier) }
            let before = "\(certificate.title) by \(certificate.issuer)"
            let after = "\(newer.title) by \(newer.issuer)"
            if certificate.hasSameIssuer(as: newer) {
                let isKnown = knowsIssuer(of: certificate, and: newer)
                found.insert(ChainComparison.renewal(from: certificate, to: newer, isIssuerKnown: isKnown))
            } else if certificate == old.root {
                add(.intermediateExtra, nil, after)
            } else if newer == new.root {
                add(.intermediateMissing, before, nil)
            } else if !has(.issuerChanged, .rootChanged) {
                add(.issuerChanged, before, after)
            }
        }
    }

    /// Reports what is sent and was not, and the reverse.
    private mutating func compareSent() {
        let isReplaced = has(.issuerChanged, .rootChanged)
        var missing: [String] = []
        var extra: [String] = []
        var dropped: [String] = []
        for certificate in lost {
            if new.chain.contains(certificate) {
                dropped.append(certificate.title)
            } else if certificate == sentRoots.old {
                if sentRoots.new == nil, !has(.rootChanged) { add(.rootOmitted, certificate.title, nil) }
            } else if new.names(certificate), !new.sends(certificate) {
                missing.append(certificate.title)
            } else if !old.path.contains(certificate) {
                dropped.append(certificate.title)
            } else if !isReplaced {
                missing.append(certificate.title)
            }
        }
        for certificate in gained {
            if old.chain.contains(certificate) {
                extra.append(certificate.title)
            } else if certificate == sentRoots.new {
                if sentRoots.old == nil, !has(.rootChanged) { add(.rootSent, nil, certificate.title) }
            } else if old.names(certificate), !old.sends(certificate) {
                extra.append(certificate.title)
            } else if !isReplaced || !new.path.contains(certificate) {
                extra.append(certificate.title)
            }
        }
        if missing.isEmpty, lacksIssuer, let issuer = old.links.first { missing.append(issuer.name) }
        if !missing.isEmpty { add(.intermediateMissing, listed(missing, first: ChainComparison.mostNamed), nil) }
        if !extra.isEmpty { add(.intermediateExtra, nil, listed(extra, first: ChainComparison.mostNamed)) }
        if !dropped.isEmpty { add(.intermediateDropped, listed(dropped, first: ChainComparison.mostNamed), nil) }
    }

    /// Reports another order of what both chains hold.
    private mutating func compareOrder() {
        func common(_ side: Side, _ other: Side) -> [Snapshot.Certificate] {
            var seen: Set<Snapshot.Certificate> = []
            return side.chain.filter { other.chain.contains($0) && seen.insert($0).inserted }
        }
        if common(old, new) != common(new, old) { found.insert(orderChange) }
    }
}
