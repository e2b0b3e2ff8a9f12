/// Which calls of `add` in a source are those of OkHttp's `CertificatePinner.Builder`, and which those of another one's.
struct SourceBuilders {
    enum Builder {
        case pinner
        /// What is added with a host and a pin is most likely for a pinner.
        case likelyPinner
        case other
    }

    /// A builder, and where it is begun or comes in.
    struct Owner {
        let builder: Builder
        let root: Int
    }

    /// A call that adds pins in a way that is not followed.
    struct Hidden {
        let line: Int
        let method: String
    }

    /// Braces in which a builder goes by another name, or by none.
    private struct Block {
        let owner: Owner
        /// What the builder is called there; `nil` where calls without a name are its own.
        let name: String?
    }

    private struct Variable {
        let index: Int
        let scope: Range<Int>
        /// `nil` for what is not clear.
        let owner: Owner?
    }

    /// What builds pinners.
    private static let pinner = "CertificatePinner"
    /// The methods whose braces are for the builder before them, and whether it has a name there.
    private static let blocks = ["apply": false, "run": false, "also": true, "let": true]
    /// More of one name than anybody has.
    private static let mostVariables = 16

    private let source: SourceTokens
    private var pinnerNames: Set<String> = [pinner]
    private var builderNames: Set<String> = []
    private var variables: [String: [Variable]] = [:]
    /// Whose call of `add` it is, by its place.
    private var owners: [Int: Owner] = [:]
    private var blocks: [Int: Block] = [:]
    /// Where builders are begun.
    private(set) var beginnings: Set<Int> = []
    /// Where those of pinners are, which are called so.
    private(set) var pinners: Set<Int> = []
    private(set) var hidden: [Hidden] = []

    init(_ source: SourceTokens) {
        self.source = source
        readNames()
        let starts = (0..<source.count).filter { source.name($0) != nil && !source.isMark($0 - 1, ".") }
        for start in starts { lookForBuilder(at: start) }
        for start in starts { lookForVariable(at: start) }
    }

    // MARK: Answers

    /// Whether these braces are for a builder.
    func isBlock(_ opener: Int) -> Bool { blocks[opener] != nil }

    /// Where the name is declared, and not only set, that is used at `index`.
    func declaration(of name: String, around index: Int) -> Int? {
        let declared = variables[name]?.last { $0.index <= index && $0.scope.contains(index) }?.index
        return declared.flatMap { index in
            let isDeclared =
                source.language == .kotlin
                ? source.isName(index - 1, "val", "var") : source.name(index - 1) != nil && !source.beginsLine(index)
            return isDeclared ? index : nil
        }
    }

    /// The calls of `add` in their order, and whose they are; `nil` where it is not clear.
    func calls() -> [(index: Int, owner: Owner?)] {
        var calls: [(index: Int, owner: Owner?)] = []
        var open: [Block] = []
        var ends: [Int] = []
        for index in 0..<source.count {
            if let end = ends.last, index >= end {
                ends.removeLast()
                open.removeLast()
            }
            if let block = blocks[index] {
                open.append(block)
                ends.append(source.partner(of: index) ?? source.count)
            }
            guard source.isName(index, "add"), source.isMark(index + 1, "("), !source.isName(index - 1, "fun") else {
                continue
            }
            calls.append((index, owners[index] ?? owner(ofCall: index, in: open.suffix(20))))
        }
        return calls
    }

    private func owner(ofCall index: Int, in open: ArraySlice<Block>) -> Owner? {
        guard source.isMark(index - 1, ".") else { return open.last { $0.name == nil }?.owner }
        // A safe call, or one of what is not null.
        var receiver = index - 2
        if source.isMark(receiver, "?") { receiver -= 1 }
        if let name = source.name(receiver) {
            if name == "this" { return open.last { $0.name == nil }?.owner }
            if let block = open.last(where: { $0.name == name }) { return block.owner }
            guard variables[name] == nil else { return nil }
        }
        guard let owner = open.last?.owner, owner.builder == .pinner else { return nil }
        return Owner(builder: .likelyPinner, root: owner.root)
    }

    // MARK: Names

