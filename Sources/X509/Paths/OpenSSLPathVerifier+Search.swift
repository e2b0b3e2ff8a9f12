package import Pinning

extension OpenSSLPathVerifier {
    func search(
        _ question: PathQuestion, leaf: PathNode, by platform: Platform?, name: ServerName? = nil,
        nameFailures: [TrustFailure] = [], judgements: [[SHA256Digest]: PathJudge.Judgement] = [:]
    ) -> FindingsCache.Entry {
        let rules = PathRules(verifier: self, question: question, platform: platform)
        var judgements = judgements
        var last: PathSearch?
        var seen: [Certificate] = question.presented.certificates + question.intermediates + question.fetchable
        for issuers in rounds(of: question) {
            var search = PathSearch(issuers: issuers, rules: rules, name: name, judgements: judgements)
            search.run(from: leaf)
            judgements = search.judgements
            seen += issuers.seen
            last = search
            if !search.validPaths.isEmpty { break }
        }
        guard var search = last else { preconditionFailure("there is always a first round") }
        let isUndisputed = search.isUndisputed && !search.validPaths.isEmpty
        let findings =
            nameFailures.isEmpty && !search.validPaths.isEmpty
            ? PathFindings(validPaths: search.validPaths)
            : rejection(&search, leaf: leaf, nameFailures: nameFailures, question: question)
        var entry = FindingsCache.Entry(findings, at: question.time, by: seen)
        entry.hasNameConstraints = search.hasNameConstraints
        entry.isUndisputed = isUndisputed
        entry.isConscrypts =
            search.validPaths.count == 1 && !search.isLeafAnchoredByKey && !search.isExhausted
            && !search.validPaths[0].dropLast().contains(where: \.isSelfIssued)
        entry.hasChoice = Self.hasChoice(search.validPaths, among: seen)
        entry.hasLeftOutAuthority = search.hasLeftOutAuthority
        entry.isExhausted = search.isExhausted
        if !isUndisputed, platform == nil { entry.judgements = judgements }
        return entry
    }

    private static func hasChoice(_ paths: [[Certificate]], among seen: [Certificate]) -> Bool {
        guard paths.count == 1, let path = paths.first else { return !paths.isEmpty }
        return seen.contains { !path.contains($0) } || Set(path.map(\.subject)).count < path.count
    }

    /// The issuers in the rounds of a search; each round has the anchors and certificates of all rounds before it.
    private func rounds(of question: PathQuestion) -> [CandidateIssuers] {
        let budget = WorkBudget(within: target)
        let tiers = tiers(of: question.anchors)
        let presented = Self.nodes(question.presented.certificates.dropFirst())
        let known = Set(presented.map(\.certificate.fingerprint))
        func others(_ certificates: [Certificate]) -> [PathNode] {
            Self.nodes(certificates[...]).filter { !known.contains($0.certificate.fingerprint) }
        }
        let (additional, fetchable) = (others(question.intermediates), others(question.fetchable))
        func issuers(_ count: Int, _ pool: [PathNode], _ fetchable: [PathNode] = []) -> CandidateIssuers {
            CandidateIssuers(
                anchorSources: tiers.prefix(count).flatMap(\.self), pool: pool, fetchable: fetchable,
                time: question.time, budget: budget)
        }
        let rounds = (1...max(1, tiers.count)).map { issuers($0, presented) }
        guard !additional.isEmpty || !fetchable.isEmpty else { return rounds }
        return rounds + [issuers(tiers.count, presented + additional, fetchable)]
    }

    func tiers(of anchors: Anchors) -> [[any AnchorSource]] {
        if anchors == .trustStore { return trustStore.tiers }
        // All in one tier: a path to a given anchor must not hide a shorter one to an anchor of the store.
        return [[AnchorBundle(anchors.own)] + (anchors.includesTrustStore ? trustStore.tiers.flatMap(\.self) : [])]
    }

    /// The class of an anchor, which its bytes decide.
    package func anchorClass(of anchor: Certificate, _ anchors: Anchors) -> AnchorClass {
        if isPublicRoot(anchor) { return .system }
        return anchors == .trustStore || trustStore.holds(anchor) ? .installedByHand : .own
    }

    static func nodes(_ certificates: ArraySlice<Certificate>) -> [PathNode] {
        var seen: Set<SHA256Digest> = []
        return certificates.filter { seen.insert($0.fingerprint).inserted }.compactMap(\.node)
    }

    private func rejection(
        _ search: inout PathSearch, leaf: PathNode, nameFailures: [TrustFailure], question: PathQuestion
    ) -> PathFindings {
        var failures = search.validPaths.isEmpty ? search.failures : []
        if search.validPaths.isEmpty, !search.hasInvalidPath {
            // No path reaches an anchor: judge the longest as if its end were trusted, and add that it is not.
            let deadEnd = search.longestDeadEnd.isEmpty ? [leaf] : search.longestDeadEnd
            failures += search.failures(onDeadEnd: deadEnd)
            // An incomplete search does not prove that an issuer is missing.
            if let end = deadEnd.last?.certificate, !search.isExhausted, !search.isCutShort {
                let depth = deadEnd.count - 1
                let ofRoot: TrustFailure.Reason = depth == 0 ? .selfSigned : .untrustedRoot
                let reason = end.isSelfIssued ? ofRoot : .unknownIssuer
                let isConscrypts = search.isSelfIssuedEnd(deadEnd)
                failures.append(
                    TrustFailure(
                        isConscrypts ? .selfIssued : reason, at: depth, of: end,
                        ruleOf: isConscrypts ? .android : nil))
            }
        }
        if search.validPaths.isEmpty {
            let leaf = question.presented.leaf
            if search.isExhausted { failures.append(TrustFailure(.tooManyPaths, at: 0, of: leaf)) }
            if search.isCutShort {
                failures.append(TrustFailure(.tooManyCertificates(limit: PathSearch.lengthLimit), at: 0, of: leaf))
            }
        }
        failures += nameFailures
        return PathFindings(failures: Self.rank(failures), bestEfforts: search.bestEfforts(at: question.time))
    }

    /// Failures with the most useful first; those of one rank keep OpenSSL's order.
    static func rank(_ failures: [TrustFailure]) -> [TrustFailure] { failures.sorted { $0.rank < $1.rank } }
}
