internal import Pinning

/// A bounded depth-first search for every valid path from a leaf to an anchor.
///
/// OpenSSL builds one path and does not turn back, so its verdict depends on the order of presentation; here every
/// concrete path is offered to it until the limits are reached (RFC 4158). One search answers one question.
struct PathSearch {
    /// The most certificates on a path.
    static let lengthLimit = 16
    /// The most paths that are judged.
    static let judgementLimit = 64
    /// The most steps from a certificate to a candidate issuer, dead ends included.
    static let stepLimit = 2_000

    private let issuers: CandidateIssuers
    private let judge: PathJudge
    private let name: ServerName?

    /// The valid paths found, in the order of preference.
    private(set) var validPaths: [[Certificate]] = []
    /// What was wrong with the paths that reach an anchor.
    private(set) var failures: [TrustFailure] = []
    /// The first path that reached an anchor without being valid, as far as it is linked by signatures.
    private(set) var firstInvalidPath: [PathNode] = []
    /// The longest path that ends at no anchor, or is not followed to its end.
    private(set) var longestDeadEnd: [PathNode] = []
    /// Whether an authority on a path that OpenSSL finds valid constrains names.
    private(set) var hasNameConstraints = false
    /// Whether a path goes on beyond ``lengthLimit``, where it was not followed.
    private(set) var isCutShort = false
    /// Whether the search stopped before it was through.
    var isExhausted: Bool { isOverLimits || issuers.budget.isExhausted }

    private var isOverLimits = false
    private var judgements = 0
    private var steps = 0
    private var badCertificates: Set<SHA256Digest> = []

    init(issuers: CandidateIssuers, judge: PathJudge, name: ServerName?) {
        self.issuers = issuers
        self.judge = judge
        self.name = name
    }

    /// The part of `path` from the leaf on in which each certificate really was signed by the next.
    func linked(_ path: [PathNode]) -> [PathNode] {
        guard let leaf = path.first else { return [] }
        var linked = [leaf]
        for (subject, issuer) in zip(path, path.dropFirst()) {
            guard issuers.isSigned(subject, by: issuer) else { break }
            linked.append(issuer)
        }
        return linked
    }

    /// OpenSSL's judgement on `path`, `nil` when it would cost more than is left of the budget.
    private func judgement(on path: [PathNode]) -> PathJudge.Judgement? {
        issuers.budget.spend(issuers.budget.cost(ofJudging: path)) ? judge.judge(path) : nil
    }

    /// What is wrong with `path`, none for a valid one; `nil` when it would cost more than is left of the budget to find out.
    ///
    /// Also says which certificates OpenSSL used.
    func failures(on path: [PathNode]) -> (failures: [TrustFailure], built: [Certificate])? {
        guard let judgement = judgement(on: path) else { return nil }
        let distrusted = path.enumerated().filter { issuers.isDistrusted($0.element) }.map {
            TrustFailure(.distrusted, at: $0.offset, of: $0.element.certificate)
        }
        switch judgement {
        case .valid(let certificates): return (distrusted, certificates)
        case .invalid(let violations):
            return (distrusted + violations.map { TrustFailure($0.reason, at: $0.depth, of: $0.certificate) }, [])
        }
    }

    /// Runs the search from `leaf`.
    mutating func run(from leaf: PathNode) {
        extend([leaf], isAnchor: issuers.isAnchor(leaf))
    }

    private mutating func extend(_ path: [PathNode], isAnchor: Bool) {
        guard !isExhausted, let last = path.last else { return }
        if isAnchor { judgeWhole(path) }
        var isDeadEnd = true
        let candidates = issuers.candidates(for: last).filter { candidate in
            !path.contains { $0.isSameAuthority(as: candidate.node) }
        }
        let isFull = path.count >= Self.lengthLimit
        var isAnySigned = candidates.isEmpty
        for candidate in candidates {
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
            extend(path + [candidate.node], isAnchor: candidate.isAnchor)
            if isExhausted { return }
        }
        if !isAnySigned { note([TrustFailure(.badSignature, at: path.count - 1, of: last.certificate)], on: []) }
        if isDeadEnd || isCutShort && isFull, !isAnchor, path.count > longestDeadEnd.count { longestDeadEnd = path }
    }

    private mutating func judgeWhole(_ path: [PathNode]) {
        judgements += 1
        guard judgements <= Self.judgementLimit else {
            isOverLimits = true
            return
        }
        guard let (failures, certificates) = failures(on: path) else { return }
        guard failures.isEmpty else {
            for failure in failures where failure.depth > 0 && failure.reason.isOfTheCertificate {
                badCertificates.insert(failure.certificate.fingerprint)
            }
            note(failures, on: path)
            return
        }
        if NameRule.hasConstraints(path) { hasNameConstraints = true }
        if let name, let depth = NameRule.depthOfConstraint(on: path, against: name) {
            note([TrustFailure(.nameConstraintViolated, at: depth, of: path[depth].certificate)], on: path)
        } else if !validPaths.contains(certificates) {
            validPaths.append(certificates)
        }
    }

    private mutating func note(_ failures: [TrustFailure], on path: [PathNode]) {
        if firstInvalidPath.isEmpty { firstInvalidPath = linked(path) }
        for failure in failures where !self.failures.contains(failure) {
            self.failures.append(failure)
        }
    }
}

extension PathNode {
    /// Whether both are the same certificate, or two for the same authority: a path with both would be a loop.
    func isSameAuthority(as other: PathNode) -> Bool {
        certificate == other.certificate
            || certificate.publicKey == other.certificate.publicKey
                && certificate.subject == other.certificate.subject
    }
}
