/// Which changes may happen without anybody being told.
package struct RotationPolicy: Sendable, Hashable {
    package let allowed: Set<Change.Kind>

    /// A policy that lets these kinds of changes pass.
    package init(allowing allowed: Set<Change.Kind> = []) { self.allowed = allowed }

    /// Reads lists such as `renewed,names-added`; several add up.
    package init(reading lists: [String]) throws(UnknownChangeKind) {
        var allowed: Set<Change.Kind> = []
        for list in lists {
            for word in list.split(separator: ",", omittingEmptySubsequences: false) {
                let word = word.drop { $0 == " " }
                guard let kind = Change.Kind(rawValue: String(word)) else {
                    throw UnknownChangeKind(word: String(word))
                }
                allowed.insert(kind)
            }
        }
        self.allowed = allowed
    }

    package func allows(_ change: Change) -> Bool { allowed.contains(change.kind) }
}

/// A word that names no kind of change.
package struct UnknownChangeKind: Error, Hashable { package let word: String }
