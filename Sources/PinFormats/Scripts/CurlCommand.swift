internal import Base

/// What one transfer of curl is told of pins and servers.
struct CurlCommand {
    struct Value {
        var text: String
        /// Whether the text is all that there is, and nothing of it computed.
        let isWritten: Bool

        init(_ word: ShellWords.Word) {
            text = word.text
            isWritten = !word.isComputed && !Placeholder.isFound(in: word.text)
        }
    }

    /// The values of `--pinnedpubkey`, of which the last one counts.
    var values: [Value] = []
    var servers: [CurlURL.Server] = []
    /// Whether a URL is there whose server is not written out.
    var hasUnwrittenServer = false
    /// Why the hosts of a URL are not known.
    var obstacle: String?
    /// The number of its first line; of a setting, that of the pin.
    var line: Int

    /// Whether the command may ask servers that nothing here names.
    var mayAskOthers: Bool { hasUnwrittenServer || servers.isEmpty }

    /// Takes what stands where a URL may, `isURL` where nothing else may.
    mutating func add(_ word: ShellWords.Word, isURL: Bool) {
        switch CurlURL(word) {
        case .servers(let servers): self.servers += servers
        case .unwritten: hasUnwrittenServer = true
        case .other: if isURL { hasUnwrittenServer = true }
        case .unreadable(let reason): obstacle = obstacle ?? reason
        }
    }
}

/// The commands of a text, and what in it may be of one and cannot be read.
struct CurlCommands {
    struct Unread {
        var line: Int
        var reason: String
        /// What to do about it, `nil` for what helps with most.
        var remedy: String?
        /// Whether it stands in no text of another command, so that the file is one of curl's for certain.
        var isCertain = true
    }

    /// The commands with a pin.
    private(set) var commands: [CurlCommand] = []
    private(set) var unread: [Unread] = []

    static let mark = "pinnedpubkey"

    /// Whether the text has anything of curl's to read.
    var isFound: Bool { !commands.isEmpty || unread.contains(where: \.isCertain) }

    /// Whether a text has the option, in full or cut off beside the name of curl.
    static func isMentioned(in text: String) -> Bool {
        if text.holdsBytes(of: mark) { return true }
        guard text.holdsBytes(of: "--pi"), text.holdsBytes(of: "curl") else { return false }
        return text.utf8.indices.contains { index in
            let rest = text.utf8[index...]
            guard rest.first == UInt8(ascii: "-"), rest.starts(with: "--pi".utf8) else { return false }
            return mark.hasPrefix(Substring(rest.dropFirst(2).prefix { (0x61...0x7A).contains($0) }))
        }
    }

    mutating func add(_ command: CurlCommand) { if !command.values.isEmpty { commands.append(command) } }

    mutating func note(_ line: Int, _ reason: String, isCertain: Bool = true) {
        unread.append(Unread(line: line, reason: reason, isCertain: isCertain))
    }

    mutating func noteCapitals(_ line: Int) {
        note(line, "\(Self.mark) has capital letters, which only some versions of curl take")
    }

    init(_ text: String, hasMark: Bool = false) {
        if CurlConfiguration.isConfiguration(text) {
            CurlConfiguration.read(text, hasMark: hasMark, into: &self)
        } else {
            CurlScript.read(ShellWords(text), into: &self)
            if hasMark, commands.contains(where: { $0.line == 1 }) { noteByteOrderMark() }
        }
    }

    /// Says that the first line is not read as it seems.
    mutating func noteByteOrderMark() {
        let reason =
            "the line begins with a byte order mark (EF BB BF), with which it is no option and no command of curl's"
        unread.append(Unread(line: 1, reason: reason, remedy: "save the file as UTF-8 without the mark"))
    }
}
