internal import Pinning
internal import Text

/// Gathers the TLSA records of a zone and passes over its other records.
struct ZoneReader {
    /// More entries than a file of records makes, which aliases of aliases could.
    private static let mostEntries = 20_000
    /// As many aliases behind one another as resolvers follow.
    private static let mostAliases = 8

    private struct Record {
        let line: TLSARecordLine
        /// `nil` where no line before it has an owner.
        let owner: ZoneName?
        let place: PinPlace
    }

    private struct Server: Hashable {
        let hosts: HostPattern?
        let port: Int?
    }

    private enum Owner {
        case none
        case name(ZoneName)
        case unreadable
    }

    private var records: [Record] = []
    private var aliases: [ZoneName: (target: ZoneName, place: PinPlace)] = [:]
    private var origin = ZoneName.root
    private var hasOrigin = false
    /// Where the file speaks of an origin that it does not name, and where one is needed.
    private var usesOrigin = false
    private var relativeRecord: PinPlace?
    /// The last name that a record was given, of whatever type: a line that begins with a blank is for it (RFC 1035, 5.1).
    private var owner = Owner.none

    // MARK: Lines

    mutating func read(
        _ line: String,
        at place: PinPlace,
        into collector: inout PinCollector
    ) throws(PinFormatError) {
        do throws(PinFormatError) {
            if line.hasPrefix("$") { return try readDirective(line, at: place) }
        } catch {
            return try collector.gather(error)
        }
        do throws(PinFormatError) {
            try readRecord(line, at: place, into: &collector)
        } catch {
            try collector.skip(error)
        }
    }

    private mutating func readDirective(_ line: String, at place: PinPlace) throws(PinFormatError) {
        let words = line.split(whereSeparator: \.isWhitespace)
        switch words[0].uppercased() {
        case "$TTL": return
        case "$ORIGIN":
            if let name = words.dropFirst().first.flatMap({ ZoneName($0, below: origin) }) {
                origin = name
                hasOrigin = true
                return
            }
        case "$GENERATE" where !words.contains(where: Self.leadsToRecords): return
        default: break
        }
        throw PinFormatError(
            .badRecord,
            at: place,
            "what '\(shortened(line, to: 80))' stands for is not written out",
            remedy: "give the zone as a server loads it, or the records that dig prints"
        )
    }

    private static func leadsToRecords(_ word: Substring) -> Bool {
        ZoneRecord.isTLSA(word) || ["CNAME", "DNAME"].contains(word.uppercased())
    }

    private mutating func readRecord(
        _ line: String,
        at place: PinPlace,
        into collector: inout PinCollector
    ) throws(PinFormatError) {
        if let record = TLSARecordLine(line) {
            return try add(record, isIndented: line.first?.isWhitespace == true, at: place, into: &collector)
        }
        guard let record = ZoneRecord(line) else {
            guard !TLSARecordLine.isMentioned(in: line[...]) else {
                throw PinFormatError(
                    .badRecord,
                    at: place,
                    "the line names TLSA and is no record",
                    remedy: "it begins as in _443._tcp.api.example.com. IN TLSA"
                )
            }
            if line.first?.isWhitespace == false { setOwner(line.prefix { !$0.isWhitespace }) }
            return
        }
        if let own = record.owner { setOwner(own) }
        guard record.isOfInternet, case .name(let name) = owner else { return }
        if record.type == "CNAME", let target = record.data.first.flatMap({ ZoneName($0, below: origin) }) {
            aliases[name] = (target, place)
        }
        if record.type == "DNAME", name.labels.first == "_tcp" {
            throw PinFormatError(
                .badRecord,
                at: place,
                "the names below '\(shortened(name.description))' are others, which is not followed",
                remedy: "give their TLSA records"
            )
        }
    }

    private mutating func setOwner(_ text: Substring) {
        owner = ZoneName(text, below: origin).map { .name($0) } ?? .unreadable
        if text == "@", !hasOrigin { usesOrigin = true }
    }

    private mutating func add(
        _ record: TLSARecordLine,
        isIndented: Bool,
        at place: PinPlace,
        into collector: inout PinCollector
    ) throws(PinFormatError) {
        if let own = record.owner {
            setOwner(own)
            if !hasOrigin, !own.hasSuffix(".") { relativeRecord = relativeRecord ?? place }
        }
        guard record.isOfInternet else {
            return collector.note(.notFollowed, at: place, "the record is not of class IN and was passed over")
        }
        switch owner {
        case .none: records.append(Record(line: record, owner: nil, place: place))
        case .name(let name) where record.owner != nil || isIndented && !record.isBare:
            records.append(Record(line: record, owner: name, place: place))
        case .name, .unreadable:
            throw PinFormatError(
                .badHost,
                at: place,
                "the TLSA record names no owner, as others of the file do",
                remedy: "it begins as in _443._tcp.api.example.com."
            )
        }
    }

    // MARK: Entries

