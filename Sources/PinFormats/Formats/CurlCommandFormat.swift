internal import Pinning
internal import X509

/// curl in shell scripts and configuration files: `curl --pinnedpubkey 'sha256//…' https://host/`, or `pinnedpubkey = "sha256//…"`.
///
/// Only what is written out is read; the hosts are those of the URLs in the same command.
struct CurlCommandFormat: PinFileFormat {
    private static let mark: StaticString = "pinnedpubkey"

    func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text, file.bytes.count <= PinListFormat.mostBytes, text[...].holds(Self.mark) else {
            return false
        }
        return Self.commands(in: text).contains { $0.value != nil }
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var entries: [HostEntry] = []
        for command in Self.commands(in: file.text ?? "") {
            guard let value = command.value else { continue }
            let place = file.place(line: command.line)
            guard !value.contains("$") else {
                collector.note(
                    .notFollowed,
                    at: place,
                    "the value of --pinnedpubkey is not written out and was passed over"
                )
                continue
            }
            // Values that name files are read as curl would read them from here.
            var own = PinCollector(collector.isGathering ? .gathered : .refused)
            do throws(PinFormatError) {
                try CurlValue(text: value, place: place).read(into: &own)
            } catch {
                try collector.skip(error)
                continue
            }
            for error in own.problems { try collector.gather(error) }
            for note in own.notes { collector.note(note.id, at: note.place ?? place, note.text) }
            entries += try Self.entries(own.pins, of: command, at: place)
        }
        guard !entries.isEmpty else { return }
        collector.add(PinConfiguration(.curl, entries: entries))
    }

    private static func entries(
        _ pins: [Pin],
        of command: Command,
        at place: PinPlace
    ) throws(PinFormatError) -> [HostEntry] {
        guard !command.servers.isEmpty else {
            return [HostEntry(hosts: nil, origin: place.description, identities: .anywhere(pins))]
        }
        var entries: [HostEntry] = []
        for server in command.servers where IPAddress(String(server.host)) == nil {
            let hosts = try HostText.pattern(server.host, .exact, at: place)
            var entry = HostEntry(
                hosts: hosts,
                origin: place.description,
                identities: .positions(leaf: pins, authorities: nil)
            )
            entry.port = server.port
            entries.append(entry)
        }
        return entries
    }

    // MARK: Commands

    private struct Command {
        var value: String?
        var servers: [(host: Substring, port: Int)] = []
        let line: Int
    }

    /// The commands of a script, one a line or over several that a backslash joins; a configuration file is one command.
    private static func commands(in text: String) -> [Command] {
        var commands: [Command] = []
        for (words, line) in ShellWords.lines(of: text) where !isSetting(words) {
            var command = Command(line: line)
            var next = words.makeIterator()
            while let word = next.next() {
                if word == "--pinnedpubkey" {
                    command.value = next.next()
                } else if let server = server(word[...]) {
                    command.servers.append(server)
                }
            }
            if command.value != nil { commands.append(command) }
        }
        return commands + (configuration(text).map { [$0] } ?? [])
    }

    private static func isSetting(_ words: [String]) -> Bool {
        guard let first = words.first?.drop(while: { $0 == "-" }) else { return false }
        return ["pinnedpubkey", "url"].contains { first == $0 || first.hasPrefix($0 + "=") }
    }

    /// What a configuration file says; lines that a backslash joins are a script's.
    private static func configuration(_ text: String) -> Command? {
        var command: Command?
        var servers: [(host: Substring, port: Int)] = []
        var isJoined = false
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            defer { isJoined = line.hasSuffix("\\") }
            guard !isJoined, !line.hasSuffix("\\"), let (name, value) = setting(String(line)) else { continue }
            if name == "url" { server(value).map { servers.append($0) } }
            if name == "pinnedpubkey" { command = Command(value: String(value), line: command?.line ?? number) }
        }
        command?.servers = servers
        return command
    }

    /// `name = value`, `name: value`, `name=value` or `--name value`, for the two names that matter; else `nil`.
    private static func setting(_ line: String) -> (name: String, value: Substring)? {
        let text = line[...].trimmingWhitespace().drop { $0 == "-" }
        guard let name = ["pinnedpubkey", "url"].first(where: text.hasPrefix) else { return nil }
        let rest = text.dropFirst(name.count)
        guard let next = rest.first, "=: \t".contains(next) else { return nil }
        let value = rest.drop { "=: \t".contains($0) }
        if value.hasPrefix("\"") { return (name, value.dropFirst().prefix { $0 != "\"" }) }
        return (name, value.prefix { !$0.isWhitespace })
    }

    /// The host and port of an https URL.
    private static func server(_ word: Substring) -> (host: Substring, port: Int)? {
        guard word.lowercased().hasPrefix("https://") else { return nil }
        let authority = word.dropFirst(8).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard !place.hasPrefix("[") else { return nil }
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (host, 443) }
        return Int(parts[1]).map { (host, $0) }
    }
}

/// The words of a shell script, line by line: quotation marks and backslashes undone, comments left out, nothing expanded.
enum ShellWords {
    /// The lines with a word, each with the number of its first.
    static func lines(of text: String) -> [(words: [String], line: Int)] {
        var lines: [(words: [String], line: Int)] = []
        var words: [String] = []
        var word: [UInt8]?
        var quotation: UInt8?
        var line = 1
        var start = 1
        var bytes = text.utf8.makeIterator()
        var pending = bytes.next()
        func finish(_ word: inout [UInt8]?, _ words: inout [String]) {
            if let finished = word { words.append(String(decoding: finished, as: UTF8.self)) }
            word = nil
        }
        while let byte = pending {
            pending = bytes.next()
            if byte == UInt8(ascii: "\n") { line += 1 }
            if let open = quotation {
                if byte == open {
                    quotation = nil
                } else if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\""), let next = pending {
                    word?.append(next)
                    if next == UInt8(ascii: "\n") { line += 1 }
                    pending = bytes.next()
                } else {
                    word?.append(byte)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"):
                finish(&word, &words)
                if !words.isEmpty { lines.append((words, start)) }
                words = []
                start = line
            case UInt8(ascii: " "), 0x09, 0x0D: finish(&word, &words)
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                quotation = byte
                word = word ?? []
            case UInt8(ascii: "\\"):
                let next = pending
                pending = bytes.next()
                if next == UInt8(ascii: "\n") {
                    line += 1
                    finish(&word, &words)
                } else if let next {
                    word = (word ?? []) + [next]
                }
            case UInt8(ascii: "#") where word == nil:
                while let skipped = pending, skipped != UInt8(ascii: "\n") { pending = bytes.next() }
            default:
                if word == nil { word = [byte] } else { word?.append(byte) }
            }
        }
        finish(&word, &words)
        if !words.isEmpty { lines.append((words, start)) }
        return lines
    }
}
