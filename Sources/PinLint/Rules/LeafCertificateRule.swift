internal import Base
internal import Pinning

/// Pinned leaf certificates, which no renewal survives.
struct LeafCertificateRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.flatMap { set in
            let leaves = set.certificates.filter { !$0.certificate.isAuthority }
            var findings = leaves.map { leaf in
                LintFinding(
                    .leafCertificatePinned, at: leaf.place, host: set.host,
                    "\(shortened(leaf.certificate.description)) is a leaf certificate: "
                        + "a client that compares certificates refuses the renewed one, even with the same key",
                    remedy: "pin its key, or compare keys only")
            }
            if leaves.count > 1, leaves.count == set.members.count {
                findings.append(
                    LintFinding(
                        .onlyLeafPins, at: set.place, host: set.host,
                        "\(leaves.count == 2 ? "both" : "all \(leaves.count)") pins\(set.forHost) are leaf certificates",
                        remedy: "pin the key of an authority or a key in reserve beside them"))
            }
            return findings
        }
    }
}

extension Certificate {
    /// Whether it may sign others; certificates of version 1 cannot say so and count when they signed themselves.
    var isAuthority: Bool { basicConstraints?.isCertificateAuthority ?? (isSelfIssued && names.isEmpty) }
}
