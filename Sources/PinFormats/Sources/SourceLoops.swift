/// What a name stands for that goes through a list: `LIST.forEach { add(host, it) }`, `for (pin in LIST)`, `for (String pin : LIST)`.
///
/// Only where each element gets to the call: nothing before it in the braces leaves them or decides.
struct SourceLoops {
    struct Loop {
        /// The expression that makes the list.
        let list: Range<Int>
        /// Where begins what is done with each element.
        let body: Int
    }

    /// What may keep an element from a call.
    private static let exits: Set = ["if", "when", "switch", "return", "break", "continue", "throw", "else"]
    /// More tokens than there are before a call in braces of which anything is followed.
    private static let longestBody = 64
    /// More than anybody nests.
    private static let deepest = 4

    private let source: SourceTokens

    init(_ source: SourceTokens) { self.source = source }

    /// The loop that gives `name` its values at `index`.
    func loop(of name: String, at index: Int) -> Loop? {
        var place = index
        for _ in 0..<Self.deepest {
            let opener = source.opener(around: place)
            if let loop = statementLoop(of: name, before: place, in: opener) { return reached(loop, index) }
            guard let opener else { return nil }
            if let loop = lambdaLoop(of: name, at: opener) { return reached(loop, index) }
            // Braces of a call may have a name of their own that is the same.
            let isPlain =
                source.isMark(opener, "(") || source.isArrow(opener - 2)
                || source.isMark(opener - 1, ")") && headLoop(before: opener) != nil
            guard isPlain else { return nil }
            place = opener
        }
        return nil
    }

    private func reached(_ loop: Loop, _ index: Int) -> Loop? {
        guard index - loop.body < Self.longestBody else { return nil }
        let isCertain = (loop.body..<index).allSatisfy { place in
            !source.isMark(place, "?") && !source.isMark(place, "&") && !source.isMark(place, "|")
                && source.name(place).map { !Self.exits.contains($0) } ?? true
        }
        return isCertain ? loop : nil
    }

    // MARK: Statements

    /// `for (…)` right before `place`: its opening parenthesis.
    private func headLoop(before place: Int) -> Int? {
        guard source.isMark(place - 1, ")"), let opener = source.partner(of: place - 1) else { return nil }
        return source.isName(opener - 1, "for") ? opener : nil
    }

    private func statementLoop(of name: String, before place: Int, in opener: Int?) -> Loop? {
        var start = place
        while start - 1 > (opener ?? -1), start > place - Self.longestBody {
            if let head = headLoop(before: start) {
                return list(of: name, in: head).map { Loop(list: $0, body: start) }
            }
            if source.isMark(start - 1, ";") || source.beginsStatement(start) { return nil }
            start = source.partner(of: start - 1).map { min($0, start - 1) } ?? start - 1
        }
        return nil
    }

    /// The list in the parentheses at `opener`: `(pin in LIST)`, `(String pin : LIST)`.
    private func list(of name: String, in opener: Int) -> Range<Int>? {
        guard let close = source.partner(of: opener) else { return nil }
        for index in opener + 1..<min(opener + 5, close) where source.isName(index, name) {
            let type = source.isMark(index + 1, ":") ? source.endOfType(from: index + 2) : index + 1
            let start = source.isName(type, "in") ? type + 1 : index + 2
            guard source.isName(type, "in") || source.isMark(index + 1, ":"), start < close else { return nil }
            return start..<close
        }
        return nil
    }

    // MARK: Braces

    /// `LIST.forEach {` or `LIST.forEach(pin ->` at `opener`.
    private func lambdaLoop(of name: String, at opener: Int) -> Loop? {
        guard source.isName(opener - 1, "forEach"), source.isMark(opener - 2, ".") else { return nil }
        let hasParameter = source.isArrow(opener + 2)
        guard hasParameter ? source.isName(opener + 1, name) : name == "it" && source.isMark(opener, "{") else {
            return nil
        }
        let end = opener - 2
        var last = end - 1
        if source.isMark(last, ")"), let group = source.partner(of: last) { last = group - 1 }
        if source.isMark(last, ">"), let types = source.beginOfTypes(to: last) { last = types - 1 }
        guard source.name(last) != nil else { return nil }
        let body = hasParameter ? opener + 4 : opener
        return Loop(list: source.beginOfPath(to: last)..<end, body: source.isMark(opener, "{") ? opener : body)
    }
}
