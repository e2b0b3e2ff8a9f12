internal import Base
internal import PinFormats
internal import Pinning

/// What surprises in the anchors of Android's network security configuration.
struct AndroidTrustRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.inspections.flatMap(\.networkSecurity).flatMap { configuration -> [LintFinding] in
            let domains = configuration.domains.map { domain in
                (domain.levels.first, domain.origin, domain.hosts.short as String?)
            }
            return ([(configuration.base, configuration.origin, nil)] + domains).compactMap { level, origin, host in
                guard level?.sources?.contains(where: { $0.origin == .user }) == true else { return nil }
                return LintFinding(
                    .userAnchors, at: source.place(ofOrigin: origin), host: host,
                    "roots that the user installs are trusted\(host.map { " for \(shortened($0))" } ?? ""), "
                        + "an interceptor's among them, also in releases",
                    remedy: "name src=\"user\" in <debug-overrides> alone")
            }
        }
    }
}
