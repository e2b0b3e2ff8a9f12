import Base
import Pinning

/// A bounded depth-first search for every valid path from a leaf to an anchor (RFC 4158).
///
/// OpenSSL by itself builds one path without backtracking, so its result depends on the order of presentation.
struct PathSearch {
    static let lengthLimit = 16
    static let judgementLimit = 64
    /// The most paths that are ranked if all are rejected; the first ones are the most promising.
    static let rankedPathLimit = 200
    /// The most steps from a certificate to a candidate issuer, dead ends included.
    static let stepLimit = 2_000

    private let issuers: CandidateIssuers
    private let rules: PathRules
    private let name: ServerName?

    /// The valid paths, the preferred ones first.
    private(set) var validPaths: [[Certificate]] = []
    private(set) var failures: [TrustFailure] = []
    /// `true` if a path was rejected at an anchor, or for a malformed certificate.
    private(set) var hasInvalidPath = false
    /// The judgements by the fingerprints of the path; those given at the start are not made again.
    private(set) var judgements: [[SHA256Digest]: PathJudge.Judgement]
    private var visited: [(nodes: [PathNode], isAnchored: Bool)] = []
    /// The longest path without an anchor at its end, or not followed to its end.
    private(set) var longestDeadEnd: [PathNode] = []
    /// `true` if a path with name constraints is valid apart from the server's name.
    private(set) var hasNameConstraints = false
    /// `true` if a path was not followed beyond ``lengthLimit``.
    private(set) var isCutShort = false
    /// `true` if an issuer was skipped because another certificate with its name and key is on the path.
    private(set) var hasLeftOutAuthority = false
    /// `true` if another certificate with the leaf's subject and key is an anchor.
    private(set) var isLeafAnchoredByKey = false
    var isExhausted: Bool { isOverLimits || issuers.budget.isExhausted }

    private var isOverLimits = false
    private var judgementCount = 0
    private var steps = 0
    private var badCertificates: Set<SHA256Digest> = []

    init(
        issuers: CandidateIssuers, rules: PathRules, name: ServerName?,
        judgements: [[SHA256Digest]: PathJudge.Judgement]
    ) {
        self.issuers = issuers
        self.rules = rules
        self.name = name
        self.judgements = judgements
    }

    /// `true` if OpenSSL rejected nothing and nothing was skipped: every platform's search would go the same way.
    var isUndisputed: Bool { failures.isEmpty && !isExhausted && !isCutShort }

    /// The paths of which a platform returns one if all are rejected, linked by signatures, the likeliest first.
    ///
    /// Apple's platforms prefer an anchor, then a root at the end, then a longer flawless part
    /// (`SecCertificatePathVCScore`). The leaf alone is included unless all paths were visited.
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

    /// The part of a path before its first outdated or weak certificate; a flaw that the leaf has too does not count.
    private static func flawless(_ path: [Certificate], at time: Timestamp) -> [Certificate] {
        let strength = Platform.apple().strength
        func isCurrent(_ one: Certificate) -> Bool { one.notBefore <= time && time <= one.notAfter }
        func isStrong(_ one: Certificate) -> Bool {
            strength.isStrong(one.publicKey.algorithm) && !strength.isRefused(one.signatureAlgorithm)
        }
        let (needsDates, needsStrength) = (isCurrent(path[0]), isStrong(path[0]))
        return Array(path.prefix { (isCurrent($0) || !needsDates) && (isStrong($0) || !needsStrength) })
    }

    /// OpenSSL's judgement of `path` and the store's distrust; `nil` if the rest of the budget does not allow it.
    private mutating func findings(on path: [PathNode]) -> PathJudge.Judgement? {
        let key = path.map(\.certificate.fingerprint)
        if let known = judgements[key] { return known }
        guard issuers.budget.spend(issuers.budget.cost(ofJudging: path)) else { return nil }
        var judgement = PathJudge(rules: rules).judge(path)
        judgement.failures = rules.verifier.trustStore.distrust(on: path) + judgement.failures
        judgements[key] = judgement
        return judgement
    }

