internal import Pinning

/// Dates from which on pins no longer count.
struct ExpirationRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.compactMap { set in
            guard let end = set.entries.first?.expiration, !set.isExcluded else { return nil }
            let place = set.place
            if scene.isPast(end) || end == scene.linter.now {
                return LintFinding(
                    .pinSetExpired, at: place, host: set.host,
                    "the pins\(set.forHost) expired on \(end.date): the client accepts every trusted chain",
                    remedy: "ship pins with a later expiration")
            }
            if scene.isNear(expiration: end) {
                return LintFinding(
                    .pinSetExpiresSoon, at: place, host: set.host,
                    "the pins\(set.forHost) expire on \(end.date), and from then on the client accepts every trusted chain",
                    remedy: "ship pins with a later expiration before")
            }
            if set.kind == .android {
                return LintFinding(
                    .androidFailsOpenAfterExpiration, at: place, host: set.host,
                    "from \(end.date) on, midnight where the device is, Android accepts every trusted chain\(set.forHost)",
                    remedy: "have every user on a later version by then")
            }
            guard set.isTrustKits else { return nil }
            return LintFinding(
                .trustKitFailsOpenAfterExpiration, at: place, host: set.host,
                "from \(end.date) on, midnight UTC, TrustKit accepts every trusted chain\(set.forHost)",
                remedy: "have every user on a later version by then")
        }
    }
}
