internal import Base
internal import Pinning
internal import X509

/// curl in shell scripts and configuration files: `curl --pinnedpubkey 'sha256//…' https://host/`, or `pinnedpubkey = "sha256//…"`.
///
/// Only what is written out is read; the hosts are those of the URLs in the same command. Where a pin could be for another host than
/// it seems, or is not read at all, the file is refused.
struct CurlCommandFormat: PinFileFormat {
    private static let mark: StaticString = "pinnedpubkey"
    private static let remedy =
        "give each command alone, with its pin and its https URL written out, or a configuration file"
    /// The product of pins and URLs in a file above which nobody wrote it.
    private static let mostPinsOfHosts = 100_000

    /// What was found in the file when it was recognised.
    private var found: CurlCommands?

    func recognises(_ file: PinFile) -> Bool { recognised(in: file) != nil }

    func recognised(in file: PinFile) -> (any PinFileFormat)? {
        guard let text = file.text, file.bytes.count <= PinListFormat.mostBytes, Self.mayBeFound(in: text[...]) else {
            return nil
        }
        let found = Self.commands(file)
        guard found.isFound else { return nil }
        // In a here-document PEM is for another program.
        guard !hasHereDocument(text), PEMFormat().recognises(file) else { return CurlCommandFormat(found: found) }
        return UndecidedFormat(
            "has PEM and a command of curl with a pin, and does not say which of them counts",
            remedy: "give the PEM alone, or the command")
    }

    private func hasHereDocument(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            let mark = rest[start...].prefix { $0 == UInt8(ascii: "<") }
            if mark.count == 2 { return true }
            rest = rest[mark.endIndex...]
        }
        return false
    }

    /// A cheap look: the option in full, cut off, or cut off without dashes in a configuration file.
    private static func mayBeFound(in text: Substring) -> Bool {
        if text.holds("--pi") || text.holds(mark) { return true }
        return text.holds("sha256//")
            && text.utf8.split(separator: UInt8(ascii: "\n")).contains { line in
                line.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: "pi".utf8)
            }
    }

    private static func commands(_ file: PinFile) -> CurlCommands {
        CurlCommands(file.text ?? "", hasMark: file.bytes.starts(with: [0xEF, 0xBB, 0xBF]))
    }

    /// What there is to say of a file in which the option stands where nothing runs it, `nil` where it stands nowhere.
    static func whyUnread(_ file: PinFile) -> PinFormatError? {
        guard let text = file.text, file.bytes.count <= PinListFormat.mostBytes, text[...].holds(mark) else {
            return nil
        }
        let unread = commands(file).unread.first
        let line = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).firstIndex {
            Substring($0).holds(mark)
        }
        return PinFormatError(
            .notation, at: file.place(line: unread?.line ?? line.map { $0 + 1 }),
            unread?.reason
                ?? "--pinnedpubkey stands in words here that no command runs, and no other pin is in the file",
            remedy: unread?.remedy ?? remedy)
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let found = found ?? Self.commands(file)
        for unread in found.unread {
            try collector.gather(
                PinFormatError(
                    .notation, at: file.place(line: unread.line), unread.reason, remedy: unread.remedy ?? Self.remedy))
        }
        var entries: [HostEntry] = []
        var pinned: [PinnedCommand] = []
        for command in found.commands {
            guard let own = try Self.pins(of: command, in: file, into: &collector) else { continue }
            pinned.append(own)
        }
        try Self.refuseDoubt(pinned, in: file, into: &collector)
        var servers: [HostPattern?: [Int?: (keys: Set<SHA256Digest>, line: Int)]] = [:]
        for own in pinned {
            let line = own.command.line
            for entry in try Self.entries(own, at: file.place(line: line)) {
                let other = servers[entry.hosts, default: [:]].updateValue((own.keys, line), forKey: entry.port)
                if let hosts = entry.hosts, let other, other.keys != own.keys {
                    let places = TwoPlaces(
                        place: file.place(line: line), other: other.line,
                        note: "another command has other pins for \(hosts)", rule: "curl takes a command's own",
                        remedy: "give a file with one of the commands")
                    collector.refuse(hosts, port: entry.port, in: places)
                }
                entries.append(entry)
            }
        }
        guard !entries.isEmpty else { return }
        collector.add(PinConfiguration(.curl, entries: entries, isSource: true))
    }

    // MARK: Pins

    private struct PinnedCommand {
        let command: CurlCommand
        let pins: [Pin]
        let keys: Set<SHA256Digest>
    }

    /// The pins of a command, `nil` where they are wrong and that was noted.
    private static func pins(
        of command: CurlCommand, in file: PinFile, into collector: inout PinCollector
    ) throws(PinFormatError) -> PinnedCommand? {
        let place = file.place(line: command.line)
        if let obstacle = command.obstacle {
            try collector.gather(PinFormatError(.badHost, at: place, obstacle, remedy: "write one URL for each host"))
            return nil
        }
        guard let value = command.values.first, command.values.allSatisfy(\.isWritten) else {
            try collector.gather(
                PinFormatError(
                    .wrongValue, at: place,
                    "the value of --pinnedpubkey is not written out here: the script computes it",
                    remedy: "write sha256// and 44 characters of base64 in its place"))
            return nil
        }
        guard command.values.allSatisfy({ $0.text == value.text }) else {
            try collector.gather(
                PinFormatError(
                    .duplicate, at: place,
                    "different values of --pinnedpubkey stand together, of which curl takes the last",
                    remedy: "leave one, or write --next (in a configuration file: next) between the transfers"))
            return nil
        }
        // Values that name files are read as curl would read them from here.
        var own = PinCollector(collector.isGathering ? .gathered : .refused)
        do throws(PinFormatError) { try CurlValue(text: value.text, place: place).read(into: &own) } catch {
            try collector.skip(error)
            return nil
        }
        for error in own.problems { try collector.gather(error) }
        for note in own.notes { collector.note(note.id, at: note.place ?? place, note.text) }
        return PinnedCommand(command: command, pins: own.pins, keys: Set(own.pins.map(\.spkiSHA256)))
    }

    /// Refuses pins of which it is not known which host has which, and more of them than any file has.
    private static func refuseDoubt(
        _ pinned: [PinnedCommand], in file: PinFile, into collector: inout PinCollector
    ) throws(PinFormatError) {
        let other = pinned.first { $0.keys != pinned[0].keys }
        if let doubtful = pinned.first(where: \.command.mayAskOthers), other != nil {
            try collector.gather(
                PinFormatError(
                    .wrongValue, at: file.place(line: doubtful.command.line),
                    "no https URL is written out beside this --pinnedpubkey, and the file has other pins as well",
                    remedy: Self.remedy))
        }
        guard pinned.reduce(0, { $0 + $1.pins.count * $1.command.servers.count }) <= mostPinsOfHosts else {
            throw PinFormatError(
                .unreasonableDocument, at: file.place,
                "has more than \(mostPinsOfHosts) pins, each counted for each of its URLs")
        }
    }

    private static func entries(_ own: PinnedCommand, at place: PinPlace) throws(PinFormatError) -> [HostEntry] {
        var entries: [HostEntry] = []
        for server in own.command.servers {
            var entry = HostEntry(
                hosts: try HostText.pattern(server.host, .exact, at: place), origin: place.description,
                identities: .positions(leaf: own.pins, authorities: nil))
            entry.port = server.port
            entries.append(entry)
        }
        if own.command.mayAskOthers {
            entries.append(HostEntry(hosts: nil, origin: place.description, identities: .anywhere(own.pins)))
        }
        return entries
    }
}
