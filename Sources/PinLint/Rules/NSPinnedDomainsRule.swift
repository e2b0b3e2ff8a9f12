internal import Base
internal import Pinning

/// What surprises in Apple's NSPinnedDomains.
struct NSPinnedDomainsRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.flatMap { set -> [LintFinding] in
            guard set.kind == .nsPinnedDomains, let hosts = set.hosts else { return [] }
            var findings: [LintFinding] = []
            if hosts.depth == .upToOneLabel {
                findings.append(
                    LintFinding(
                        .nsPinnedDomainsOneLabel, at: set.place, host: set.host,
                        "NSIncludesSubdomains covers one label: a.\(shortened(hosts.name)) is pinned, "
                            + "a.b.\(shortened(hosts.name)) is not", remedy: "give deeper names entries of their own"))
            }
            for case .positions(let leaf?, let authorities?) in set.entries.map(\.identities)
            where !leaf.isEmpty && !authorities.isEmpty {
                findings.append(
                    LintFinding(
                        .nsPinnedDomainsLeafAndCA, at: set.place, host: set.host,
                        "leaf and authority identities are both listed\(set.forHost): the chain has to match one of each",
                        remedy: "list one kind, unless both are meant"))
            }
            return findings
        }
    }
}
