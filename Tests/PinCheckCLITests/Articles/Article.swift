import Foundation

/// A Markdown text of the project: README, its translation, or an article.
struct Article {
    let name: String
    let lines: [String]

    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let translation = "Sources/pincheck/README.zh.md"

    init(_ name: String) throws {
        self.name = name
        lines = try String(contentsOf: Self.top.appending(path: name), encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
    }

    static func all() throws -> [Article] {
        var names = ["README.md", "Pins/README.md", translation]
        let sources = try FileManager.default.subpathsOfDirectory(atPath: top.appending(path: "Sources").path)
        names += sources.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted().map { "Sources/" + $0 }
        return try names.map(Article.init)
    }

    struct Block {
        /// What stands behind the opening fence: `console` for commands with their output, `terminal` for a drawing of them.
        let language: String
        let range: Range<Int>
    }

    var blocks: [Block] {
        var blocks: [Block] = []
        var open: (language: String, start: Int)?
        for (index, line) in lines.enumerated() where line.hasPrefix("```") {
            if let begun = open {
                blocks.append(Block(language: begun.language, range: begun.start..<index))
                open = nil
            } else {
                open = (String(line.dropFirst(3)), index + 1)
            }
        }
        return blocks
    }

    struct Sample {
        let command: String
        /// The number of the line it begins on, from 1.
        let line: Int
        let output: Range<Int>
        let columns: Int
    }

    var samples: [Sample] {
        blocks.filter { ["console", "terminal"].contains($0.language) }.flatMap { block -> [Sample] in
            var samples: [Sample] = []
            let isDrawn = block.language == "terminal"
            var index = block.range.lowerBound + (isDrawn ? 1 : 0)
            let end = block.range.upperBound - (isDrawn ? 1 : 0)
            while index < end {
                let start = index
                let command = String(wholeLine(at: &index, in: block).dropFirst(2))
                let output = index
                while index < end, !content(of: index).hasPrefix("$ ") { index += 1 }
                // A line of a drawing that only keeps two commands apart.
                let last = isDrawn && index < end && content(of: index - 1).isEmpty ? index - 1 : index
                let columns = isDrawn ? Self.drawnColumns : 80
                samples.append(Sample(command: command, line: start + 1, output: output..<last, columns: columns))
            }
            return samples
        }
    }

    /// What fits between the sides of a drawing.
    private static let drawnColumns = 76

    func content(of index: Int) -> String {
        let line = lines[index]
        guard line.hasPrefix("│ "), line.hasSuffix(" │") else { return line }
        let inside = line.dropFirst(2).dropLast(2)
        return String(inside[..<(inside.lastIndex { $0 != " " }.map(inside.index(after:)) ?? inside.startIndex)])
    }

    /// Lines as the text shows them at a terminal of so many columns.
    func drawn(_ lines: [String], columns: Int) -> [String] {
        guard columns == Self.drawnColumns else { return lines }
        return lines.map { "│ " + $0 + String(repeating: " ", count: max(0, columns - $0.count)) + " │" }
    }

    /// A line with what a backslash at its end joins to it; `index` is moved behind it.
    func wholeLine(at index: inout Int, in block: Block) -> String {
        var line = content(of: index)
        index += 1
        while line.hasSuffix("\\"), index < block.range.upperBound {
            line.removeLast()
            line += content(of: index).drop { $0 == " " }
            index += 1
        }
        return line
    }

    /// What stands outside of fenced blocks, with the numbers of the lines from 1.
    var prose: [(number: Int, line: String)] {
        let fenced = blocks.map { $0.range.lowerBound - 1...$0.range.upperBound }
        return lines.enumerated().filter { index, _ in !fenced.contains { $0.contains(index) } }.map { ($0 + 1, $1) }
    }
}

/// A command line of a text, as far as a shell would take it apart.
struct ShellLine {
    private(set) var stages: [Substring] = [""]
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
