import Pinning

extension OpenSSLPathVerifier {
    /// The result for a platform that builds one path as OpenSSL does: that path, or the objections to it.
    func builtByItself(_ entry: FindingsCache.Entry, _ question: PathQuestion, leaf: PathNode) -> FindingsCache.Entry {
        guard let platform = question.platform, platform.buildsOnePath, entry.hasChoice,
            !entry.findings.validPaths.isEmpty
        else { return entry }
        let (path, failures) = build(question, leaf: leaf, by: platform)
        guard failures.isEmpty else {
            let failures = Self.rank(failures.map { $0.refused(by: platform.family) })
            return entry.with(PathFindings(failures: failures, bestEfforts: [path]))
        }
        // The platform never tries the other paths that the search found.
        return entry.with(PathFindings(validPaths: [path]))
    }

    /// The result with a path through two certificates of one CA, which OpenSSL builds but the search skips.
    ///
    /// The server's name is unknown here, so a path whose CAs constrain names does not count.
    func builtThroughOneAuthorityTwice(
        _ entry: FindingsCache.Entry, _ question: PathQuestion, leaf: PathNode
    ) -> FindingsCache.Entry {
        guard let platform = question.platform, platform.buildsOnePath, entry.findings.validPaths.isEmpty,
            entry.hasLeftOutAuthority, !entry.isExhausted
        else { return entry }
        let (path, failures) = build(question, leaf: leaf, by: platform)
        let nodes = path.compactMap(\.node)
        guard failures.isEmpty, !path.isEmpty, nodes.count == path.count, !NameRule.hasConstraints(nodes) else {
            return entry
        }
        return entry.with(PathFindings(validPaths: [path]))
    }

    private func build(
        _ question: PathQuestion, leaf: PathNode, by platform: Platform
    ) -> (path: [Certificate], failures: [TrustFailure]) {
        let building = PathBuilding(
            of: leaf, presented: Self.nodes(question.presented.certificates.dropFirst()),
            endingAt: tiers(of: question.anchors).flatMap(\.self))
        let judgement = PathJudge(rules: rules(for: question, by: platform)).judge(building)
        let failures =
            judgement.failures + (judgement.failures.isEmpty ? objections(to: judgement.certificates, question) : [])
        return (judgement.certificates, failures)
    }

    func isTaken(_ path: [Certificate], _ question: PathQuestion) -> Bool {
        let nodes = path.compactMap(\.node)
        return nodes.count == path.count
            && pathRules(question, by: question.platform).failures(of: nodes, firstAnchor: nodes.count - 1, []).isEmpty
    }

    private func objections(to path: [Certificate], _ question: PathQuestion) -> [TrustFailure] {
        let nodes = path.compactMap(\.node)
        return trustStore.distrust(on: nodes)
            + pathRules(question, by: question.platform).failures(of: nodes, firstAnchor: nodes.count - 1, [])
    }

    /// The result for a platform after an exhausted search; a second search is not paid for.
    func narrow(_ common: FindingsCache.Entry, _ question: PathQuestion) -> FindingsCache.Entry {
        var findings = common.findings
        if let preferred = findings.validPaths.first {
            findings.validPaths = findings.validPaths.filter { isTaken($0, question) }
            if findings.validPaths.isEmpty {
                findings.bestEfforts = [preferred, [question.presented.leaf]]
                findings.failures = [TrustFailure(.tooManyPaths, at: 0, of: question.presented.leaf)]
            }
        }
        return common.with(findings)
    }
}
