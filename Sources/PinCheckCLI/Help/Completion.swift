/// Completes a word at TAB from the tables: the scripts of the shells call the program.
enum Completion {
    /// The output of `--complete WORD…`, whose last word is at the cursor: first `words`, or `files`, `directories` or
    /// `hosts` if the shell completes these itself; then one word a line, with its meaning after a tab.
    static func answer(to words: [String]) -> String {
        let offer = offer(Array(words.dropLast()), words.last ?? "")
        return ([offer.kind] + offer.words.map { $0.meaning.isEmpty ? $0.text : "\($0.text)\t\($0.meaning)" }).map {
            $0 + "\n"
        }.joined()
    }

    private typealias Offer = (kind: String, words: [Option.Word])

    private static func offer(_ before: [String], _ word: String) -> Offer {
        let commands: [Option.Word] = Command.all.map { ($0.name, $0.abstract) }
        if before.isEmpty, !word.hasPrefix("-") {
            return matching(commands + [("help", "Show the help of a command.")], word)
        }
        if before.first == "help" { return matching(commands + Option.words(["options"]), word) }
        let given = Arguments(before)
        let command = given.command
        if let option = given.unfinished { return values(option.values, word) }
        if !before.contains("--") {
            if let equals = word.firstIndex(of: "="), let option = command.option(String(word[..<equals])) {
                let end = word.index(after: equals)
                return values(option.values, String(word[end...]), behind: String(word[..<end]))
            }
            if word.hasPrefix("-") {
                let options = command.options.flatMap { option in option.names.map { ($0, option.help) } }
                return matching(options + [("--help", "Show help."), ("--version", "Show the version.")], word)
            }
        }
        guard let argument = command.argument(at: given.positionals.count) else { return ("words", []) }
        return argument.values.map { values($0, word) } ?? ("hosts", [])
    }

    private static func matching(_ words: [Option.Word], _ word: String, behind start: String = "") -> Offer {
        ("words", words.filter { $0.text.hasPrefix(word) }.map { (start + $0.text, $0.meaning) })
    }

    private static func values(_ values: Option.Values, _ text: String, behind start: String = "") -> Offer {
        switch values {
        case .file, .written: return ("files", [])
        case .form where text.contains("="): return ("files", [])
        case .directory: return ("directories", [])
        case .one(let words), .form(let words): return matching(words(), text, behind: start)
        case .list(let words, let afterColon):
            let head = text.lastIndex(of: ",").map { text[...$0] } ?? ""
            let tail = String(text.dropFirst(head.count))
            return matching(tail.contains(":") ? afterColon() : words(), tail, behind: start + head)
        default: return ("words", [])
        }
    }

    static let scripts = [
        ("bash", PackageResources.completion_bash), ("zsh", PackageResources.completion_zsh),
        ("fish", PackageResources.completion_fish),
    ].map { shell, script in (name: shell, text: String(decoding: script, as: UTF8.self)) }
}
