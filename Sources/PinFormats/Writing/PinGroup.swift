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

    /// The keys of `host`.
    package init(
        host: String?,
        port: Int,
        origins: [String],
        warning: String? = nil,
        items: [PinItem],
        chosen: Set<SHA256Digest> = []
    ) {
        self.host = host
        self.port = port
        self.origins = origins
        self.warning = warning
        self.items = items
        self.chosen = chosen
    }

    /// The host, or what stands for it.
    var hostName: String { host ?? Self.hostPlaceholder }

    /// What one line of a block does with a key.
    enum Use {
        /// It is pinned.
        case pinned
        /// It is pinned because the format wants two pins and this is the nearest there is to a backup.
        case standIn
        /// It stands there as a comment.
        case offered
    }

    /// The different keys in order, each with its use; at least `minimum` of them are pinned if there are so many.
    func uses(atLeast minimum: Int = 1) -> [(item: PinItem, use: Use)] {
        var seen: Set<SHA256Digest> = []
        let different = items.filter { seen.insert($0.spkiSHA256).inserted }
        func isPinned(_ item: PinItem) -> Bool { !item.role.isAuthority || chosen.contains(item.spkiSHA256) }
        var missing = max(minimum - different.count(where: isPinned), 0)
        return different.map { item in
            if isPinned(item) { return (item, .pinned) }
            guard missing > 0 else { return (item, .offered) }
            missing -= 1
            return (item, .standIn)
        }
    }

    /// The groups with those for the same host and port made one, in the order of their first.
    package static func merged(_ groups: [PinGroup]) -> [PinGroup] {
        var result: [PinGroup] = []
        for group in groups {
            guard let index = result.firstIndex(where: { $0.host == group.host && $0.port == group.port }) else {
                result.append(group)
                continue
            }
            let first = result[index]
            let warnings = [first.warning, group.warning].compactMap { $0 }
            result[index] = PinGroup(
                host: first.host,
                port: first.port,
                origins: first.origins + group.origins.filter { !first.origins.contains($0) },
                warning: warnings.isEmpty ? nil : warnings.joined(separator: "; "),
                items: first.items + group.items,
                chosen: first.chosen.union(group.chosen)
            )
        }
        return result
    }
}
