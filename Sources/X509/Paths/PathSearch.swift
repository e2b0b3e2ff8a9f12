internal import Base
internal import Pinning

/// A bounded depth-first search for every valid path from a leaf to an anchor.
///
/// OpenSSL builds one path and does not turn back, so its verdict depends on the order of presentation; here every
/// concrete path is offered to it until the limits are reached (RFC 4158). One search answers one question.
struct PathSearch {
    static let lengthLimit = 16
    static let judgementLimit = 64
    /// The most rejected paths that are ranked among each other; the first that are looked at are the most promising.
    static let rankedPathLimit = 200
    /// The most steps from a certificate to a candidate issuer, dead ends included.
    static let stepLimit = 2_000

    private let issuers: CandidateIssuers
    private let judge: PathJudge
    private let rules: PathRules
    private let name: ServerName?

    /// The valid paths found, in the order of preference.
    private(set) var validPaths: [[Certificate]] = []
    private(set) var failures: [TrustFailure] = []
    /// Whether a path reached an anchor without being valid.
    private(set) var hasInvalidPath = false
    /// What OpenSSL has against each path that was offered to it, by their fingerprints; given judgements are not made again.
    private(set) var judgements: [[SHA256Digest]: PathJudge.Judgement]
    private var visited: [(nodes: [PathNode], isAnchored: Bool)] = []
    /// The longest path that ends at no anchor, or is not followed to its end.
    private(set) var longestDeadEnd: [PathNode] = []
    /// Whether an authority on a path that OpenSSL finds valid constrains names.
    private(set) var hasNameConstraints = false
    /// Whether a path goes on beyond ``lengthLimit``, where it was not followed.
    private(set) var isCutShort = false
    /// Whether an issuer was left out because another certificate of its name and key is on the path, as no loop needs.
    private(set) var hasLeftOutAuthority = false
    /// Whether another certificate with the leaf's subject and key is an anchor.
    private(set) var isLeafAnchoredByKey = false
    /// Whether the search stopped before it was through.
    var isExhausted: Bool { isOverLimits || issuers.budget.isExhausted }

    private var isOverLimits = false
    private var judgementCount = 0
    private var steps = 0
    private var badCertificates: Set<SHA256Digest> = []

    init(
        issuers: CandidateIssuers, judge: PathJudge, rules: PathRules, name: ServerName?,
        judgements: [[SHA256Digest]: PathJudge.Judgement] = [:]
    ) {
        (self.issuers, self.judge, self.rules, self.name) = (issuers, judge, rules, name)
        self.judgements = judgements
    }

    /// Whether nothing that was offered to OpenSSL was refused, and nothing left out: everybody's search would go the same way.
    var isUndisputed: Bool { failures.isEmpty && !isExhausted && !isCutShort }

    /// The paths of which a platform hands out one when all are rejected, linked by signatures: the likeliest first, and the longest.
    ///
    /// Apple's platforms prefer an anchor, then a root at the end, then a length without flaws (`SecCertificatePathVCScore`). The leaf
    /// alone is among them where not all paths were looked at.
    func bestEfforts(at time: Timestamp) -> [[Certificate]] {
        let linked = visited.filter { zip($0.nodes, $0.nodes.dropFirst()).allSatisfy { issuers.isSigned($0, by: $1) } }
        let paths = linked.map { nodes, isAnchored in
            let path = nodes.map(\.certificate)
            return (path: path, rank: (isAnchored ? 2 : 0) + (path.last?.isSelfIssued == true ? 1 : 0))
        }
        func longest(_ paths: [[Certificate]]) -> [[Certificate]] {
            let length = paths.map(\.count).max()
            return paths.filter { $0.count == length }
        }
        let rank = paths.map(\.rank).max() ?? 0
        let preferred = rank == 0 ? [] : paths.filter { $0.rank == rank }.map(\.path)
        let flawless = rank == 0 ? longest(paths.map { Self.flawless($0.path, at: time) }) : []
        let isWhole = !isExhausted && visited.count < Self.rankedPathLimit
        let leaf = isWhole ? [] : visited.prefix(1).map { $0.nodes.map(\.certificate) }
        return (preferred + longest(paths.map(\.path)) + flawless + leaf).distinct
    }

