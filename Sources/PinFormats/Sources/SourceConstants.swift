/// The names of a source that are declared with a value, and are given no other one.
///
/// A name counts where it is declared with a value and is given nothing else anywhere in the file; what a parameter or an import is
/// called may stand for anything. A name of a type in the same file is looked up in the braces of that type alone.
struct SourceConstants {
    /// Why a name is not followed.
    enum Reason {
        case notInFile
        case setAgain
        case notFollowed
    }

    struct Absence: Error { let reason: Reason }

    private struct Declaration {
        /// `nil` for what is not written out.
        let value: Range<Int>?
        let scope: Range<Int>
        /// Whether it cannot be set again.
        let isFinal: Bool
        /// Whether no type inherits it as its own.
        let isOfTypeAlone: Bool
    }

    private struct Member: Hashable {
        let type: Int
        let name: String
    }

    /// More than anybody has of one name.
    private static let mostDeclarations = 8
    /// More words than anybody has before a name.
    private static let mostModifiers = 16
    /// Names that stand before another one without being its type.
    private static let noTypes: Set = [
        "return", "throw", "else", "new", "case", "instanceof", "import", "package", "to", "in", "is", "as", "until",
        "downTo", "step", "by", "and", "or", "xor", "assert", "yield", "do", "static", "extends", "implements",
        "throws",
    ]

    /// What puts something into a list that it is given.
    private static let changes: Set = [
        "fill", "sort", "reverse", "shuffle", "swap", "rotate", "replaceAll", "setAll", "parallelSetAll", "arraycopy",
        "copyInto", "copy",
    ]
    /// What puts something into the list it is called on, or may do so in the braces behind it.
    private static let ownChanges = changes.union(["set", "also", "apply", "let", "run"])

    private let source: SourceTokens
    private let types: SourceTypes
    private var declarations: [String: [Declaration]] = [:]
    private var members: [Member: [Declaration]] = [:]
    private var ambiguous: Set<String> = []
    private var imports: Set<String> = []
    /// How often a name is given something.
    private var settings: [String: Int] = [:]
    /// The further names of `String a = "…", b = "…"`, each with the first one's place.
    private var continued: [Int: Int] = [:]
    /// Arrays that something is put into.
    private var changed: Set<String> = []

    init(_ source: SourceTokens) {
        self.source = source
        types = SourceTypes(source)
        // Groups in parentheses whose names are parameters, by their end.
        var groups: [Int] = []
        var lambdas: Set<Int> = []
        for index in 0..<source.count {
            if let name = source.name(index) { look(at: name, index) }
            if source.isArrow(index) { lookBack(from: index, &groups, &lambdas) }
        }
        markNames(in: groups)
    }

    /// The values that a name, or one with its types before it, is declared with where it is used at `index`.
    func values(of path: [String], at index: Int) -> Result<[Range<Int>], Absence> {
        guard let name = path.last else { return .failure(Absence(reason: .notFollowed)) }
        guard path.count == 1 else { return value(of: name, in: path, at: index) }
        guard !ambiguous.contains(name), let declarations = declarations[name] else {
            let isHere = settings[name] != nil || ambiguous.contains(name) && !imports.contains(name)
            guard isHere else { return .failure(Absence(reason: .notInFile)) }
            return .failure(Absence(reason: settings[name, default: 0] > 1 ? .setAgain : .notFollowed))
        }
        if declarations.count > 1, let value = ownValue(of: name, declarations, at: index) { return .success([value]) }
        let values = declarations.compactMap(\.value)
        guard values.count == declarations.count, declarations.contains(where: { $0.scope.contains(index) }) else {
            return .failure(Absence(reason: declarations.count > 1 ? .setAgain : .notFollowed))
        }
        return .success(values)
    }

    /// The value of the innermost type's own member around `index`, where other types have some that are called so.
    private func ownValue(of name: String, _ all: [Declaration], at index: Int) -> Range<Int>? {
        let visible = all.filter { $0.scope.contains(index) }
        guard all.allSatisfy(\.isOfTypeAlone), let inner = visible.map(\.scope.lowerBound).max(),
            let type = types.owner(around: index), type == inner
        else { return nil }
        let found = members[Member(type: type, name: name), default: []]
        guard found.count == 1, found[0].isFinal, found[0].scope.lowerBound == inner else { return nil }
        return found[0].value
    }

