internal import Base
internal import PinFormats
internal import Pinning

/// Pins that say the same twice.
struct DuplicatePinRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.flatMap { set in lists(of: set).flatMap { findings(in: $0) } }
    }

    /// Leaf and authority identities are two lists: a key may stand in both.
    private func lists(of set: PinnedSet) -> [[PinnedSet.Member]] {
        var leafCount = 0
        for entry in set.entries {
            guard case .positions(let leaf, let authorities) = entry.identities else { return [set.members] }
            guard set.entries.count == 1, authorities != nil else { return [set.members] }
            leafCount += leaf?.count ?? 0
        }
        return [Array(set.members.prefix(leafCount)), Array(set.members.dropFirst(leafCount))]
    }

    private func findings(in members: [PinnedSet.Member]) -> [LintFinding] {
        var places: [Pin.Material: LintPlace] = [:]
        var keys: [SHA256Digest: PinnedSet.Member] = [:]
        var findings: [LintFinding] = []
        for member in members {
            let hash = member.pin.spkiSHA256
            if let first = places[member.pin.material] {
                findings.append(
                    LintFinding(
                        .duplicatePin, at: member.place, "\(hash) is pinned already\(at(first, from: member.place))",
                        remedy: "remove one of the two"))
                continue
            }
            places[member.pin.material] = member.place
            if let first = keys[hash] {
                findings.append(
                    LintFinding(
                        .sameKeyTwice, at: member.place,
                        "this \(kind(of: member)) has the key of the \(kind(of: first))\(at(first.place, from: member.place)): "
                            + "the two are one pin for a client that compares keys",
                        remedy: "it takes a pin of another key to have a reserve"))
            } else {
                keys[hash] = member
            }
        }
        return findings
    }

    private func at(_ first: LintPlace, from second: LintPlace) -> String {
        if first == second { return " in the same place" }
        guard first.file == second.file else { return " at \(shortened(first.description, isPublic: true))" }
        return first.line.map { " in line \($0)" } ?? first.key.map { " at \(shortened($0))" } ?? ""
    }

    private func kind(of member: PinnedSet.Member) -> String { member.pin.certificate == nil ? "pin" : "certificate" }
}
