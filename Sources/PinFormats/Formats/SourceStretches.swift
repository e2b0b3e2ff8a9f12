/// Which calls of `add` in a source follow each other with nothing between them, on one builder.
///
/// Whoever makes one call of a stretch makes them all. No more is certain of a source: what stands elsewhere may be for another
/// pinner, for another variant of the app, or be added after the pinner was built.
struct SourceStretches {
    private struct Stretch {
        let number: Int
        /// Where its last call ends.
        var end: Int
        /// The names that its first call is made on, none where that is what the braces around are for; `nil` where it cannot be
        /// made again in another statement.
        let path: [String]?
    }

    /// What runs the statement behind it under a condition, or not once.
    private static let conditions: Set = [
        "if", "else", "while", "for", "when", "switch", "do", "try", "catch", "finally",
    ]
    /// More tokens than a statement has that is followed.
    private static let longestStatement = 64

    private let source: SourceTokens
    private var last: Stretch?

    init(_ source: SourceTokens) { self.source = source }

    /// The number of the stretch of the call at `index`; calls have to be asked for in their order.
    mutating func stretch(ofCall index: Int) -> Int {
        let end = source.partner(of: index + 1).map { $0 + 1 }
        if let last, let end, last.end <= index, follows(index, last) {
            self.last?.end = end
            return last.number
        }
        let number = last.map { $0.number + 1 } ?? 0
        var (start, path) = statement(ofCall: index)
        if path == nil, let declaration = declaration(ofCall: index) { (start, path) = declaration }
        // What does not end is followed by nothing.
        last = Stretch(number: number, end: end ?? source.count, path: beginsAnywhere(start) ? path : nil)
        return number
    }

    private func follows(_ index: Int, _ stretch: Stretch) -> Bool {
        if source.isMark(stretch.end, "."), stretch.end + 1 == index { return true }
        guard let wanted = stretch.path else { return false }
        let (start, path) = statement(ofCall: index)
        guard path == wanted, start >= stretch.end else { return false }
        let isApart = start > stretch.end || source.beginsLine(start)
        return isApart && (stretch.end..<start).allSatisfy { source.isMark($0, ";") }
    }

    /// Where the statement `a.b.add(…)` or `a = a.add(…)` begins, and the names before the call, `nil` for what is no name.
    private func statement(ofCall index: Int) -> (start: Int, path: [String]?) {
        var start = index
        var path: [String] = []
        while source.isMark(start - 1, ".") {
            guard let name = source.name(start - 2) else { return (start, nil) }
            path.append(name)
            start -= 2
        }
        if path.count == 1, source.isMark(start - 1, "="), source.isName(start - 2, path[0]),
            !source.isName(start - 3, "val", "var"), !source.isMark(start - 3, ".")
        {
            start -= 2
        }
        return (start, path)
    }

    /// Where `val a = b().add(…)` or `B a = new B().add(…)` begins, and the name that it declares.
    private func declaration(ofCall index: Int) -> (start: Int, path: [String])? {
        guard source.isMark(index - 2, ")"), let opener = source.partner(of: index - 2) else { return nil }
        var start = startOfPath(to: opener - 1)
        if source.isName(start - 1, "new") { start -= 1 }
        guard source.isMark(start - 1, "="), let name = source.name(start - 2), source.name(start - 3) != nil else {
            return nil
        }
        return (startOfPath(to: start - 3), [name])
    }

    private func startOfPath(to end: Int) -> Int {
        var start = end
        while source.isMark(start - 1, "."), source.name(start - 2) != nil { start -= 2 }
        return start
    }

    /// Whether what begins here is a statement that is run wherever the one behind it is.
    private func beginsAnywhere(_ start: Int) -> Bool {
        switch source[start - 1] {
        case nil, .mark("{"), .mark("}"), .mark(";"): true
        case .mark(":"): isBehindLabel(start)
        case .mark(">"): isBehindParameters(start)
        default: source.language != .java && source.beginsStatement(start) && isBehindStatement(start)
        }
    }

    /// Whether a whole statement ends here with its line, and not what decides on the next one or belongs to it.
    private func isBehindStatement(_ start: Int) -> Bool {
        if source.name(start - 1) != nil {
            // `x or` at the end of a line goes on in the next.
            switch source[start - 2] {
            case .name, .text, .mark(")"), .mark("]"), .mark("}"): return false
            default: break
            }
        }
        var index = start - 1
        let least = start - Self.longestStatement
        while index >= 0, index > least {
            if "{};".contains(where: { source.isMark(index, $0) }) { return true }
            if source.isMark(index, "@") || source.isArrow(index) { return false }
            if let name = source.name(index), Self.conditions.contains(name) { return false }
            if let opener = source.partner(of: index), opener < index { index = opener }
            if source.beginsStatement(index), !source.isMark(index, "(") { return true }
            index -= 1
        }
        return index < 0
    }

    /// Whether `case A:` or `default:` ends here.
    private func isBehindLabel(_ start: Int) -> Bool {
        var index = start - 2
        if source.isName(index, "default") { return true }
        while index > start - 8, source.name(index) != nil || source.isMark(index, ".") {
            if source.isName(index, "case") { return true }
            index -= 1
        }
        return false
    }

    /// Whether a lambda of Kotlin's begins here, `{ a, b: B ->`.
    private func isBehindParameters(_ start: Int) -> Bool {
        guard source.language != .java, source.isArrow(start - 2), let opener = source.opener(around: start),
            source.isMark(opener, "{"), start - opener < Self.longestStatement
        else { return false }
        return (opener + 1..<start - 2).allSatisfy { index in
            source.name(index) != nil || ",:.?<>".contains { source.isMark(index, $0) }
        }
    }
}
