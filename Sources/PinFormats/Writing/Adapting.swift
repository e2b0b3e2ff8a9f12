import Base
import Pinning
import X509

/// Converts one client's configuration for another; a rule that gets lost is an error if it decides, else a remark.
extension PinBlockFormat {
    /// The groups as the client can express them; `host` chooses the pins if the client's configuration names no hosts.
    func adapt(_ groups: [PinGroup], host: String?) throws(Problem) -> [PinGroup] {
        let own = hasHosts ? groups : try choose(groups, host)
        let groups = hasHosts && self != .okhttp ? join(own) : own
        let index = HostIndex(groups.compactMap { group in (group.entry?.hosts).map { ($0, group) } })
        var adapted: [PinGroup] = []
        for group in groups {
            if let hosts = group.entry?.hosts,
                let other = index.covering(hosts.sample).first(where: { !agrees($0, with: group) })
            {
                let (exempt, pin) = ("exempt \(hosts) from the pins of", "pin \(hosts) beside")
                throw refusal(
                    group, group.isExempt ? "\(exempt) \(other.hosts)" : "\(pin) \(other.hosts) as it is",
                    "write lines 'HOST sha256/…', each host with all of its pins, and name those")
            }
            // Nothing else pins these hosts, so that clients without exemptions can leave an exempt group out.
            if !group.isExempt || self == .trustkit || self == .android { adapted.append(try adapt(group)) }
        }
        return adapted
    }

    private func adapt(_ group: PinGroup) throws(Problem) -> PinGroup {
        if self == .trustkit, let host = group.host, !TrustKit.hasRegisteredSuffix(host) {
            let (kind, message) = TrustKit.lackOfSuffix(shortened(host))
            throw Problem(kind, at: .option, message)
        }
        guard let entry = group.entry else { return group }
        var group = group
        if let anchors = group.anchors {
            throw refusal(
                group, "are not written, and paths may end at \(anchors)", "copy them by hand", "trust anchors")
        }
        if entry.hasExemptAnchors {
            throw refusal(group, "exempt anchors from pinning (overridePins)", "leave out overridePins")
        }
        if entry.exemptsInstalledRoots == true, self != .trustkit {
            throw refusal(group, "exempt roots that the user installed", "leave out \(TrustKitReader.userAnchors)")
        }
        guard hasDepth(group.depth, isExempt: group.isExempt) else {
            throw refusal(group, "say \(entry.hosts?.description ?? "")", "list the hosts")
        }
        if group.position == .both, self != .nspinned {
            throw refusal(group, "ask for a leaf's and a CA's key at once", "give it the pins of one of the two")
        }
        if entry.enforcesPinning == false, self != .trustkit {
            throw refusal(group, "leave a mismatch unenforced", "leave out the host, or enforce its pins")
        }
        if self == .afnetworking, !group.items.isEmpty, group.items.allSatisfy({ $0.certificate == nil }) {
            throw refusal(group, "pin a hash", "give it certificate files")
        }
        if let expiration = entry.expiration, self != .trustkit, self != .android {
            group.remarks.append("Until \(expiration.date) only; \(client.name) has no such date.")
        }
        if !entry.reportURIs.isEmpty, self != .trustkit {
            group.remarks.append("Mismatches were reported; \(client.name) has no place to report them to.")
        }
        if self == .nspinned, group.position == .anywhere, group.items.contains(where: { $0.role == .publicKey }) {
            group.remarks.append("Move the keys of CAs to NSPinnedCAIdentities: a hash does not say whose it is.")
        }
        return group
    }

    private func hasDepth(_ depth: HostPattern.Depth, isExempt: Bool) -> Bool {
        switch self {
        case .okhttp, .curl, .afnetworking: true
        case .trustkit: depth == .exact || depth == .anyNumber && !isExempt
        case .android: depth == .exact || depth == .anyNumber
        case .nspinned: depth == .exact || depth == .upToOneLabel
        }
    }

    private func refusal(_ group: PinGroup, _ what: String, _ remedy: String, _ subject: String? = nil) -> Problem {
        let origin = group.origin.isEmpty ? group.items.first?.source : group.origin
        let place = origin.map { PinPlace.file($0) } ?? .option
        return Problem(.otherKind, at: place, "\(subject ?? "\(client.name) cannot") \(what)", remedy)
    }

    /// The groups without those that another of the same name covers; `NAME` and `*.NAME` with equal pins become one.
    private func join(_ groups: [PinGroup]) -> [PinGroup] {
        let byHost = Dictionary(grouping: groups, by: \.host)
        return groups.compactMap { group in
            let others = (byHost[group.host] ?? []).filter { $0.depth != group.depth && hasSameRules($0, group) }
            let depths = Set(others.map(\.depth))
            if group.depth != .anyNumber, !depths.isDisjoint(with: [.anyNumber, .upToOneLabel]) { return nil }
            guard group.depth == .exact || group.depth == .oneLabel, !depths.isEmpty else { return group }
            guard group.depth == .exact else { return nil }
            var group = group
            if group.entry != nil { group.depth = .upToOneLabel }
            return group
        }
    }

    /// `true` if `other`, which also covers the hosts of `group`, applies to them here as in their original client.
    private func agrees(_ other: PinGroup, with group: PinGroup) -> Bool {
        if hasSameRules(other, group) { return true }
        guard let kind = group.kind, kind == other.kind else { return false }
        if kind.lookup == .union, group.host == other.host, group.depth == other.depth { return true }
        switch self {
        case .curl, .afnetworking: return true
        case .okhttp: return kind.lookup == .union
        case .nspinned: return kind.lookup == .union && group.host != other.host
        // Only the entry of the nearest domain decides.
        case .trustkit, .android: return kind.lookup != .union && group.host != other.host
        }
    }

    private func hasSameRules(_ group: PinGroup, _ other: PinGroup) -> Bool {
        Set(group.items.map(\.spkiSHA256)) == Set(other.items.map(\.spkiSHA256)) && group.isExempt == other.isExempt
            && group.anchors == other.anchors
            && (group.entry?.enforcesPinning == false) == (other.entry?.enforcesPinning == false)
    }

    private func choose(_ groups: [PinGroup], _ host: String?) throws(Problem) -> [PinGroup] {
        let configured = groups.filter { $0.entry?.hosts != nil }
        guard let first = configured.first else { return groups }
        guard let host = host ?? (configured.count == 1 && first.depth == .exact ? first.host : nil) else {
            throw refusal(first, "name hosts", "choose one with --host")
        }
        let found = Set(configured.compactMap(\.kind)).flatMap { kind -> [HostEntry] in
            let entries = configured.filter { $0.kind == kind }.compactMap(\.entry)
            let policy = PinConfiguration(kind, entries: entries).policy(
                for: host, publicSuffix: SystemPublicSuffixList.publicSuffix)
            return policy?.filter { !$0.pins.isEmpty } ?? []
        }
        guard !found.isEmpty else {
            throw Problem(.notAPin, at: .file(first.origin), "nothing is pinned for \(shortened(host))")
        }
        return groups.compactMap { group in
            guard let entry = group.entry, entry.hosts != nil else { return group }
            guard found.contains(entry) else { return nil }
            var group = group
            group.host = host
            group.depth = .exact
            return group
        }
    }
}
