internal import Base
internal import Pinning

/// Gathers the TLSA records of a zone and passes over its other records; ``ZoneEntries`` says what they come to.
struct ZoneReader {
    struct Record {
        let line: TLSARecordLine
        /// `nil` where no line before it has an owner.
        let owner: ZoneName?
        let place: PinPlace
    }

    struct Alias {
        let target: ZoneName
        let place: PinPlace
        /// Whether the name has another target as well.
        var isAmbiguous = false
    }

    private enum Owner {
        case none
        case name(ZoneName)
        case unreadable
    }

    /// More lines of generated aliases than a zone has.
    private static let mostGenerations = 64

    private(set) var records: [Record] = []
    private(set) var aliases: [ZoneName: Alias] = [:]
    /// The ports of each host whose names are there, with whatever records or with names below them.
    private(set) var ports: [String: Set<Int>] = [:]
    private(set) var notes = ZoneNotes()
    private(set) var cuts = ZoneCuts()
    /// Names of aliases that are not written out.
    private(set) var generated: [ZoneGeneration] = []
    private var origin = ZoneName.root
    private var hasOrigin = false
    /// Whether the file speaks of an origin that it does not name, and where one is needed.
    private var usesOrigin = false
    private var relativeRecord: PinPlace?
    /// The last name that a record was given, of whatever type: a line that begins with a blank is for it (RFC 1035, 5.1).
    private var owner = Owner.none
    private var isOwnerRelative = false

    /// Where a record's name goes on with an origin that the file does not have.
    var recordWithoutOrigin: PinPlace? { usesOrigin ? relativeRecord : nil }

    // MARK: Lines

    mutating func read(_ line: String, at place: PinPlace, into collector: inout PinCollector) throws(PinFormatError) {
        do throws(PinFormatError) { if line.hasPrefix("$") { return try readDirective(line, at: place) } } catch {
            return try collector.gather(error)
        }
        do throws(PinFormatError) { try readRecord(line, at: place) } catch { try collector.skip(error) }
    }

    private mutating func readDirective(_ line: String, at place: PinPlace) throws(PinFormatError) {
        let words = line.split(whereSeparator: \.isWhitespace)
        switch words[0].uppercased() {
        case "$TTL": return
        case "$ORIGIN":
            if let text = words.dropFirst().first, let name = ZoneName(text, below: origin) {
                guard hasOrigin || !Self.isRelative(text) else {
                    throw PinFormatError(
                        .badHost, at: place,
                        "'\(shortened(line, to: 80))' goes on with the zone's own name, for no dot closes it",
                        remedy: "end it with a dot, as in $ORIGIN example.com.")
                }
                // A file that names an origin is a zone's, in which the names before it have one, too.
                usesOrigin = usesOrigin || !hasOrigin
                origin = name
                hasOrigin = true
                return
            }
        case "$GENERATE":
            if generated.count < Self.mostGenerations,
                let names = ZoneGeneration(words.dropFirst(2), below: origin, at: place)
            {
                if names.areAliases { generated.append(names) }
                return
            }
        default: break
        }
        throw PinFormatError(
            .badRecord, at: place, "what '\(shortened(line, to: 80))' stands for is not written out",
            remedy: "give the zone as a server loads it, or the records that dig prints")
    }

    private static func isRelative(_ text: Substring) -> Bool { !text.hasSuffix(".") }