    /// The entries of the zone, when all of it has been read.
    func entries(_ collector: inout PinCollector) throws(PinFormatError) -> [HostEntry] {
        if usesOrigin, let relativeRecord {
            try collector.gather(
                PinFormatError(
                    .badHost,
                    at: relativeRecord,
                    "the owner of the TLSA record goes on with the zone's own name, which the file does not have",
                    remedy: "put it in front: $ORIGIN example.com."
                )
            )
        }
        var found = Found()
        let targets = Set(aliases.values.map(\.target))
        for record in records {
            // What has no port is there for those that lead to it.
            if let owner = record.owner, owner.service == nil, targets.contains(owner) { continue }
            do throws(PinFormatError) {
                guard let server = try server(of: record.owner, at: record.place, into: &collector) else { continue }
                try found.add(record, for: server, into: &collector)
            } catch {
                try collector.skip(error)
            }
        }
        do throws(PinFormatError) {
            try addAliases(to: &found, into: &collector)
            try found.checkWildcards()
        } catch {
            try collector.gather(error)
        }
        try found.finish(&collector)
        return found.entries
    }

    /// What a client finds that asks for a name and is sent to another one.
    private func addAliases(to found: inout Found, into collector: inout PinCollector) throws(PinFormatError) {
        let services = aliases.filter { $0.key.service?.transport == "_tcp" }
        let records = Dictionary(grouping: records) { $0.owner }
        for (name, alias) in services.sorted(by: { $0.key.description < $1.key.description }) {
            var target = alias.target
            for _ in 0..<Self.mostAliases { target = aliases[target]?.target ?? target }
            guard let records = records[target], let server = try server(of: name, at: alias.place, into: &collector)
            else {
                throw PinFormatError(
                    .badRecord,
                    at: alias.place,
                    "the TLSA records of '\(shortened(name.description))' are those of another name and are not in the file",
                    remedy: "give them under the name itself, as dig prints them"
                )
            }
            for record in records {
                do throws(PinFormatError) {
                    try found.add(record, for: server, into: &collector)
                } catch {
                    try collector.skip(error)
                }
                guard found.entries.count <= Self.mostEntries else {
                    throw PinFormatError(
                        .unreasonableDocument,
                        at: alias.place,
                        "more than \(Self.mostEntries) TLSA records by way of aliases",
                        remedy: "give the records of the hosts that are checked"
                    )
                }
            }
        }
    }

    /// The server that an owner name says; `nil` where it is not for TCP, and is passed over.
    private func server(
        of owner: ZoneName?,
        at place: PinPlace,
        into collector: inout PinCollector
    ) throws(PinFormatError) -> Server? {
        guard let owner else { return Server(hosts: nil, port: nil) }
        guard let service = owner.service else {
            throw PinFormatError(
                .badHost,
                at: place,
                "the owner '\(shortened(owner.description))' of the TLSA record names no port",
                remedy: "it begins as in _443._tcp.api.example.com."
            )
        }
        guard service.transport == "_tcp" else {
            collector.note(.notFollowed, at: place, "the record is not for connections over TCP and was passed over")
            return nil
        }
        return Server(hosts: try HostText.pattern(service.host, .exact, at: place), port: service.port)
    }

    /// The entries and what there is to say of them.
    private struct Found {
        private(set) var entries: [HostEntry] = []
        /// What is there already: a record is there once, however often it is written (RFC 2181, 5).
        private var known: [Server: Set<TLSARecord>] = [:]
        private var unused: [(record: Record, server: Server)] = []
        /// Where records for all ports of a host stand.
        private var wildcards: [HostPattern: PinPlace] = [:]

        mutating func add(
            _ record: Record,
            for server: Server,
            into collector: inout PinCollector
        ) throws(PinFormatError) {
            guard record.line.unknown == nil else { return unused.append((record, server)) }
            var entry = try record.line.entry(for: server.hosts, at: record.place)
            entry.port = server.port
            if case .records(let records, _) = entry.identities, let only = records.first {
                guard known[server, default: []].insert(only).inserted else { return }
            }
            if let hosts = server.hosts, server.port == nil { wildcards[hosts] = record.place }
            if entry.pins.isEmpty {
                collector.note(
                    .notFollowed,
                    at: record.place,
                    "only the client dane compares this record: it is not a hash of a key"
                )
            }
            entries.append(entry)
        }

        /// A wildcard is for no name that is there by itself (RFC 4592, 2.2.1), which an entry cannot say.
        func checkWildcards() throws(PinFormatError) {
            for entry in entries where entry.port != nil {
                guard let hosts = entry.hosts, let place = wildcards[hosts] else { continue }
                throw PinFormatError(
                    .badRecord,
                    at: place,
                    "the record for all ports of \(hosts) is not for the port \(entry.port ?? 0), which has its own",
                    remedy: "give the records of the ports that are checked"
                )
            }
        }

        /// Clients pass over what they do not know, as long as there is something that they do.
        func finish(_ collector: inout PinCollector) throws(PinFormatError) {
            for (record, server) in unused {
                let reason = record.line.unknown ?? ""
                if known[server] != nil {
                    collector.note(.notFollowed, at: record.place, "clients pass over the record: \(reason)")
                } else {
                    do throws(PinFormatError) {
                        _ = try record.line.record(at: record.place)
                    } catch {
                        try collector.skip(error)
                    }
                }
            }
        }
    }
}
