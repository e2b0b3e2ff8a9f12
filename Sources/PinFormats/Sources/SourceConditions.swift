/// On what it depends whether a place in a source is run.
///
/// A condition is one way through `if`, `when`, `switch`, `?:`, `catch` or a loop, braces that are passed to a call that may not run
/// them, or that a `return` stands before. They are looked for from the place outwards, bracket by bracket.
struct SourceConditions {
    struct Condition: Hashable {
        /// What decides: the first `if` of a chain, the braces of `when`, an operator.
        let construct: Int
        /// Where begins what it decides on.
        let start: Int
        /// Whether that is run when nothing else of the construct is.
        var isElse = false
        /// Whether it is what a call was given.
        var isLambda = false
    }

    /// What stands before a place and decides on it, and where that begins.
    private struct Head {
        let condition: Condition
        let start: Int
    }

    /// More tokens and groups than a statement has that is followed.
    private static let longestStatement = 64
    /// More than anybody has in braces.
    private static let longestArm = 256
    /// More than anybody nests.
    private static let deepest = 40

    private let source: SourceTokens
    private let blocks: SourceBlocks
    private let lambdas: SourceLambdas
    /// What knows the braces of builders, which are no condition.
    private let builders: SourceBuilders
    /// The braces of Kotlin's functions.
    private var functions: Set<Int> = []
    /// Where the first statement ends in braces, or within them, that may leave them.
    private var exits: [Int: Int] = [:]
    /// The conditions around brackets.
    private var found: [Int: [Condition]] = [:]
    /// The first `if` of the chains that an `if` goes on with.
    private var firsts: [Int: Int] = [:]

    init(_ source: SourceTokens, _ builders: SourceBuilders) {
        self.source = source
        self.builders = builders
        blocks = SourceBlocks(source: source)
        lambdas = SourceLambdas(source)
        for index in 0..<source.count where source.isName(index, "fun") {
            if let body = blocks.body(ofFunctionAt: index) { functions.insert(body) }
        }
        for index in 0..<source.count where source.isName(index, "return", "throw") { lookForExit(at: index) }
    }

    // MARK: Answers

    /// The conditions around `index`, from the outermost.
    mutating func conditions(around index: Int) -> [Condition] {
        var places = [index]
        var outer: [Condition] = []
        while let opener = places.last.flatMap({ source.opener(around: $0) }) {
            if let found = found[opener] {
                outer = found
                break
            }
            places.append(opener)
        }
        // What is at the top has no brackets around it.
        for place in places.reversed() {
            if outer.count < Self.deepest { outer += conditions(around: place, in: source.opener(around: place)) }
            if place != index { found[place] = outer }
        }
        return outer
    }

    /// The conditions around `place` within the brackets that are opened at `opener`, from the outermost.
    private mutating func conditions(around place: Int, in opener: Int?) -> [Condition] {
        var found: [Condition] = []
        if let opener {
            if isLambda(opener) { found.append(Condition(construct: opener, start: opener, isLambda: true)) }
            if let arm = arm(around: place, in: opener) { found.append(arm) }
            if let exit = exits[opener], exit <= place { found.append(Condition(construct: exit, start: exit)) }
        }
        return found + conditions(ofStatementAt: place, in: opener).reversed()
    }

    /// Where the lambda among `conditions` begins that has a parameter that is called so.
    func lambda(withParameter name: String, in conditions: [Condition]) -> Int? {
        conditions.last { $0.isLambda && lambdas.hasParameter(name, at: $0.start) }?.start
    }

    /// The braces around a call without a name whose own it is.
    mutating func receiverBlock(around index: Int) -> Int? {
        var opener = source.opener(around: index)
        for _ in 0..<Self.deepest {
            guard let brace = opener else { return nil }
            let isPlain = source.isName(brace - 1, "try", "finally", "else", "do", "run", "init", "forEach")
            let isOther = isPlain || isSwitch(brace) || head(before: brace).map { !$0.condition.isLambda } ?? false
            if source.isMark(brace, "{"), !isOther { return brace }
            opener = source.opener(around: brace)
        }
        return opener
    }

    // MARK: Statements

    /// The conditions before `index` in the statement in which it stands, from the innermost.
    private mutating func conditions(ofStatementAt index: Int, in opener: Int?) -> [Condition] {
        var found: [Condition] = []
        var place = index
        for _ in 0..<Self.longestStatement where place - 1 > (opener ?? -1) {
            if let head = head(before: place) {
                found.append(head.condition)
                place = head.start
            } else if isBoundary(before: place) {
                break
            } else {
                place = begin(ofGroupAt: place - 1)
            }
        }
        return found
    }

    private func begin(ofGroupAt end: Int) -> Int { source.partner(of: end).map { min($0, end) } ?? end }

    /// Whether a statement, an argument or an arm begins at `place`.
    private func isBoundary(before place: Int) -> Bool {
        switch source[place - 1] {
        case .mark(";"), .mark(","), .mark(":"): return true
        case .mark(">") where source.isArrow(place - 2): return true
        case .mark("}") where source.name(place) != nil: return true
        default: return source.language != .java && source.beginsStatement(place)
        }
    }

