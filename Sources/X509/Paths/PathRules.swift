internal import Pinning

/// What counts as valid: the verifier's own judgement, or what a platform makes of it.
struct PathRules {
    /// The platform, `nil` for the verifier's own judgement.
    let platform: Platform?
    let policy: TrustPolicy
    /// What came along with the leaf, `nil` where it was not looked at.
    let evidence: LeafEvidence?
    let anchorClass: (PathNode) -> AnchorClass

    func failures(of path: [PathNode], firstAnchor: Int, _ findings: [TrustFailure]) -> [TrustFailure] {
        guard let platform, let last = path.last else { return findings }
        return platform.objections(
            to: path.map(\.certificate), firstAnchor: firstAnchor, findings: findings, under: policy,
            evidence: evidence, anchorClass: { anchorClass(last) })
    }

    /// What there is against a path that leads to no anchor, as far as that does not depend on whose its anchor would be.
    func failures(ofDeadEnd path: [PathNode], _ findings: [TrustFailure]) -> [TrustFailure] {
        guard let platform else { return findings }
        let certificates = path.map(\.certificate)
        let all = AnchorClass.allCases.map { anchorClass in
            // Only what does not depend on the class is common to all three.
            platform.objections(
                to: certificates, firstAnchor: certificates.count, findings: findings, under: policy,
                evidence: evidence, anchorClass: { anchorClass })
        }
        return all[0].filter { failure in
            all.dropFirst().allSatisfy { $0.contains { $0.id == failure.id && $0.depth == failure.depth } }
        }
    }
}
