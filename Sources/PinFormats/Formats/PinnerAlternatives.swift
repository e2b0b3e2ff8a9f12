internal import Pinning

/// What the calls of a source add for each host, and whether all of it counts.
///
/// A condition is a computation: pins that it decides on are read where it decides on nothing else, and are not put together with others.
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

    private struct Host {
        let pattern: HostPattern
        var owners: [PinnerCalls.Owner] = []
        var pinners: [PinnerCalls.Owner: Pinner] = [:]
    }

    private var hosts: [Host] = []
    private var positions: [HostPattern: Int] = [:]

    mutating func add(_ pins: [Pin], for pattern: HostPattern, by call: PinnerCalls.Call) {
        let position = positions[pattern] ?? hosts.count
        if position == hosts.count {
            hosts.append(Host(pattern: pattern))
            positions[pattern] = position
        }
        if hosts[position].pinners[call.owner] == nil { hosts[position].owners.append(call.owner) }
        let pins = pins.map(\.spkiSHA256)
        hosts[position].pinners[call.owner, default: Pinner(line: call.line)].add(
            pins,
            in: call.branches,
            at: call.line
        )
    }

    /// Says where pins of one host are decided on by a condition, and where they are those of several pinners.
    func check(_ calls: PinnerCalls, in file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var noted: Set<Int> = []
        for host in hosts {
            var earlier: Set<SHA256Digest>?
            for owner in host.owners {
                guard let pinner = host.pinners[owner] else { continue }
                if let (line, other) = pinner.conflict {
                    try collector.gather(Self.conflict(of: host.pattern, at: file.place(line: line), with: other))
                    continue
                }
                for (branch, line) in pinner.conditions(in: calls.branches) where noted.insert(branch).inserted {
                    collector.note(
                        .notFollowed,
                        at: file.place(line: line),
                        "pins are added only under a condition here: they are read as if it held"
                    )
                }
                let pins = pinner.pins
                if let earlier, earlier != pins {
                    collector.note(
                        .notFollowed,
                        at: file.place(line: pinner.line),
                        "another pinner has other pins for \(host.pattern): they are put together here, "
                            + "though each client has one pinner"
                    )
                }
                earlier = pins
            }
        }
    }

    private static func conflict(of hosts: HostPattern, at place: PinPlace, with line: Int) -> PinFormatError {
        PinFormatError(
            .wrongValue,
            at: place,
            "the pins of \(hosts) are others here than in line \(line), and a condition decides which count",
            remedy: "give the source of one variant, or a list with lines such as: host sha256/…"
        )
    }
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
