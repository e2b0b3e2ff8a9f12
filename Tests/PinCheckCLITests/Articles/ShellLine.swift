import Foundation

/// A command line of a text, as far as a shell would take it apart.
struct ShellLine {
    /// The commands of a pipeline.
    private(set) var stages: [Substring] = [""]
    /// The file that its output goes to.
    private(set) var file: String?

    /// Takes a line apart at `|` and `>` outside of quotes.
    init(_ line: String) {
        var rest = line[...]
        var isRedirected = false
        for (character, isQuoted) in Self.quoting(of: rest) {
            switch character {
            case "|" where !isQuoted && !isRedirected: stages.append("")
            case ">" where !isQuoted: isRedirected = true
            default: if !isRedirected { stages[stages.count - 1].append(character) }
            }
        }
        if isRedirected, let sign = rest.lastIndex(of: ">") {
            rest = rest[sign...].dropFirst()
            file = rest.trimmingCharacters(in: .whitespaces)
        }
        stages = stages.map { Substring($0.trimmingCharacters(in: .whitespaces)) }
    }

    /// The words behind `pincheck`, `nil` for another command.
    static func arguments(of stage: Substring) -> [String]? {
        let words = words(of: stage)
        return words.first == "pincheck" ? Array(words.dropFirst()) : nil
    }

    /// The words of a simple command, without their quotes.
    static func words(of command: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        for (character, isQuoted) in quoting(of: command) {
            switch (character, isQuoted) {
            case (" ", false):
                if let ended = word { words.append(ended) }
                word = nil
            case ("'", false), ("\"", false): word = word ?? ""
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// Each character, and whether it stands between quotes.
    private static func quoting(of text: Substring) -> [(Character, isQuoted: Bool)] {
        var quote: Character?
        return text.map { character in
            if let open = quote {
                if character == open { quote = nil }
                return (character, character != open)
            }
            if character == "'" || character == "\"" { quote = character }
            return (character, false)
        }
    }
}
