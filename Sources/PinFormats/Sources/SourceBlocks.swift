/// What kinds of blocks stand in a source.
struct SourceBlocks {
    /// Names with parentheses and braces behind them that are no methods of Java.
    private static let statements: Set = [
        "if", "for", "while", "switch", "catch", "synchronized", "try", "when", "else", "return",
    ]
    /// What stands before a name that is no method's.
    private static let noTypes: Set = [
        "fun", "new", "class", "object", "record", "interface", "return", "else", "throw", "in", "is", "as", "enum",
        "by",
    ]

    /// More than anybody nests.
    private static let deepest = 40

    let source: SourceTokens

    func isDoubleColon(_ index: Int) -> Bool { source.isMark(index + 1, ":") || source.isMark(index - 1, ":") }

    /// Whether a `case` or `default` of the braces around begins here.
    func beginsArm(_ index: Int) -> Bool {
        source.isName(index, "case")
            || source.isName(index, "default") && (source.isMark(index + 1, ":") || source.isArrow(index + 1))
    }

    /// Whether it is the `while` of `do { … } while`.
    func isDoWhile(_ index: Int) -> Bool {
        source.isMark(index - 1, "}") && (source.partner(of: index - 1).map { source.isName($0 - 1, "do") } ?? false)
    }

    /// Whether it is not the mark of a type that may be null, of a safe call or of `?:`, nor one of `<?>`.
    func isTernary(_ index: Int) -> Bool {
        guard source.language != .kotlin else { return false }
        switch source[index + 1] {
        case .mark(let mark): return "(\"'!-+@\\".contains(mark)
        case .name(let name):
            let isBound = name == "extends" || name == "super"
            return !isBound && (source.language == .java || !source.beginsLine(index + 1))
        case .text: return true
        case nil: return false
        }
    }

    func isMethod(_ brace: Int) -> Bool {
        var close = brace - 1
        // `throws A, b.C`
        let least = max(0, brace - 20)
        while close > least, source.name(close) != nil || source.isMark(close, ",") || source.isMark(close, ".") {
            close -= 1
        }
        guard close == brace - 1 || source.isName(close + 1, "throws"), source.isMark(close, ")"),
            let opener = source.partner(of: close), let name = source.name(opener - 1), !Self.statements.contains(name),
            !source.isMark(opener - 2, ".")
        else { return false }
        guard let type = source.name(opener - 2) else {
            // A call of Kotlin's with braces behind it.
            if name == "run" || name == "with" { return false }
            return source.language == .java || !source.isMark(opener - 2, "=")
        }
        return !Self.noTypes.contains(type) && (source.language == .java || !source.beginsLine(opener - 1))
    }

    /// Where the body begins of the function of Kotlin's at `index`, which is braces or an expression.
    func body(ofFunctionAt index: Int) -> Int? {
        var next = index + 1
        let end = min(index + 80, source.count)
        while next < end {
            switch source[next] {
            case .mark("("), .mark("["): next = source.partner(of: next) ?? end
            case .mark("{"): return next
            case .mark("="): return next + 1
            case .mark(";"), .mark("}"), .mark(")"): return nil
            case .name("fun"), .name("val"), .name("var"), .name("class"), .name("object"): return nil
            default: break
            }
            next += 1
        }
        return nil
    }

    /// The braces that `return@label` leaves.
    func block(labelled label: String, around index: Int) -> Int? {
        var opener = source.opener(around: index)
        for _ in 0..<Self.deepest {
            guard let brace = opener else { return nil }
            if source.isMark(brace, "{"), isLabel(label, of: brace) { return brace }
            opener = source.opener(around: brace)
        }
        return nil
    }

    /// Whether the braces are those of the call or label that is called so.
    private func isLabel(_ label: String, of brace: Int) -> Bool {
        if source.isName(brace - 1, label) { return true }
        if source.isMark(brace - 1, "@"), source.isName(brace - 2, label) { return true }
        guard source.isMark(brace - 1, ")"), let opener = source.partner(of: brace - 1) else { return false }
        return source.isName(opener - 1, label)
    }
}
