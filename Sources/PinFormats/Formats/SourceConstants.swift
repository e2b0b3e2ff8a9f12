/// The names of a source that stand for one written text.
///
/// A name counts where it is declared with a text and is given nothing else anywhere in the file; what a parameter or an import is
/// called may stand for anything.
struct SourceConstants {
    /// What a name was found to stand for.
    enum Meaning: Equatable {
        case text(String)
        /// For several things, or for something that is not written out.
        case ambiguous
        case unknown
    }

    private struct Declaration {
        let text: String
        let scope: Range<Int>
    }

    /// More than anybody has of one name.
    private static let mostDeclarations = 8
    /// Names that stand before another one without being its type.
    private static let noTypes: Set = [
        "return", "throw", "else", "new", "case", "instanceof", "import", "package", "to", "in", "is", "as", "until",
        "downTo",
        "step", "by", "and", "or", "xor", "assert", "yield", "do", "static",
    ]

    private let source: SourceTokens
    private var declarations: [String: [Declaration]] = [:]
    private var ambiguous: Set<String> = []

    init(_ source: SourceTokens) {
        self.source = source
        // Groups in parentheses whose names are parameters, by their end.
        var groups: [Int] = []
        var lambdas: Set<Int> = []
        for index in 0..<source.count {
            if let name = source.name(index) { look(at: name, index) }
            if source.isArrow(index) { lookBack(from: index, &groups, &lambdas) }
        }
        markNames(in: groups)
    }

    /// What `name` stands for where it is used at `index`.
    func meaning(of name: String, at index: Int) -> Meaning {
        guard !ambiguous.contains(name), let declarations = declarations[name] else {
            return ambiguous.contains(name) ? .ambiguous : .unknown
        }
        guard Set(declarations.map(\.text)).count == 1, declarations.contains(where: { $0.scope.contains(index) })
        else {
            return .ambiguous
        }
        return .text(declarations[0].text)
    }

    // MARK: Declarations

    private mutating func look(at name: String, _ index: Int) {
        if name == "import" { return markImport(at: index) }
        if name == "for", source.isMark(index + 1, "(") { return markLoop(at: index + 1) }
        let isDeclared = isDeclaration(index)
        var next = index + 1
        let hasType = source.language != .java && source.isMark(next, ":") && !source.isMark(next + 1, ":")
        if hasType { next = source.endOfType(from: index + 2) }
        guard source.isAssignment(next) else {
            let isCompound = "+-*/%".contains { source.isMark(next, $0) } && source.isAssignment(next + 1)
            if hasType || isCompound || source.isName(index - 1, "val", "var") || isUnset(index) {
                ambiguous.insert(name)
            }
            return
        }
        // An argument that is called so.
        let isArgument = source.isMark(index - 1, "(") || source.isMark(index - 1, ",")
        if source.language == .kotlin, isArgument, !hasType { return }
        guard isDeclared, case .text(let text)? = source[next + 1], endsExpression(next + 1),
            source.opener(around: index).map({ source.isMark($0, "{") }) ?? true,
            declarations[name, default: []].count < Self.mostDeclarations
        else {
            ambiguous.insert(name)
            return
        }
        declarations[name, default: []].append(Declaration(text: text, scope: source.scope(of: index)))
    }

    private func isDeclaration(_ index: Int) -> Bool {
        source.language == .kotlin ? source.isName(index - 1, "val", "var") : hasType(before: index)
    }

    /// Whether a type stands before a name, as in Java.
    private func hasType(before index: Int) -> Bool {
        if let type = source.name(index - 1) { return !Self.noTypes.contains(type) }
        if source.isMark(index - 1, ">") { return !source.isMark(index - 2, "-") }
        return source.isMark(index - 1, "]") || source.isMark(index - 1, ".") && source.isMark(index - 2, ".")
    }

    /// Whether a name is declared as in Java and not set there, which parameters are.
    private func isUnset(_ index: Int) -> Bool {
        source.language != .kotlin && hasType(before: index) && ",);:".contains { source.isMark(index + 1, $0) }
    }

    /// Whether nothing goes on behind the text at `index` that would make another one of it.
    private func endsExpression(_ index: Int) -> Bool {
        let next = index + 1
        guard next < source.count else { return true }
        if ";,})]".contains(where: { source.isMark(next, $0) }) { return true }
        guard source.line(next) > source.line(index) else { return false }
        return source.isMark(next, "@") || source.name(next) != nil && !source.isName(next, "get")
    }

    // MARK: Parameters

    private mutating func markImport(at index: Int) {
        var last = source.isName(index + 1, "static") ? index + 2 : index + 1
        while source.isMark(last + 1, "."), source.name(last + 2) != nil { last += 2 }
        if source.isName(last + 1, "as") { last += 2 }
        if let name = source.name(last), !source.isMark(last + 1, ".") { ambiguous.insert(name) }
    }

    /// The names before the `in` of `for (… in …)`.
    private mutating func markLoop(at opener: Int) {
        var names: [String] = []
        var index = opener + 1
        while let name = source.name(index) ?? (",:?<>().".contains { source.isMark(index, $0) } ? "" : nil) {
            if name == "in" { return ambiguous.formUnion(names) }
            if name == "for" { return }
            names.append(name)
            index += 1
        }
    }

    /// The parameters before an arrow.
    private mutating func lookBack(from arrow: Int, _ groups: inout [Int], _ lambdas: inout Set<Int>) {
        if let name = source.name(arrow - 1) { ambiguous.insert(name) }
        if source.isMark(arrow - 1, ")"), let opener = source.partner(of: arrow - 1),
            source.name(opener - 1).map({ $0 == "return" }) ?? true
        {
            groups.append(arrow - 1)
        }
        // The arrows of `when` stand behind others in the same braces.
        guard let opener = source.opener(around: arrow), source.isMark(opener, "{"), lambdas.insert(opener).inserted
        else {
            return
        }
        var names: [String] = []
        for index in opener + 1..<arrow {
            if let name = source.name(index) {
                names.append(name)
            } else if source.isMark(index, "(") {
                guard source.isMark(index - 1, "{") || source.isMark(index - 1, ",") else { return }
            } else if !",:?<>.)".contains(where: { source.isMark(index, $0) }) {
                return
            }
        }
        ambiguous.formUnion(names)
    }

    /// Marks the names in groups, and in those of `val (a, b) =`, in one pass.
    private mutating func markNames(in groups: [Int]) {
        var begins: [Int: Int] = [:]
        for group in groups { if let opener = source.partner(of: group) { begins[opener] = group } }
        var end = -1
        for index in 0..<source.count {
            if let group = begins[index] { end = max(end, group) }
            if source.isMark(index, "("), source.isName(index - 1, "val", "var"),
                let partner = source.partner(of: index)
            {
                end = max(end, partner)
            }
            if index < end, let name = source.name(index) { ambiguous.insert(name) }
        }
    }
}
