package import Pinning

/// Finds and verifies certification paths with OpenSSL.
package struct OpenSSLPathVerifier: PathVerifier {
    /// The security level for keys and signatures that TLS itself has by default: 112 bits.
    private static let defaultAuthLevel = 2

    /// Stands for the roots of the client's device.
    package let trustStore: TrustStore
    /// The level that the user chose, `nil` for each platform's own rules.
    private let givenAuthLevel: Int?
    private let isStrict: Bool
    /// Whether a certificate is on the list of roots of the client's system.
    package let isPublicRoot: @Sendable (Certificate) -> Bool
    private let cache = FindingsCache()
    private let names = NameFindings()
    private let shared: SharedFindings?

    private var authLevel: Int { givenAuthLevel ?? Self.defaultAuthLevel }

    /// A verifier whose paths may end at the anchors of `trustStore`.
    ///
    /// - Parameters:
    ///   - trustStore: stands for the roots of the client's device.
    ///   - authLevel: OpenSSL's security level, 0…5, held against keys and signatures under the server policy in place of what
    ///     platforms ask of them; `nil` for those, and for ``defaultAuthLevel`` where no platform asks.
    ///   - isStrict: whether OpenSSL's pedantic checks are made too (`X509_V_FLAG_X509_STRICT`).
    ///   - shared: what verifiers find out for each other that differ in ``AnchorSelection`` alone: `isPublicRoot` has to be true of
    ///     what is selected of the bundle, and of nothing else.
    ///   - isPublicRoot: whether a certificate is on the list of roots of the client's system. Asked only where a rule depends on it.
    package init(
        trustStore: TrustStore,
        authLevel: Int? = nil,
        isStrict: Bool = false,
        sharing shared: SharedFindings? = nil,
        isPublicRoot: @escaping @Sendable (Certificate) -> Bool = { _ in false }
    ) {
        self.trustStore = trustStore
        givenAuthLevel = authLevel
        self.isStrict = isStrict
        self.shared = shared
        self.isPublicRoot = isPublicRoot
    }

    /// Searches with what was presented first, and with other certificates as links only when that leads nowhere.
    ///
    /// Sources that are costly to read are asked last.
    package func findPaths(_ question: PathQuestion) -> PathFindings {
        guard let leaf = PathNode(question.presented.leaf) else {
            return PathFindings(
                validPaths: [],
                failures: [TrustFailure(.other("it cannot be parsed"), at: 0, of: question.presented.leaf)],
                bestEffort: [question.presented.leaf]
            )
        }
        let nameFailures = nameFailures(of: leaf, question)
        let known = nameless(question, leaf: leaf)
        // Constraints are held against the name on the way to a path, not afterwards.
        if known.hasNameConstraints, case .name(.dns)? = Self.reference(in: question.policy) {
            let found = search(
                question,
                leaf: leaf,
                by: question.platform,
                name: Self.name(in: question.policy),
                nameFailures: nameFailures
            )
            return builtByItself(found, question, leaf: leaf).findings
        }
        guard !nameFailures.isEmpty else { return known.findings }
        let valid = known.findings.validPaths.compactMap { path in
            RejectedPath(nodes: path.compactMap { PathNode($0) }, isAnchored: true)
        }
        let rule = question.platform?.rejectedPath ?? .longest
        let best = valid.map { ($0, $0.score(at: question.time, by: rule)) }.reduce(nil as (RejectedPath, Int)?) {
            best,
            next in
            best.map { $0.1 >= next.1 ? $0 : next } ?? next
        }
        return PathFindings(
            validPaths: [],
            failures: Self.ranked(known.findings.failures + nameFailures),
            bestEffort: best?.0.nodes.map(\.certificate) ?? known.findings.bestEffort
        )
    }

    /// What is found without regard to the reference name, perhaps remembered.
    ///
    /// The paths are enumerated and offered to OpenSSL once for all platforms. Where none was refused, a platform has but to agree;
    /// where some was, it searches by its own rules, with OpenSSL's judgements at hand.
    private func nameless(_ question: PathQuestion, leaf: PathNode) -> FindingsCache.Entry {
        let common = remembered(question, by: nil) { search(question, leaf: leaf, by: nil) }
        guard let platform = question.platform else { return common }
        let constrainsMore = platform.constrainsCommonName && common.hasNameConstraints
        let mayBeBuiltOtherwise = platform.buildsOnePath && common.hasChoice
        if common.isUndisputed, !constrainsMore, !mayBeBuiltOtherwise, question.fetchable.isEmpty,
            common.findings.validPaths.allSatisfy({ isTaken($0, question) })
        {
            return common
        }
        if common.isExhausted { return builtByItself(exhausted(common, question), question, leaf: leaf) }
        return remembered(question, by: platform) {
            // OpenSSL holds the common name against constraints only when it is told to.
            let found = search(
                question,
                leaf: leaf,
                by: platform,
                judgements: platform.constrainsCommonName ? [:] : common.judgements
            )
            return builtByItself(found, question, leaf: leaf)
        }
    }

    /// What a platform finds that builds one path and does not turn back: the path that OpenSSL builds by itself, or what it has
    /// against that.
    private func builtByItself(
        _ entry: FindingsCache.Entry,
        _ question: PathQuestion,
        leaf: PathNode
    ) -> FindingsCache.Entry {
        guard let platform = question.platform, platform.buildsOnePath, entry.hasChoice,
            !entry.findings.validPaths.isEmpty
        else { return entry }
        let rounds = rounds(question, presented: [], additional: [], fetchable: [])
        let building = PathBuilding(
            of: leaf,
            presented: Self.nodes(question.presented.certificates.dropFirst()),
            endingAt: rounds.last?.sources ?? []
        )
        let judgement = PathJudge(rules: rules(for: question, by: platform)).judge(building)
        let failures =
            judgement.failures + (judgement.failures.isEmpty ? objections(to: judgement.certificates, question) : [])
        guard failures.isEmpty else {
            return entry.with(
                PathFindings(
                    validPaths: [],
                    failures: Self.ranked(failures.map { $0.refused(by: platform.family) }),
                    bestEffort: judgement.certificates
                )
            )
        }
        // What the search found beside it is of no use to the platform.
        return entry.with(PathFindings(validPaths: [judgement.certificates], failures: [], bestEffort: []))
    }

    private func remembered(
        _ question: PathQuestion,
        by platform: Platform?,
        _ search: () -> FindingsCache.Entry
    ) -> FindingsCache.Entry {
        let cache = shared?.cache ?? cache
        let roots = shared?.reachable(in: trustStore, by: question) ?? []
        let key = FindingsCache.Key(question, by: platform, among: roots)
        if let known = cache.entry(for: key, at: question.time) { return known }
        let entry = search()
        cache.remember(entry, for: key)
        return entry
    }

    /// Whether the question's platform has nothing against a path that OpenSSL found valid.
    private func isTaken(_ path: [Certificate], _ question: PathQuestion) -> Bool {
        let nodes = path.compactMap { PathNode($0) }
        return nodes.count == path.count
            && pathRules(question, by: question.platform)
                .failures(of: nodes, firstAnchor: nodes.count - 1, []).isEmpty
    }

    /// What the question's platform and the store have against a path that OpenSSL itself takes.
    private func objections(to path: [Certificate], _ question: PathQuestion) -> [TrustFailure] {
        let nodes = path.compactMap { PathNode($0) }
        let distrusted = nodes.enumerated().filter { trustStore.distrusts($0.element) }.map {
            TrustFailure(.distrusted, at: $0.offset, of: $0.element.certificate)
        }
        return distrusted
            + pathRules(question, by: question.platform).failures(of: nodes, firstAnchor: nodes.count - 1, [])
    }

    /// What a platform makes of a search that was given up: no second one is paid for.
    private func exhausted(_ common: FindingsCache.Entry, _ question: PathQuestion) -> FindingsCache.Entry {
        var findings = common.findings
        if let preferred = findings.validPaths.first {
            findings.validPaths = findings.validPaths.filter { isTaken($0, question) }
            if findings.validPaths.isEmpty {
                findings.bestEffort = preferred
                findings.failures = [TrustFailure(.tooManyPaths, at: 0, of: question.presented.leaf)]
            }
        } else if question.platform?.rejectedPath == .bestByPoints {
            findings.bestEffort = common.bestByPoints
        }
        return FindingsCache.Entry(
            findings,
            hasNameConstraints: common.hasNameConstraints,
            hasChoice: common.hasChoice,
            at: question.time,
            by: question.presented.certificates
        )
    }

    private func search(
        _ question: PathQuestion,
        leaf: PathNode,
        by platform: Platform?,
        name: ServerName? = nil,
        nameFailures: [TrustFailure] = [],
        judgements: [[SHA256Digest]: PathJudge.Judgement] = [:]
    ) -> FindingsCache.Entry {
        let presented = Self.nodes(question.presented.certificates.dropFirst())
        let additional = Self.nodes(question.intermediates[...])
        let fetchable = Self.nodes(question.fetchable[...])
        let anchorKeys = question.anchorKeys.compactMap {
            try? CertificateReader.publicKey(subjectPublicKeyInfo: $0)
        }
        let budget = WorkBudget()
        var judgements = judgements
        var last: PathSearch?
        var seen: [Certificate] =
            question.presented.certificates + question.intermediates + question.fetchable
        for round in rounds(question, presented: presented, additional: additional, fetchable: fetchable) {
            let issuers = CandidateIssuers(
                anchorSources: round.sources,
                anchorKeys: anchorKeys,
                trustStore: trustStore,
                pool: round.pool,
                fetchable: round.fetchable,
                time: question.time,
                budget: budget
            )
            var search = PathSearch(
                issuers: issuers,
                judge: PathJudge(rules: rules(for: question, by: platform)),
                rules: pathRules(question, by: platform),
                name: name,
                judgements: judgements
            )
            search.run(from: leaf)
            judgements = search.judgements
            seen += issuers.seen
            let isLast = !search.validPaths.isEmpty
            last = search
            if isLast { break }
        }
        guard var search = last else { preconditionFailure("there is always a first round") }
        let isUndisputed = search.isUndisputed && !search.validPaths.isEmpty
        let findings =
            nameFailures.isEmpty && !search.validPaths.isEmpty
            ? PathFindings(validPaths: search.validPaths, failures: [], bestEffort: [])
            : rejection(&search, by: platform, leaf: leaf, nameFailures: nameFailures, question: question)
        let isRankedOnce = platform == nil && search.isExhausted && search.validPaths.isEmpty
        return FindingsCache.Entry(
            findings,
            hasNameConstraints: search.hasNameConstraints,
            isUndisputed: isUndisputed,
            hasChoice: Self.hasChoice(search.validPaths, among: seen),
            isExhausted: search.isExhausted,
            judgements: isUndisputed || platform != nil ? [:] : judgements,
            bestByPoints: isRankedOnce ? search.bestEffort(at: question.time, by: .bestByPoints) : [],
            at: question.time,
            by: seen
        )
    }

    /// Whether another path than the only valid one could be built of the certificates that were at hand.
    private static func hasChoice(_ paths: [[Certificate]], among seen: [Certificate]) -> Bool {
        guard paths.count == 1, let path = paths.first else { return !paths.isEmpty }
        return seen.contains { !path.contains($0) }
    }

    /// What OpenSSL's pedantic checks (`X509_V_FLAG_X509_STRICT`) have against a path that was found valid without them.
    ///
    /// Real chains fall foul of them, private ones above all, so by default they are told and do not decide.
    ///
    /// - Parameters:
    ///   - path: a verified path; its signatures and dates are not checked again.
    ///   - policy: the rules it was verified under.
    ///   - time: the moment it was verified for.
    /// - Returns: the findings, none for a verifier that is strict itself.
    package func strictFindings(on path: VerifiedPath, policy: TrustPolicy, time: Timestamp) -> [TrustFailure] {
        guard !isStrict else { return [] }
        let cache = shared?.cache ?? cache
        let key = FindingsCache.Key(strictLookAt: path.certificates, policy: policy)
        if let known = cache.entry(for: key, at: time) { return known.findings.failures }
        let failures = strictLook(at: path, policy: policy, time: time)
        let findings = PathFindings(validPaths: [], failures: failures, bestEffort: [])
        cache.remember(
            FindingsCache.Entry(findings, hasNameConstraints: false, at: time, by: path.certificates),
            for: key
        )
        return failures
    }

    private func strictLook(at path: VerifiedPath, policy: TrustPolicy, time: Timestamp) -> [TrustFailure] {
        let nodes = path.certificates.compactMap { PathNode($0) }
        var rules = PathJudge.Rules(
            isServerPolicy: policy != .basicX509,
            authLevel: Int32(authLevel),
            isStrict: true,
            time: time
        )
        rules.takesSignaturesAsChecked = true
        guard nodes.count == path.certificates.count else { return [] }
        // Purposes and strength are not what these checks are about, and each platform's own.
        return PathJudge(rules: rules).judge(nodes).failures.filter { failure in
            switch failure.reason {
            case .weakKey, .weakSignature, .wrongPurpose, .expired, .notYetValid: false
            default: true
            }
        }
    }

    /// The SHA-256 of `bytes`.
    package func sha256(of bytes: [UInt8]) -> SHA256Digest? {
        Hashing.sha256(bytes)
    }

    /// The SHA-512 of `bytes`.
    package func sha512(of bytes: [UInt8]) -> [UInt8] {
        Hashing.sha512(bytes)
    }

    /// The certificate in `der`, `nil` when it is none.
    package func certificate(der: [UInt8]) -> Certificate? {
        try? CertificateReader.certificate(der: der)
    }

    /// Whether the key in a DER SubjectPublicKeyInfo made the signature on `certificate`.
    package func isSigned(_ certificate: Certificate, byKey subjectPublicKeyInfo: [UInt8]) -> Bool {
        HandleCache.shared.handle(for: certificate)?.isSigned(byKey: subjectPublicKeyInfo) ?? false
    }

    /// Whether the trust store holds an anchor with the subject and key of `certificate`.
    package func holdsAnchor(like certificate: Certificate) -> Bool {
        PathNode(certificate).map(trustStore.holdsAnchor(like:)) ?? false
    }

    /// What a certificate says of where its issuer's can be had.
    package func issuerPlaces(of certificate: Certificate) -> [String] {
        IssuerPlaces.named(by: certificate)
    }

    /// Where paths may end and what they may pass through in one round of the search.
    private struct Round {
        let sources: [any AnchorSource]
        let pool: [PathNode]
        var fetchable: [PathNode] = []
    }

    /// Each round's anchor sources and certificates to pass through; a later one holds all of those before it.
    private func rounds(
        _ question: PathQuestion,
        presented: [PathNode],
        additional: [PathNode],
        fetchable: [PathNode]
    ) -> [Round] {
        let tiers: [[any AnchorSource]] =
            switch question.anchors {
            case .trustStore: trustStore.tiers
            // All at once: a path to one of them is no reason to miss a shorter one to the store's.
            case .trustStoreAnd(let certificates): [[AnchorBundle(certificates)] + trustStore.tiers.flatMap { $0 }]
            case .only(let certificates): [[AnchorBundle(certificates)]]
            }
        var rounds: [Round] = []
        for count in 1...max(1, tiers.count) {
            rounds.append(Round(sources: tiers.prefix(count).flatMap { $0 }, pool: presented))
        }
        let known = Set(presented.map(\.certificate.fingerprint))
        let additional = additional.filter { !known.contains($0.certificate.fingerprint) }
        let fetchable = fetchable.filter { !known.contains($0.certificate.fingerprint) }
        if !additional.isEmpty || !fetchable.isEmpty {
            let all = tiers.flatMap { $0 }
            rounds.append(Round(sources: all, pool: presented + additional, fetchable: fetchable))
        }
        return rounds
    }

    private func rules(for question: PathQuestion, by platform: Platform?) -> PathJudge.Rules {
        PathJudge.Rules(
            isServerPolicy: question.policy != .basicX509,
            authLevel: Int32(authLevel),
            isStrict: isStrict,
            constrainsCommonName: platform?.constrainsCommonName ?? false,
            time: question.time
        )
    }

    private func pathRules(_ question: PathQuestion, by platform: Platform?) -> PathRules {
        PathRules(
            platform: platform,
            policy: question.policy,
            strengthIsGiven: givenAuthLevel != nil,
            evidence: question.evidence,
            anchorClass: { anchorClass(of: $0, question.anchors) }
        )
    }

    /// Whose anchor a certificate is, by its bytes: whoever made it an anchor, a root on the system's list is the system's.
    private func anchorClass(of anchor: PathNode, _ anchors: Anchors) -> AnchorClass {
        if isPublicRoot(anchor.certificate) { return .system }
        return switch anchors {
        case .trustStore: .installedByHand
        case .trustStoreAnd, .only: trustStore.holds(anchor) ? .installedByHand : .own
        }
    }

    private func nameFailures(of leaf: PathNode, _ question: PathQuestion) -> [TrustFailure] {
        guard case .sslServer(let reference) = question.policy else { return [] }
        switch reference {
        case .unchecked: return []
        case .impossible(let error): return [TrustFailure(.impossibleName(error), at: 0, of: leaf.certificate)]
        case .name(let name):
            guard let platform = question.platform else {
                return NameRules.browser.matches(leaf.certificate, name, isRegistry: SystemPublicSuffixList.isRegistry)
                    ? [] : [TrustFailure(.nameMismatch(name), at: 0, of: leaf.certificate)]
            }
            let findings = shared?.names ?? names
            return findings.objection(of: platform, to: leaf.certificate, for: name).map { [$0] } ?? []
        }
    }

    private static func name(in policy: TrustPolicy) -> ServerName? {
        if case .name(let name)? = reference(in: policy) { name } else { nil }
    }

    private static func reference(in policy: TrustPolicy) -> ReferenceName? {
        if case .sslServer(let reference) = policy { reference } else { nil }
    }

    private static func nodes(_ certificates: ArraySlice<Certificate>) -> [PathNode] {
        var seen: Set<SHA256Digest> = []
        return certificates.filter { seen.insert($0.fingerprint).inserted }.compactMap { PathNode($0) }
    }

    /// Puts together why there is no valid path, and the path that a client which does not care would see.
    private func rejection(
        _ search: inout PathSearch,
        by platform: Platform?,
        leaf: PathNode,
        nameFailures: [TrustFailure],
        question: PathQuestion
    ) -> PathFindings {
        var failures = search.validPaths.isEmpty ? search.failures : []
        if search.validPaths.isEmpty, !search.hasInvalidPath {
            // No path reaches an anchor: judge the longest one as if its end were trusted, then say that it is not.
            let deadEnd = search.longestDeadEnd.isEmpty ? [leaf] : search.longestDeadEnd
            failures += search.failures(onDeadEnd: deadEnd)
            // A search that was given up cannot say that an issuer is missing.
            if let end = deadEnd.last?.certificate, !search.isExhausted, !search.isCutShort {
                let depth = deadEnd.count - 1
                failures.append(
                    TrustFailure(
                        end.isSelfIssued ? (depth == 0 ? .selfSigned : .untrustedRoot) : .unknownIssuer,
                        at: depth,
                        of: end
                    )
                )
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
        return PathFindings(
            validPaths: [],
            failures: Self.ranked(failures),
            bestEffort: search.bestEffort(at: question.time, by: platform?.rejectedPath ?? .longest)
        )
    }

    /// The most useful reasons first; those of one rank stay in the order OpenSSL met them.
    private static func ranked(_ failures: [TrustFailure]) -> [TrustFailure] {
        failures.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }
}
