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
    /// Properties with a getter, which may make another builder whenever they are asked for.
    private let computed: Set<String>
    private var last: Stretch?

    init(_ source: SourceTokens) {
        self.source = source
        computed = Self.computed(in: source)
    }

    private static func computed(in source: SourceTokens) -> Set<String> {
        var computed: Set<String> = []
        guard source.language != .java else { return computed }
        for index in 0..<source.count where source.isName(index, "val", "var") && source.name(index + 1) != nil {
            let first = source.endOfPath(from: index + 1)
            guard let name = source.name(first - 1) else { continue }
            var next = first
            search: while next < min(first + longestStatement, source.count) {
                switch source[next] {
                case .name("get") where source.isMark(next + 1, "(") && source.isMark(next + 2, ")"),
                    .name("by") where !source.isName(next + 1, "lazy"):
                    computed.insert(name)
                    break search
                case .name("val"), .name("var"), .name("fun"), .name("class"), .name("object"), .name("init"),
                    .mark(")"), .mark("}"), .mark("]"):
                    break search
                case .mark("("), .mark("["), .mark("{"): next = source.partner(of: next) ?? source.count
                default: break
                }
                next += 1
            }
        }
        return computed
    }

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

    /// Whether one of these names may stand for another builder whenever it is asked for.
    func isComputed(_ path: String) -> Bool { path.split(separator: ".").contains { computed.contains(String($0)) } }

    private func follows(_ index: Int, _ stretch: Stretch) -> Bool {
        if source.isMark(stretch.end, "."), stretch.end + 1 == index { return true }
        guard let wanted = stretch.path, wanted.allSatisfy({ !computed.contains($0.filter { $0 != "?" && $0 != "!" }) })
        else { return false }
        let (start, path) = statement(ofCall: index)
        guard path == wanted, start >= stretch.end else { return false }
        let isApart = start > stretch.end || source.beginsLine(start)
        return isApart && (stretch.end..<start).allSatisfy { source.isMark($0, ";") }
    }

    /// Where the statement `a.b.add(…)` or `a = a.add(…)` begins, and the names before the call, `nil` for what is no name.
    ///
    /// Names keep the marks behind them: what is done with `a?` or `a!!` is done with it twice or not at all.
    private func statement(ofCall index: Int) -> (start: Int, path: [String]?) {
        var start = index
        var path: [String] = []
        while source.isMark(start - 1, ".") {
            var before = start - 2
            var mark = ""
            if source.isMark(before, "?") {
                mark = "?"
                before -= 1
            } else if source.isMark(before, "!"), source.isMark(before - 1, "!") {
                mark = "!"
                before -= 2
            }
            guard let name = source.name(before) else { return (start, nil) }
            path.append(name + mark)
            start = before
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
        var mark = source.beginOfPath(to: opener - 1) - 1
        if source.isName(mark, "new") { mark -= 1 }
        guard source.isMark(mark, "=") else { return nil }
        var name = mark - 1
        let type = source.beginOfPath(to: name)
        if source.isMark(type - 1, ":") { name = type - 2 }
        guard let text = source.name(name), let before = source.name(name - 1), !Self.conditions.contains(before),
            source.isName(name - 1, "val", "var") || source.language != .kotlin && !source.beginsLine(name)
        else { return nil }
        var start = source.beginOfPath(to: name - 1)
        while source.isName(start - 1, "final", "private", "static", "public", "protected", "internal") { start -= 1 }
        return (start, [text])
    }

    /// Whether what begins here is a statement that is run wherever the one behind it is.
    private func beginsAnywhere(_ start: Int) -> Bool {
        switch source[start - 1] {
        case nil, .mark("{"), .mark("}"), .mark(";"): true
        case .mark(":"): isBehindLabel(start)
        case .mark(">") where source.isArrow(start - 2): isBehindParameters(start)
        default: source.language != .java && source.beginsStatement(start) && isBehindStatement(start)
        }
    }

    /// Whether a whole statement ends here with its line, and not what decides on the next one or belongs to it.
    private func isBehindStatement(_ start: Int) -> Bool {
        guard !endsInOperator(start), !endsInAnnotation(start) else { return false }
        var index = start - 1
        let least = start - Self.longestStatement
        while index >= 0, index > least {
            if "{};".contains(where: { source.isMark(index, $0) }) { return true }
            if source.isArrow(index) { return false }
            if let name = source.name(index), Self.conditions.contains(name) { return hasBody(index, before: start) }
            if let opener = source.partner(of: index), opener < index { index = opener }
            if source.beginsStatement(index), !source.isMark(index, "(") { return true }
            index -= 1
        }
        return index < 0
    }

    /// Whether the line before ends as `x or` does, and not as `x or y`: Kotlin reads on in the next one.
    private func endsInOperator(_ start: Int) -> Bool {
        guard source.name(start - 1) != nil, !source.isName(start - 1, "return", "break", "continue") else {
            return false
        }
        var index = start - 1
        var names = 0
        while let name = source.name(index), !SourceTokens.beforeOperands.contains(name),
            !["val", "var"].contains(name)
        {
            names += 1
            let begin = source.beginOfPath(to: index)
            if source.beginsStatement(begin) { return names.isMultiple(of: 2) }
            index = begin - 1
        }
        switch source[index] {
        case .text, .mark("]"), .mark("}"): names += 1
        case .mark(")"): if !isHead(index) { names += 1 }
        case .mark("!") where source.isMark(index - 1, "!"): if source.name(index - 2) != nil { names += 1 }
        default: break
        }
        return names.isMultiple(of: 2)
    }

    /// Whether what decides on a statement ends here: `if (…)`.
    private func isHead(_ close: Int) -> Bool {
        source.partner(of: close).map { source.isName($0 - 1, "if", "for", "while") } ?? false
    }

    /// Whether the line before ends as `@A` or `@A(…)` does, which belongs to the next one.
    private func endsInAnnotation(_ start: Int) -> Bool {
        var end = start - 1
        if source.isMark(end, ")"), let opener = source.partner(of: end) { end = opener - 1 }
        if source.isMark(end, ">"), let opener = source.beginOfTypes(to: end) { end = opener - 1 }
        if source.isMark(end, "]"), let opener = source.partner(of: end) { return source.isMark(opener - 1, "@") }
        guard source.name(end) != nil else { return false }
        var begin = source.beginOfPath(to: end)
        if source.isMark(begin - 1, ":"), source.isMark(begin - 3, "@") { begin -= 2 }
        // A label stands behind these.
        return source.isMark(begin - 1, "@")
            && !source.isName(begin - 2, "this", "super", "return", "break", "continue")
    }

    /// Whether what is run under a condition stands behind it in the same line.
    private func hasBody(_ index: Int, before start: Int) -> Bool {
        if source.isName(index, "else") { return index + 1 < start }
        guard source.isName(index, "if", "for", "while"), source.isMark(index + 1, "("),
            let close = source.partner(of: index + 1)
        else { return false }
        return close + 1 < start
    }

    /// Whether `case A:` or `default:` ends here.
    private func isBehindLabel(_ start: Int) -> Bool {
        var index = start - 2
        if source.isName(index, "default") { return true }
        while index > start - 16 {
            if source.isName(index, "case") { return true }
            switch source[index] {
            case .name, .text, .mark("."), .mark(","): index -= 1
            default: return false
            }
        }
        return false
    }

    /// Whether a lambda of Kotlin's begins here, `{ a, b: B ->`.
    private func isBehindParameters(_ start: Int) -> Bool {
        guard source.language != .java, source.isArrow(start - 2), let opener = source.opener(around: start),
            source.isMark(opener, "{"), start - opener < Self.longestStatement
        else { return false }
        return (opener + 1..<start - 2).allSatisfy { index in
            source.name(index) != nil || ",:.?<>()".contains { source.isMark(index, $0) }
        }
    }
}
