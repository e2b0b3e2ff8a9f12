/// The hosts that an entry of a configuration is for: a name, and a depth below it.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    package enum Depth: Sendable, Hashable {
        case exact
        /// Exactly one label below the name: `*.example.com` in OkHttp.
        case oneLabel
        /// The name itself and one label below it: `NSIncludesSubdomains` in Apple's NSPinnedDomains.
        case upToOneLabel
        /// The name itself and any number of labels below it: `**.example.com` in OkHttp, include-subdomains elsewhere.
        case anyNumber
    }

    /// The name without its wildcard, in the form that the client compares; it need not be a valid host name.
    package let name: String
    package let depth: Depth
    /// The name in OkHttp's form, A-labels in lower case, for files that OkHttp reads in addition to another client.
    package let canonicalName: String

    /// Makes a pattern of the hosts that equal `text`, or end in a dot and `text`; `text` is not checked.
    package init(text: String, canonicalName: String? = nil, _ depth: Depth) {
        (name, self.depth, self.canonicalName) = (text, depth, canonicalName ?? text)
    }

    var canonical: HostPattern { HostPattern(text: canonicalName, depth) }

    /// Compares the host as text, even if it is an address.
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

/// An index of values by host pattern: a lookup takes a step for each label of the host, however many values there are.
package struct HostIndex<Value: Sendable>: Sendable {
    private var byName: [String: [(order: Int, pattern: HostPattern, value: Value)]] = [:]
    private var everywhere: [Value] = []

    /// Indexes values in their order; a value without a pattern is for every host.
    package init(_ values: some Sequence<(HostPattern?, Value)>) {
        for (order, (pattern, value)) in values.enumerated() {
            guard let pattern else {
                everywhere.append(value)
                continue
            }
            byName[pattern.name, default: []].append((order, pattern, value))
        }
    }

    /// The values for a host, in their order: first those for every host, then those with a pattern.
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