    /// What decides on what begins at `place` and stands right before it.
    private mutating func head(before place: Int) -> Head? {
        let index = place - 1
        func head(_ construct: Int, from start: Int, isElse: Bool = false, isLambda: Bool = false) -> Head {
            Head(
                condition: Condition(construct: construct, start: place, isElse: isElse, isLambda: isLambda),
                start: start)
        }
        switch source[index] {
        case .mark(")"):
            guard let name = source.partner(of: index).map({ $0 - 1 }), !blocks.isDoWhile(name),
                source.isName(name, "if", "for", "while", "catch")
            else { return nil }
            let first = source.isName(name, "if") ? chain(of: name) : name
            return head(first, from: first)
        case .name("else") where !source.isArrow(place):
            let first = matchingIf(of: index).map { chain(of: $0) } ?? index
            return head(first, from: first, isElse: true)
        case .mark(">") where source.isArrow(index - 1):
            guard let opener = source.opener(around: index) else { return nil }
            if isWhen(opener) { return head(opener, from: opener + 1, isElse: source.isName(index - 2, "else")) }
            guard !isSwitch(opener), lambdas.isLambda(arrow: index - 1) else { return nil }
            return head(index, from: index - 1, isLambda: true)
        case .mark("?") where blocks.isTernary(index): return head(index, from: index)
        case .mark("&") where source.isMark(index - 1, "&"), .mark("|") where source.isMark(index - 1, "|"),
            .mark(":") where source.isMark(index - 1, "?"):
            return head(index, from: index - 1)
        case .mark(":"): return matchingQuestion(of: index).map { head($0, from: $0, isElse: true) }
        case .name("let"), .name("run"), .name("also"), .name("apply"):
            guard source.isMark(place, "{"), source.isMark(index - 1, "."), source.isMark(index - 2, "?"),
                !builders.isBlock(place)
            else { return nil }
            return head(place, from: index)
        default: return nil
        }
    }

    /// The `if` that an `else` belongs to.
    private func matchingIf(of index: Int) -> Int? {
        var place = source.isMark(index - 1, ";") ? index - 1 : index
        var others = 0
        for _ in 0..<Self.longestStatement where place > 0 {
            if source.isMark(place - 1, ";") { return nil }
            if source.isName(place - 1, "else") { others += 1 }
            place = begin(ofGroupAt: place - 1)
            guard source.isMark(place, "("), source.isName(place - 1, "if") else { continue }
            if others == 0 { return place - 1 }
            others -= 1
        }
        return nil
    }

    /// The first `if` of those that go on with one another behind `else`.
    private mutating func chain(of index: Int) -> Int {
        guard source.isName(index - 1, "else"), let earlier = matchingIf(of: index - 1) else { return index }
        let first = firsts[earlier] ?? earlier
        firsts[index] = first
        return first
    }

    /// The question mark of `a ? b : c`.
    private func matchingQuestion(of colon: Int) -> Int? {
        guard source.language != .kotlin, !blocks.isDoubleColon(colon) else { return nil }
        var place = colon
        for _ in 0..<Self.longestStatement where place > 0 {
            switch source[place - 1] {
            case .mark(";"), .mark(","), .mark("{"), .mark("("), .mark("["), nil: return nil
            case .mark("?") where blocks.isTernary(place - 1): return place - 1
            default: place = begin(ofGroupAt: place - 1)
            }
        }
        return nil
    }

    // MARK: Braces

    private func isWhen(_ brace: Int) -> Bool { source.isName(brace - 1, "when") || isBehind("when", brace) }

    private func isSwitch(_ brace: Int) -> Bool { isBehind("switch", brace) || isWhen(brace) }

    private func isBehind(_ name: String, _ brace: Int) -> Bool {
        guard source.isMark(brace, "{"), source.isMark(brace - 1, ")") else { return false }
        return source.partner(of: brace - 1).map { source.isName($0 - 1, name) } ?? false
    }

    /// The `case` or `default` that `place` stands behind.
    private func arm(around place: Int, in opener: Int) -> Condition? {
        guard isBehind("switch", opener) else { return nil }
        var place = place
        for _ in 0..<Self.longestArm where place > opener {
            if blocks.beginsArm(place) {
                return Condition(construct: opener, start: place, isElse: source.isName(place, "default"))
            }
            place = begin(ofGroupAt: place - 1)
        }
        return nil
    }

    private func isLambda(_ brace: Int) -> Bool {
        guard source.isMark(brace, "{"), !source.isArrow(brace - 2), !functions.contains(brace) else { return false }
        let isMethod = source.language != .kotlin && blocks.isMethod(brace)
        return !builders.isBlock(brace) && !isMethod && lambdas.isConditional(brace)
    }

    // MARK: Exits

    /// What stands behind a `return` under a condition is run under another one, and behind another `return` not at all.
    private mutating func lookForExit(at index: Int) {
        guard let opener = source.opener(around: index) else { return }
        let end = source.endOfExpression(from: index + 1) ?? index + Self.longestStatement
        let isCertain = conditions(ofStatementAt: index, in: opener).isEmpty && !isSwitch(opener)
        if isCertain, source.isMark(opener, "{") { leave(opener, at: end) }
        if source.isName(index, "throw") { return }
        if let brace = left(at: index), !isCertain || brace != opener { leave(brace, at: end) }
    }

    private mutating func leave(_ brace: Int, at end: Int) { exits[brace] = min(end, exits[brace] ?? end) }

    /// The braces that the `return` at `index` leaves.
    private func left(at index: Int) -> Int? {
        if source.isMark(index + 1, "@"), let label = source.name(index + 2) {
            return blocks.block(labelled: label, around: index)
        }
        var place = index
        for _ in 0..<Self.deepest {
            guard let opener = source.opener(around: place) else { return nil }
            // What a lambda of Java's leaves with `return` is itself.
            let isLambda = source.isArrow(opener - 2) && lambdas.isLambda(arrow: opener - 2)
            if functions.contains(opener) || isLambda || source.language != .kotlin && blocks.isMethod(opener) {
                return opener
            }
            place = opener
        }
        return nil
    }
}
