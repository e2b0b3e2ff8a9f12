/// Which changes may happen without anybody being told.
package struct RotationPolicy: Sendable, Hashable {
    /// The kinds of changes that are fine.
    package let allowed: Set<Change.Kind>

    /// A policy that lets these kinds of changes pass.
    package init(allowing allowed: Set<Change.Kind> = []) {
        self.allowed = allowed
    }

    /// Reads lists such as `renewed,names-added`; several add up.
    ///
    /// - Throws: ``UnknownChangeKind`` for a word that is no id.
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

    /// Whether the change is fine.
    package func allows(_ change: Change) -> Bool {
        change.kind == .unchanged || allowed.contains(change.kind)
    }
}

/// A word that names no kind of change.
package struct UnknownChangeKind: Error, Hashable, CustomStringConvertible {
    /// The word.
    package let word: String

    /// The id the word is nearest to, when it is near enough to be meant.
    package var suggestion: Change.Kind? {
        let word = Array(self.word.lowercased().map { $0 == "_" ? "-" : $0 })
        let candidates = Change.Kind.allCases.map { (kind: $0, distance: Self.distance(word, Array($0.rawValue))) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }), !word.isEmpty else { return nil }
        return best.distance <= max(2, word.count / 3) ? best.kind : nil
    }

    /// One line with the word, the id that may be meant, and all ids.
    package var description: String {
        let shown = word.count <= 80 ? word : word.prefix(79) + "…"
        let guess = suggestion.map { ", perhaps '\($0.rawValue)' is meant" } ?? ""
        let known = Change.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        return "'\(shown)' is no kind of change\(guess): choose from \(known)"
    }

    /// How many letters have to be put in, left out or replaced to make one word of another.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard left.count <= 64 else { return left.count }
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, min(diagonal, row[column]) + 1)
            }
        }
        return row[right.count]
    }
}
