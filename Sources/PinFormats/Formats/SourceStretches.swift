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

    /// What runs the statement behind its parentheses under a condition, or not once.
    private static let conditions: Set = ["if", "while", "for", "when", "switch", "catch"]

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
        let (start, path) = statement(ofCall: index)
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

    /// Whether what begins here is a statement that is run wherever the one behind it is.
    private func beginsAnywhere(_ start: Int) -> Bool {
        switch source[start - 1] {
        case nil, .mark("{"), .mark("}"), .mark(";"): return true
        case .mark(")"):
            guard source.beginsStatement(start), let opener = source.partner(of: start - 1) else { return false }
            return source.name(opener - 1).map { !Self.conditions.contains($0) } ?? true
        case .mark(">"): return isBehindParameters(start)
        case .name("do"), .name("try"): return false
        default: return source.beginsStatement(start)
        }
    }

    /// Whether a lambda of Kotlin's begins here, `{ a, b ->`.
    private func isBehindParameters(_ start: Int) -> Bool {
        guard source.language != .java, source.isArrow(start - 2), let opener = source.opener(around: start),
            source.isMark(opener, "{"), source.line(start) == source.line(opener) || source.beginsLine(start)
        else { return false }
        return (opener + 1..<start - 2).allSatisfy { source.name($0) != nil || source.isMark($0, ",") }
    }
}
