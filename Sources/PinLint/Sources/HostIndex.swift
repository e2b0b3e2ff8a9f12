internal import Pinning

/// Entries by the names they are for, so that looking one up takes no time with many hosts.
struct HostIndex {
    private var byName: [PinConfiguration.Kind: [String: [HostEntry]]] = [:]
    /// Every pattern once, in the order of the files.
    private(set) var patterns: [HostPattern] = []

    init(_ configurations: [PinConfiguration]) {
        var seen: Set<HostPattern> = []
        for configuration in configurations {
            for entry in configuration.entries {
                guard let hosts = entry.hosts else { continue }
                byName[configuration.kind, default: [:]][hosts.name, default: []].append(entry)
                if seen.insert(hosts).inserted { patterns.append(hosts) }
            }
        }
    }

    /// What is said of `host`, by the rules of each kind's own client.
    func policies(
        for host: ServerName, suffixes: some PublicSuffixList
    ) -> [(kind: PinConfiguration.Kind, policy: HostPolicy)] {
        PinConfiguration.Kind.allCases.compactMap { kind in
            let entries = entries(of: kind, covering: host)
            guard !entries.isEmpty else { return nil }
            let policy = PinConfiguration(kind, entries: entries).policy(for: host, suffixes: suffixes)
            return policy.map { (kind, $0) }
        }
    }

    /// The entries of one kind that cover `host`, in no certain order.
    func entries(of kind: PinConfiguration.Kind, covering host: ServerName) -> [HostEntry] {
        guard let byName = byName[kind] else { return [] }
        let host = host.description
        var found: [HostEntry] = []
        var name = host[...]
        while true {
            found += (byName[String(name)] ?? []).filter { $0.covers(host) }
            guard let dot = name.firstIndex(of: ".") else { return found }
            name = name[name.index(after: dot)...]
        }
    }
}

extension HostPattern {
    /// A name that the pattern covers: its own, or one below it where only those count.
    var sample: ServerName { .dns(depth == .oneLabel ? "host.\(name)" : name) }

    /// As configurations write it, or nearly so: `example.com`, `*.example.com`.
    var short: String { depth == .oneLabel ? "*.\(name)" : name }
}
