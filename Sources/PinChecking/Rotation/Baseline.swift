import Base

package struct Baseline: Sendable {
    package let path: String
    package let snapshot: Snapshot
    private let allowed: Set<Change.Kind>
    private let byKey: [Snapshot.Key: Snapshot.Endpoint]

    package init(_ path: String, _ snapshot: Snapshot, allowing allowed: Set<Change.Kind> = []) {
        (self.path, self.snapshot, self.allowed) = (path, snapshot, allowed)
        byKey = Dictionary(snapshot.endpoints.map { ($0.key, $0) }) { first, _ in first }
    }

    /// The closest record: of the endpoint itself, of the address that a look-up led to, or of its target by name.
    func record(for key: Snapshot.Key, at peer: String? = nil) -> Snapshot.Endpoint? {
        var other = key
        other.connect = key.connect == nil ? peer : nil
        return byKey[key] ?? byKey[other]
    }

    /// A record of the target at another address: one with the same chain, else with the most frequent leaf.
    private func elsewhere(_ key: Snapshot.Key, chain: [Snapshot.Certificate] = []) -> Snapshot.Endpoint? {
        let target = key.atAnyAddress
        let others = snapshot.endpoints.filter { $0.key.atAnyAddress == target }
        if let same = others.first(where: { $0.chain == chain }) { return same }
        return others.grouped(by: \.leaf).max { $0.elements.count < $1.elements.count }?.elements[0]
    }

    package func changes(at endpoint: Snapshot.Endpoint, from peer: String? = nil) -> BaselineChanges {
        let recorded = record(for: endpoint.key, at: peer)
        let other = recorded == nil ? elsewhere(endpoint.key, chain: endpoint.chain) : nil
        let changes =
            (recorded ?? other).map { ChainComparison.changes(from: $0.chain, to: endpoint.chain) }
            ?? [Change(kind: .targetAdded, old: nil, new: endpoint.key.words)]
        return BaselineChanges(
            baseline: path, recorded: recorded, comparedWith: other?.place, changes: changes, allowed: allowed)
    }

    package func missing(from endpoints: [Snapshot.Endpoint]) -> [(Snapshot.Endpoint, BaselineChanges)] {
        let seen = Set(endpoints.compactMap { record(for: $0.key)?.key })
        return snapshot.endpoints.filter { !seen.contains($0.key) }.map { ($0, missing($0)) }
    }

    /// The change of a part that a server has no more; `nil` if neither the address nor, for an unrecorded address,
    /// another one of the target is recorded with it.
    func missing(_ key: Snapshot.Key, at peer: String?) -> BaselineChanges? {
        if let recorded = record(for: key, at: peer) { return missing(recorded) }
        let isRecorded = snapshot.endpoints.contains {
            $0.key.target == key.target && [key.connect, peer].contains($0.key.connect)
        }
        return isRecorded ? nil : elsewhere(key).map { missing($0, isElsewhere: true) }
    }

    private func missing(_ endpoint: Snapshot.Endpoint, isElsewhere: Bool = false) -> BaselineChanges {
        let missing = Change(kind: .targetMissing, old: endpoint.key.words, new: nil)
        return BaselineChanges(
            baseline: path, recorded: isElsewhere ? nil : endpoint, comparedWith: isElsewhere ? endpoint.place : nil,
            changes: [missing], allowed: allowed)
    }
}

package struct BaselineChanges: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case unchanged
        case allowed
        case changed
    }

    package let baseline: String
    package let recorded: Snapshot.Endpoint?
    /// The address whose record was compared, if the baseline contains the target only at other addresses.
    package let comparedWith: String?
    package let changes: [Change]
    package let allowed: Set<Change.Kind>

    package var status: Status {
        guard !changes.isEmpty else { return .unchanged }
        return refused.isEmpty ? .allowed : .changed
    }
    private var refused: [Change] { changes.filter { !allowed.contains($0.kind) } }
    var refusal: Reason? { refused.isEmpty ? nil : Reason("changed", "\(Self.list(refused)) since \(baseline)") }

    var approval: Reason {
        if status == .unchanged { return Reason("unchanged", "unchanged since \(baseline)") }
        return Reason("changed-as-allowed", "\(Self.list(changes)) since \(baseline), as allowed")
    }

    private static func list(_ all: [Change]) -> String { all.map(\.kind.id).distinct.joined(separator: ", ") }
}
