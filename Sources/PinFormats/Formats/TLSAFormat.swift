internal import Pinning
internal import Text

/// DNS records, as a zone file or `dig` has them.
struct TLSAFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text, file.bytes.count <= PinListFormat.mostBytes else { return false }
        var isFound = false
        ZoneLines.forEach(in: text) { line, _ in
            isFound = TLSARecordLine(line) != nil
            return !isFound && (line.hasPrefix("$") || Self.isRecord(line))
        }
        return isFound
    }

    /// Types of records that stand beside others in a zone.
    private static let types: Set = [
        "SOA", "NS", "A", "AAAA", "CNAME", "DNAME", "MX", "TXT", "SRV", "CAA", "PTR", "SSHFP", "SVCB", "HTTPS", "DS",
        "DNSKEY",
        "RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "NAPTR", "HINFO",
    ]

    /// Whether a line is a record of a zone, of whatever type.
    private static func isRecord(_ line: String) -> Bool {
        line.split(maxSplits: 5, whereSeparator: \.isWhitespace).prefix(5).contains { types.contains(String($0)) }
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var zone = ZoneReader()
        var failure: PinFormatError?
        ZoneLines.forEach(in: file.text ?? "") { line, number in
            do throws(PinFormatError) {
                do throws(PinFormatError) {
                    try zone.read(line, at: file.place(line: number))
                } catch {
                    try collector.skip(error)
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        zone.notes.forEach { collector.note(.notFollowed, at: $0.place, $0.text) }
        collector.add(PinConfiguration(.tlsa, entries: zone.entries))
    }
}

/// Gathers the TLSA records of a zone and passes over its other records.
private struct ZoneReader {
    private(set) var entries: [HostEntry] = []
    private(set) var notes: [(place: PinPlace, text: String)] = []
    /// What is there already: a record is there once, however often it is written (RFC 2181, 5).
    private var known: Set<Key> = []

    private struct Key: Hashable {
        let hosts: HostPattern?
        let port: Int?
        let records: [TLSARecord]
    }

    private var origin = ""
    /// The last name that a record was given, of whatever type: a line that begins with a blank is for it (RFC 1035, 5.1).
    private var owner: Substring?

    mutating func read(_ line: String, at place: PinPlace) throws(PinFormatError) {
        let words = line.split(whereSeparator: \.isWhitespace)
        if words.first?.uppercased() == "$ORIGIN" {
            let name = words.dropFirst().first.map(String.init) ?? ""
            origin = name.hasSuffix(".") || origin.isEmpty ? name : name + "." + origin
            return
        }
        guard let record = TLSARecordLine(line) else {
            if line.first?.isWhitespace == false, words.first?.hasPrefix("$") == false { owner = words.first }
            return
        }
        if let own = record.owner { owner = own }
        guard record.isOfInternet else {
            notes.append((place, "the record is not of class IN and was passed over"))
            return
        }
        guard let owner else { return add(try record.entry(for: nil, at: place), at: place) }
        let name = try serviceName(owner, at: place)
        guard name.isOverTCP else {
            notes.append((place, "the record is not for connections over TCP and was passed over"))
            return
        }
        var entry = try record.entry(for: name.hosts, at: place)
        entry.port = name.port
        add(entry, at: place)
    }

    private mutating func add(_ entry: HostEntry, at place: PinPlace) {
        if case .records(let records, _) = entry.identities {
            guard known.insert(Key(hosts: entry.hosts, port: entry.port, records: records)).inserted else { return }
        }
        if entry.pins.isEmpty {
            notes.append((place, "only the client dane compares this record: it is not a hash of a key"))
        }
        entries.append(entry)
    }

    /// What an owner name says, which begins with the port and the protocol (RFC 6698, 3).
    private func serviceName(
        _ owner: Substring,
        at place: PinPlace
    ) throws(PinFormatError) -> (hosts: HostPattern, port: Int?, isOverTCP: Bool) {
        var name = String(owner)
        if !name.hasSuffix("."), !origin.isEmpty { name += "." + origin }
        let labels = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        // A wildcard in the place of the port is for all of them.
        let port = labels[0].hasPrefix("_") ? Int(labels[0].dropFirst()) : nil
        let namesPort = labels[0] == "*" || port.map { (0...65_535).contains($0) } == true
        guard labels.count == 3, namesPort, labels[1].hasPrefix("_") else {
            throw PinFormatError(
                .badHost,
                at: place,
                "the owner '\(shortened(owner))' of the TLSA record names no port",
                remedy: "it begins as in _443._tcp.api.example.com."
            )
        }
        return (try HostText.pattern(labels[2], .exact, at: place), port, labels[1].lowercased() == "_tcp")
    }
}

/// The lines of a zone file: without comments, and with what parentheses hold together on one line.
private enum ZoneLines {
    /// Calls `body` with each line that is not empty and the number of its first line, until it returns false.
    static func forEach(in text: String, _ body: (String, Int) -> Bool) {
        var pending = ""
        var start = 0
        var depth = 0
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            if depth == 0 { start = number }
            var isQuoted = false
            var isEscaped = false
            for character in line {
                if isQuoted || isEscaped {
                    if character == "\"", !isEscaped { isQuoted = false }
                    isEscaped = !isEscaped && character == "\\"
                    pending.append(character)
                    continue
                }
                if character == ";" || character == "#" { break }
                switch character {
                case "(": depth += 1
                case ")": depth = max(0, depth - 1)
                default:
                    isQuoted = character == "\""
                    isEscaped = character == "\\"
                    pending.append(character)
                    continue
                }
                pending.append(" ")
            }
            guard depth == 0 || pending.utf8.count > PinListFormat.mostBytes else {
                pending += " "
                continue
            }
            let isEmpty = pending.allSatisfy(\.isWhitespace)
            if !isEmpty, !body(pending, start) { return }
            pending = ""
        }
        if !pending.allSatisfy(\.isWhitespace) { _ = body(pending, start) }
    }
}
