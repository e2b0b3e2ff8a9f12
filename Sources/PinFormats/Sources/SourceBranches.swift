/// Which parts of a source run only under a condition.
///
/// A branch is one way through `if`, `when`, `switch`, `?:`, `catch` or a loop, braces that are passed to a call that may not run
/// them, or what stands behind a `return`. All is found in one pass.
struct SourceBranches {
    /// What a frame's end may be followed by.
    private enum Kind {
        case plain
        /// An `else` for the same condition.
        case then
        /// The colon of `a ? b : c`.
        case ternary
        /// What stands behind `&&`, `||` or `?:`.
        case operand
    }

    private enum End {
        case index(Int)
        /// A statement without braces, in the pair of brackets that opens there.
        case statement(opener: Int?)
        /// What stands behind a `case`.
        case arm(opener: Int)
    }

    private struct Frame {
        let start: Int
        let end: End
        var kind = Kind.plain
        var construct = 0
        var branch: Int
        var function: Int
        /// The opening brace of the function's body.
        var body: Int?
        /// Whether it is a function and a branch.
        var isLambda = false
    }

    private struct Branch {
        let parent: Int
        let construct: Int
        let depth: Int
        /// Where the lambda begins that it is.
        var lambda: Int?
    }

    private struct Construct {
        var alternatives = 0
        /// Whether one of them is taken in any case.
        var isExhaustive = false
    }

    /// More than anybody nests.
    private static let deepest = 40
    private let source: SourceTokens
    private let blocks: SourceBlocks
    private let lambdas: SourceLambdas
    /// What knows the braces of builders, which are no condition.
    private let builders: SourceBuilders
    /// The first is the branch of what runs in any case.
    private var branches = [Branch(parent: 0, construct: 0, depth: 0)]
    private var constructs: [Construct] = []
    private var branchOfToken: [Int] = []

    private var frames: [Frame] = []
    private var pending: [Int: Frame] = [:]
    /// The condition that an `if` behind `else` goes on with.
    private var chained: [Int: Int] = [:]
    private var whens: [Int: Int] = [:]
    private var switches: [Int: Int] = [:]
    /// The braces that are left by a conditional `return`.
    private var exits: Set<Int> = []
    private var lambdaBraces: Set<Int> = []
    /// Where the frames of functions are in `frames`.
    private var functions: [Int] = []

    init(_ source: SourceTokens, _ builders: SourceBuilders) {
        self.source = source
        self.builders = builders
        blocks = SourceBlocks(source: source)
        lambdas = SourceLambdas(source)
        branchOfToken.reserveCapacity(source.count)
        for index in 0..<source.count {
            closeFrames(at: index)
            if let opener = source.opener(around: index), exits.contains(opener), (frames.last?.start ?? -1) <= opener {
                exits.remove(opener)
                let construct = newConstruct()
                push(frame(from: index, .index(source.partner(of: opener) ?? source.count), of: construct))
            }
            if let frame = pending.removeValue(forKey: index) {
                push(frame)
            } else if isLambda(index) {
                lambdaBraces.insert(index)
                push(lambda(from: index))
            }
            branchOfToken.append(branch)
            look(at: index)
        }
    }

    // MARK: Answers

    /// The branches around `index` that are not around `root`, from the outermost.
    ///
    /// What is called there is declared or made at `known`, which is inside of the lambdas around that place.
    func branches(at index: Int, from root: Int, known: Int?) -> [Int] {
        let outer = Set(path(to: branchOfToken[root]))
        let inner = known.map { Set(path(to: branchOfToken[$0])) } ?? []
        return path(to: branchOfToken[index])
            .filter { !outer.contains($0) && (branches[$0].lambda == nil || !inner.contains($0)) }.reversed()
    }

    /// Where the lambda around `index` begins that has a parameter that is called so.
    func lambda(withParameter name: String, around index: Int) -> Int? {
        path(to: branchOfToken[index]).lazy.compactMap { branches[$0].lambda }
            .first { lambdas.hasParameter(name, at: $0) }
    }

    /// Whether one of these branches is taken in any case.
    func areExhaustive(_ taken: some Sequence<Int>) -> Bool {
        var counts: [Int: Int] = [:]
        for branch in taken { counts[branches[branch].construct, default: 0] += 1 }
        return counts.contains { constructs[$0.key].isExhaustive && constructs[$0.key].alternatives == $0.value }
    }

