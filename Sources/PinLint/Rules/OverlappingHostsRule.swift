internal import Base
internal import PinFormats
internal import Pinning

/// Entries for the same host in a client that takes the pins of all of them.
struct OverlappingHostsRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.compactMap { set in
            guard let hosts = set.hosts, let kind = set.kind, kind == .okHttp || kind == .nsPinnedDomains else {
                return nil
            }
            let others = source.index.entries(of: kind, covering: hosts.sample).filter {
                $0.hosts != hosts && !Set($0.pins.map(\.spkiSHA256)).isSubset(of: set.keys)
            }
            guard let other = others.first else { return nil }
            let client = kind == .okHttp ? "OkHttp" : "Apple's system"
            return LintFinding(
                .overlappingHosts, at: set.place, host: set.host,
                "the entry at \(shortened(other.origin, isPublic: true)) is for \(shortened(hosts.short)) too: "
                    + "\(client) accepts the pins of both",
                remedy: "nothing, if that is meant; an entry of its own does not narrow what a wider one accepts")
        }
    }
}
