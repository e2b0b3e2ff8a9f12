/// The types that a source declares, and what is directly in their braces.
struct SourceTypes {
    private struct Declared {
        let body: Int
        /// The brace of the type around it.
        let outer: Int?
        let isInterface: Bool
    }

    /// What begins another declaration than that of the type before it.
    private static let ends: Set = [
        "class", "object", "interface", "enum", "record", "fun", "val", "var", "import", "package", "typealias",
        "const", "private", "public", "internal", "protected", "static", "final", "data", "sealed", "companion",
    ]
    /// More than anybody nests.
    private static let deepest = 40

    private let source: SourceTokens
    private var types: [String: [Declared]] = [:]
    private var bodies: [Int: Declared] = [:]
    /// The companion's braces of a type.
    private var companions: [Int: Int] = [:]

    init(_ source: SourceTokens) {
        self.source = source
        for index in 0..<source.count {
            if source.isName(index, "class", "object", "interface", "enum", "record") { look(at: index) }
        }
    }

    private mutating func look(at index: Int) {
        guard !source.isMark(index - 1, "."), !source.isMark(index - 1, ":") else { return }
        let isCompanion = source.isName(index - 1, "companion")
        var next = index + 1
        let name = source.name(next).flatMap { Self.ends.contains($0) ? nil : $0 }
        guard name != nil || isCompanion else { return }
        if name != nil { next += 1 }
        let end = min(next + 80, source.count)
        while next < end, !source.isMark(next, "{") {
            if source.isMark(next, "(") || source.isMark(next, "[") { next = source.partner(of: next) ?? end }
            if source.isMark(next, ";") || source.isMark(next, "}") || source.isMark(next, "=") { return }
            // Of a constructor's modifiers only Kotlin's stand here, with a parenthesis behind them.
            if let name = source.name(next), Self.ends.contains(name), !source.isName(next + 1, "constructor") {
                return
            }
            next += 1
        }
        guard next < end else { return }
        let outer = source.opener(around: index)
        let type = Declared(body: next, outer: outer, isInterface: source.isName(index, "interface"))
        bodies[next] = type
        if isCompanion, let outer { companions[outer] = next }
        if let name { types[name, default: []].append(type) }
    }

    /// The braces of the type in which something is declared, of the type itself for what is a companion's.
    func owner(of index: Int) -> Int? { source.opener(around: index).flatMap(type) }

    /// The innermost type around `index`, which is that of a companion.
    func owner(around index: Int) -> Int? {
        var opener = source.opener(around: index)
        for _ in 0..<Self.deepest {
            guard let brace = opener else { return nil }
            if let type = type(with: brace) { return type }
            // What is in an object without a name may be inherited there.
            if source.isMark(brace, "{"), isWithoutName(brace) { return nil }
            opener = source.opener(around: brace)
        }
        return nil
    }

    private func isWithoutName(_ body: Int) -> Bool {
        (max(0, body - 12)..<body).contains { source.isName($0, "object", "new") }
    }

    private func type(with body: Int) -> Int? {
        guard let type = bodies[body] else { return nil }
        if let outer = type.outer, companions[outer] == body { return outer }
        return body
    }

    /// Whether what is declared in these braces is final without a word.
    func isInterface(_ body: Int) -> Bool { bodies[body]?.isInterface ?? false }

    /// The braces of the type that a path names where it is used; `nil` where it is none of this file, or is not certain.
    func body(of path: some Sequence<String>, at index: Int) -> Int? {
        var body: Int?
        for (position, name) in path.enumerated() {
            if name == "Companion" {
                body = position == 0 ? typeWithCompanion(around: index) : body
            } else {
                let found = types[name, default: []]
                guard found.count == 1, position == 0 ? isKnown(found[0], at: index) : found[0].outer == body else {
                    return nil
                }
                body = found[0].body
            }
            guard body != nil else { return nil }
        }
        return body.flatMap(type)
    }

    /// Whether a type needs no other one's name before its own.
    private func isKnown(_ declared: Declared, at index: Int) -> Bool {
        guard let outer = declared.outer else { return true }
        let whole = type(with: outer) ?? outer
        return index > whole && index < source.partner(of: whole) ?? source.count
    }

    func isDeclared(_ name: String) -> Bool { types[name] != nil }

    private func typeWithCompanion(around index: Int) -> Int? {
        var opener = source.opener(around: index)
        for _ in 0..<Self.deepest {
            guard let brace = opener else { return nil }
            if companions[brace] != nil { return brace }
            opener = source.opener(around: brace)
        }
        return nil
    }
}
