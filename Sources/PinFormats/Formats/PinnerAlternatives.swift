internal import Pinning

/// What the calls of a source add for each host, and whether all of it counts.
///
/// A condition is a computation: pins that it decides on are read where it decides on nothing else, and are not put together with others.
/// OkHttp takes the pins of all patterns that cover a host, so that hosts are compared by all that one pinner or branch has for them.
struct PinnerAlternatives {
    fileprivate struct Added {
        var pins: Set<SHA256Digest> = []
        let line: Int
    }

    /// What one pinner has for a host.
    fileprivate struct Pinner {
        let line: Int
        /// What is added in any case.
        var always: Added?
        /// The branches in which something is added, in their order.
        var branches: [(path: [Int], added: Added)] = []
        var positions: [Int: Int] = [:]

        var pins: Set<SHA256Digest> { branches.reduce(always?.pins ?? []) { $0.union($1.added.pins) } }
    }

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
    private var owners: Set<PinnerCalls.Owner> = []
    private var count = 0
    private var hasBranches = false

    mutating func add(_ pins: [Pin], for pattern: HostPattern, by call: PinnerCalls.Call) {
        if additions[pattern] == nil { patterns.append(pattern) }
        additions[pattern, default: []].append(Addition(order: count, pins: pins.map(\.spkiSHA256), call: call))
        count += 1
        owners.insert(call.owner)
        if !call.branches.isEmpty { hasBranches = true }
    }

    /// Says where pins of one host are decided on by a condition, and where they are those of several pinners.
    func check(_ calls: PinnerCalls, in file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        guard hasBranches || owners.count > 1 else { return }
        var conditions: [Int: Int] = [:]
        var compared = 0
        for (hosts, covering) in patterns.flatMap(groups) {
            let all = covering.flatMap { additions[$0] ?? [] }.sorted { $0.order < $1.order }
            compared += all.count
            guard compared <= Self.mostCompared else { throw Self.excess(at: file.place) }
            let (owners, pinners) = Self.pinners(all)
            var earlier: (pins: Set<SHA256Digest>, line: Int)?
            for owner in owners {
                guard let pinner = pinners[owner] else { continue }
                if let (line, other) = pinner.conflict {
                    try collector.gather(Self.conflict(of: hosts, at: file.place(line: line), with: other))
                    continue
                }
                for (branch, line) in pinner.conditions(in: calls.branches) {
                    conditions[branch] = min(line, conditions[branch] ?? line)
                }
                let pins = pinner.pins
                if let earlier, earlier.pins != pins {
                    let places = TwoPlaces(
                        place: file.place(line: pinner.line),
                        other: earlier.line,
                        note: "another pinner has other pins for \(hosts)",
                        rule: "each client has one pinner",
                        remedy: Self.remedy
                    )
                    collector.refuse(hosts, port: nil, in: places)
                }
                earlier = (pins, pinner.line)
            }
        }
        guard let line = conditions.values.min() else { return }
        let others =
            switch conditions.count - 1 {
            case 0: ""
            case 1: " and in one other place"
            case let count: " and in \(count) other places"
            }
        collector.note(
            .notFollowed,
            at: file.place(line: line),
            "pins are added only under a condition here\(others): they are read as if it held"
        )
    }

    private static func pinners(
        _ additions: [Addition]
    ) -> (owners: [PinnerCalls.Owner], pinners: [PinnerCalls.Owner: Pinner]) {
        var owners: [PinnerCalls.Owner] = []
        var pinners: [PinnerCalls.Owner: Pinner] = [:]
        for addition in additions {
            let call = addition.call
            if pinners[call.owner] == nil { owners.append(call.owner) }
            pinners[call.owner, default: Pinner(line: call.line)].add(addition.pins, in: call.branches, at: call.line)
        }
        return (owners, pinners)
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
            .wrongValue,
            at: place,
            "it has more conditions and pinners for hosts that overlap than can be compared",
            remedy: "give a list with lines such as: host sha256/…"
        )
    }

    private static func conflict(of hosts: HostPattern, at place: PinPlace, with line: Int) -> PinFormatError {
        PinFormatError(
            .wrongValue,
            at: place,
            "the pins of \(hosts) are others here than in line \(line), and a condition decides which count",
            remedy: remedy
        )
    }

    private static let remedy = "give the source of one variant, or a list with lines such as: host sha256/…"
}

extension PinnerAlternatives.Pinner {
    fileprivate mutating func add(_ pins: [SHA256Digest], in path: [Int], at line: Int) {
        guard let branch = path.last else {
            always = always ?? PinnerAlternatives.Added(line: line)
            always?.pins.formUnion(pins)
            return
        }
        let position = positions[branch] ?? branches.count
        if position == branches.count {
            branches.append((path, PinnerAlternatives.Added(line: line)))
            positions[branch] = position
        }
        branches[position].added.pins.formUnion(pins)
    }

    /// The line of pins that a condition decides on, and that of the others.
    fileprivate var conflict: (line: Int, other: Int)? {
        var reference = always
        for (path, added) in branches {
            let around =
                path.dropLast().compactMap { positions[$0].map { branches[$0].added } } + (always.map { [$0] } ?? [])
            if let other = around.last {
                // What is added there as well is added in any case.
                guard added.pins.allSatisfy({ pin in around.contains { $0.pins.contains(pin) } }) else {
                    return ordered(added.line, other.line)
                }
            } else if let other = reference {
                guard other.pins == added.pins else { return ordered(added.line, other.line) }
            } else {
                reference = added
            }
        }
        return nil
    }

    private func ordered(_ line: Int, _ other: Int) -> (line: Int, other: Int) {
        (max(line, other), min(line, other))
    }

    /// The branches that decide whether a host has pins at all, with the lines where they are added.
    fileprivate func conditions(in all: SourceBranches) -> [(branch: Int, line: Int)] {
        let outermost = branches.compactMap { $0.path.count == 1 ? $0.path[0] : nil }
        guard always == nil, !all.areExhaustive(outermost) else { return [] }
        return branches.filter { branch in !branch.path.dropLast().contains { positions[$0] != nil } }
            .map { ($0.path[$0.path.count - 1], $0.added.line) }
    }
}
