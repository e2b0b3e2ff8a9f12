internal import PinFormats
internal import Pinning

/// Sets with a single key, which end when that key does.
struct BackupPinRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.compactMap { set in
            guard !set.isIncomplete, !set.isExcluded else { return nil }
            // TrustKit's own rule says more.
            if set.isEnforcedByTrustKit || set.kind == nil && scene.isFor("trustkit") { return nil }
            for (list, what) in lists(of: set, in: source, scene) where Set(list.map(\.spkiSHA256)).count == 1 {
                return LintFinding(
                    .noBackupPin, at: set.place, host: set.host,
                    "one key is pinned\(set.forHost)\(what), and none in reserve: when it is lost or replaced, "
                        + "the app stops working",
                    remedy: "pin a second key that no server uses yet and whose private half lies in a safe place")
            }
            return nil
        }
    }

    /// The pins of which one has to match, with what tells them apart.
    private func lists(of set: PinnedSet, in source: LintSource, _ scene: LintScene) -> [(pins: [Pin], what: String)] {
        guard let hosts = set.hosts, let kind = set.kind, kind.lookup == .union else {
            return [(set.members.map(\.pin), "")]
        }
        // The client takes what other entries say of the same hosts as well.
        let entries = source.index.entries(of: kind, covering: hosts.sample)
        let positions = entries.compactMap { entry -> (leaf: [Pin], authorities: [Pin])? in
            guard case .positions(let leaf, let authorities) = entry.identities else { return nil }
            return (leaf ?? [], authorities ?? [])
        }
        guard !positions.isEmpty else { return [(entries.flatMap(\.pins), "")] }
        return [
            (positions.flatMap(\.leaf), " as a leaf identity"), (positions.flatMap(\.authorities), " as an authority"),
        ]
    }
}
