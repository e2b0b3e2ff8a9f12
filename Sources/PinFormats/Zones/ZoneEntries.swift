internal import Base
internal import Pinning

/// The entries of a zone, when all of it has been read.
struct ZoneEntries {
    /// More entries than a file of records makes, which aliases of aliases could.
    private static let mostEntries = 20_000
    /// As many aliases behind one another as resolvers follow.
    static let mostAliases = 8

    private struct Server: Hashable {
        let hosts: HostPattern?
        let port: Int?
    }

    let zone: ZoneReader
    var notes: ZoneNotes
    var entries: [HostEntry] = []
    /// The hosts that were refused, by their names.
    private(set) var unread: [String: [UnreadHost]] = [:]
    /// What is there already: a record is there once, however often it is written (RFC 2181, 5).
    private var known: [Server: Set<TLSARecord>] = [:]
    /// The owners that were refused.
    private var refused: Set<ZoneName> = []
    private var unused: [(record: ZoneReader.Record, server: Server)] = []

    static func entries(of zone: ZoneReader, _ collector: inout PinCollector) throws(PinFormatError) -> [HostEntry] {
        if let place = zone.recordWithoutOrigin {
            try collector.gather(
                PinFormatError(
                    .badHost, at: place,
                    "the owner of the TLSA record goes on with the zone's own name, which the file does not have",
                    remedy: "put it in front: $ORIGIN example.com."))
        }
        var found = ZoneEntries(zone)
        try found.addRecords(&collector)
        try found.addAliases(&collector)
        try found.followHosts(&collector)
        try found.finish(&collector)
        found.notes.write(into: &collector)
        return found.entries
    }

    private init(_ zone: ZoneReader) {
        self.zone = zone
        notes = zone.notes
    }

    private mutating func addRecords(_ collector: inout PinCollector) throws(PinFormatError) {
        let targets = Set(zone.aliases.values.map(\.target))
        for record in zone.records {
            // What has no port is there for those that lead to it.
            if let owner = record.owner, owner.service == nil, targets.contains(owner) { continue }
            if let owner = record.owner,
                let error = whyNotServed(owner, at: record.place) ?? whyNotForAllPorts(owner, at: record.place)
            {
                if refused.insert(owner).inserted { try refuse(owner, error, &collector) }
                continue
            }
            do throws(PinFormatError) {
                guard let server = try server(of: record.owner, at: record.place) else { continue }
                try add(record, for: server)
            } catch { try collector.skip(error) }
        }
    }

    /// What a client finds that asks for a name and is sent to another one.
    private mutating func addAliases(_ collector: inout PinCollector) throws(PinFormatError) {
        let services = zone.aliases.filter { $0.key.service?.transport == "_tcp" }
        let records = Dictionary(grouping: zone.records) { $0.owner }
        for (name, alias) in services.sorted(by: { $0.key.description < $1.key.description }) {
            let target: [ZoneReader.Record]
            do throws(PinFormatError) {
                // What dig prints has aliases that a DNAME makes.
                if zone.cuts.isZone == true, let error = whyNotServed(name, at: alias.place) { throw error }
                if let error = whyNotForAllPorts(name, at: alias.place) { throw error }
                target = try self.records(of: name, alias, among: records)
            } catch {
                try refuse(name, error, &collector)
                continue
            }
            try add(target, of: name, alias, &collector)
        }
    }

    /// The records to which an alias leads within the file.
    private func records(
        of name: ZoneName, _ alias: ZoneReader.Alias, among records: [ZoneName?: [ZoneReader.Record]]
    ) throws(PinFormatError) -> [ZoneReader.Record] {
        var isAmbiguous = alias.isAmbiguous || records[name] != nil
        var target = alias.target
        for _ in 0..<Self.mostAliases {
            guard let next = zone.aliases[target] else { break }
            isAmbiguous = isAmbiguous || next.isAmbiguous || records[target] != nil
            target = next.target
        }
        guard !isAmbiguous else {
            throw PinFormatError(
                .badRecord, at: alias.place,
                "'\(shortened(name.description))' is an alias and has other records, which no server loads",
                remedy: "leave the alias or the records")
        }
        guard let found = records[target], zone.cuts.obstacle(target) == nil else {
            throw PinFormatError(
                .badRecord, at: alias.place,
                "the TLSA records of '\(shortened(name.description))' are those of another name and are not in the file",
                remedy: "give them under the name itself, as dig prints them")
        }
        return found
    }

