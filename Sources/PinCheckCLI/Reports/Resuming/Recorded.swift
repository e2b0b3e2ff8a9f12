import PinChecking
import Pinning

/// What is recorded of one target: all of its results.
struct Recorded {
    let status: ExitStatus
    /// When the oldest of them was judged, in seconds since 1970.
    let evaluated: Int64
    /// When the newest of them was.
    let latest: Int64
    /// When a certificate of theirs ends first, in seconds since 1970.
    let end: Int64

    private static let secondsOfADay: Int64 = 86_400
    /// How far the clocks of two machines may be apart.
    private static let tolerance: Int64 = 300

    /// Whether they still say what is.
    func holds(at now: Timestamp) -> Bool {
        isPossible(at: now) && now.secondsSinceEpoch < min(end, evaluated + Self.secondsOfADay)
    }

    /// Whether they are of no later time: a clock that was wrong says nothing of how old they are.
    fileprivate func isPossible(at now: Timestamp) -> Bool { latest <= now.secondsSinceEpoch + Self.tolerance }
}

/// What is recorded for one question: once for most, more often where a list has the target twice or it was asked again.
struct Record {
    /// Apart from the others, so that the most are one value without more memory.
    private var first: Recorded?
    private var more: [Recorded] = []
    /// Whether a job of this run asks the question.
    private var isMet = false

    /// How many results answer a question that nobody asks now.
    var others: Int { isMet ? 0 : ([first].compactMap(\.self) + more).count { $0.status != .unreachable } }

    /// Adds what stands behind the others in the file.
    mutating func add(_ recorded: Recorded) { if first == nil { first = recorded } else { more.append(recorded) } }

    /// Takes what was judged last, of the same moment the one that was written last.
    ///
    /// - Parameter now: the moment than which none is later, `nil` where another time is judged by.
    /// - Returns: what is recorded, `nil` for nothing.
    mutating func takeNewest(at now: Timestamp?) -> Recorded? {
        isMet = true
        func isPossible(_ recorded: Recorded) -> Bool { now.map { recorded.isPossible(at: $0) } ?? true }
        // Apart, because what is left of an array keeps its memory: a hundred bytes for each of a million.
        guard !more.isEmpty else {
            guard let only = first, isPossible(only) else { return nil }
            first = nil
            return only
        }
        var all = [first].compactMap(\.self) + more
        var newest: Int?
        for (index, recorded) in all.enumerated() where isPossible(recorded) {
            if newest.map({ all[$0].evaluated <= recorded.evaluated }) ?? true { newest = index }
        }
        guard let newest else { return nil }
        let taken = all.remove(at: newest)
        first = all.removeFirst()
        more = all
        return taken
    }
}
