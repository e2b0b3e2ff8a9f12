internal import Pinning

/// Groups by the names that their patterns begin at, to find those for a host among thousands.
struct GroupIndex {
    private var patterns: [String: [(index: Int, pattern: HostPattern)]] = [:]

    /// The groups of a configuration that count.
    init(_ groups: [PinGroup], where counts: (PinGroup) -> Bool) {
        for (index, group) in groups.enumerated() where counts(group) {
            guard let host = group.host, let pattern = try? HostPattern(host, group.depth) else { continue }
            patterns[pattern.name, default: []].append((index, pattern))
        }
    }

    /// The indices of the groups that cover `host`, in their order.
    func indices(covering host: ServerName) -> [Int] {
        guard case .dns(let name) = host else { return [] }
        var indices: [Int] = []
        var rest: Substring? = name[...]
        while let parent = rest {
            indices += (patterns[String(parent)] ?? []).filter { $0.pattern.covers(host) }.map(\.index)
            rest = parent.firstIndex(of: ".").map { parent[parent.index(after: $0)...] }
        }
        return indices.sorted()
    }
}
