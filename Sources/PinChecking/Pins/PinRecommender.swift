package import PinFormats
package import Pinning
import X509

/// Recommends pins: two keys of one's own, which outlast any CA, else the roots of a known CA, which stay when
/// everything below changes; a chain that no device trusts by itself needs its root first.
package struct PinRecommender {
    private let known: [CARoot]
    /// The backup keys, which no certificate of the run has.
    private let reserve: [PinItem]
    private let comparesServerKeyOnly: Bool
    private let time: Timestamp
    /// Judges the chain of a file; a server's chain is already judged.
    private let policy: HostPolicy
    private let listed: [SHA256Digest: Certificate]

    package init(
        by known: [CARoot], reserve: [PinItem], comparesServerKeyOnly: Bool, judgingBy policy: HostPolicy,
        at time: Timestamp
    ) {
        (self.known, self.reserve, self.comparesServerKeyOnly) = (known, reserve, comparesServerKeyOnly)
        (self.policy, self.time) = (policy, time)
        let data = DeviceData.builtIn
        listed = Dictionary(
            data.certificates.compactMap { try? CertificateReader.certificate(der: $0) }.map { ($0.spkiSHA256, $0) }
        ) { data.devices(listing: $0.der).count < data.devices(listing: $1.der).count ? $1 : $0 }
    }

    package func recommending(_ source: KeySource) -> KeySource {
        guard let presented = source.presented else { return source }
        let judged = source.judged ?? policy.judge(presented, for: .unchecked, at: time)
        var source = source
        source.recommended = recommendation(judged, presented: presented.certificates)
        return source
    }

    private func recommendation(_ judged: JudgedChain, presented: [Certificate]) -> Recommendation? {
        let path = judged.shown?.decided?.builtChain.certificates ?? []
        guard let verdict = judged.shown?.decided, let leaf = path.first, let top = path.last else { return nil }
        let isTrusted = judged.ending.outcome == .accepted
        guard isTrusted || verdict.isMissingAnchor else { return heldBack(judged.ending.reason.sentence) }
        let keys = path.map(\.spkiSHA256)
        let ca = keys.dropFirst().lazy.compactMap { known.root(withKey: $0)?.ca }.first
        let isPublic = ca != nil || listed[top.spkiSHA256] != nil
        guard isTrusted, isPublic || policy.givenRoots?.holds(top) == true else {
            let known = "which this machine trusts and no device knows by itself"
            let end = isTrusted ? known : "and this machine does not trust it"
            return heldBack("the chain ends at \(top.shownName), \(end)", .nameRoot)
        }
        let kept = reserve.filter { !keys.contains($0.spkiSHA256) }
        let place = { (certificate: Certificate) in presented.contains(certificate) ? "presented" : "trusted roots" }
        var recommendation: Recommendation
        if kept.isEmpty, !comparesServerKeyOnly, let ca {
            recommendation = roots(of: ca, path, place)
        } else if kept.isEmpty, !comparesServerKeyOnly, !isPublic, path.count > 1 {
            recommendation = privateRoots(top, place)
        } else {
            recommendation = ownKeys(leaf, kept, ca)
        }
        if path.count > 2, !recommendation.choices.contains(where: { $0.item.spkiSHA256 == keys[1] }) {
            recommendation.intermediate = choice(
                path[1], .intermediate, place(path[1]), "intermediate",
                "the CA that issued the leaf. It may be another one at any renewal: not to be pinned alone")
        }
        return recommendation
    }

    private func heldBack(_ why: String, _ remedy: Remedy? = nil) -> Recommendation {
        Recommendation(
            strategy: "none", summary: "nothing yet: \(why)",
            missing: .warning(.ownerUnknown, "it may be an interceptor's", remedy: remedy))
    }

    private func roots(of ca: String, _ path: [Certificate], _ place: (Certificate) -> String) -> Recommendation {
        let keys = path.map(\.spkiSHA256)
        let all = known.filter { $0.ca == ca }
        let usable = all.filter { root in root.state == .inUse && root.until.map { time < $0 } ?? true }
        let coming = all.filter { $0.state == .coming }
        func choice(_ root: CARoot, _ id: String, _ message: String) -> Recommendation.Choice {
            let own = path.first { $0.spkiSHA256 == root.key }
            let givenRoot = policy.givenRoots?.givenCertificates.first { $0.spkiSHA256 == root.key }
            guard let certificate = listed[root.key] ?? own ?? givenRoot else {
                return (
                    PinItem(
                        root.key, role: .authority,
                        source: root.state == .coming ? "published by the CA" : "device lists"),
                    "\(root.name), \(root.algorithm)", Reason(id, message), root.until, root
                )
            }
            return self.choice(
                certificate, certificate.isSelfIssued ? .root : .intermediate,
                own == certificate ? place(certificate) : "device lists", id, message)
        }
        let (own, others) = (usable.filter { keys.contains($0.key) }, usable.filter { !keys.contains($0.key) })
        // The CA may leave the root at which today's chain ends.
        let left = own.isEmpty ? Array(keys.dropFirst().compactMap { known.root(withKey: $0) }.prefix(1)) : []
        let moving = "the server's certificates come from it until \(ca) moves them to the others"
        let rows: [(roots: [CARoot], id: String, words: String)] = [
            (own, "root-in-use", "the server's certificates come from it today"),
            (left, "root-being-left", "\(moving). Drop it \(left.first?.until.map { "by \($0.date)" } ?? "then")"),
            (others, "sibling-root", "another root of \(ca). Any renewal may move the server to it"),
            (coming, "coming-root", "a root to come of \(ca). Devices that learn it end every path there"),
        ]
        return Recommendation(
            strategy: "authority-roots",
            summary: "the CA's roots. Whatever \(ca) issues for this host is accepted, and nothing of another CA",
            ca: ca, choices: rows.flatMap { row in row.roots.map { choice($0, row.id, row.words) } })
    }

    private func privateRoots(_ root: Certificate, _ place: (Certificate) -> String) -> Recommendation {
        // Roots given for other servers may belong to another CA, but they are on no public list.
        let others = (policy.givenRoots?.givenCertificates ?? []).filter { other in
            other.isSelfIssued && other.publicKey != root.publicKey && listed[other.spkiSHA256] == nil
        }
        let own = "the root of your CA, which no device knows by itself"
        let given = "another root that you gave. Drop it if it is no CA of yours"
        return Recommendation(
            strategy: "own-root", summary: "the roots of your own CA. Everything below them may change",
            choices: [choice(root, .root, place(root), "private-root", own)]
                + others.map { choice($0, .root, "anchors", "other-root", given) },
            missing: others.isEmpty
                ? .warning(
                    .nextRootMissing,
                    "the next root is missing. When your CA needs one, every app is locked out. Make it now, keep its key "
                        + "offline, and ask again with both roots; or ask with a key in reserve for the server") : nil)
    }

    private func ownKeys(_ leaf: Certificate, _ kept: [PinItem], _ ca: String?) -> Recommendation {
        let own = "the server's own key. It matches as long as renewals keep it"
        let reason = Reason(
            "key-in-reserve",
            "in reserve. When the server's key is lost or replaced, the server gets this one, and apps go on working. "
                + "Ship a new reserve then")
        return Recommendation(
            strategy: "own-keys",
            summary: "the server's own key and one in reserve. They outlast any CA; a renewal has to "
                + "keep the key (certbot: --reuse-key)", ca: ca,
            choices: [choice(leaf, .leaf, "presented", "server-key", own)]
                + kept.map { ($0, $0.source, reason, nil, nil) },
            missing: kept.isEmpty
                ? .warning(
                    .reserveMissing,
                    "a key in reserve is missing. When the server gets another key, every app is locked out. Make one, keep "
                        + "its private half away from the server, and ask again with it") : nil)
    }

    private func choice(
        _ certificate: Certificate, _ role: PinItem.Role, _ place: String, _ id: String, _ message: String
    ) -> Recommendation.Choice {
        let root = known.root(withKey: certificate.spkiSHA256)
        return (
            PinItem(certificate, role: role, source: place),
            root.map { "\($0.name), \($0.algorithm)" }
                ?? "\(certificate.shownName), \(certificate.publicKey.algorithm)", Reason(id, message),
            min(root?.until ?? certificate.notAfter, certificate.notAfter), root
        )
    }
}

package struct Recommendation {
    /// A key, its owner in a few words, the end of its use (`until`, `nil` if not known) and its CA's root.
    package typealias Choice = (item: PinItem, owner: String, reason: Reason, until: Timestamp?, root: CARoot?)

    /// The word in documents; `none` if the chain's owner is not known.
    package let strategy: String
    package let summary: String
    package var ca: String?
    package var choices: [Choice] = []
    /// The CA that issued the leaf; `nil` if it is one of the choices.
    package var intermediate: Choice?
    package var missing: Finding?

    package var reviewDate: Timestamp? { choices.compactMap(\.until).min() }
    package var isHeldBack: Bool { choices.isEmpty }
    package var amount: String {
        guard !isHeldBack else { return "" }
        let pins = choices.count == 1 ? "1 pin" : "\(choices.count) pins"
        return pins
            + (missing.map { " now, and \($0.kind == .reserveMissing ? "a key in reserve" : "the next root's")" } ?? "")
            + ": "
    }
}
