import Pinning

extension OpenSSLPathVerifier {
    /// The result for a platform that builds one path as OpenSSL does: that path, or the objections to it.
    ///
    /// Without a name OpenSSL may also build a path that the search skips, through two certificates of one CA. It does
    /// not count if its CAs constrain names.
    func builtByItself(
        _ entry: FindingsCache.Entry, _ question: PathQuestion, leaf: PathNode, isNameless: Bool = true
    ) -> FindingsCache.Entry {
        let isFound = !entry.findings.validPaths.isEmpty
        guard let platform = question.platform, platform.buildsOnePath,
            isFound ? entry.hasChoice : isNameless && entry.hasLeftOutAuthority && !entry.isExhausted
        else { return entry }
        let (path, failures) = build(question, leaf: leaf, by: platform)
        if failures.isEmpty, isFound || !path.isEmpty && !NameRule.hasConstraints(path.compactMap(\.node)) {
            // The platform never tries the other paths that the search found.
            return entry.with(PathFindings(validPaths: [path]))
        }
        guard isFound else { return entry }
        let refused = Self.rank(failures.map { $0.refused(by: platform.family) })
        return entry.with(PathFindings(failures: refused, bestEfforts: [path]))
    }

    private func build(
        _ question: PathQuestion, leaf: PathNode, by platform: Platform
    ) -> (path: [Certificate], failures: [TrustFailure]) {
        let building = PathBuilding(
            of: leaf, presented: Self.nodes(question.presented.certificates.dropFirst()),
            endingAt: tiers(of: question.anchors).flatMap(\.self))
        let rules = PathRules(verifier: self, question: question, platform: platform)
        let judgement = PathJudge(rules: rules).judge(building)
        let (path, failures) = (judgement.certificates, judgement.failures)
        guard failures.isEmpty else { return (path, failures) }
        return (path, trustStore.distrust(on: path.compactMap(\.node)) + objections(to: path, question))
    }

    func objections(to path: [Certificate], _ question: PathQuestion) -> [TrustFailure] {
        let rules = PathRules(verifier: self, question: question, platform: question.platform)
        return rules.failures(of: path, firstAnchor: path.count - 1, [])
    }

    /// The result for a platform after an exhausted search; a second search is not paid for.
    func narrow(_ common: FindingsCache.Entry, _ question: PathQuestion) -> FindingsCache.Entry {
        var findings = common.findings
        if let preferred = findings.validPaths.first {
            findings.validPaths = findings.validPaths.filter { objections(to: $0, question).isEmpty }
            if findings.validPaths.isEmpty {
                findings.bestEfforts = [preferred, [question.presented.leaf]]
                findings.failures = [TrustFailure(.tooManyPaths, at: 0, of: question.presented.leaf)]
            }
        }
        return common.with(findings)
    }
}