    private func path(to branch: Int) -> [Int] {
        var path: [Int] = []
        var branch = branch
        while branch != 0 {
            path.append(branch)
            branch = branches[branch].parent
        }
        return path
    }

    /// Whether these braces are those of a condition, whose calls are of what is around it.
    func isCondition(_ brace: Int) -> Bool {
        branchOfToken[brace] != branchOfToken[max(0, brace - 1)] && !lambdaBraces.contains(brace)
            || whens[brace] != nil || switches[brace] != nil
    }

    // MARK: Frames

    private var branch: Int { frames.last?.branch ?? 0 }
    private var function: Int { frames.last?.function ?? 0 }

    private mutating func newConstruct() -> Int {
        constructs.append(Construct())
        return constructs.count - 1
    }

    /// Another way through a construct.
    private mutating func frame(from start: Int, _ end: End, _ kind: Kind = .plain, of construct: Int) -> Frame {
        constructs[construct].alternatives += 1
        let outer = branches[branch]
        let isDeep = outer.depth >= Self.deepest
        let parent = isDeep ? outer.parent : branch
        branches.append(Branch(parent: parent, construct: construct, depth: branches[parent].depth + 1))
        return Frame(
            start: start,
            end: end,
            kind: kind,
            construct: construct,
            branch: branches.count - 1,
            function: function
        )
    }

    /// Has a way through a construct begin at `start`, with braces or as a statement.
    private mutating func begin(at start: Int, _ kind: Kind = .plain, of construct: Int) {
        if source.isMark(start, ";") { return }
        pending[start] = frame(from: start, end(ofBodyAt: start), kind, of: construct)
    }

    private func end(ofBodyAt start: Int) -> End {
        guard source.isMark(start, "{") else { return .statement(opener: source.opener(around: start)) }
        return .index((source.partner(of: start) ?? source.count) + 1)
    }

    private mutating func push(_ frame: Frame) {
        var frame = frame
        if frame.body != nil || frame.function == frame.start {
            functions.append(frames.count)
            if frame.isLambda { frame.function = function } else { frame.branch = branch }
        } else {
            frame.function = function
        }
        frames.append(frame)
    }

    private mutating func closeFrames(at index: Int) {
        while let frame = frames.last, hasEnded(frame, at: index) {
            frames.removeLast()
            if functions.last == frames.count { functions.removeLast() }
            if frame.kind == .then, source.isName(index, "else"), !source.isArrow(index + 1) {
                if source.isName(index + 1, "if") {
                    chained[index + 1] = frame.construct
                } else {
                    constructs[frame.construct].isExhaustive = true
                    begin(at: index + 1, of: frame.construct)
                }
                return
            }
            if frame.kind == .ternary, source.isMark(index, ":") {
                constructs[frame.construct].isExhaustive = true
                begin(at: index + 1, of: frame.construct)
                return
            }
        }
    }

    private func hasEnded(_ frame: Frame, at index: Int) -> Bool {
        guard index > frame.start else { return false }
        switch frame.end {
        case .index(let end): return index >= end
        case .arm(let opener):
            if let end = source.partner(of: opener), index >= end { return true }
            return source.opener(around: index) == opener && blocks.beginsArm(index)
        case .statement(let opener):
            if let opener, let end = source.partner(of: opener), index >= end { return true }
            guard source.opener(around: index) == opener else { return false }
            switch source[index] {
            case .mark(";"): return !source.isName(index + 1, "else") || source.isArrow(index + 2)
            case .mark(","): return true
            case .mark(":"): return frame.kind == .operand || frame.kind == .ternary && !blocks.isDoubleColon(index)
            case .mark("-"): return frame.kind == .operand && source.isArrow(index)
            case .name("else"): return true
            case .name where opener.map { switches[$0] != nil } == true && blocks.beginsArm(index): return true
            default: return source.beginsStatement(index)
            }
        }
    }

    // MARK: Constructs

    private mutating func look(at index: Int) {
        switch source[index] {
        case .name(let name): look(at: name, index)
        case .mark("?") where blocks.isTernary(index):
            let construct = newConstruct()
            pending[index + 1] = frame(
                from: index + 1,
                .statement(opener: source.opener(around: index)),
                .ternary,
                of: construct
            )
        case .mark(let mark) where frames.last?.kind != .operand && blocks.isOperator(mark, index):
            begin(at: index + 1, .operand, of: newConstruct())
        case .mark("-") where source.isArrow(index): lookBehindArrow(index)
        case .mark("{") where source.language != .kotlin && blocks.isMethod(index): push(function(from: index))
        default: break
        }
    }

