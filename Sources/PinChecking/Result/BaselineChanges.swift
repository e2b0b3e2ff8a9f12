/// What changed at one endpoint since a baseline.
package struct BaselineChanges: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case unchanged
        case allowed
        case changed
    }

    package let baseline: String
    /// The address whose recorded state it was compared with, where the baseline has the target at other addresses only.
    package let comparedWith: String?
    package let changes: [Change]
    package let policy: RotationPolicy

    package init(_ changes: [Change], since baseline: String, by policy: RotationPolicy, comparedWith place: String?) {
        self.changes = changes
        self.baseline = baseline
        self.policy = policy
        comparedWith = place
    }

    package var status: Status {
        if changes.isEmpty { return .unchanged }
        return changes.allSatisfy(policy.allows) ? .allowed : .changed
    }

    /// What is said of changes that may not happen, `nil` where there are none.
    var refusal: Reason? {
        let refused = changes.filter { !policy.allows($0) }
        return refused.isEmpty ? nil : Reason(id: "changed", message: "\(Self.list(refused)) since \(baseline)")
    }

    /// What is said of a chain that was not judged and has no change that may not happen.
    var approval: Reason {
        if status == .unchanged { return Reason(id: "unchanged", message: "unchanged since \(baseline)") }
        return Reason(id: "changed-as-allowed", message: "\(Self.list(changes)) since \(baseline), as allowed")
    }

    private static func list(_ changes: [Change]) -> String {
        var ids: [String] = []
        for change in changes where !ids.contains(change.kind.rawValue) { ids.append(change.kind.rawValue) }
        return ids.joined(separator: ", ")
    }
}