    /// A path up to the first certificate that is out of date or weak, where the leaf is not.
    private static func flawless(_ path: [Certificate], at time: Timestamp) -> [Certificate] {
        let strength = Platform.apple().strength
        func isCurrent(_ one: Certificate) -> Bool { one.notBefore <= time && time <= one.notAfter }
        func isStrong(_ one: Certificate) -> Bool {
            strength.isStrong(one.publicKey.algorithm) && !strength.isRefused(one.signatureAlgorithm)
        }
        let (needsDates, needsStrength) = (isCurrent(path[0]), isStrong(path[0]))
        return Array(path.prefix { (isCurrent($0) || !needsDates) && (isStrong($0) || !needsStrength) })
    }

    /// OpenSSL's judgement on `path`, `nil` when it would cost more than is left of the budget.
    private mutating func judgement(on path: [PathNode]) -> PathJudge.Judgement? {
        let key = path.map(\.certificate.fingerprint)
        if let known = judgements[key] { return known }
        guard issuers.budget.spend(issuers.budget.cost(ofJudging: path)) else { return nil }
        let judgement = judge.judge(path)
        judgements[key] = judgement
        return judgement
    }

    /// What is wrong with `path` whoever asks, none for a valid one; `nil` when it would cost more than is left of the budget to find
    /// out.
    private mutating func findings(on path: [PathNode]) -> PathJudge.Judgement? {
        guard let judgement = judgement(on: path) else { return nil }
        let distrusted = path.enumerated().filter { issuers.isDistrusted($0.element) }.map {
            TrustFailure(.distrusted, at: $0.offset, of: $0.element.certificate)
        }
        return PathJudge.Judgement(failures: distrusted + judgement.failures, certificates: judgement.certificates)
    }

    /// What is wrong with a path that leads to no anchor.
    mutating func failures(onDeadEnd path: [PathNode]) -> [TrustFailure] {
        findings(on: path).map { rules.failures(ofDeadEnd: path, $0.failures) } ?? []
    }

    /// Whether paths are those that Conscrypt builds (google/conscrypt, `TrustManagerImpl.checkTrustedRecursive`).
    private var isConscrypt: Bool { rules.platform?.family == .android }

    mutating func run(from leaf: PathNode) {
        let anchor = issuers.anchor(like: leaf)
        let isAnchor = anchor?.certificate == leaf.certificate
        isLeafAnchoredByKey = anchor != nil && !isAnchor
        // Conscrypt has the anchor stand in for the leaf (`findTrustAnchorBySubjectAndPublicKey`).
        if isConscrypt, let anchor, leaf.handle.malformation == nil {
            extend([anchor], isAnchor: true, firstAnchor: nil)
        } else {
            extend([leaf], isAnchor: isAnchor, firstAnchor: nil)
        }
    }

    /// Whether a path that leads nowhere ends before an issuer that is at hand, since Conscrypt goes no further than to a name that is its
    /// own issuer.
    func isSelfIssuedEnd(_ path: [PathNode]) -> Bool {
        guard isConscrypt, let last = path.last, last.certificate.isSelfIssued else { return false }
        return issuers.candidates(for: last).contains { !$0.node.isSameAuthority(as: last) }
    }

