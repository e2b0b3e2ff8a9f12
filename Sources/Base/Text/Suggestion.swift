package enum Suggestion {
    package static func nearest(to word: String, in known: [String]) -> String? {
        guard word.utf8.count <= 60 else { return nil }
        let ranked = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.count / 3) ? best.word : nil
    }

    /// The remedy for an unknown word: the nearest of `all`, or the choice of them if none is near.
    package static func remedy(for word: String, among all: [String], by name: (String) -> String = { $0 }) -> String {
        let nearest = nearest(to: name(word), in: all.map(name))
        return all.first { nearest == name($0) }.map { "did you mean '\($0)'?" }
            ?? "choose from \(all.listed)"
    }

    /// The number of characters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var row = Array(0...second.count)
        for i in first.indices {
            var next = [i + 1]
            for j in second.indices {
                var least = min(row[j] + (first[i] == second[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    least = min(least, before[j - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}
