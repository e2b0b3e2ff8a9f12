internal import Pinning

extension PinGroup {
    /// The groups with those for the same hosts made one, in the order of their first.
    ///
    /// - Parameters:
    ///   - groups: the groups.
    ///   - tellsPortsApart: whether those for several ports of a host stay apart.
    /// - Returns: the groups, fewer or as many.
    package static func merged(_ groups: [PinGroup], tellsPortsApart: Bool = true) -> [PinGroup] {
        var indices: [MergeKey: Int] = [:]
        var merges: [Merge] = []
        for group in groups {
            let key = MergeKey(group, tellsPortsApart: tellsPortsApart)
            if let index = indices[key] {
                merges[index].add(group)
            } else {
                indices[key] = merges.count
                merges.append(Merge(group))
            }
        }
        return merges.map(\.group)
    }

    /// What groups have to have in common to become one.
    private struct MergeKey: Hashable {
        let host: String?
        /// `nil` where all of a host's are one.
        let port: Int?
        let depth: HostPattern.Depth
        let isExcluded: Bool?
        let kind: PinConfiguration.Kind?

        init(_ group: PinGroup, tellsPortsApart: Bool) {
            host = group.host
            port = tellsPortsApart ? group.port : nil
            depth = group.depth
            isExcluded = group.rules?.isExcluded
            kind = group.rules?.kind
        }
    }

    /// Groups that become one, put together in place: there can be as many as a list has lines.
    private struct Merge {
        private let first: PinGroup
        private var origins: [String]
        private var warnings: [String]
        private var items: [PinItem]
        private var chosen: Set<SHA256Digest>
        private var rules: PinRules?
        private var remarks: [String]
        private var hasReserve: Bool
        private var knownOrigins: Set<String>
        private var knownRemarks: Set<String>

        init(_ group: PinGroup) {
            first = group
            origins = group.origins
            warnings = [group.warning].compactMap(\.self)
            items = group.items
            chosen = group.chosen
            rules = group.rules
            remarks = group.remarks
            hasReserve = group.hasReserve
            knownOrigins = Set(group.origins)
            knownRemarks = Set(group.remarks)
        }

        mutating func add(_ group: PinGroup) {
            origins += group.origins.filter { knownOrigins.insert($0).inserted }
            remarks += group.remarks.filter { knownRemarks.insert($0).inserted }
            if let warning = group.warning { warnings.append(warning) }
            // Of records for one host any will do.
            if let other = group.rules, let own = rules, other.position != own.position { rules?.position = .anywhere }
            items += group.items
            chosen.formUnion(group.chosen)
            hasReserve = hasReserve && group.hasReserve
        }

        var group: PinGroup {
            var group = PinGroup(
                host: first.host, port: first.port, origins: origins,
                warning: warnings.isEmpty ? nil : warnings.joined(separator: "; "), items: items, chosen: chosen,
                rules: rules, remarks: remarks)
            group.hasReserve = hasReserve
            return group
        }
    }
}
