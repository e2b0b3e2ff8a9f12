/// The hosts of an entry in a configuration: a name, and the number of labels that may precede it.
package struct HostPattern: Hashable, CustomStringConvertible {
    package enum Depth {
        case exact
        /// Exactly one label below the name: `*.example.com` in OkHttp.
        case oneLabel
        /// The name itself and one label below it: `NSIncludesSubdomains` in Apple's NSPinnedDomains.
        case upToOneLabel
        /// The name itself and any number of labels below it: `**.example.com` in OkHttp, include-subdomains elsewhere.
        case anyNumber
    }

    /// The name without its wildcard, as the client compares it: Android in lower case, TrustKit as written.
    package let name: String
    package let depth: Depth

    /// Makes a pattern of a name, which need not be a valid host name.
    package init(text: String, _ depth: Depth) { (name, self.depth) = (text, depth) }

    /// `true` if the host matches; it is compared as text, even if it is an address.
    package func covers(_ host: String) -> Bool {
        guard host != name else { return depth != .oneLabel }
        guard !name.isEmpty, host.hasSuffix("." + name) else { return false }
        let prefix = host.utf8.dropLast(name.utf8.count + 1)
        return switch depth {
        case .exact: false
        case .oneLabel, .upToOneLabel: !prefix.contains(UInt8(ascii: "."))
        case .anyNumber: true
        }
    }

    package var description: String {
        switch depth {
        case .exact, .oneLabel: short
        case .upToOneLabel: "\(name) and one label below it"
        case .anyNumber: "\(name) and all names below it"
        }
    }

    package var sample: String { depth == .oneLabel ? "host.\(name)" : name }
    package var short: String { depth == .oneLabel ? "*.\(name)" : name }
}

/// An index of values by host pattern: a lookup's cost depends on the host's labels, not on the number of values.
package struct HostIndex<Value: Sendable>: Sendable {
    private var byName: [String: [(order: Int, pattern: HostPattern, value: Value)]] = [:]
    private var everywhere: [Value] = []

    package init(_ values: some Sequence<(HostPattern?, Value)>) {
        for (order, (pattern, value)) in values.enumerated() {
            guard let pattern else {
                everywhere.append(value)
                continue
            }
            byName[pattern.name, default: []].append((order, pattern, value))
        }
    }

    /// The values for a host: first those without a pattern, then those with one, each in their original order.
    package func covering(_ host: String) -> [Value] {
        var found: [(order: Int, pattern: HostPattern, value: Value)] = []
        var name: Substring? = host[...]
        while let parent = name {
            found += (byName[String(parent)] ?? []).filter { $0.pattern.covers(host) }
            name = parent.firstIndex(of: ".").map { parent[parent.index(after: $0)...] }
        }
        return everywhere + found.sorted { $0.order < $1.order }.map(\.value)
    }
}
