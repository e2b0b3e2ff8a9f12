import COpenSSL
import Pinning

/// The candidate issuers of certificates, in an order that does not depend on the order of presentation.
final class CandidateIssuers {
    struct Candidate {
        let node: PathNode
        let isAnchor: Bool
    }

    private let anchorSources: [any AnchorSource]
    private let pool: [PathNode]
    private let fetchable: [PathNode]
    private let time: Timestamp
    let budget: WorkBudget
    private var candidates: [SHA256Digest: [Candidate]] = [:]
    private var signatures: [[SHA256Digest]: Bool] = [:]

    init(
        anchorSources: [any AnchorSource], pool: [PathNode], fetchable: [PathNode], time: Timestamp, budget: WorkBudget
    ) {
        self.anchorSources = anchorSources
        self.pool = pool
        self.fetchable = fetchable
        self.time = time
        self.budget = budget
    }

    var seen: [Certificate] { candidates.values.flatMap { $0.map(\.node.certificate) } }

    /// The anchor with the subject and key of `node`: `node` itself if it is an anchor.
    func anchor(like node: PathNode) -> PathNode? {
        guard let name = node.subjectName else { return nil }
        let anchors = anchorSources.flatMap { $0.anchors(named: name) }
        return anchors.first { $0.certificate == node.certificate }
            ?? anchors.first { $0.certificate.publicKey == node.certificate.publicKey }
    }

    /// The certificates whose subject is the issuer of `node`, the most promising first; none if the budget is spent.
    func candidates(for node: PathNode) -> [Candidate] {
        if let known = candidates[node.certificate.fingerprint] { return known }
        var found: [Candidate] = []
        var seen: Set<SHA256Digest> = [node.certificate.fingerprint]
        func add(_ nodes: [PathNode], isAnchor: Bool) {
            for node in nodes where seen.insert(node.certificate.fingerprint).inserted {
                found.append(Candidate(node: node, isAnchor: isAnchor))
            }
        }
        if let name = node.issuerName {
            // Anchors come before equal certificates that were presented, and before others of their name.
            for source in anchorSources { add(source.anchors(named: name), isAnchor: true) }
            add(pool.filter { $0.isNamedIssuer(of: node) }, isAnchor: false)
            if !fetchable.isEmpty, saysWhereToFetch(node.certificate) {
                add(fetchable.filter { $0.isNamedIssuer(of: node) }, isAnchor: false)
            }
        }
        if found.count > 1 {
            // Ranking costs 4 units a candidate: of many certificates of one name each has all the others to rank.
            guard budget.spend(found.count * 4) else { return [] }
            sort(&found, issuersOf: node.certificate)
        }
        candidates[node.certificate.fingerprint] = found
        return found
    }

    private func saysWhereToFetch(_ certificate: Certificate) -> Bool {
        time <= certificate.notAfter && !Platform.triedPlaces(of: IssuerPlaces.all(in: certificate)).isEmpty
    }

    /// `true` if `issuer` signed `subject`; `false` also if the budget does not allow the check.
    func isSigned(_ subject: PathNode, by issuer: PathNode) -> Bool {
        let edge = [subject.certificate.fingerprint, issuer.certificate.fingerprint]
        if let known = signatures[edge] { return known }
        guard budget.spend(budget.cost(ofSignatureOn: subject, by: issuer.certificate.publicKey)) else { return false }
        let isSigned = subject.isSigned(by: issuer)
        signatures[edge] = isSigned
        return isSigned
    }

    private func sort(_ candidates: inout [Candidate], issuersOf subject: Certificate) {
        func rank(_ candidate: Candidate) -> (Int, Int, Int, Int) {
            let certificate = candidate.node.certificate
            let keyRank: Int =
                switch (subject.authorityKeyIdentifier, certificate.subjectKeyIdentifier) {
                case (let wanted?, let offered?): wanted == offered ? 0 : 2
                default: 1
                }
            let isValid = certificate.notBefore <= time && time <= certificate.notAfter
            return (candidate.isAnchor ? 0 : 1, keyRank, isValid ? 0 : 1, certificate.isSelfIssued ? 0 : 1)
        }
        // Ranks are computed once for each candidate, because there can be thousands.
        let keys = candidates.map { (rank: rank($0), notAfter: $0.node.certificate.notAfter) }
        let order = candidates.indices.sorted { left, right in
            if keys[left].rank != keys[right].rank { return keys[left].rank < keys[right].rank }
            if keys[left].notAfter != keys[right].notAfter { return keys[left].notAfter > keys[right].notAfter }
            return candidates[left].node.certificate.fingerprint.bytes.lexicographicallyPrecedes(
                candidates[right].node.certificate.fingerprint.bytes)
        }
        candidates = order.map { candidates[$0] }
    }
}