    private mutating func extend(_ path: [PathNode], isAnchor: Bool, firstAnchor: Int?) {
        guard !isExhausted, let last = path.last else { return }
        if visited.count < Self.rankedPathLimit { visited.append((path, isAnchor)) }
        // curl takes such a certificate, or OpenSSL calls it invalid by itself.
        if rules.platform?.family != .openssl, let clause = last.handle.malformation {
            return note([TrustFailure(.malformed(clause), at: path.count - 1, of: last.certificate)])
        }
        let firstAnchor = firstAnchor ?? (isAnchor ? path.count - 1 : nil)
        if isAnchor, !isConscrypt, let firstAnchor { judgeWhole(path, firstAnchor: firstAnchor) }
        var isDeadEnd = true
        var candidates = issuers.candidates(for: last)
        // Each is held against all that is on the path.
        guard issuers.budget.spend(candidates.count * path.count / 8) else { return }
        candidates.removeAll { candidate in
            guard let same = path.first(where: { $0.isSameAuthority(as: candidate.node) }) else { return false }
            if same.certificate != candidate.node.certificate { hasLeftOutAuthority = true }
            return true
        }
        if isConscrypt {
            // Once an anchor is on the path only anchors follow, and the path counts where none does.
            if last.certificate.isSelfIssued { candidates = [] }
            if firstAnchor != nil { candidates.removeAll { !$0.isAnchor } }
            let goesOn = firstAnchor != nil && candidates.contains { issuers.isSigned(last, by: $0.node) }
            if isExhausted { return }
            if let firstAnchor, !goesOn { return judgeWhole(path, firstAnchor: firstAnchor) }
        }
        let found = validPaths.count
        var hasAnchorLed = false
        let isFull = path.count >= Self.lengthLimit
        var isAnySigned = candidates.isEmpty
        for candidate in candidates {
            // What was presented is tried only where no anchor led to a valid path.
            if isConscrypt, hasAnchorLed, !candidate.isAnchor { break }
            steps += 1
            guard steps <= Self.stepLimit else {
                isOverLimits = true
                return
            }
            // With a single candidate the judgement checks the signature; telling several apart is done here, once a pair,
            // because the judgements of whole paths are what a hostile chain could multiply.
            let isSigned = candidates.count == 1 && !isFull || issuers.isSigned(last, by: candidate.node)
            if isExhausted { return }
            guard isSigned else { continue }
            isAnySigned = true
            isDeadEnd = false
            if badCertificates.contains(candidate.node.certificate.fingerprint) { continue }
            guard !isFull else {
                isCutShort = true
                break
            }
            extend(path + [candidate.node], isAnchor: candidate.isAnchor, firstAnchor: firstAnchor)
            if isExhausted { return }
            if candidate.isAnchor, validPaths.count > found { hasAnchorLed = true }
        }
        if !isAnySigned { add([TrustFailure(.badSignature, at: path.count - 1, of: last.certificate)]) }
        if isDeadEnd || isCutShort && isFull, !isAnchor, path.count > longestDeadEnd.count { longestDeadEnd = path }
    }

    private mutating func judgeWhole(_ path: [PathNode], firstAnchor: Int) {
        judgementCount += 1
        guard judgementCount <= Self.judgementLimit else {
            isOverLimits = true
            return
        }
        guard let findings = findings(on: path) else { return }
        let failures = rules.failures(of: path, firstAnchor: firstAnchor, findings.failures)
        guard failures.isEmpty else {
            for failure in failures where failure.depth > 0 && isOfTheCertificate(failure, on: path) {
                badCertificates.insert(failure.certificate.fingerprint)
            }
            return note(failures)
        }
        if NameRule.hasConstraints(path) { hasNameConstraints = true }
        if let name, let depth = NameRule.depthOfConstraint(on: path, against: name) {
            let authority = "\(path[depth].certificate) (depth \(depth))"
            note([TrustFailure(.nameConstraintViolated(by: authority), at: 0, of: path[0].certificate)])
        } else if !validPaths.contains(findings.certificates) {
            validPaths.append(findings.certificates)
        }
    }

    /// Whether the certificate fails on every path: what is said of the last one may be because it is the last.
    private func isOfTheCertificate(_ failure: TrustFailure, on path: [PathNode]) -> Bool {
        failure.reason.isOfTheCertificate && (rules.platform == nil || failure.depth < path.count - 1)
    }

    private mutating func note(_ failures: [TrustFailure]) {
        hasInvalidPath = true
        add(failures)
    }

    private mutating func add(_ failures: [TrustFailure]) {
        for failure in failures where !self.failures.contains(failure) { self.failures.append(failure) }
    }
}

extension PathNode {
    /// Whether both are the same certificate, or two for the same authority: a path with both would be a loop.
    func isSameAuthority(as other: PathNode) -> Bool {
        certificate == other.certificate
            || certificate.publicKey == other.certificate.publicKey && certificate.subject == other.certificate.subject
    }
}
