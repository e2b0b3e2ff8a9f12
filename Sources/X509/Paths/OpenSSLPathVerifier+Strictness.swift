package import Pinning

extension OpenSSLPathVerifier {
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
            FindingsCache.Entry(findings, hasNameConstraints: false, at: time, by: path.certificates), for: key)
        return failures
    }

    private func strictLook(at path: VerifiedPath, policy: TrustPolicy, time: Timestamp) -> [TrustFailure] {
        let nodes = path.certificates.compactMap { PathNode($0) }
        var rules = PathJudge.Rules(
            isServerPolicy: policy != .basicX509, authLevel: Int32(authLevel), isStrict: true, time: time)
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
}