    mutating func failures(onDeadEnd path: [PathNode]) -> [TrustFailure] {
        findings(on: path).map { rules.failures(of: path.map(\.certificate), firstAnchor: nil, $0.failures) } ?? []
    }

    /// `true` if paths are built as by Conscrypt (google/conscrypt, `TrustManagerImpl.checkTrustedRecursive`).
    private var isConscrypt: Bool { rules.platform?.family == .android }

    mutating func run(from leaf: PathNode) {
        let anchor = issuers.anchor(like: leaf)
        let isAnchor = anchor?.certificate == leaf.certificate
        isLeafAnchoredByKey = anchor != nil && !isAnchor
        // Conscrypt replaces the leaf by an anchor of its subject and key (`findTrustAnchorBySubjectAndPublicKey`).
        if isConscrypt, let anchor, leaf.malformation == nil {
            extend([anchor], isAnchor: true, firstAnchor: nil)
        } else {
            extend([leaf], isAnchor: isAnchor, firstAnchor: nil)
        }
    }

    /// `true` if Conscrypt alone stops at the end of `path`: it does so at a certificate that names itself as issuer.
    func isSelfIssuedEnd(_ path: [PathNode]) -> Bool {
        guard isConscrypt, let last = path.last, last.certificate.isSelfIssued else { return false }
        return issuers.candidates(for: last).contains { !$0.node.certificate.isSameAnchor(as: last.certificate) }
    }

    private mutating func extend(_ path: [PathNode], isAnchor: Bool, firstAnchor: Int?) {
        guard !isExhausted, let last = path.last else { return }
        if visited.count < Self.rankedPathLimit { visited.append((path, isAnchor)) }
        // curl accepts a malformed certificate, unless OpenSSL itself calls it invalid.
        if rules.platform?.family != .openssl, let clause = last.malformation {
            return note([TrustFailure(.malformed(clause), at: path.count - 1, of: last.certificate)])
        }
        let firstAnchor = firstAnchor ?? (isAnchor ? path.count - 1 : nil)
        if isAnchor, !isConscrypt, let firstAnchor { judgeWhole(path, firstAnchor: firstAnchor) }
        var isDeadEnd = true
        var candidates = issuers.candidates(for: last)
        // Each candidate is compared with each certificate on the path.
        guard issuers.budget.spend(candidates.count * path.count / 8) else { return }
        candidates.removeAll { candidate in
            let certificate = candidate.node.certificate
            // A path with two certificates of one CA would be a loop.
            guard let same = path.first(where: { $0.certificate.isSameAnchor(as: certificate) }) else { return false }
            if same.certificate != certificate { hasLeftOutAuthority = true }
            return true
        }
        if isConscrypt {
            // After an anchor only anchors follow, and the path counts if no anchor does.
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
            // Presented certificates are tried only if no anchor led to a valid path.
            if isConscrypt, hasAnchorLed, !candidate.isAnchor { break }
            steps += 1
            guard steps <= Self.stepLimit else {
                isOverLimits = true
                return
            }
            // The judgement checks the signature of a single candidate. Several are checked here, each pair once,
            // because a hostile chain could multiply judgements of whole paths. An issuer of an anchor is checked, too:
            // a namesake with another key says nothing about a path that may end at the anchor.
            let isAlone = candidates.count == 1 && !isFull && !isAnchor
            let isSigned = isAlone || issuers.isSigned(last, by: candidate.node)
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
        if !isAnySigned, !isAnchor { add([TrustFailure(.badSignature, at: path.count - 1, of: last.certificate)]) }
        if isDeadEnd || isCutShort && isFull, !isAnchor, path.count > longestDeadEnd.count { longestDeadEnd = path }
    }

    private mutating func judgeWhole(_ path: [PathNode], firstAnchor: Int) {
        judgementCount += 1
        guard judgementCount <= Self.judgementLimit else {
            isOverLimits = true
            return
        }
        guard let findings = findings(on: path) else { return }
        let failures = rules.failures(of: path.map(\.certificate), firstAnchor: firstAnchor, findings.failures)
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

    /// `true` if the certificate fails on every path; the last one may fail only because it is the last.
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
