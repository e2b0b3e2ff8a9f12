/// The discussion of a command, taken apart: examples are lines that stand in, below a line that says what they are for.
struct HelpText {
    enum Part: Equatable {
        case text(String)
        /// Lines that are printed as they are, below a text that may be empty.
        case lines(String, [String])

        static let exitStatus = "Exit status:"

        var isExitStatus: Bool { if case .text(let text) = self { text.hasPrefix(Self.exitStatus) } else { false } }
    }

    private(set) var examples: [Part] = []
    private(set) var notes: [Part] = []

    init(_ discussion: String) {
        var text: [Substring] = []
        var lines: [String] = []
        func isCommand(_ line: String) -> Bool { line.hasPrefix("pincheck") || line.hasPrefix("openssl") }
        func finish(_ help: inout HelpText) {
            let words = text.joined(separator: " ")
            if let first = lines.first {
                let part = Part.lines(words, lines)
                if isCommand(first) { help.examples.append(part) } else { help.notes.append(part) }
            } else if !words.isEmpty {
                help.notes.append(.text(words))
            }
            (text, lines) = ([], [])
        }
        for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                finish(&self)
            } else if line.hasPrefix("  ") {
                lines.append(String(line.dropFirst(2)))
            } else {
                if !lines.isEmpty { finish(&self) }
                text.append(line)
            }
        }
        finish(&self)
    }
}
