/// What completes the command line in a shell, made from the parser's description.
///
/// Not by the parser's own generator: it offers nothing behind a target alone, where `check` is not written out, and knows no
/// values in lists.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    func text(of program: CommandDescription) -> String {
        let line =
            "# Completions of pincheck \(ProgramVersion.number) for \(rawValue): pincheck --generate-completion-script \(rawValue)\n"
        switch self {
        case .bash: return line + BashCompletions.script(program)
        case .zsh: return ZshCompletions.script(program, comment: line)
        case .fish: return line + FishCompletions.script(program)
        }
    }
}

/// What completes the value of an option, or an argument.
enum ValueCompletion: Hashable {
    case words(ValueWords)
    /// Files, whatever their endings: what they hold counts.
    case files
    case directories
    case target
    case targetOrFile
    /// Anything, so that nothing can be offered.
    case anything
}

extension ArgumentDescription {
    /// What completes its value; `nil` for a flag.
    func completion(in command: CommandDescription) -> ValueCompletion? {
        guard kind != .flag else { return nil }
        if let words = ValueWords.of(self, in: command) { return .words(words) }
        if takesTarget { return files == nil ? .target : .targetOrFile }
        switch files {
        case .files: return .files
        case .directories: return .directories
        case nil: return .anything
        }
    }
}

extension CommandDescription {
    /// What completes an argument that stands alone: `help` has none of its own in the description.
    var argumentCompletion: ValueCompletion? { positionals.last.flatMap { $0.completion(in: self) } }
}

/// The functions of a script that offer words: one for the same words, wherever they can stand.
struct WordFunctions {
    private(set) var all: [(name: String, words: ValueWords)] = []

    /// The name of the function that offers some words, after the option or command they are for.
    mutating func name(of words: ValueWords, for place: String) -> String {
        if let known = all.first(where: { $0.words == words }) { return known.name }
        var name = "_pincheck_words_" + String(place.drop { $0 == "-" }).replacing("-", with: "_")
        while all.contains(where: { $0.name == name }) { name += "_" }
        all.append((name, words))
        return name
    }
}
