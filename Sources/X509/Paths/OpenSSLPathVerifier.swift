package import Pinning

/// Finds and verifies certification paths with OpenSSL.
package struct OpenSSLPathVerifier: PathVerifier {
    /// The security level for keys and signatures that TLS itself has by default: 112 bits.
    package static let defaultAuthLevel = 2

    /// Stands for the roots of the client's device.
    package let trustStore: TrustStore
    private let authLevel: Int
    private let isStrict: Bool
    private let cache = FindingsCache()

    /// A verifier whose paths may end at the anchors of `trustStore`.
    ///
    /// - Parameters:
    ///   - trustStore: stands for the roots of the client's device.
    ///   - authLevel: OpenSSL's security level, 0…5, held against keys and signatures under the server policy.
    ///   - isStrict: whether OpenSSL's pedantic checks are made too (`X509_V_FLAG_X509_STRICT`).
    package init(trustStore: TrustStore, authLevel: Int = defaultAuthLevel, isStrict: Bool = false) {
        self.trustStore = trustStore
        self.authLevel = authLevel
        self.isStrict = isStrict
    }

    /// Searches with what was presented first, and with the pinned certificates as links only when that leads nowhere.
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
        let nameFailures = nameFailures(of: leaf, under: question.policy)
        let known = nameless(question, leaf: leaf)
        // Constraints are held against the name on the way to a path, not afterwards.
        if known.hasNameConstraints, case .name(.dns)? = Self.reference(in: question.policy) {
            return search(question, leaf: leaf, name: Self.name(in: question.policy), nameFailures: nameFailures)
                .findings
        }
        guard !nameFailures.isEmpty else { return known.findings }
        return PathFindings(
            validPaths: [],
            failures: Self.ranked(known.findings.failures + nameFailures),
            bestEffort: known.findings.validPaths.first ?? known.findings.bestEffort
        )
    }

    /// What is found without regard to the reference name, perhaps remembered.
    private func nameless(_ question: PathQuestion, leaf: PathNode) -> FindingsCache.Entry {
        let key = FindingsCache.Key(question)
        if let known = cache.entry(for: key, at: question.time) { return known }
        let entry = search(question, leaf: leaf, name: nil, nameFailures: [])
        cache.remember(entry, for: key)
        return entry
    }

    private func search(
        _ question: PathQuestion,
        leaf: PathNode,
        name: ServerName?,
        nameFailures: [TrustFailure]
    ) -> FindingsCache.Entry {
        let presented = Self.nodes(question.presented.certificates.dropFirst())
        let pinned = Self.nodes(question.intermediates[...])
        let budget = WorkBudget()
        var last: PathSearch?
        var seen: [Certificate] = question.presented.certificates + question.intermediates
        for (tiers, pool) in rounds(question, presented: presented, pinned: pinned) {
            let issuers = CandidateIssuers(
                anchorSources: tiers,
                trustStore: trustStore,
                pool: pool,
                time: question.time,
                budget: budget
            )
            var search = PathSearch(issuers: issuers, judge: PathJudge(rules: rules(for: question)), name: name)
            search.run(from: leaf)
            last = search
            seen += issuers.seen
            if !search.validPaths.isEmpty { break }
        }
        guard let search = last else { preconditionFailure("there is always a first round") }
        let findings =
            nameFailures.isEmpty && !search.validPaths.isEmpty
            ? PathFindings(validPaths: search.validPaths, failures: [], bestEffort: [])
            : rejection(search, leaf: leaf, nameFailures: nameFailures, question: question)
        return FindingsCache.Entry(
            findings,
            hasNameConstraints: search.hasNameConstraints,
            at: question.time,
            by: seen
        )
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
        guard nodes.count == path.certificates.count,
            case .invalid(let violations) = PathJudge(rules: rules).judge(nodes)
        else { return [] }
        return violations.map { TrustFailure($0.reason, at: $0.depth, of: $0.certificate) }
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

    /// Each round's anchor sources and certificates to pass through; a later one holds all of those before it.
    private func rounds(
        _ question: PathQuestion,
        presented: [PathNode],
        pinned: [PathNode]
    ) -> [(sources: [any AnchorSource], pool: [PathNode])] {
        let tiers: [[any AnchorSource]] =
            switch question.anchors {
            case .trustStore: trustStore.tiers
            case .only(let certificates): [[AnchorBundle(certificates)]]
            }
        var rounds: [(sources: [any AnchorSource], pool: [PathNode])] = []
        for count in 1...max(1, tiers.count) {
            rounds.append((tiers.prefix(count).flatMap { $0 }, presented))
        }
        let known = Set(presented.map(\.certificate.fingerprint))
        let additional = pinned.filter { !known.contains($0.certificate.fingerprint) }
        if !additional.isEmpty { rounds.append((tiers.flatMap { $0 }, presented + additional)) }
        return rounds
    }

    private func rules(for question: PathQuestion) -> PathJudge.Rules {
        let isServerPolicy = if case .sslServer = question.policy { true } else { false }
        return PathJudge.Rules(
            isServerPolicy: isServerPolicy,
            authLevel: Int32(authLevel),
            isStrict: isStrict,
            time: question.time
        )
    }

    private func nameFailures(of leaf: PathNode, under policy: TrustPolicy) -> [TrustFailure] {
        guard case .sslServer(let reference) = policy else { return [] }
        switch reference {
        case .unchecked: return []
        case .impossible(let error): return [TrustFailure(.impossibleName(error), at: 0, of: leaf.certificate)]
        case .name(let name):
            return NameRule.leaf(leaf, isValidFor: name)
                ? [] : [TrustFailure(.nameMismatch(name), at: 0, of: leaf.certificate)]
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
        _ search: PathSearch,
        leaf: PathNode,
        nameFailures: [TrustFailure],
        question: PathQuestion
    ) -> PathFindings {
        var failures = search.validPaths.isEmpty ? search.failures : []
        var bestEffort = search.validPaths.first ?? search.firstInvalidPath.map(\.certificate)
        if bestEffort.isEmpty {
            // No path reaches an anchor: judge the longest one as if its end were trusted, then say that it is not.
            let deadEnd = search.longestDeadEnd.isEmpty ? [leaf] : search.longestDeadEnd
            bestEffort = search.linked(deadEnd).map(\.certificate)
            failures += search.failures(on: deadEnd)?.failures ?? []
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
        return PathFindings(validPaths: [], failures: Self.ranked(failures), bestEffort: bestEffort)
    }

    /// The most useful reasons first; those of one rank stay in the order OpenSSL met them.
    private static func ranked(_ failures: [TrustFailure]) -> [TrustFailure] {
        failures.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }
}
