internal import Base

/// curl's own configuration files, read as curl reads them (`src/tool_parsecfg.c`): one option a line, and no line goes on in the next.
enum CurlConfiguration {
    private struct Setting {
        let name: Substring
        let isDashed: Bool
        let isLong: Bool
        /// The value, `nil` for none.
        let value: String?
        /// Whether more stands behind the value, which curl passes over.
        let hasMore: Bool

        /// Reads a line, `nil` for a comment or an empty one.
        init?(_ line: Substring) {
            let text = line.utf8.drop(while: CurlConfiguration.isBlank)
            // curl took '/' and '*' for comments as well until 8.0.
            guard let first = text.first, !"#/*".utf8.contains(first) else { return nil }
            let isDashed = first == UInt8(ascii: "-")
            self.isDashed = isDashed
            func isSeparator(_ byte: UInt8) -> Bool { !isDashed && "=:".utf8.contains(byte) }
            let name = text.prefix { !CurlConfiguration.isBlank($0) && !isSeparator($0) }
            // Behind one dash stand options of one letter each.
            let dashes = name.prefix { $0 == UInt8(ascii: "-") }.count
            isLong = dashes != 1 || name.count == 2
            self.name = Substring(name).drop { $0 == "-" }
            let rest = text[name.endIndex...].drop { CurlConfiguration.isBlank($0) || isSeparator($0) }
            guard rest.first == UInt8(ascii: "\"") else {
                let word = rest.prefix { !CurlConfiguration.isBlank($0) }
                value = word.isEmpty ? nil : String(Substring(word))
                let behind = rest[word.endIndex...].first { !CurlConfiguration.isBlank($0) }
                hasMore = behind != nil && behind != UInt8(ascii: "#")
                return
            }
            var content: [UInt8] = []
            var quoted = rest.dropFirst()
            while let byte = quoted.popFirst(), byte != UInt8(ascii: "\"") {
                // What a backslash makes of some letters is no part of a pin or host.
                content.append(byte == UInt8(ascii: "\\") ? quoted.popFirst() ?? byte : byte)
            }
            value = String(decoding: content, as: UTF8.self)
            hasMore = false
        }

        var isOfPin: Bool { isLong && CurlOptions.meaning(name) == .pin }
        /// Whether it is so in a file of whatever kind: without dashes, a shorter word begins lines of other files as well.
        var isCertainlyOfPin: Bool { isOfPin && (isDashed || name.hasPrefix("pinn")) }
        /// Whether no option of curl's is called so in full.
        var isForeign: Bool { value != nil && isLong && !isOfPin && !CurlOptions.takesValue(String(name)) }
        var mattersToPins: Bool { isOfPin || isNext || name.hasSuffix("url") || name.hasSuffix(CurlCommands.mark) }
        var isNext: Bool { isDashed && name == ":" || name == "next" }

        /// Whether the line is for certain an option with its value, and no command.
        var isOption: Bool {
            guard isDashed, name.utf8.count == 1, let letter = name.first else {
                return name.utf8.count > 1 && CurlOptions.meaning(name) != .flag
            }
            return CurlOptions.letters.contains(letter)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func lines(of text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Substring.init)
    }

    // MARK: Recognising

    /// Whether nothing in the text is a command of a shell.
    static func isConfiguration(_ text: String) -> Bool {
        guard !text.hasPrefix("#!") else { return false }
        var isJoined = false
        for line in lines(of: text) {
            let words = line.split { $0.isWhitespace }
            guard let setting = Setting(line) else {
                // A command may begin with its path, or with the times at which it runs.
                if words.first?.hasPrefix("#") == false, isCommand(line, words) { return false }
                isJoined = false
                continue
            }
            let isOptionOfCommand = words.dropFirst().contains { $0.hasPrefix("--pi") && isPin($0.dropFirst(2)) }
            if isOptionOfCommand || isJoined && setting.isDashed && setting.isOfPin { return false }
            // Some words that commands begin with, as 'time', are beginnings of options, which have one value.
            let isCertain = setting.isOption && !setting.hasMore
            if !isCertain, isCommand(line, words) { return false }
            // A path may end in a backslash, where a command would not have 'name ='.
            isJoined = ["\\", "^", "`"].contains(words.last?.last) && (setting.isDashed || !isCertain)
        }
        return true
    }

    private static func isPin(_ text: Substring) -> Bool { CurlOptions.meaning(text.prefix { $0 != "=" }) == .pin }

    private static func isCommand(_ line: Substring, _ words: [Substring]) -> Bool {
        if words[0].hasSuffix("=(") || line.holds("<<") { return true }
        if line.holds("\"$") || line.holds("$(") || line.holds("${") { return true }
        return words.contains { word in
            let name = word.lowercased().drop { !$0.isLetter && $0 != "/" && $0 != "." }.prefix {
                !"\"'`,)];".contains($0)
            }
            return ["curl", "curl.exe"].contains { name == $0 || name.hasSuffix("/" + $0) || name.hasSuffix("\\" + $0) }
        }
    }

    // MARK: Reading

    /// Reads each part up to a `next` for itself.
    static func read(_ text: String, hasMark: Bool, into commands: inout CurlCommands) {
        let settings = lines(of: text).enumerated().compactMap { index, line in
            Setting(line).map { (number: index + 1, setting: $0) }
        }
        // Where no pin is certain, words such as 'pi' are some other file's, unless all in it is curl's.
        let isCertain =
            settings.contains { $0.setting.isCertainlyOfPin }
            || settings.contains { $0.setting.isOfPin && $0.setting.value?.hasPrefix("sha256//") == true }
                && !settings.contains { $0.setting.isForeign }
        var command = CurlCommand(line: 0)
        for (number, setting) in settings {
            if hasMark, number == 1, setting.mattersToPins { commands.noteByteOrderMark() }
            // Without a URL before it, curl goes on with what it has.
            if setting.isNext, !command.servers.isEmpty || command.hasUnwrittenServer || command.obstacle != nil {
                commands.add(command)
                command = CurlCommand(line: 0)
            }
            if setting.name == "expand-url" { command.hasUnwrittenServer = true }
            guard setting.isOfPin && isCertain || setting.name == "url" else {
                refuse(setting, at: number, into: &commands)
                continue
            }
            guard let value = setting.value, !value.isEmpty, !setting.hasMore else {
                let problem = setting.hasMore ? "has more than its value in this line" : "has no value in this line"
                commands.note(number, "\(setting.name) \(problem)")
                continue
            }
            if setting.isOfPin {
                command.values.append(CurlCommand.Value(ShellWords.Word(text: value, isComputed: false)))
                if command.line == 0 { command.line = number }
            } else {
                command.add(
                    ShellWords.Word(text: value, isComputed: value.utf8.contains(UInt8(ascii: "$"))), isURL: true)
            }
        }
        commands.add(command)
    }

    /// Says that a line has the name of the option and is another, as `--pinnedpubkey=…`, which only some versions of curl know.
    private static func refuse(_ setting: Setting, at line: Int, into commands: inout CurlCommands) {
        if setting.isLong, CurlOptions.isPinInCapitals(setting.name) { return commands.noteCapitals(line) }
        let name = String(setting.name)
        guard name.holdsBytes(of: CurlCommands.mark), name != "proxy-" + CurlCommands.mark else { return }
        commands.note(line, "\(CurlCommands.mark) has no blank before its value, or is a part of another name")
    }
}
