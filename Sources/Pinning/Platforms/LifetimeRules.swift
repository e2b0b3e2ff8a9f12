/// How long the leaf may be valid, from its first second to its last.
public struct LifetimeRules: Sendable, Hashable {
    /// A longest lifetime, for leaves whose validity begins at a moment or later.
    struct Limit: Sendable, Hashable {
        let since: Timestamp
        /// In days of 86,400 seconds.
        let days: Int
        /// Seconds that are tolerated beyond the days.
        var slip: Int64 = 0
    }

    private let limits: [AnchorClass: [Limit]]

    static let unlimited = LifetimeRules(limits: [:])

    /// Apple's: `SecPolicyCheckValidityPeriodMaximums` and its neighbours (Security, macOS 26.0).
    static func apple(judgesOwnAnchors: Bool) -> LifetimeRules {
        let hour: Int64 = 3_600
        let others = judgesOwnAnchors ? [Limit(since: PurposeRules.july2019, days: 825, slip: hour)] : []
        return LifetimeRules(limits: [
            .own: others, .installedByHand: others,
            .system: [
                Limit(since: Timestamp(secondsSinceEpoch: 1_598_918_400), days: 398),
                Limit(since: Timestamp(secondsSinceEpoch: 1_519_862_400), days: 825, slip: hour),
            ],
        ])
    }

    /// The failure of a leaf that is valid for too long.
    func failures(of path: PlatformPath) -> [TrustFailure] {
        let leaf = path.certificates[0]
        // What somebody installed by hand as it is has no limit.
        guard !(path.certificates.count == 1 && path.anchorClass == .installedByHand),
            let limit = limits[path.anchorClass]?.first(where: { leaf.notBefore >= $0.since })
        else { return [] }
        let (lifetime, overflow) = leaf.notAfter.secondsSinceEpoch.subtractingReportingOverflow(
            leaf.notBefore.secondsSinceEpoch)
        guard overflow || lifetime > Int64(limit.days) * 86_400 + limit.slip else { return [] }
        let days = overflow ? Int.max : Int((lifetime + 86_399) / 86_400)
        return [TrustFailure(.lifetimeTooLong(days: days, limit: limit.days), at: 0, of: leaf)]
    }
}
