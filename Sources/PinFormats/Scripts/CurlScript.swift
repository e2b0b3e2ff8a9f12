internal import Base

/// curl's commands in a script.
enum CurlScript {
    static func read(_ script: ShellWords, into commands: inout CurlCommands) {
        if let line = script.openLine {
            commands.note(line, "a bracket is not closed here, \(hidden)", isCertain: false)
        }
        lazy var runsText = script.lines.contains { $0.words.contains(where: CurlBystander.runsText) }
        for line in script.lines.map(unmarked) {
            switch line.kind {
            case .command:
                if line.isOpen {
                    let mayBeCurl = line.words.contains { isCurl($0) || CurlCommands.isMentioned(in: $0.text) }
                    if mayBeCurl {
                        commands.note(line.line, "a quotation mark is not closed here, \(hidden)", isCertain: false)
                    }
                } else if let bystander = CurlBystander(line, isCurl: isCurl) {
                    let doubt = bystander.doubt(mayBeRead: line.isTaken || runsText)
                    if let doubt { refuse(line, doubt, &commands) }
                } else {
                    read(line, into: &commands)
                }
            case .array: refuse(line, "stands in a list, of which commands take what is not seen here", &commands)
            case .hereDocument: refuse(line, "stands in a here-document, which is no command of this script", &commands)
            case .redirection: refuse(line, "stands in a redirection, which is no command of this script", &commands)
            }
        }
    }

    private static let hidden = "so that commands behind it cannot be read"

    private static func refuse(_ line: ShellWords.Line, _ reason: String, _ commands: inout CurlCommands) {
        guard line.words.contains(where: { CurlCommands.isMentioned(in: $0.text) }) else { return }
        commands.note(line.line, "--pinnedpubkey \(reason)", isCertain: line.kind != .command)
    }

    /// A line of a makefile's recipe without make's marks, which the shell does not see.
    private static func unmarked(_ line: ShellWords.Line) -> ShellWords.Line {
        guard var first = line.words.first, let mark = first.text.first, CurlBystander.marks.contains(mark) else {
            return line
        }
        first.text = String(first.text.drop(while: CurlBystander.marks.contains))
        guard isCurl(first) else { return line }
        var line = line
        line.words[0] = first
        return line
    }

    private static func isAssignment(_ word: ShellWords.Word) -> Bool {
        guard let mark = word.text.utf8.firstIndex(of: UInt8(ascii: "=")), mark > word.text.startIndex else {
            return false
        }
        return word.text[..<mark].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    private static func isCurl(_ word: ShellWords.Word) -> Bool {
        let name = word.text.lowercased()
        return ["curl", "curl.exe"].contains { name == $0 || name.hasSuffix("/" + $0) } || name.hasSuffix("32curl.exe")
    }

    private static func read(_ line: ShellWords.Line, into commands: inout CurlCommands) {
        let words = line.words
        let curl = words.firstIndex(where: isCurl)
        // Another program's options are its own.
        guard curl != nil || words.contains(where: { CurlCommands.isMentioned(in: $0.text) }) else { return }
        var arguments = CurlArguments(line: line.line, isCurl: curl != nil)
        // Variables may be set before a command.
        let first = words.firstIndex { !isAssignment($0) } ?? words.count - 1
        let hasName = !words[first].text.hasPrefix("-") || words[first].text == "-"
        let start = curl.map { $0 + 1 } ?? (hasName ? first + 1 : first)
        for word in words[..<start] { arguments.refuse(word, into: &commands) }
        if curl == nil, !hasName {
            commands.note(line.line, "--pinnedpubkey begins a line of a script that belongs to no command")
        }
        arguments.read(words[start...], into: &commands)
    }
}

/// The arguments of one command, read as curl reads them.
private struct CurlArguments {
    let line: Int
    /// Whether the command names curl, without which only the full name of an option is one of curl's.
    let isCurl: Bool
    private var command: CurlCommand

    init(line: Int, isCurl: Bool) {
        self.line = line
        self.isCurl = isCurl
        command = CurlCommand(line: line)
    }

    mutating func read(_ words: ArraySlice<ShellWords.Word>, into commands: inout CurlCommands) {
        var rest = words
        var areOptionsOver = false
        while let word = rest.popFirst() {
            if areOptionsOver || !word.text.hasPrefix("-") || word.text == "-" {
                refuse(word, into: &commands)
                command.add(word, isURL: false)
            } else if word.text == "--" {
                areOptionsOver = true
            } else if word.text.hasPrefix("--") {
                readLong(word, &rest, into: &commands)
            } else {
                readShort(word, &rest, into: &commands)
            }
        }
        commands.add(command)
    }

    private mutating func readLong(
        _ word: ShellWords.Word, _ rest: inout ArraySlice<ShellWords.Word>, into commands: inout CurlCommands
    ) {
        let text = word.text.dropFirst(2)
        let name = text.prefix { $0 != "=" }
        // curl 8.16 takes a value behind '='; older ones refuse it.
        var value =
            text.count > name.count
            ? ShellWords.Word(text: String(text.dropFirst(name.count + 1)), isComputed: word.isComputed) : nil
        let isExpanded = name.hasPrefix("expand-")
        let meaning = CurlOptions.meaning(isExpanded ? name.dropFirst(7) : name)
        guard meaning != .pin || isCurl || name == CurlCommands.mark else { return }
        if CurlOptions.isPinInCapitals(name), isCurl { commands.noteCapitals(line) }
        switch meaning {
        case .flag: return refuse(word, into: &commands)
        case .next:
            commands.add(command)
            command = CurlCommand(line: line)
            return
        case .pin, .url, .value: break
        }
        value = value ?? rest.popFirst()
        if isExpanded, let text = value?.text, text.holdsBytes(of: "{{") { value?.isComputed = true }
        switch (meaning, value) {
        case (.pin, let value?): command.values.append(CurlCommand.Value(value))
        case (.pin, nil): commands.note(line, "--pinnedpubkey has no value here", isCertain: false)
        case (.url, let value?) where isExpanded && value.isComputed: command.hasUnwrittenServer = true
        case (.url, let value?): command.add(value, isURL: true)
        default: if let value { refuse(value, into: &commands) }
        }
    }

    private mutating func readShort(
        _ word: ShellWords.Word, _ rest: inout ArraySlice<ShellWords.Word>, into commands: inout CurlCommands
    ) {
        refuse(word, into: &commands)
        var letters = word.text.dropFirst()
        while let letter = letters.popFirst() {
            if letter == ":" {
                commands.add(command)
                command = CurlCommand(line: line)
            } else if CurlOptions.letters.contains(letter) {
                if letters.isEmpty, let value = rest.popFirst() { refuse(value, into: &commands) }
                return
            }
        }
    }

    /// Says that a word has the name of the option and is none.
    func refuse(_ word: ShellWords.Word, into commands: inout CurlCommands) {
        guard CurlCommands.isMentioned(in: word.text) else { return }
        commands.note(
            line, "--pinnedpubkey stands in a text here, which this file does not run as a command by itself",
            isCertain: false)
    }
}
