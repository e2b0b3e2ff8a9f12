internal import Base

/// A command that has curl's command among its words and does not run it, as in `echo curl --pinnedpubkey …`.
struct CurlBystander {
    private enum Kind {
        /// It prints its words.
        case printer
        /// It gives them a name.
        case namer
        case other
    }

    private static let kinds: [String: Kind] = [
        "echo": .printer, "printf": .printer, "print": .printer, "write-host": .printer, "write-output": .printer,
        "logger": .printer, "alias": .namer, "doskey": .namer, "set-alias": .namer, ":": .other, "[": .other,
        "[[": .other, "test": .other, "grep": .other, "man": .other, "name:": .other, "description:": .other,
    ]
    /// What nobody has as an argument before a command.
    private static let certainNames: Set = ["echo", "printf", "alias"]
    /// What may stand before a command that is run.
    private static let leads: Set = [
        "-", "!", "{", "if", "then", "else", "elif", "while", "until", "do", "time", "sudo",
    ]
    /// What a list of JSON or YAML has not, which begins as a test does.
    private static let comparisons: Set = ["=", "==", "!=", "=~"]
    /// What runs a text that it is given.
    private static let runners: Set = [
        "sh", "bash", "dash", "zsh", "ksh", "eval", "source", ".", "xargs", "cmd", "iex", "invoke-expression",
    ]

    private let name: String
    private let kind: Kind
    private let isCertain: Bool

    /// `nil` for a command that runs its words, as far as can be told.
    init?(_ line: ShellWords.Line, isCurl: (ShellWords.Word) -> Bool) {
        let words = line.words
        let before = words.prefix { !isCurl($0) && !$0.text.hasPrefix("--pi") }
        let lead = before.prefix { word in
            Self.leads.contains(word.text) || Self.kinds[word.text] == nil && word.text.hasSuffix(":")
                || word.text.contains("=") && !Self.comparisons.contains(word.text)
        }
        if let word = before[lead.endIndex...].first, let kind = Self.kind(word) {
            name = word.text
            self.kind = kind
            let isList = name.hasPrefix("[") && !words.contains { Self.comparisons.contains($0.text) }
            let hasOtherKey = before[lead.endIndex...].dropFirst().contains { $0.text.hasSuffix(":") }
            // A text of several lines may have begun at a mark that was meant as an apostrophe, and a path end in a backslash.
            let isOfOneLine = !line.isJoined && !words.contains { $0.text.utf8.contains(UInt8(ascii: "\n")) }
            isCertain = !isList && isOfOneLine && !(kind == .other && hasOtherKey)
        } else if let word = before.first(where: { Self.certainNames.contains($0.text) }), let kind = Self.kind(word) {
            name = word.text
            self.kind = kind
            isCertain = false
        } else {
            return nil
        }
    }

    /// What make has before a command.
    static let marks: Set<Character> = ["@", "-", "+"]

    private static func kind(_ word: ShellWords.Word) -> Kind? {
        kinds[String(word.text.prefix(32).drop(while: marks.contains)).lowercased()]
    }

    /// Whether a word of a script is a program that runs what it is given as text.
    static func runsText(_ word: ShellWords.Word) -> Bool {
        let last = word.text.split(separator: "/").last.map { $0.lowercased() } ?? ""
        return runners.contains(last) || word.text.hasPrefix("-K") || word.text.hasPrefix("--conf")
    }

    /// Why it is not certain that nothing runs the words, `nil` where it is; `mayBeRead` where its output may be.
    func doubt(mayBeRead: Bool) -> String? {
        switch kind {
        case .namer: "stands in an alias here, which is run elsewhere"
        case .printer where mayBeRead: "is printed here, for what may run it"
        case .printer, .other: isCertain ? nil : "stands behind '\(shortened(name, to: 40))' here, which may not run it"
        }
    }
}
