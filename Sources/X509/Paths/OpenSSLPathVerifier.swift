import COpenSSL
package import Pinning

package struct OpenSSLPathVerifier: PathVerifier {
    package let trustStore: TrustStore
    let isPublicRoot: @Sendable (Certificate) -> Bool
    let cache: FindingsCache
    private(set) var target: TargetBudget?

    package init(
        trustStore: TrustStore, sharing cache: FindingsCache = FindingsCache(),
        isPublicRoot: @escaping @Sendable (Certificate) -> Bool = { _ in false }
    ) { (self.trustStore, self.cache, self.isPublicRoot) = (trustStore, cache, isPublicRoot) }

    package func within(_ target: TargetBudget) -> OpenSSLPathVerifier {
        var verifier = self
        verifier.target = target
        return verifier
    }

    /// Searches with the presented certificates first, source by source, and with others if none leads to a valid path.
    package func findPaths(_ question: PathQuestion) -> PathFindings {
        guard let leaf = question.presented.leaf.node else {
            return PathFindings(failures: [
                TrustFailure(.other("it cannot be parsed"), at: 0, of: question.presented.leaf)
            ])
        }
        let nameFailures = nameFailures(of: leaf, question)
        let known = nameless(question, leaf: leaf)
        // A path whose constraints forbid the name is not valid, so the search itself has to know the name.
        if known.hasNameConstraints, case .sslServer(.name(let name)) = question.policy, case .dns = name {
            let found = search(question, leaf: leaf, by: question.platform, name: name, nameFailures: nameFailures)
            return builtByItself(found, question, leaf: leaf, isNameless: false).findings
        }
        guard !nameFailures.isEmpty else { return known.findings }
        return PathFindings(
            failures: Self.rank(known.findings.failures + nameFailures),
            bestEfforts: known.findings.validPaths + known.findings.bestEfforts)
    }

    /// The result for any server name, of a search that platforms share if OpenSSL rejected nothing and they agree.
    private func nameless(_ question: PathQuestion, leaf: PathNode) -> FindingsCache.Entry {
        let common = remember(question, by: nil) { search(question, leaf: leaf, by: nil) }
        guard let platform = question.platform else { return common }
        let constrainsMore = platform.constrainsCommonName && common.hasNameConstraints
        let mayBeBuiltOtherwise =
            platform.buildsOnePath && common.hasChoice || platform.family == .android && !common.isConscrypts
        if common.isUndisputed, !constrainsMore, !mayBeBuiltOtherwise, question.fetchable.isEmpty,
            common.findings.validPaths.allSatisfy({ objections(to: $0, question).isEmpty })
        {
            return common
        }
        if common.isExhausted, platform.family != .android {
            return builtByItself(narrow(common, question), question, leaf: leaf)
        }
        return remember(question, by: platform) {
            // OpenSSL applies constraints to the common name only if told to, so judgements without that do not count.
            let found = search(
                question, leaf: leaf, by: platform, judgements: platform.constrainsCommonName ? [:] : common.judgements)
            return builtByItself(found, question, leaf: leaf)
        }
    }

    private func remember(
        _ question: PathQuestion, by platform: Platform?, _ search: () -> FindingsCache.Entry
    ) -> FindingsCache.Entry {
        let roots = cache.reachable(in: trustStore, by: question)
        let key = FindingsCache.Key(question, by: platform, among: roots)
        if let known = cache.entry(for: key, at: question.time) { return known }
        let entry = search()
        // Another target may have budget left that this one lacks.
        if target?.isSpent != true { cache.remember(entry, for: key) }
        return entry
    }

    package func holdsAnchor(like certificate: Certificate) -> Bool {
        certificate.node.map(trustStore.holdsAnchor(like:)) ?? false
    }

    /// The rules by which the CAs of a valid path may not certify `name` (RFC 5280, 4.2.1.3, 4.2.1.9 and 4.2.1.10).
    package func objections(toIssuingFor name: ServerName?, below path: [Certificate]) -> [TrustFailure] {
        let nodes = path.compactMap(\.node)
        var failures: [TrustFailure] = []
        for (index, node) in nodes.enumerated() {
            let limit = X509_get_pathlen(node.pointer)
            if limit >= 0, nodes[..<index].count(where: { !$0.certificate.isSelfIssued }) > limit {
                failures.append(TrustFailure(.pathTooLong, at: index + 1, of: node.certificate))
            }
            if node.certificate.keyUsage?.contains("keyCertSign") == false {
                failures.append(TrustFailure(.notAnAuthority, at: index + 1, of: node.certificate))
            }
        }
        // The rule's path begins with a leaf, of which it does not look at the names.
        if let name, let depth = NameRule.depthOfConstraint(on: nodes.prefix(1) + nodes, against: name) {
            let authority = "\(path[depth - 1]) (depth \(depth))"
            failures.append(TrustFailure(.nameConstraintViolated(by: authority), at: depth, of: path[depth - 1]))
        }
        return failures
    }

    package func issuerPlaces(of certificate: Certificate) -> [String] { IssuerPlaces.all(in: certificate) }

    private func nameFailures(of leaf: PathNode, _ question: PathQuestion) -> [TrustFailure] {
        guard case .sslServer(let reference) = question.policy else { return [] }
        switch reference {
        case .unchecked: return []
        case .impossible(let error): return [TrustFailure(.impossibleName(error), at: 0, of: leaf.certificate)]
        case .name(let name):
            guard let platform = question.platform else {
                return NameRules.verifier.matches(leaf.certificate, name, isRegistry: SystemPublicSuffixList.isRegistry)
                    ? [] : [TrustFailure(.nameMismatch(name), at: 0, of: leaf.certificate)]
            }
            let isRegistry = SystemPublicSuffixList.isRegistry
            return platform.objection(to: leaf.certificate, for: name, isRegistry: isRegistry).map { [$0] } ?? []
        }
    }
}
