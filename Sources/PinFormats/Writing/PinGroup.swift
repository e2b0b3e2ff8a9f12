package import Pinning

/// The keys of one host, and which of them a block pins.
package struct PinGroup: Sendable, Hashable {
    /// What stands where no host is known; the name can exist nowhere (RFC 2606).
    package static let hostPlaceholder = "your-host.example"

    /// The host of the requests, `nil` when it is not known.
    package let host: String?
    /// The port of the server.
    package let port: Int
    /// Where the keys come from, for the first comments of a block.
    package let origins: [String]
    /// What is to be said against these pins, `nil` for nothing.
    package let warning: String?
    /// The keys, the server's first.
    package let items: [PinItem]
    /// The keys that are pinned because the user chose them; the server's own are pinned anyway.
    package let chosen: Set<SHA256Digest>
    /// What a configuration says of the host beside its pins, `nil` for keys that are none's.
    package let rules: PinRules?
    /// What the format cannot say, for the first comments of a block.
    package let remarks: [String]
    /// Whether whoever chose the keys saw to it that they outlast what is served today: nothing is said of another one then.
    package var hasReserve = false

    /// The keys of `host`.
    package init(
        host: String?, port: Int, origins: [String], warning: String? = nil, items: [PinItem],
        chosen: Set<SHA256Digest> = [], rules: PinRules? = nil, remarks: [String] = []
    ) {
        self.host = host
        self.port = port
        self.origins = origins
        self.warning = warning
        self.items = items
        self.chosen = chosen
        self.rules = rules
        self.remarks = remarks
    }

    /// The group with more keys, of which those in `chosen` are pinned even where they are an authority's.
    package func adding(_ items: [PinItem], chosen more: Set<SHA256Digest>, origins: [String]) -> PinGroup {
        PinGroup(
            host: host, port: port, origins: self.origins + origins, warning: warning, items: self.items + items,
            chosen: chosen.union(more), rules: rules, remarks: remarks)
    }

    /// The group with these of its keys alone.
    package func keeping(_ items: [PinItem]) -> PinGroup {
        PinGroup(
            host: host, port: port, origins: origins, warning: warning, items: items, chosen: chosen, rules: rules,
            remarks: remarks)
    }

    /// Where the first of what it is made of stands, empty when it is not known.
    package var origin: String { origins.first.map { String($0.trimmingPrefix("From ")) } ?? "" }

    /// Whether the hosts are exempt from what is pinned for their parent domain.
    package var isExempt: Bool { rules?.isExcluded == true }

    /// The hosts as messages name them.
    package var hosts: String {
        guard let host else { return "whatever host" }
        let name = port == 443 ? host : "\(host):\(port)"
        return switch depth {
        case .exact: name
        case .oneLabel: "*.\(name)"
        case .upToOneLabel: "\(name) and one label below it"
        case .anyNumber: "\(name) and all names below it"
        }
    }

    /// Whether a block pins this key of the group.
    package func pins(_ item: PinItem) -> Bool { !item.role.isAuthority || chosen.contains(item.spkiSHA256) }

    /// The group with other keys, rules or port, and more remarks; what it pins it goes on pinning.
    func with(items: [PinItem]? = nil, rules: PinRules? = nil, port: Int? = nil, remarks: [String] = []) -> PinGroup {
        PinGroup(
            host: host, port: port ?? self.port, origins: origins, warning: warning, items: items ?? self.items,
            chosen: chosen.union(items?.map(\.spkiSHA256) ?? []), rules: rules ?? self.rules,
            remarks: self.remarks + remarks)
    }

    /// How many labels may stand before the host.
    var depth: HostPattern.Depth { rules?.depth ?? .exact }

    /// Whether there is anything to write.
    var isWorthWriting: Bool { !items.isEmpty || rules?.isExcluded == true }

    /// The host, or what stands for it.
    var hostName: String { host ?? Self.hostPlaceholder }

    /// What one line of a block does with a key.
    enum Use {
        /// It is pinned.
        case pinned
        /// It stands there as a comment.
        case offered
    }

    /// The different keys in order, each with its use.
    ///
    /// An authority is only offered, even where a client asks for a second pin: whoever it issues a certificate for could
    /// listen.
    func uses() -> [(item: PinItem, use: Use)] {
        var seen: Set<SHA256Digest> = []
        return items.filter { seen.insert($0.spkiSHA256).inserted }.map { ($0, pins($0) ? .pinned : .offered) }
    }
}
