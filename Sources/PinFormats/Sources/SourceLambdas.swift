/// Which braces and arrows in a source are passed to a call that may not run them.
///
/// `onlyInDebug { … }` and `Flags.ifDebug(() -> …)` are conditions as `if` is. What the call does is not known by its name, unless
/// it is one of the few that run what they are given once in any case.
struct SourceLambdas {
    /// What runs braces once in any case, and what stands before braces that are no argument.
    private static let notConditional: Set = [
        "apply", "also", "let", "run", "with", "use", "lazy", "synchronized", "withLock", "runCatching", "runBlocking",
        "withContext", "coroutineScope", "measureTime", "measureTimeMillis", "buildList", "buildSet", "buildMap",
        "buildString", "remember", "rememberSaveable", "try", "catch", "finally", "else", "do", "if", "for", "while",
        "when", "switch", "init", "object", "static", "get", "set", "constructor", "this", "super",
    ]
    /// More names than anybody gives the parameters of a lambda.
    private static let mostParameters = 16

    private let source: SourceTokens
    /// The braces of types.
    private var bodies: Set<Int> = []

    init(_ source: SourceTokens) {
        self.source = source
        for index in 0..<source.count where source.isName(index, "class", "object", "interface", "enum") {
            if let body = body(ofTypeAt: index) { bodies.insert(body) }
        }
    }

    private func body(ofTypeAt index: Int) -> Int? {
        // `A::class` is no type's beginning.
        guard !source.isMark(index - 1, ":") || source.isName(index, "object") else { return nil }
        var next = index + 1
        let end = min(next + 120, source.count)
        while next < end {
            switch source[next] {
            case .mark("{"): return next
            case .mark("("), .mark("["): next = source.partner(of: next) ?? end
            case .mark(";"), .mark("}"), .mark(")"), .mark("="): return nil
            case .name("fun"), .name("val"), .name("var"), .name("class"), .name("interface"):
                if !source.isName(index, "enum") { return nil }
            default: break
            }
            next += 1
        }
        return nil
    }

    /// Whether these braces, which are no part of `if` or of a function, are passed to what may not run them.
    func isConditional(_ brace: Int) -> Bool {
        guard source.language != .java, source.isMark(brace, "{"), !bodies.contains(brace) else { return false }
        var before = brace - 1
        if source.isMark(before, "@") { before -= 2 }
        switch source[before] {
        case .name(let name): return !Self.notConditional.contains(name)
        case .mark(")"): return source.partner(of: before).map { isConditional(callWith: $0) } ?? false
        case .mark(">"): return source.isArrow(before - 1) || isConditional(callWith: before)
        case .mark("="): return true
        case .mark("("), .mark(","):
            guard let opener = source.opener(around: brace), source.isMark(opener, "(") else { return true }
            return isConditional(callWith: opener)
        default: return false
        }
    }

    /// Whether an arrow of Java's is that of a lambda.
    func isLambda(arrow: Int) -> Bool {
        guard source.language != .kotlin, let opener = source.opener(around: arrow) else { return false }
        let parameters = source.isMark(arrow - 1, ")") ? source.partner(of: arrow - 1) ?? arrow - 1 : arrow - 1
        return source.isMark(opener, "(") || source.isMark(parameters - 1, "=")
            || source.isName(parameters - 1, "return")
    }

    /// The same for the call whose arguments, or types in `<>`, stand there.
    private func isConditional(callWith mark: Int) -> Bool {
        var index = source.isMark(mark, "(") ? mark - 1 : mark
        if source.isMark(index, ">") {
            let least = index - 20
            while index > least, !source.isMark(index, "<") { index -= 1 }
            index -= 1
        }
        return source.name(index).map { !Self.notConditional.contains($0) } ?? true
    }

    /// Whether a name is that of a parameter where a lambda's body begins.
    func hasParameter(_ name: String, at body: Int) -> Bool {
        if source.isMark(body - 1, ">") {
            guard source.isMark(body - 3, ")"), let opener = source.partner(of: body - 3) else {
                return source.isName(body - 3, name)
            }
            return (opener..<body - 3).prefix(4 * Self.mostParameters).contains { source.isName($0, name) }
        }
        for index in body + 1..<min(body + 1 + 4 * Self.mostParameters, source.count) {
            if source.isArrow(index) { return (body + 1..<index).contains { source.isName($0, name) } }
            if source.name(index) == nil, !",:?<>().".contains(where: { source.isMark(index, $0) }) { break }
            if index > body + 1, source.beginsStatement(index) { break }
        }
        return name == "it"
    }
}
