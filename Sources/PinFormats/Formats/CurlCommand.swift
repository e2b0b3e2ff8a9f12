internal import Text

/// What one transfer of curl is told of pins and servers.
struct CurlCommand {
    struct Value {
        var text: String
        /// Whether the text is all that there is, and nothing of it computed.
        var isWritten: Bool
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
        /// Whether it stands in no text of another command, so that the file is one of curl's for certain.
        var isCertain = true
    }

    /// The commands with a pin.
    private(set) var commands: [CurlCommand] = []
    private(set) var unread: [Unread] = []

    static let mark = "pinnedpubkey"

    /// Whether the text has anything of curl's to read.
    var isFound: Bool { !commands.isEmpty || unread.contains(where: \.isCertain) }

    mutating func add(_ command: CurlCommand) {
        if !command.values.isEmpty { commands.append(command) }
    }

    mutating func note(_ line: Int, _ reason: String, isCertain: Bool = true) {
        unread.append(Unread(line: line, reason: reason, isCertain: isCertain))
    }

    init(_ text: String) {
        if CurlConfiguration.isConfiguration(text) {
            CurlConfiguration.read(text, into: &self)
        } else {
            CurlScript.read(ShellWords(text), into: &self)
        }
    }
}