    /// What else `CertificatePinner` and its builder are called here.
    private mutating func readNames() {
        for index in 0..<source.count {
            let isAlias = source.isName(index, "typealias") && source.isMark(index + 2, "=")
            guard isAlias || source.isName(index, "import") else { continue }
            let start = isAlias ? index + 3 : index + 1
            guard source.name(start) != nil else { continue }
            let last = source.endOfPath(from: start) - 1
            let name = isAlias ? source.name(index + 1) : source.isName(last + 1, "as") ? source.name(last + 2) : nil
            if source.isName(last, Self.pinner) {
                pinnerNames.insert(name ?? Self.pinner)
            } else if source.isName(last, "Builder"), source.isName(last - 2, Self.pinner) {
                builderNames.insert(name ?? "Builder")
            }
        }
    }

    /// The builder that the path from `start` to `end` names.
    private func builder(from start: Int, to end: Int) -> Builder? {
        if end == start + 1 { return source.name(start).map(builderNames.contains) == true ? .pinner : nil }
        guard source.isName(end - 1, "Builder"), let owner = source.name(end - 3) else { return nil }
        return pinnerNames.contains(owner) ? .pinner : .other
    }

    // MARK: Builders

    private mutating func lookForBuilder(at start: Int) {
        if source.isName(start - 1, "val", "var") { declare(start, nil) }
        let end = source.endOfPath(from: start)
        if source.isName(start - 1, "fun") { return lookForExtension(from: start, to: end) }
        guard let builder = builder(from: start, to: end) else {
            if source.isName(start, "Builder"), source.isMark(end, "(") { beginnings.insert(start) }
            let isArgument = source.isMark(start - 1, "(") || source.isMark(start - 1, ",")
            if source.isAssignment(end), !isArgument { declare(end - 1, nil) }
            return
        }
        let before = source.isName(start - 1, "new") ? start - 2 : start - 1
        if source.isMark(end, "("), let close = source.partner(of: end) {
            beginnings.insert(start)
            if builder == .pinner { pinners.insert(start) }
            let owner = Owner(builder: builder, root: start)
            let isBuilt = follow(owner, from: close + 1)
            if !isBuilt { lookForBraces(of: owner) }
            if source.isMark(before, "="), let name = declaredName(before: before) {
                declare(name, isBuilt ? nil : owner)
            }
        } else if source.isMark(before, ":"), !source.isMark(end, "."), let name = declaredName(before: before) {
            declare(name, Owner(builder: builder, root: name))
        } else if source.name(end) != nil, source.language != .kotlin {
            declare(end, Owner(builder: builder, root: end))
        }
    }

    /// `fun CertificatePinner.Builder.addAll() { … }`: calls without a name are the builder's.
    private mutating func lookForExtension(from start: Int, to end: Int) {
        guard end - 2 > start, let builder = builder(from: start, to: end - 2), source.isMark(end, "("),
            let close = source.partner(of: end)
        else { return }
        let owner = Owner(builder: builder, root: start)
        var index = close + 1
        if source.isMark(index, ":") { index = source.endOfType(from: index + 1) }
        if source.isMark(index, "{") {
            blocks[index] = Block(owner: owner, name: nil)
        } else if source.isMark(index, "=") {
            let body = source.isName(index + 1, "this") ? index + 2 : index + 1
            if let isNamed = source.name(body).flatMap({ Self.blocks[$0] }), source.isMark(body + 1, "{") {
                blocks[body + 1] = Block(owner: owner, name: isNamed ? name(in: body + 1) : nil)
            } else if source.isName(body, "add") {
                if let end = endOfGroup(body + 1) { _ = follow(owner, from: end) }
                owners[body] = owner
            } else {
                _ = follow(owner, from: body)
            }
        }
    }

    /// `with(CertificatePinner.Builder()) { … }` and other calls that take a builder and braces.
    private mutating func lookForBraces(of owner: Owner) {
        guard let opener = source.opener(around: owner.root), source.isMark(opener, "("),
            source.name(opener - 1) != nil, let close = source.partner(of: opener), source.isMark(close + 1, "{")
        else { return }
        blocks[close + 1] = Block(owner: owner, name: nil)
    }