    /// The value of a member of a type.
    private func value(of name: String, in path: [String], at index: Int) -> Result<[Range<Int>], Absence> {
        let isType = types.isDeclared(path[0]) || path[0] == "Companion"
        if isType, imports.contains(path[0]) || ambiguous.contains(path[0]) || declarations[path[0]] != nil {
            return .failure(Absence(reason: .notFollowed))
        }
        guard isType else {
            let isHere = ambiguous.contains(path[0]) && !imports.contains(path[0]) || declarations[path[0]] != nil
            return .failure(Absence(reason: isHere || path[0] == "this" ? .notFollowed : .notInFile))
        }
        guard let type = types.body(of: path.dropLast(), at: index) else {
            return .failure(Absence(reason: .notFollowed))
        }
        let found = members[Member(type: type, name: name), default: []]
        guard found.count < 2 else { return .failure(Absence(reason: .setAgain)) }
        guard let member = found.first, member.isFinal, let value = member.value else {
            return .failure(Absence(reason: .notFollowed))
        }
        return .success([value])
    }

    /// Whether something is put into an array that is called so.
    func isChanged(_ name: String) -> Bool { changed.contains(name) }

    // MARK: Declarations

    private mutating func look(at name: String, _ index: Int) {
        if name == "import" { return markImport(at: index) }
        if name == "for", source.isMark(index + 1, "(") { return markLoop(at: index + 1) }
        if isChange(at: index) { changed.insert(name) }
        let isDeclared = isDeclaration(index)
        var next = index + 1
        let hasType = source.language != .java && source.isMark(next, ":") && !source.isMark(next + 1, ":")
        if hasType {
            next = endOfType(from: index + 2)
        } else if isDeclared, source.isMark(next, "["), source.isMark(next + 1, "]") {
            next += 2
        }
        guard source.isAssignment(next) else {
            let isCompound = "+-*/%".contains { source.isMark(next, $0) } && source.isAssignment(next + 1)
            if isCompound { settings[name, default: 0] += 1 }
            let isVariable = source.isName(index - 1, "val", "var")
            if hasType || isCompound || isVariable || isUnset(index) { ambiguous.insert(name) }
            if isVariable || isUnset(index) { declareMember(name, index, nil) }
            return
        }
        // An argument that is called so.
        let isArgument = source.isMark(index - 1, "(") || source.isMark(index - 1, ",")
        if source.language == .kotlin, isArgument, !hasType { return }
        settings[name, default: 0] += 1
        let value = isDeclared ? value(from: next + 1) : nil
        if isDeclared { declareMember(name, index, value) }
        guard let value, source.opener(around: index).map({ source.isMark($0, "{") }) ?? true,
            declarations[name, default: []].count < Self.mostDeclarations
        else {
            ambiguous.insert(name)
            return
        }
        declarations[name, default: []].append(declaration(index, value, isFinal: isFinal(index)))
        // Another name may stand behind a comma.
        if source.language != .kotlin, source.isMark(value.upperBound, ","), source.isAssignment(value.upperBound + 2) {
            continued[value.upperBound + 1] = continued[index] ?? index
        }
    }

    private mutating func declareMember(_ name: String, _ index: Int, _ value: Range<Int>?) {
        guard let type = types.owner(of: index) else { return }
        let isFinal = isFinal(index) || source.language != .kotlin && types.isInterface(type)
        let declaration = declaration(index, value, isFinal: isFinal)
        let member = Member(type: type, name: name)
        if members[member, default: []].count < 2 { members[member, default: []].append(declaration) }
    }

    private func declaration(_ index: Int, _ value: Range<Int>?, isFinal: Bool) -> Declaration {
        var before = (continued[index] ?? index) - 1
        var isOfTypeAlone = false
        while source.name(before) != nil, before > index - Self.mostModifiers {
            if source.isName(before, "private", "const", "static") { isOfTypeAlone = true }
            if source.beginsLine(before) { break }
            before -= 1
        }
        return Declaration(value: value, scope: source.scope(of: index), isFinal: isFinal, isOfTypeAlone: isOfTypeAlone)
    }

