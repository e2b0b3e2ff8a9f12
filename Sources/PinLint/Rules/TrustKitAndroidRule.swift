internal import Pinning

/// What TrustKit for Android makes of a network security configuration that has settings for it.
struct TrustKitAndroidRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.flatMap { set -> [LintFinding] in
            guard set.kind == .android, let entry = set.entries.first, let isEnforced = entry.enforcesPinning else {
                return []
            }
            var findings: [LintFinding] = []
            if !isEnforced, !set.members.isEmpty {
                findings.append(
                    LintFinding(
                        .trustKitAndroidNotEnforced,
                        at: set.place,
                        host: set.host,
                        "TrustKit only reports a mismatch\(set.forHost): enforcePinning is not true, as by default on Android; "
                            + "below Android 7 nothing else looks at pins",
                        remedy: "set enforcePinning=\"true\" in <trustkit-config>"
                    )
                )
            }
            if isEnforced, set.keys.count == 1, !set.isIncomplete {
                findings.append(
                    LintFinding(
                        .trustKitTooFewPins,
                        at: set.place,
                        host: set.host,
                        "one key is pinned\(set.forHost), and TrustKit throws for fewer than two",
                        remedy: "add a backup pin"
                    )
                )
            }
            if !entry.isReadByTrustKitAndroid {
                findings.append(
                    LintFinding(
                        .trustKitAndroidOneDomain,
                        at: set.place,
                        host: set.host,
                        "TrustKit reads the last <domain> of a <domain-config> only, and not \(inMessage(set.host ?? ""))",
                        remedy: "give each domain a <domain-config> of its own"
                    )
                )
            }
            return findings
        }
    }
}
