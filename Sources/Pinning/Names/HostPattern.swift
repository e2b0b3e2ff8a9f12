/// Which hosts an entry of a configuration is for; each client has patterns and rules of its own.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    package enum Depth: Sendable, Hashable {
        case exact
        /// Exactly one: `*.example.com` in OkHttp.
        case oneLabel
        /// None or one: `NSIncludesSubdomains` in Apple's NSPinnedDomains.
        case upToOneLabel
        /// Any number, none included: `**.example.com` in OkHttp, include-subdomains elsewhere.
        case anyNumber
    }

    /// The name without wildcard, as the client compares it with hosts: text, which no host need ever equal.
    package let name: String
    package let depth: Depth
    /// The name as OkHttp has it, which reads some files beside another client: A-labels in lower case.
    package let canonicalName: String

    /// A pattern for hosts that equal `text`, or end in a dot and `text`, whatever it is.
    package init(text: String, canonicalName: String? = nil, _ depth: Depth) {
        (name, self.depth, self.canonicalName) = (text, depth, canonicalName ?? text)
    }

    var canonical: HostPattern { HostPattern(text: canonicalName, depth) }

    /// Whether the pattern covers a host as text; an address counts as the text it is.
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

    /// A name that the pattern covers: its own, or one below it where only those count.
    package var sample: String { depth == .oneLabel ? "host.\(name)" : name }

    /// As configurations write it, or nearly so: `example.com`, `*.example.com`.
    package var short: String { depth == .oneLabel ? "*.\(name)" : name }
}

/// Values by the patterns of the hosts they are for: finding those for a host takes no time, however many there are.
package struct HostIndex<Value: Sendable>: Sendable {
    private var byName: [String: [(order: Int, pattern: HostPattern, value: Value)]] = [:]
    private var everywhere: [Value] = []

    /// An index of values; those without a pattern are for whatever host.
    package init(_ values: some Sequence<(HostPattern?, Value)>) {
        for (order, (pattern, value)) in values.enumerated() {
            guard let pattern else {
                everywhere.append(value)
                continue
            }
            byName[pattern.name, default: []].append((order, pattern, value))
        }
    }

    /// The values that cover a host, in their order, behind those for whatever host.
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
