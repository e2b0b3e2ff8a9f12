import Rotation

extension Report {
    /// What changed since a baseline.
    struct Change: Encodable, Sendable {
        /// The file with the baseline.
        var baseline: String
        /// `unchanged`, `allowed` when every change is, `changed` otherwise.
        var status: String
        /// At least one; `unchanged` alone when there is no change.
        var classes: [Class]

        struct Class: Encodable, Sendable {
            /// The kind of change, as `--allow` takes it.
            var id: String
            /// What was, in words.
            @ExplicitNull var old: String? = nil
            /// What is, in words.
            @ExplicitNull var new: String? = nil
            var allowed: Bool
        }
    }

    /// Adds what changed, and ends otherwise where that is not allowed.
    mutating func add(_ changes: [Rotation.Change], since baseline: Baseline) {
        let refused = changes.filter { !baseline.policy.allows($0) }
        let isUnchanged = changes.allSatisfy { $0.kind == .unchanged }
        change = Change(
            baseline: baseline.path,
            status: isUnchanged ? "unchanged" : refused.isEmpty ? "allowed" : "changed",
            classes: changes.map { change in
                Change.Class(
                    id: change.kind.rawValue,
                    old: change.old,
                    new: change.new,
                    allowed: baseline.policy.allows(change)
                )
            }
        )
        guard status == .pass || status == .warn else { return }
        if !refused.isEmpty {
            demote(to: .changed, Message(id: "changed", message: "\(Self.list(refused)) since \(baseline.path)"))
        } else if verdict == .none {
            reason =
                isUnchanged
                ? Message(id: "unchanged", message: "unchanged since \(baseline.path)")
                : Message(id: "changed-as-allowed", message: "\(Self.list(changes)) since \(baseline.path), as allowed")
        }
    }

    private static func list(_ changes: [Rotation.Change]) -> String {
        var ids: [String] = []
        for change in changes where !ids.contains(change.kind.rawValue) { ids.append(change.kind.rawValue) }
        return ids.joined(separator: ", ")
    }
}
