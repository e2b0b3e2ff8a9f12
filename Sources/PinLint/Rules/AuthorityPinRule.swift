internal import Base
internal import Pinning

/// Pins of authorities beside a server's own, which make the server's own no stricter than the authority.
struct AuthorityPinRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.compactMap { set in
            // Apple's lists of leaves and authorities must match both; a record says itself what it is of.
            guard !set.isExcluded, set.kind != .nsPinnedDomains else { return nil }
            let certificates = set.certificates
            guard certificates.contains(where: { !$0.certificate.isAuthority }),
                let authority = certificates.first(where: { $0.certificate.isAuthority })
            else { return nil }
            return LintFinding(
                .authorityBesideLeaf, at: authority.place, host: set.host,
                "\(shortened(authority.certificate.description)) is an authority, pinned beside a server's own key: "
                    + "any certificate it issues for the name will do",
                remedy: "leave the authority out, and pin a key of your own in reserve, unless this is meant")
        }
    }
}
