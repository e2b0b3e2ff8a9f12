internal import Base
internal import Pinning

/// What TrustKit for Android makes of a network security configuration, where the app has it.
struct TrustKitAndroidRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        let sets = source.sets.filter { $0.kind == .android }
        // Its settings in the file tell that the app has it.
        guard scene.isFor("trustkit-android") || sets.contains(where: { $0.entries.first?.enforcesPinning != nil })
        else { return [] }
        return sets.flatMap { set in broken(set, scene) + surprises(set) }
    }

    /// The rules for which TrustKit throws.
    private func broken(_ set: PinnedSet, _ scene: LintScene) -> [LintFinding] {
        guard let entry = set.entries.first, let domain = entry.trustKitAndroid else { return [] }
        return domain.violations(pins: entry.pins, suffixes: scene.suffixes).compactMap { violation in
            if case .tooFewPins = violation, set.isIncomplete { return nil }
            let id: LintRuleID = if case .tooFewPins = violation { .trustKitTooFewPins } else { .trustKitAndroidThrows }
            return LintFinding(
                id, at: set.place, host: set.host,
                "TrustKit throws for the whole file when the app starts: "
                    + shortened(violation.message(domain.name), to: 300))
        }
    }

    private func surprises(_ set: PinnedSet) -> [LintFinding] {
        guard let entry = set.entries.first, !set.members.isEmpty, let isEnforced = entry.enforcesPinning else {
            return []
        }
        var findings: [LintFinding] = []
        if !isEnforced {
            findings.append(
                LintFinding(
                    .trustKitAndroidNotEnforced, at: set.place, host: set.host,
                    "TrustKit only reports a mismatch\(set.forHost): enforcePinning is not true, as by default on Android; "
                        + "below Android 7 nothing else looks at pins",
                    remedy: "set enforcePinning=\"true\" in <trustkit-config>"))
        }
        guard let domain = entry.trustKitAndroid else {
            findings.append(
                LintFinding(
                    .trustKitAndroidOneDomain, at: set.place, host: set.host,
                    "TrustKit reads the last <domain> of a <domain-config> only, and not \(shortened(set.host ?? ""))",
                    remedy: "give each domain a <domain-config> of its own"))
            return findings
        }
        if domain.name != domain.name.lowercased() {
            findings.append(
                LintFinding(
                    .hostNeverMatches, at: set.place, host: set.host,
                    "TrustKit compares '\(shortened(domain.name))' as it is written, and a URL's host has small letters: "
                        + "TrustKit pins nothing by it", remedy: "write it in small letters"))
        }
        return findings
    }
}
