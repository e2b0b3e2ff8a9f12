internal import Base
internal import PinFormats
internal import Pinning

/// OkHttp's `*.`, which covers less than it looks like.
struct OkHttpPatternRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.compactMap { set in
            guard set.kind == .okHttp, let hosts = set.hosts, hosts.depth == .oneLabel else { return nil }
            let isApexPinned = !source.index.entries(of: .okHttp, covering: .dns(hosts.name)).isEmpty
            let name = shortened(hosts.name)
            return LintFinding(
                .okHttpOneLabel, isApexPinned ? .note : .warning, at: set.place, host: set.host,
                "*.\(name) covers one label: a.\(name) is pinned, a.b.\(name)"
                    + (isApexPinned ? " is not" : " and \(name) itself are not"),
                remedy: "write **.\(name) for the domain and all names below it")
        }
    }
}
