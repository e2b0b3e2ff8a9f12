/// What a name stands for that goes through a list: `LIST.forEach { add(host, it) }`, `for (pin in LIST) …`, `for (String pin : LIST) …`.
///
/// Only where the one call is all that is done with an element: anything else may leave the loop, decide, or give the name or the
/// builder another meaning.
struct SourceLoops {
    struct Loop {
        /// The expression that makes the list.
        let list: Range<Int>
        /// Where begins what is done with each element: braces, or the call.
        let body: Int
    }

    private let source: SourceTokens

    init(_ source: SourceTokens) { self.source = source }

    /// The loop that gives `name` its values where it is an argument of the call of `add` at `call`.
    func loop(of name: String, around call: Int) -> Loop? {
        guard let end = source.partner(of: call + 1).map({ $0 + 1 }) else { return nil }
        var start = call
        if source.isMark(call - 1, "."), source.name(call - 2) != nil { start -= 2 }
        // `LIST.forEach(pin -> b.add(host, pin))`
        if let loop = arrowLoop(of: name, before: start, to: end) { return loop }
        if let list = statementLoop(of: name, before: start), endsStatement(end) {
            return Loop(list: list, body: start)
        }
        let hasParameter = source.isArrow(start - 2) && source.isMark(start - 4, "{")
        let brace = hasParameter ? start - 4 : start - 1
        let close = source.isMark(end, ";") ? end + 1 : end
        guard source.isMark(brace, "{"), source.partner(of: brace) == close else { return nil }
        if source.isName(brace - 1, "forEach") {
            guard hasParameter ? source.isName(start - 3, name) : name == "it" else { return nil }
            return list(before: brace - 1).map { Loop(list: $0, body: brace) }
        }
        guard !hasParameter else { return nil }
        if let list = statementLoop(of: name, before: brace) { return Loop(list: list, body: brace) }
        return arrowLoop(of: name, before: brace, to: close + 1)
    }

    private func endsStatement(_ end: Int) -> Bool {
        source.isMark(end, ";") || source.isMark(end, "}") || end == source.count
            || source.language != .java && source.beginsStatement(end)
    }

    private func arrowLoop(of name: String, before start: Int, to end: Int) -> Loop? {
        guard source.isArrow(start - 2), source.isName(start - 3, name), source.isMark(start - 4, "("),
            source.isName(start - 5, "forEach"), source.partner(of: start - 4) == end
        else { return nil }
        return list(before: start - 5).map { Loop(list: $0, body: start) }
    }

    /// The list in `for (pin in LIST)` and `for (String pin : LIST)` right before `start`.
    private func statementLoop(of name: String, before start: Int) -> Range<Int>? {
        guard source.isMark(start - 1, ")"), let opener = source.partner(of: start - 1),
            source.isName(opener - 1, "for")
        else { return nil }
        for index in opener + 1..<min(opener + 4, start - 1) where source.isName(index, name) {
            let type = source.isMark(index + 1, ":") ? source.endOfType(from: index + 2) : index + 1
            let first = source.isName(type, "in") ? type + 1 : index + 2
            guard source.isName(type, "in") || source.isMark(index + 1, ":"), first < start - 1 else { return nil }
            return first..<start - 1
        }
        return nil
    }

    /// The list that `forEach` at `index` is called on.
    private func list(before index: Int) -> Range<Int>? {
        guard source.isMark(index - 1, ".") else { return nil }
        var last = index - 2
        if source.isMark(last, ")"), let group = source.partner(of: last) { last = group - 1 }
        if source.isMark(last, ">"), let types = source.beginOfTypes(to: last) { last = types - 1 }
        let start = source.beginOfPath(to: last)
        // Of what a call or an index gives, the list is another one.
        guard source.name(last) != nil, !source.isMark(start - 1, ".") else { return nil }
        return start..<index - 1
    }
}
