/// The known word a mistyped one was probably meant to be.
package enum Suggestion {
    /// The word of `known` that is nearest to `word`, `nil` when none is near.
    package static func nearest(to word: String, in known: [String]) -> String? {
        guard word.utf8.count <= 60 else { return nil }
        let ranked = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.count / 3) ? best.word : nil
    }

    /// How many characters have to be put in, taken out or replaced (Levenshtein).
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var row = Array(0...second.count)
        for (i, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in second.indices {
                let substituted = diagonal + (character == second[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
            }
        }
        return row[second.count]
    }
}