    private mutating func look(at name: String, _ index: Int) {
        let group = source.isMark(index + 1, "(") ? source.partner(of: index + 1) : nil
        switch name {
        case "if":
            if let group { begin(at: group + 1, .then, of: chained[index] ?? newConstruct()) }
        case "for", "while", "catch":
            guard let group, !blocks.isDoWhile(index) else { return }
            begin(at: group + 1, of: newConstruct())
        case "when", "switch":
            let braces = group.map { $0 + 1 } ?? index + 1
            guard source.isMark(braces, "{") else { return }
            if name == "when" { whens[braces] = newConstruct() } else { switches[braces] = newConstruct() }
        case "case", "default":
            guard let opener = source.opener(around: index), let construct = switches[opener], blocks.beginsArm(index)
            else {
                return
            }
            if name == "default" { constructs[construct].isExhaustive = true }
            // Of `case A: case B:` the first has nothing of its own.
            if source.isMark(index - 1, ":") { constructs[construct].alternatives -= 1 }
            pending[index + 1] = frame(from: index + 1, .arm(opener: opener), of: construct)
        case "fun":
            guard let body = blocks.body(ofFunctionAt: index) else { return }
            pending[body] = function(from: body)
        case "let", "run", "also", "apply":
            guard source.isMark(index + 1, "{"), source.isMark(index - 1, "."), source.isMark(index - 2, "?"),
                !builders.isBlock(index + 1)
            else { return }
            begin(at: index + 1, of: newConstruct())
        case "return", "throw": leave(at: index)
        default: break
        }
    }

    private mutating func lookBehindArrow(_ arrow: Int) {
        guard let opener = source.opener(around: arrow), switches[opener] == nil else { return }
        let body = arrow + 2
        if let construct = whens[opener] {
            if source.isName(arrow - 1, "else") { constructs[construct].isExhaustive = true }
            begin(at: body, of: construct)
        } else if lambdas.isLambda(arrow: arrow) {
            pending[body] = lambda(from: body)
        }
    }

    private func isLambda(_ brace: Int) -> Bool {
        source.isMark(brace, "{") && !builders.isBlock(brace) && !(source.language != .kotlin && blocks.isMethod(brace))
            && lambdas.isConditional(brace)
    }

    private mutating func lambda(from start: Int) -> Frame {
        var lambda = frame(from: start, end(ofBodyAt: start), of: newConstruct())
        branches[lambda.branch].lambda = start
        // What a lambda of Java's leaves with `return` is itself.
        if source.isArrow(start - 2), source.isMark(start, "{") {
            lambda.body = start
            lambda.isLambda = true
        }
        return lambda
    }

    // MARK: Functions

    private func function(from start: Int) -> Frame {
        let body = source.isMark(start, "{") ? start : nil
        return Frame(start: start, end: end(ofBodyAt: start), branch: branch, function: start, body: body)
    }

    /// What stands behind a conditional `return` runs only under a condition, and behind another one not at all.
    private mutating func leave(at index: Int) {
        if let opener = source.opener(around: index), source.isMark(opener, "{"), whens[opener] == nil,
            switches[opener] == nil, (frames.last?.start ?? -1) <= opener
        {
            exits.insert(opener)
            if !source.isMark(index + 1, ";"), !source.beginsLine(index + 1), pending[index + 1] == nil {
                pending[index + 1] = Frame(
                    start: index + 1,
                    end: .statement(opener: opener),
                    branch: branch,
                    function: function
                )
            }
        }
        if source.isName(index, "throw") { return }
        if source.isMark(index + 1, "@"), let label = source.name(index + 2) {
            guard let brace = blocks.block(labelled: label, around: index) else { return }
            if branch != branchOfToken[brace] { exits.insert(brace) }
            return
        }
        guard let position = functions.last, let body = frames[position].body else { return }
        let isAfterElvis = source.isMark(index - 1, ":") && source.isMark(index - 2, "?")
        if frames[position].branch != branch || isAfterElvis { exits.insert(body) }
    }
}
