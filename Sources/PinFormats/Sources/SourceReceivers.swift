/// What the calls in a source are made on, where that is no builder that is known.
struct SourceReceivers {
    struct Receiver: Hashable {
        /// The name and the names before it, with parentheses behind those of calls; empty for a call without any.
        var path = ""
        /// Where the builder is begun that the chain of calls begins with, or where the braces begin for what has no name.
        var root: Int?

        /// The first name.
        var first: Substring? { path.split(separator: ".").first }
    }

    /// What lists are made of and of which types they are.
    private static let lists: Set = [
        "List", "MutableList", "ArrayList", "LinkedList", "mutableListOf", "arrayListOf", "CopyOnWriteArrayList",
    ]
    /// More names than anybody has in a path.
    private static let longestPath = 8

    private let source: SourceTokens
    private let beginnings: Set<Int>
    /// By the calls that were looked at.
    private var known: [Int: Receiver] = [:]
    private var listNames: Set<String> = []

    init(_ source: SourceTokens, beginnings: Set<Int>) {
        self.source = source
        self.beginnings = beginnings
        for index in 0..<source.count {
            guard let type = source.name(index), Self.lists.contains(type) else { continue }
            lookForList(at: index)
        }
    }

    /// What the call at `index` is made on; calls have to be asked for in their order.
    mutating func receiver(of call: Int) -> Receiver {
        let receiver = search(from: call)
        known[call] = receiver
        return receiver
    }

    private func search(from call: Int) -> Receiver {
        guard source.isMark(call - 1, ".") else { return Receiver() }
        var names: [String] = []
        var index = call - 2
        while index >= 0 {
            if source.isMark(index, "?") || source.isMark(index, "!") {
                index -= 1
            } else if let opener = source.partner(of: index), opener < index {
                // Parentheses at the beginning of a line are no arguments.
                if source.beginsStatement(opener) { break }
                index = opener - 1
            } else if let name = source.name(index) {
                if let receiver = known[index] { return receiver }
                names.append(source.isMark(index + 1, "(") ? name + "()" : name)
                guard source.isMark(index - 1, ".") else { break }
                index -= 2
            } else {
                break
            }
        }
        if names.last == "this" { names.removeLast() }
        let root = beginnings.contains(index) ? index : nil
        return Receiver(path: names.suffix(Self.longestPath).reversed().joined(separator: "."), root: root)
    }

    /// Whether something is declared as a list that is called so.
    func isList(_ receiver: Receiver) -> Bool { listNames.contains(receiver.path) }

    /// Finds the name in `a = mutableListOf()`, `a: List<String>` and `List<String> a`.
    private mutating func lookForList(at index: Int) {
        var before = index - 1
        for _ in 0..<Self.longestPath where source.isMark(before, ".") && source.name(before - 1) != nil { before -= 2 }
        if source.isName(before, "new") { before -= 1 }
        if source.isMark(before, "=") || source.isMark(before, ":"), let name = source.name(before - 1) {
            listNames.insert(name)
        }
        guard source.isMark(index + 1, "<"), source.name(index + 2) != nil else { return }
        let end = source.endOfPath(from: index + 2)
        if source.isMark(end, ">"), let name = source.name(end + 1) { listNames.insert(name) }
    }
}