    private mutating func add(
        _ records: [ZoneReader.Record], of name: ZoneName, _ alias: ZoneReader.Alias, _ collector: inout PinCollector
    ) throws(PinFormatError) {
        let server: Server?
        do throws(PinFormatError) { server = try self.server(of: name, at: alias.place) } catch {
            return try collector.skip(error)
        }
        guard let server else { return }
        for record in records {
            do throws(PinFormatError) { try add(record, for: server) } catch { try collector.skip(error) }
            try checkCount(at: alias.place)
        }
    }

    func checkCount(at place: PinPlace) throws(PinFormatError) {
        guard entries.count <= Self.mostEntries else {
            throw PinFormatError(
                .unreasonableDocument, at: place, "more than \(Self.mostEntries) TLSA records by way of aliases",
                remedy: "give the records of the hosts that are checked")
        }
    }

    /// The server that an owner name says; `nil` where it is not for TCP, and is passed over.
    private mutating func server(of owner: ZoneName?, at place: PinPlace) throws(PinFormatError) -> Server? {
        guard let owner else { return Server(hosts: nil, port: nil) }
        guard let service = owner.service else {
            throw PinFormatError(
                .badHost, at: place, "the owner '\(shortened(owner.description))' of the TLSA record names no port",
                remedy: "it begins as in _443._tcp.api.example.com.")
        }
        guard service.transport == "_tcp" else {
            notes.add(.otherTransport, at: place, "the record is not for connections over TCP and was passed over")
            return nil
        }
        return Server(hosts: try HostText.pattern(service.host, .exact, at: place), port: service.port)
    }

    /// Why a wildcard is not for all ports: a name that is there keeps it away, with whatever records or names below it
    /// (RFC 4592, 2.2), which an entry cannot say.
    private func whyNotForAllPorts(_ owner: ZoneName, at place: PinPlace) -> PinFormatError? {
        guard let service = owner.service, service.transport == "_tcp", service.port == nil,
            let port = zone.ports[service.host]?.min()
        else { return nil }
        return PinFormatError(
            .badRecord, at: place,
            "the record for all ports of \(shortened(service.host)) is not for the port \(port), which has its own",
            remedy: "give the records of the ports that are checked")
    }

    private func whyNotServed(_ owner: ZoneName, at place: PinPlace) -> PinFormatError? {
        guard owner.service?.transport == "_tcp", let obstacle = zone.cuts.obstacle(owner) else { return nil }
        return PinFormatError(
            .badRecord, at: place,
            "'\(shortened(owner.description))' is \(obstacle), where no server answers with the records of this file",
            remedy: "give the records that dig prints")
    }

    /// Refuses what is said of one host and of no other.
    private mutating func refuse(
        _ owner: ZoneName, _ error: PinFormatError, _ collector: inout PinCollector
    ) throws(PinFormatError) {
        guard let service = owner.service, let hosts = try? HostText.pattern(service.host, .exact, at: error.place)
        else { return try collector.skip(error) }
        let readPorts = service.port == nil ? zone.ports[service.host] ?? [] : []
        try refuse(UnreadHost(hosts: hosts, port: service.port, readPorts: readPorts, error: error), &collector)
    }

    mutating func refuse(_ host: UnreadHost, _ collector: inout PinCollector) throws(PinFormatError) {
        unread[host.hosts.name, default: []].append(host)
        try collector.refuse(host)
    }

    private mutating func add(_ record: ZoneReader.Record, for server: Server) throws(PinFormatError) {
        guard record.line.unknown == nil else { return unused.append((record, server)) }
        var entry = try record.line.entry(for: server.hosts, at: record.place)
        entry.port = server.port
        if case .records(let records, _) = entry.identities, let only = records.first {
            guard known[server, default: []].insert(only).inserted else { return }
        }
        if entry.pins.isEmpty {
            notes.add(
                .daneOnly, at: record.place, "only the client dane compares this record: it is not a hash of a key")
        }
        entries.append(entry)
    }

    /// Clients pass over what they do not know, as long as there is something that they do.
    private mutating func finish(_ collector: inout PinCollector) throws(PinFormatError) {
        for (record, server) in unused {
            let reason = record.line.unknown ?? ""
            if known[server] != nil {
                notes.add(.unusable, at: record.place, "clients pass over the record: \(reason)")
            } else {
                do throws(PinFormatError) { _ = try record.line.record(at: record.place) } catch {
                    try collector.skip(error)
                }
            }
        }
    }
}
