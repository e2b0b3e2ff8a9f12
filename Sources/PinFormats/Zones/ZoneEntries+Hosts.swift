internal import Base
internal import Pinning

/// Hosts that are aliases: clients ask for the records of what they lead to first, then for their own (RFC 7671, 7).
extension ZoneEntries {
    typealias Ports = [Int?: [HostEntry]]

    mutating func followHosts(_ collector: inout PinCollector) throws(PinFormatError) {
        guard !zone.aliases.isEmpty || !zone.generated.isEmpty else { return }
        let found = Dictionary(grouping: entries) { $0.hosts?.name ?? "" }.mapValues {
            Dictionary(grouping: $0, by: \.port)
        }
        // What begins as a service or a wildcard is no host.
        var names = Set(
            zone.aliases.keys.filter { name in name.labels.first.map { "_*".contains($0.prefix(1)) } == false })
        if !zone.generated.isEmpty {
            names.formUnion(found.keys.compactMap { $0.isEmpty ? nil : ZoneName("\($0).", below: .root) })
        }
        for name in names.sorted(by: { $0.description < $1.description }) { try follow(name, among: found, &collector) }
        entries.removeAll { entry in
            unread[entry.hosts?.name ?? ""]?.contains { host in
                guard let port = entry.port else { return host.port == nil }
                return (host.port ?? port) == port && !host.readPorts.contains(port)
            } == true
        }
    }

    private mutating func follow(
        _ name: ZoneName, among found: [String: Ports], _ collector: inout PinCollector
    ) throws(PinFormatError) {
        let own = found[name.host] ?? [:]
        var target = name
        var isClear = true
        var aliases = 0
        while aliases <= Self.mostAliases {
            if !own.isEmpty, let generated = zone.generated.first(where: { $0.mayHold(target) }) {
                return try refuse(name, "may be an alias by $GENERATE", at: generated.place, &collector)
            }
            guard let alias = zone.aliases[target] else { break }
            isClear = isClear && !alias.isAmbiguous
            target = alias.target
            aliases += 1
        }
        guard let place = zone.aliases[name]?.place else { return }
        guard isClear, aliases <= Self.mostAliases else {
            guard !own.isEmpty else { return }
            return try refuse(name, "is an alias that leads to no one name", at: place, &collector)
        }
        guard let hosts = try? HostText.pattern(name.host, .exact, at: place) else { return }
        for other in unread[target.host] ?? [] {
            try refuse(
                UnreadHost(hosts: hosts, port: other.port, readPorts: other.readPorts, error: other.error), &collector)
        }
        let others = found[target.host] ?? [:]
        guard !others.isEmpty else {
            if !own.isEmpty, zone.cuts.isZone != true || zone.cuts.obstacle(target) != nil {
                let target = shortened(target.description)
                notes.add(
                    .targetOutside, at: place,
                    "clients ask for the TLSA records of \(target) first, to which the host leads: the file does not have them"
                )
            }
            return
        }
        let isForAll = own[nil] != nil || others[nil] != nil
        var isOther = isForAll && !own.isEmpty && own.count != others.count
        var missing: [Int?] = []
        for (port, entries) in others where !isOther {
            if let known = own[port] {
                isOther = known.count != entries.count || Self.records(known) != Self.records(entries)
            } else if isForAll, !own.isEmpty {
                isOther = true
            } else {
                missing.append(port)
            }
        }
        guard isOther else {
            for port in missing.sorted(by: { ($0 ?? 0) < ($1 ?? 0) }) {
                try copy(others[port] ?? [], for: hosts, at: place)
            }
            return
        }
        try refuse(
            name,
            "is an alias of \(shortened(target.description)) and has other TLSA records than it, which clients ask first",
            at: place, &collector)
    }

    private mutating func copy(_ others: [HostEntry], for hosts: HostPattern, at place: PinPlace) throws(PinFormatError)
    {
        for var entry in others {
            entry.hosts = hosts
            entries.append(entry)
            try checkCount(at: place)
        }
    }

    private static func records(_ entries: [HostEntry]) -> Set<[TLSARecord]> {
        Set(entries.map { entry in if case .records(let records, _) = entry.identities { records } else { [] } })
    }

    /// Refuses a host with records of its own, of which it is not known whether clients use them.
    private mutating func refuse(
        _ name: ZoneName, _ reason: String, at place: PinPlace, _ collector: inout PinCollector
    ) throws(PinFormatError) {
        let error = PinFormatError(
            .badRecord, at: place, "'\(shortened(name.description))' \(reason)",
            remedy: "leave the records that clients of the host find first, as dig prints them")
        try refuse(
            UnreadHost(hosts: try HostText.pattern(name.host, .exact, at: place), port: nil, error: error), &collector)
    }
}