    /// Follows the calls in a chain behind a builder.
    ///
    /// - Returns: whether it ends with what is built.
    private mutating func follow(_ owner: Owner, from start: Int) -> Bool {
        var index = start
        while true {
            while source.isMark(index, "!") || source.isMark(index, "?") { index += 1 }
            if source.isMark(index, ":"), source.isMark(index + 1, ":") { hide(owner.builder, index + 2) }
            guard source.isMark(index, "."), let method = source.name(index + 1) else { return false }
            let arguments = source.isMark(index + 2, "(")
            guard let braces = arguments ? endOfGroup(index + 2) : index + 2 else {
                if method == "add" { owners[index + 1] = owner }
                return false
            }
            let hasBraces = source.isMark(braces, "{")
            switch method {
            case "add" where arguments: owners[index + 1] = owner
            case "build" where arguments: return true
            case _ where hasBraces && !arguments && Self.blocks[method] != nil:
                blocks[braces] = Block(owner: owner, name: Self.blocks[method] == true ? name(in: braces) : nil)
            default:
                guard arguments || hasBraces else { return false }
                hide(owner.builder, index + 1)
            }
            guard let next = hasBraces ? endOfGroup(braces) : braces else { return false }
            index = next
        }
    }

    private mutating func hide(_ builder: Builder, _ index: Int) {
        guard builder == .pinner, let name = source.name(index) else { return }
        hidden.append(Hidden(line: source.line(index), method: name))
    }

    private func endOfGroup(_ opener: Int) -> Int? { source.partner(of: opener).map { $0 + 1 } }

    /// What the builder is called in braces for it.
    private func name(in opener: Int) -> String { source.isArrow(opener + 2) ? source.name(opener + 1) ?? "it" : "it" }

    // MARK: Variables

    /// Where the name stands that is declared before `=` or a colon: `b =`, `b: Type =`, `fun b() =`.
    private func declaredName(before mark: Int) -> Int? {
        var index = mark - 1
        if source.isMark(index, ")"), let opener = source.partner(of: index) { index = opener - 1 }
        if source.isMark(index, "?") { index -= 1 }
        guard source.name(index) != nil else { return nil }
        var type = index
        while source.isMark(type - 1, "."), source.name(type - 2) != nil { type -= 2 }
        if source.isMark(mark, "="), source.isMark(type - 1, ":") { return declaredName(before: type - 1) }
        return index
    }

    private mutating func declare(_ index: Int, _ owner: Owner?) {
        guard let name = source.name(index) else { return }
        var known = variables[name, default: []].filter { $0.index != index }
        if known.count >= Self.mostVariables { known = [Variable(index: 0, scope: 0..<source.count, owner: nil)] }
        known.append(Variable(index: index, scope: scope(of: index), owner: owner))
        variables[name] = known
    }

    /// Where a variable is known; a parameter is in the body behind it.
    private func scope(of index: Int) -> Range<Int> {
        guard let opener = source.opener(around: index), source.isMark(opener, "("),
            let close = source.partner(of: opener)
        else { return source.scope(of: index) }
        for next in close + 1..<min(close + 200, source.count) {
            if source.isMark(next, "{") { return opener..<(source.partner(of: next) ?? source.count) }
            if source.isMark(next, "}") || source.isMark(next, ";") || source.isName(next, "fun", "class", "object") {
                return opener..<next
            }
        }
        return opener..<min(close + 200, source.count)
    }

    /// Follows the calls behind a name that is known to be a builder.
    private mutating func lookForVariable(at start: Int) {
        let name = source.isName(start, "this") && source.isMark(start + 1, ".") ? start + 2 : start
        guard let text = source.name(name), let known = variables[text], let owner = owner(of: known, at: name) else {
            return
        }
        let behind = source.isMark(name + 1, "(") ? endOfGroup(name + 1) : name + 1
        if source.isName(start - 2, "with"), source.isMark(start - 1, "("), source.isMark(start + 1, ")"),
            source.isMark(start + 2, "{")
        {
            blocks[start + 2] = Block(owner: owner, name: nil)
        }
        guard let behind, !follow(owner, from: behind) else { return }
        // `val c = b.add(…)` is the same builder.
        guard source.isMark(behind, "."), source.isName(behind + 1, "add"), source.isMark(start - 1, "="),
            let other = declaredName(before: start - 1)
        else { return }
        declare(other, owner)
    }

    /// What a name stands for at `index`: what it was set to last, where that can be known.
    private func owner(of variables: [Variable], at index: Int) -> Owner? {
        let visible = variables.filter { $0.scope.contains(index) }
        if let last = visible.last(where: { $0.index <= index }) { return last.owner }
        guard let first = visible.first?.owner, visible.allSatisfy({ $0.owner?.builder == first.builder }) else {
            return nil
        }
        return first
    }
}
