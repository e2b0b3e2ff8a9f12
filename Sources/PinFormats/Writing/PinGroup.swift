import Base
package import Pinning

/// The keys of one host, some of which a block pins.
package struct PinGroup: Hashable {
    /// The placeholder for an unknown host; RFC 2606 reserves the name, so that it exists nowhere.
    static let hostPlaceholder = "your-host.example"

    package var host: String?
    package let port: Int
    /// The origins of the keys, for the first comments of a block.
    package var origins: [String]
    package var items: [PinItem]
    /// The keys that are pinned because the user chose them; the server's own are pinned anyway.
    package var chosen: Set<SHA256Digest>
    var remarks: [String]
    /// The entry of a configuration that has the keys; `nil` if they are a server's or a file's.
    package private(set) var entry: HostEntry?
    /// The kind of the configuration; `nil` if the pins are for any host.
    package private(set) var kind: PinConfiguration.Kind?
    /// The anchors of paths in words; `nil` if they are only the system's roots.
    private(set) var anchors: String?
    package internal(set) var depth = HostPattern.Depth.exact
    /// `true` if the keys include a reserve for those served today, so that no remark advises one.
    package var hasReserve = false

    package init(
        host: String?, port: Int, origins: [String], items: [PinItem], chosen: Set<SHA256Digest> = [],
        remarks: [String] = []
    ) {
        (self.host, self.port, self.origins, self.items) = (host, port, origins, items)
        (self.chosen, self.remarks) = (chosen, remarks)
    }

    package var origin: String { entry?.origin.description ?? "" }

    /// `true` if the hosts are not pinned; Android has no exclusion, but a domain without pins, even below a parent.
    package var isExempt: Bool { entry.map { $0.isExcluded || kind == .android && $0.pins.isEmpty } ?? false }

    package var hosts: String {
        guard let host else { return "whatever host" }
        return HostPattern(text: port == 443 ? host : "\(host):\(port)", depth).description
    }

    func pins(_ item: PinItem) -> Bool { !item.role.isAuthority || chosen.contains(item.spkiSHA256) }
    var hostName: String { host ?? Self.hostPlaceholder }

    /// The different keys in order, pinned or only offered in a comment.
    ///
    /// A CA's key is only offered, even if a client needs a second pin: any holder of its certificates could listen.
    func uses() -> [(item: PinItem, isPinned: Bool)] {
        var seen: Set<SHA256Digest> = []
        return items.filter { seen.insert($0.spkiSHA256).inserted }.map { ($0, pins($0)) }
    }

    /// The groups in order; those for the same hosts are merged into their first.
    package static func merged(_ groups: [PinGroup], tellsPortsApart: Bool = true) -> [PinGroup] {
        groups.grouped { group -> [AnyHashable] in
            [group.host, tellsPortsApart ? group.port : nil, group.depth, group.isExempt]
        }.map { _, alike in
            var merged = alike[0]
            for group in alike.dropFirst() {
                merged.origins += group.origins
                merged.remarks += group.remarks
                merged.items += group.items
                merged.chosen.formUnion(group.chosen)
                merged.hasReserve = merged.hasReserve && group.hasReserve
            }
            return merged
        }
    }

    /// The pins of a source by their hosts, in order; pins for any host get `host`.
    package static func groups(of reading: PinReading, host: String?) -> [PinGroup] {
        var groups: [PinGroup] = []
        if !reading.pins.isEmpty {
            let entry = HostEntry(hosts: nil, origin: .named(""), identities: .anywhere(reading.pins))
            groups.append(PinGroup(entry, of: nil, host: host))
        }
        let trust = reading.networkSecurity.filter { !$0.isEmpty }
        for configuration in reading.configurations {
            let kind = configuration.kind == .appBundle ? nil : configuration.kind
            groups += merged(
                configuration.entries.map { entry in
                    let name = entry.hosts?.name
                    let anchors = name.flatMap { name in trust.lazy.compactMap { $0.anchors(of: name) }.first }
                    return PinGroup(entry, of: kind, anchors: kind == .android ? anchors : nil, host: name ?? host)
                })
        }
        return groups
    }

    private init(_ entry: HostEntry, of kind: PinConfiguration.Kind?, anchors: String? = nil, host: String?) {
        let items: [PinItem] =
            switch entry.identities {
            case .anywhere(let pins): pins.map { PinItem($0, isAuthority: nil) }
            case .positions(let leaf, let authorities):
                (leaf ?? []).map { PinItem($0, isAuthority: false) }
                    + (authorities ?? []).map { PinItem($0, isAuthority: true) }
            }
        self.init(
            host: host, port: 443, origins: "\(entry.origin)".isEmpty ? [] : ["From \(entry.origin)"], items: items,
            chosen: Set(items.map(\.spkiSHA256)))
        (self.entry, self.kind, self.anchors, depth) = (entry, kind, anchors, entry.hosts?.depth ?? .exact)
    }

    package enum Position: String {
        case anywhere, leaf, authority
        /// One pin of the server and one of a CA must both match.
        case both
    }

    package var position: Position {
        guard case .positions(let leaf, let authorities)? = entry?.identities else { return .anywhere }
        guard leaf != nil, authorities != nil else { return authorities == nil ? .leaf : .authority }
        return .both
    }
}

extension NetworkSecurityConfiguration {
    fileprivate func anchors(of host: String) -> String? {
        let levels = (domain(for: host)?.levels ?? []) + [base]
        guard let sources = levels.lazy.compactMap(\.sources).first else { return nil }
        let names = sources.map(\.name)
        guard names != ["system"] else { return nil }
        return names.isEmpty ? "nothing" : names.listed
    }
}
