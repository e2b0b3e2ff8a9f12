/// Values by the patterns of the hosts they are for: finding those for a host takes no time, however many there are.
package struct HostIndex<Value: Sendable>: Sendable {
    private struct Item: Sendable {
        let order: Int
        let pattern: HostPattern
        let value: Value
    }

    private var byName: [String: [Item]] = [:]
    private var everywhere: [Value] = []

    /// An index of values; those without a pattern are for whatever host.
    package init(_ values: some Sequence<(HostPattern?, Value)>) {
        for (order, (pattern, value)) in values.enumerated() {
            guard let pattern else {
                everywhere.append(value)
                continue
            }
            byName[pattern.name, default: []].append(Item(order: order, pattern: pattern, value: value))
        }
    }

    /// The values that cover a host, in their order, behind those for whatever host.
    package func covering(_ host: String) -> [Value] {
        var found: [Item] = []
        var name: Substring? = host[...]
        while let parent = name {
            found += (byName[String(parent)] ?? []).filter { $0.pattern.covers(host) }
            name = parent.firstIndex(of: ".").map { parent[parent.index(after: $0)...] }
        }
        return everywhere + found.sorted { $0.order < $1.order }.map(\.value)
    }
}

extension HostPattern {
    /// A name that the pattern covers: its own, or one below it where only those count.
    package var sample: String { depth == .oneLabel ? "host.\(name)" : name }

    /// As configurations write it, or nearly so: `example.com`, `*.example.com`.
    package var short: String { depth == .oneLabel ? "*.\(name)" : name }
}
