internal import Pinning

/// What the calls of a source add for each host, and whether all of it counts.
///
/// Pins of one host are put together where one stretch of calls adds them, and nowhere else: a condition is a computation, and what is
/// added elsewhere may be for another client. OkHttp takes the pins of all patterns that cover a host, so that hosts are compared by
/// all that one stretch has for them.
struct PinnerAlternatives {
    private struct Addition {
        let order: Int
        let pins: [SHA256Digest]
        let call: PinnerCalls.Call
    }

    /// More than anybody compares, where patterns for many hosts overlap.
    private static let mostCompared = 1_000_000
    /// The longest name that a host has.
    private static let longestName = 253

    private var patterns: [HostPattern] = []
    private var additions: [HostPattern: [Addition]] = [:]
    private var stretches: Set<Int> = []
    private var count = 0
    private var hasConditions = false

    mutating func add(_ pins: [Pin], for pattern: HostPattern, by call: PinnerCalls.Call) {
        if additions[pattern] == nil { patterns.append(pattern) }
        additions[pattern, default: []].append(Addition(order: count, pins: pins.map(\.spkiSHA256), call: call))
        count += 1
        stretches.insert(call.stretch)
        if !call.conditions.isEmpty { hasConditions = true }
    }

    /// Says where pins of one host are decided on by a condition, and which hosts have other pins in several stretches.
    func check(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        guard hasConditions || stretches.count > 1 else { return }
        var conditions: [SourceConditions.Condition: Int] = [:]
        var compared = 0
        for (hosts, covering) in patterns.flatMap(groups) {
            let all = covering.flatMap { additions[$0] ?? [] }.sorted { $0.order < $1.order }
            compared += all.count
            guard compared <= Self.mostCompared else { throw Self.excess(at: file.place) }
            if let (line, other) = Self.difference(all) {
                let places = TwoPlaces(
                    place: file.place(line: line), other: other, note: "line \(other) has other pins for \(hosts)",
                    rule: "nothing says that one pinner has both", remedy: Self.remedy)
                collector.refuse(hosts, port: nil, in: places)
                continue
            }
            conditions.merge(Self.conditions(of: all), uniquingKeysWith: min)
        }
        guard let line = conditions.values.min() else { return }
        let others =
            switch conditions.count - 1 {
            case 0: ""
            case 1: " and in one other place"
            case let count: " and in \(count) other places"
            }
        collector.note(
            .notFollowed, at: file.place(line: line),
            "pins are added only under a condition here\(others): they are read as if it held")
    }

    /// The first line of a stretch that has other pins than the first one, and that of the first one.
    private static func difference(_ additions: [Addition]) -> (line: Int, other: Int)? {
        var numbers: [Int] = []
        var stretches: [Int: (pins: Set<SHA256Digest>, line: Int)] = [:]
        for addition in additions {
            let number = addition.call.stretch
            if stretches[number] == nil { numbers.append(number) }
            stretches[number, default: ([], addition.call.line)].pins.formUnion(addition.pins)
        }
        guard let first = numbers.first.flatMap({ stretches[$0] }) else { return nil }
        return numbers.lazy.compactMap { stretches[$0] }.first { $0.pins != first.pins }.map { ($0.line, first.line) }
    }

    /// What decides whether a host has pins at all, with the first lines where they are added.
    private static func conditions(of additions: [Addition]) -> [SourceConditions.Condition: Int] {
        var lines: [SourceConditions.Condition: Int] = [:]
        var inner: Set<SourceConditions.Condition> = []
        for addition in additions {
            guard let condition = addition.call.conditions.last else { return [:] }
            lines[condition] = lines[condition] ?? addition.call.line
        }
        for addition in additions where addition.call.conditions.dropLast().contains(where: { lines[$0] != nil }) {
            if let condition = addition.call.conditions.last { inner.insert(condition) }
        }
        // Of an `if` and its `else` one is run.
        let outermost = Dictionary(grouping: additions.compactMap(\.call.conditions.first), by: \.construct)
        guard !outermost.values.contains(where: { Set($0.map(\.isElse)).count == 2 }) else { return [:] }
        return lines.filter { !inner.contains($0.key) }
    }

    // MARK: Overlaps

    /// The kinds of hosts that a pattern covers, as far as other patterns tell them apart, and all that covers each.
    private func groups(of pattern: HostPattern) -> [(hosts: HostPattern, covering: [HostPattern])] {
        // A label that no host has stands for all the others.
        let other = "\0."
        switch pattern.depth {
        case .exact: return [(pattern, covering(pattern.name))]
        case .oneLabel, .upToOneLabel: return [(pattern, covering(other + pattern.name))]
        case .anyNumber:
            let name = pattern.name
            let itself = HostPattern(text: name, .exact)
            var groups = [(pattern, covering(other + other + name))]
            // It is looked at by itself where it has an entry of its own.
            if additions[itself] == nil, isCoveredByOneLabel(name) { groups.append((itself, covering(name))) }
            return groups
        }
    }

    private func isCoveredByOneLabel(_ host: String) -> Bool {
        guard let dot = host.firstIndex(of: ".") else { return false }
        return additions[HostPattern(text: String(host[host.index(after: dot)...]), .oneLabel)] != nil
    }

    /// The patterns that cover a host.
    private func covering(_ host: String) -> [HostPattern] {
        var found: [HostPattern] = []
        func look(_ name: Substring, _ depth: HostPattern.Depth) {
            let pattern = HostPattern(text: String(name), depth)
            if additions[pattern] != nil { found.append(pattern) }
        }
        var rest = host[...]
        look(rest, .exact)
        look(rest, .anyNumber)
        var isParent = true
        // No host is longer, but the pattern itself is one to look at.
        while let dot = rest.firstIndex(of: "."), isParent || host.utf8.count <= Self.longestName + 4 {
            rest = rest[rest.index(after: dot)...]
            if isParent { look(rest, .oneLabel) }
            look(rest, .anyNumber)
            isParent = false
        }
        return found
    }

    private static func excess(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .wrongValue, at: place, "it has more conditions and pinners for hosts that overlap than can be compared",
            remedy: "give a list with lines such as: host sha256/…")
    }

    private static let remedy =
        "add them in one chain of calls, give the source of one variant, or a list with lines such as: host sha256/…"
}