    private mutating func readRecord(_ line: String, at place: PinPlace) throws(PinFormatError) {
        if let record = TLSARecordLine(line) {
            return try add(record, isIndented: line.first?.isWhitespace == true, at: place)
        }
        guard let record = ZoneRecord(line) else {
            guard !TLSARecordLine.isMentioned(in: line[...]) else {
                throw PinFormatError(
                    .badRecord, at: place, "the line names TLSA and is no record",
                    remedy: "it begins as in _443._tcp.api.example.com. IN TLSA")
            }
            if line.first?.isWhitespace == false { setOwner(line.prefix { !$0.isWhitespace }) }
            return
        }
        if let own = record.owner { setOwner(own) }
        if !hasOrigin, Self.speaksOfOrigin(record) { usesOrigin = true }
        guard record.isOfInternet, case .name(let name) = owner else { return }
        cuts.add(record.type, of: isOwnerRelative ? nil : name)
        addPort(of: name)
        if record.type == "CNAME", let text = record.data.first, let target = ZoneName(text, below: origin) {
            let isAmbiguous = aliases[name].map { $0.isAmbiguous || $0.target != target } ?? false
            aliases[name] = Alias(target: target, place: place, isAmbiguous: isAmbiguous)
            let isRelative = isOwnerRelative || !hasOrigin && Self.isRelative(text)
            if isRelative, name.service != nil { relativeRecord = relativeRecord ?? place }
        }
        if record.type == "DNAME", name.labels.first == "_tcp" {
            throw PinFormatError(
                .badRecord, at: place,
                "the names below '\(shortened(name.description))' are others, which is not followed",
                remedy: "give their TLSA records")
        }
    }

    private mutating func setOwner(_ text: Substring) {
        owner = ZoneName(text, below: origin).map { .name($0) } ?? .unreadable
        isOwnerRelative = !hasOrigin && Self.isRelative(text)
        if text == "@", !hasOrigin { usesOrigin = true }
    }

    /// The place of the first name in the data of records that have one.
    private static let placesOfNames = [
        "SOA": 0, "NS": 0, "CNAME": 0, "DNAME": 0, "PTR": 0, "MX": 1, "KX": 1, "AFSDB": 1, "SVCB": 1, "HTTPS": 1,
        "SRV": 3,
    ]

    /// Whether a record without an origin before it shows that the zone has one: nobody is called `www` or `ns1` in full.
    private static func speaksOfOrigin(_ record: ZoneRecord) -> Bool {
        if record.type == "SOA" || record.owner.map({ !$0.contains(".") }) == true { return true }
        guard let place = placesOfNames[record.type], record.data.first != "\\#",
            let name = record.data.dropFirst(place).first
        else { return false }
        return !name.contains(".")
    }

    private mutating func addPort(of name: ZoneName) {
        guard let end = name.labels.firstIndex(of: "_tcp"), end > 0, let port = ZoneName.port(name.labels[end - 1])
        else { return }
        ports[name.labels[(end + 1)...].joined(separator: "."), default: []].insert(port)
    }

    private mutating func add(_ record: TLSARecordLine, isIndented: Bool, at place: PinPlace) throws(PinFormatError) {
        if let own = record.owner { setOwner(own) }
        guard record.isOfInternet else {
            return notes.add(.otherClass, at: place, "the record is not of class IN and was passed over")
        }
        cuts.add("TLSA", of: nil)
        switch owner {
        case .none: records.append(Record(line: record, owner: nil, place: place))
        case .name(let name) where record.owner != nil || isIndented && !record.isBare:
            if isOwnerRelative { relativeRecord = relativeRecord ?? place }
            addPort(of: name)
            records.append(Record(line: record, owner: name, place: place))
        case .name, .unreadable:
            throw PinFormatError(
                .badHost, at: place, "the TLSA record names no owner, as others of the file do",
                remedy: "it begins as in _443._tcp.api.example.com.")
        }
    }
}

/// What there is to say of a zone's records: once of each kind, however many there are.
struct ZoneNotes {
    enum Kind { case otherClass, otherTransport, unusable, daneOnly, targetOutside }

    private var kinds: [Kind] = []
    private var notes: [Kind: (place: PinPlace, text: String, count: Int)] = [:]

    mutating func add(_ kind: Kind, at place: PinPlace, _ text: String) {
        guard notes[kind] == nil else {
            notes[kind]?.count += 1
            return
        }
        kinds.append(kind)
        notes[kind] = (place, text, 1)
    }

    func write(into collector: inout PinCollector) {
        for note in kinds.compactMap({ notes[$0] }) {
            let others = note.count - 1
            let more = others == 0 ? "" : "; so it is with \(others) more record\(others == 1 ? "" : "s")"
            collector.note(.notFollowed, at: note.place, note.text + more)
        }
    }
}
