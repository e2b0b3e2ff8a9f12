/// The tokens of a source, with the brackets that belong together.
struct SourceTokens {
    typealias Kind = SourceText.Token.Kind

    let language: SourceText.Language
    let tokens: [SourceText.Token]
    let unclosedLine: Int?
    private let hidden: [SourceText.Hidden]
    /// Where the other half of the bracket at a place stands.
    private var partners: [Int: Int] = [:]
    /// Which bracket opens the innermost pair around a place.
    private var openers: [Int?] = []

    var count: Int { tokens.count }

    init(_ text: String, _ language: SourceText.Language) {
        let source = SourceText(text, language)
        self.language = language
        tokens = source.tokens
        unclosedLine = source.unclosedLine
        hidden = source.hidden
        openers.reserveCapacity(tokens.count)
        var open: [(index: Int, end: Character)] = []
        for (index, token) in tokens.enumerated() {
            if case .mark(let mark) = token.kind, let last = open.last, mark == last.end {
                partners[index] = last.index
                partners[last.index] = index
                open.removeLast()
            }
            openers.append(open.last?.index)
            switch token.kind {
            case .mark("("): open.append((index, ")"))
            case .mark("["): open.append((index, "]"))
            case .mark("{"): open.append((index, "}"))
            default: break
            }
        }
    }

    subscript(index: Int) -> Kind? { tokens.indices.contains(index) ? tokens[index].kind : nil }

    /// The text with blanks for comments, and for literals in brackets.
    ///
    /// What of another notation is left is none of the source's.
    func withoutHidden(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for part in hidden where part.token.map({ opener(around: $0) != nil || isValue($0) }) ?? true {
            for index in part.range where bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
        }
        return bytes
    }

    /// Whether something of Kotlin's is declared as what stands here.
    private func isValue(_ index: Int) -> Bool {
        isMark(index - 1, "=")
            && (isName(index - 3, "val", "var") || isMark(index - 3, ":") && isName(index - 5, "val", "var"))
    }

    func line(_ index: Int) -> Int { tokens[index].line }

    func isMark(_ index: Int, _ mark: Character) -> Bool { self[index] == .mark(mark) }

    func name(_ index: Int) -> String? { if case .name(let name)? = self[index] { name } else { nil } }

    func isName(_ index: Int, _ names: String...) -> Bool { name(index).map(names.contains) ?? false }

    func partner(of bracket: Int) -> Int? { partners[bracket] }

    /// The bracket that opens the innermost pair around a place, `nil` at the top.
    func opener(around index: Int) -> Int? { openers.indices.contains(index) ? openers[index] : nil }

    /// Whether `->` begins here.
    func isArrow(_ index: Int) -> Bool { isMark(index, "-") && isMark(index + 1, ">") }

    /// Whether it is an `=` by itself.
    func isAssignment(_ index: Int) -> Bool { isMark(index, "=") && !isMark(index + 1, "=") }

    /// Where names with dots between them end that begin here.
    func endOfPath(from start: Int) -> Int {
        var index = start + 1
        while isMark(index, "."), name(index + 1) != nil { index += 2 }
        return index
    }

    /// Where the type ends that stands behind a colon here, if it is a simple one: `String`, `a.B?`.
    func endOfType(from start: Int) -> Int {
        let end = endOfPath(from: start)
        return isMark(end, "?") ? end + 1 : end
    }

    /// Names that an expression does not end with, and those that one does not begin with.
    static let beforeOperands: Set = ["return", "throw", "else", "new", "in", "is", "as", "instanceof", "case"]
    private static let afterOperands: Set = ["else", "in", "is", "as", "instanceof", "to", "by", "where"]
    /// More tokens and groups than any expression has that is followed.
    private static let longestExpression = 64
    /// More tokens than anybody has between `<` and `>`.
    private static let longestTypes = 24

    func beginsLine(_ index: Int) -> Bool { index > 0 && index < count && line(index) > line(index - 1) }

    /// Whether the line that begins here begins a statement, and does not go on with the one before.
    func beginsStatement(_ index: Int) -> Bool {
        guard beginsLine(index) else { return false }
        switch tokens[index - 1].kind {
        // In Kotlin nothing is returned but what stands in the same line.
        case .name("return") where language == .kotlin: break
        case .name(let name) where Self.beforeOperands.contains(name): return false
        case .mark(let mark) where !")]}'\\!".contains(mark): if !endsExpression(index - 1, mark) { return false }
        default: break
        }
        return switch tokens[index].kind {
        case .name(let name): !Self.afterOperands.contains(name)
        case .text: true
        case .mark(let mark): "@}('\\!".contains(mark)
        }
    }

    /// Whether a mark that is most often an operator ends a type or counts up here: `List<String>`, `String?`, `i++`.
    private func endsExpression(_ index: Int, _ mark: Character) -> Bool {
        switch mark {
        case ">": beginOfTypes(to: index).map { name($0 - 1) != nil } ?? false
        case "?": language == .kotlin && (name(index - 1) != nil || isMark(index - 1, ">") || isMark(index - 1, ")"))
        case "+", "-": isMark(index - 1, mark)
        default: false
        }
    }

    /// Where `<` stands for the `>` at `end`, with nothing but types between them.
    func beginOfTypes(to end: Int) -> Int? {
        var depth = 0
        for index in (max(0, end - Self.longestTypes)...end).reversed() {
            switch self[index] {
            case .name, .mark("."), .mark(","), .mark("?"), .mark("*"): break
            case .mark(">"): depth += 1
            case .mark("<"):
                depth -= 1
                if depth == 0 { return index }
            default: return nil
            }
        }
        return nil
    }

    /// Where names with dots between them begin that end at `end`.
    func beginOfPath(to end: Int) -> Int {
        var start = end
        while isMark(start - 1, "."), name(start - 2) != nil { start -= 2 }
        return start
    }

    /// Where the expression ends that begins at `start`; `nil` for one longer than any that is followed.
    func endOfExpression(from start: Int) -> Int? {
        var index = start
        while index < count, index < start + Self.longestExpression {
            if index > start, beginsStatement(index) { return index }
            guard case .mark(let mark)? = self[index] else {
                index += 1
                continue
            }
            if ";,)]}".contains(mark) { return index }
            index = "([{".contains(mark) ? (partner(of: index) ?? count - 1) + 1 : index + 1
        }
        return index < count ? nil : count
    }

    /// Where something declared at `index` is known: within the braces around it, which may be those of a companion object.
    func scope(of index: Int) -> Range<Int> {
        guard var opener = opener(around: index) else { return 0..<count }
        let isCompanion =
            isName(opener - 1, "object") && isName(opener - 2, "companion")
            || isName(opener - 2, "object") && isName(opener - 3, "companion")
        if isCompanion {
            guard let outer = self.opener(around: opener) else { return 0..<count }
            opener = outer
        }
        return opener..<max(opener, partner(of: opener) ?? count)
    }
}