    /// The expression that a declaration gives, unless an accessor behind it gives another one.
    private func value(from start: Int) -> Range<Int>? {
        guard let end = source.endOfExpression(from: start), end > start, !isAccessor(end) else { return nil }
        return start..<end
    }

    /// Whether the accessor of a property stands here, which may have annotations and modifiers.
    private func isAccessor(_ start: Int) -> Bool {
        var index = start
        while index < min(start + Self.mostModifiers, source.count) {
            if source.isName(index, "get") { return true }
            if source.isMark(index, ";") || source.isName(index, "private", "internal", "protected", "public", "inline")
            {
                index += 1
            } else if source.isMark(index, "@"), source.name(index + 1) != nil {
                index = source.endOfPath(from: index + 1)
                if source.isMark(index, ":") { index = source.endOfPath(from: index + 1) }
                if source.isMark(index, "(") { index = (source.partner(of: index) ?? source.count) + 1 }
            } else {
                return false
            }
        }
        return false
    }

    /// Whether what is declared here is set but once.
    private func isFinal(_ index: Int) -> Bool {
        if source.isName(index - 1, "val") { return true }
        guard source.language != .kotlin else { return false }
        let index = continued[index] ?? index
        for before in (max(0, index - Self.mostModifiers)..<index).reversed() {
            if "{};".contains(where: { source.isMark(before, $0) }) { return false }
            if source.isName(before, "final") { return true }
        }
        return false
    }

    /// Whether something is put into the array that is named here.
    private func isChange(at index: Int) -> Bool {
        if source.isMark(index + 1, "["), let end = source.partner(of: index + 1) {
            return end > index + 2 && source.isAssignment(end + 1)
        }
        if source.isMark(index + 1, "."), let method = source.name(index + 2), Self.ownChanges.contains(method) {
            return true
        }
        guard let opener = source.opener(around: index), source.isMark(opener, "("),
            let method = source.name(opener - 1)
        else { return false }
        return Self.changes.contains(method)
    }

    /// Where a type ends, which may be one of a list: `Array<out String>`.
    private func endOfType(from start: Int) -> Int {
        let end = source.endOfType(from: start)
        guard source.isMark(end, "<") else { return end }
        let element = source.isName(end + 1, "out") ? end + 2 : end + 1
        guard source.name(element) != nil, source.isMark(element + 1, ">") else { return end }
        return element + 2
    }

    private func isDeclaration(_ index: Int) -> Bool {
        source.language == .kotlin ? source.isName(index - 1, "val", "var") : hasType(before: index)
    }

    /// Whether a type stands before a name, as in Java.
    private func hasType(before index: Int) -> Bool {
        if continued[index] != nil { return true }
        if let type = source.name(index - 1) { return !Self.noTypes.contains(type) }
        if source.isMark(index - 1, ">") { return !source.isMark(index - 2, "-") }
        return source.isMark(index - 1, "]") || source.isMark(index - 1, ".") && source.isMark(index - 2, ".")
    }

    /// Whether a name is declared as in Java and not set there, which parameters are.
    private func isUnset(_ index: Int) -> Bool {
        source.language != .kotlin && hasType(before: index) && ",);:".contains { source.isMark(index + 1, $0) }
    }

    // MARK: Parameters

    private mutating func markImport(at index: Int) {
        var last = source.isName(index + 1, "static") ? index + 2 : index + 1
        while source.isMark(last + 1, "."), source.name(last + 2) != nil { last += 2 }
        if source.isName(last + 1, "as") { last += 2 }
        guard let name = source.name(last), !source.isMark(last + 1, ".") else { return }
        ambiguous.insert(name)
        imports.insert(name)
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
        if let name = source.name(arrow - 1), !source.isMark(arrow - 2, "."), !source.isName(arrow - 2, "is") {
            ambiguous.insert(name)
        }
        if source.isMark(arrow - 1, ")"), let opener = source.partner(of: arrow - 1),
            source.name(opener - 1).map({ $0 == "return" }) ?? true
        {
            groups.append(arrow - 1)
        }
        // The arrows of `when` stand behind others in the same braces.
        guard let opener = source.opener(around: arrow), source.isMark(opener, "{"), lambdas.insert(opener).inserted
        else { return }
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
