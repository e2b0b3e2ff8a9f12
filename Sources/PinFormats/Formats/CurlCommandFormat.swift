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
        var pinsOfServers: [HostPattern?: [Int?: Set<SHA256Digest>]] = [:]
        let words = ShellWords(file.text ?? "")
        if let line = words.unreadLine(holding: "\(Self.mark)") {
            try collector.gather(
                PinFormatError(
                    .notation,
                    at: file.place(line: line),
                    "a quotation mark is not closed here, or holds a --pinnedpubkey, so that commands behind it cannot be read",
                    remedy: "give the commands alone, without text that has apostrophes"
                )
            )
        }
        let commands = Self.commands(in: file.text ?? "").filter { $0.value != nil }
        let namesServers = commands.contains { !$0.servers.isEmpty }
        for command in commands {
            guard let value = command.value else { continue }
            let place = file.place(line: command.line)
            guard !namesServers || !command.servers.isEmpty else {
                collector.note(
                    .notFollowed,
                    at: place,
                    "no https URL is written out beside this --pinnedpubkey, unlike others of the file, and it was passed over"
                )
                continue
            }
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
            for entry in try Self.entries(own.pins, of: command, at: place) {
                let pins = Set(entry.pins.map(\.spkiSHA256))
                let other = pinsOfServers[entry.hosts, default: [:]].updateValue(pins, forKey: entry.port)
                if let hosts = entry.hosts, let other, other != pins {
                    collector.note(
                        .notFollowed,
                        at: place,
                        "another command has other pins for \(hosts): they are put together here, though curl takes a command's own"
                    )
                }
                entries.append(entry)
            }
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
        var line: Int
    }

    /// What ends the options of one URL and begins those of the next (`--next`).
    private static let separators: Set = ["--next", "-:"]

    /// The commands of a script, one a line or over several that a backslash joins; a configuration file is one command.
    private static func commands(in text: String) -> [Command] {
        var commands: [Command] = []
        for (words, line) in ShellWords(text).lines where !isSetting(words) {
            var command = Command(line: line)
            var next = words.makeIterator()
            while let word = next.next() {
                if separators.contains(word) {
                    if command.value != nil { commands.append(command) }
                    command = Command(line: line)
                } else if word == "--pinnedpubkey" {
                    command.value = next.next()
                } else if optionsWithText.contains(word) {
                    _ = next.next()
                } else if let server = server(word[...]) {
                    command.servers.append(server)
                }
            }
            if command.value != nil { commands.append(command) }
        }
        return commands + configuration(text)
    }

    /// Options whose value may look like the URL that is asked for.
    private static let optionsWithText: Set = [
        "-x", "--proxy", "--preproxy", "-e", "--referer", "--doh-url", "-d", "--data", "--data-raw", "--data-binary",
        "--data-ascii", "--data-urlencode", "--json", "-H", "--header", "--proxy-header", "-A", "--user-agent", "-F",
        "--form", "--form-string", "-w", "--write-out", "-o", "--output", "-b", "--cookie", "-u", "--user", "-U",
        "--proxy-user", "-X", "--request", "--oauth2-bearer", "--resolve", "--connect-to", "-m", "--max-time", "-T",
        "--upload-file", "-c", "--cookie-jar", "-K", "--config", "--cacert", "-E", "--cert", "--key",
    ]

    private static func isSetting(_ words: [String]) -> Bool {
        guard let first = words.first?.drop(while: { $0 == "-" }) else { return false }
        return ["pinnedpubkey", "url"].contains { first == $0 || first.hasPrefix($0 + "=") }
    }

    /// What a configuration file says, each part up to a `next` for itself; lines that a backslash joins are a script's.
    private static func configuration(_ text: String) -> [Command] {
        var commands: [Command] = []
        var command = Command(line: 0)
        var isJoined = false
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            defer { isJoined = line.hasSuffix("\\") }
            guard !isJoined, !line.hasSuffix("\\") else { continue }
            if isSeparator(line) {
                commands.append(command)
                command = Command(line: 0)
            }
            guard let (name, value) = setting(String(line)) else { continue }
            if name == "url" { server(value).map { command.servers.append($0) } }
            if name == "pinnedpubkey" {
                command.value = String(value)
                if command.line == 0 { command.line = number }
            }
        }
        return (commands + [command]).filter { $0.value != nil }
    }

    /// Whether a line of a configuration file is `next`, with or without its dashes.
    private static func isSeparator(_ line: Substring) -> Bool {
        let word = line.trimmingWhitespace().prefix { !$0.isWhitespace }
        return separators.contains(String(word)) || word == "next"
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
        // What a script computes is not written out.
        guard let host = parts.first, !host.isEmpty, parts.count <= 2, !host.contains("$") else { return nil }
        guard parts.count == 2 else { return (host, 443) }
        return Int(parts[1]).map { (host, $0) }
    }
}
