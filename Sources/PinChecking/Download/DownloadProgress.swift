import Synchronization

/// How far a download is, for whoever shows it.
package final class DownloadProgress: Sendable {
    private let counts = Atomic<Int>(0)
    private let totals = Atomic<Int>(-1)
    private let starts = Atomic<Int>(0)

    private let isKept: @Sendable (Bool) -> Void

    package init(isKept: @escaping @Sendable (Bool) -> Void = { _ in }) { self.isKept = isKept }

    /// How many bytes are there.
    package var count: Int { counts.load(ordering: .relaxed) }
    /// How many of them came before the last connection.
    package var start: Int { starts.load(ordering: .relaxed) }
    /// How many there will be, `nil` where no server says.
    package var total: Int? {
        let total = totals.load(ordering: .relaxed)
        return total < 0 ? nil : total
    }

    func begin(at start: Int, of total: Int?, keeps: Bool) {
        isKept(keeps)
        starts.store(start, ordering: .relaxed)
        totals.store(total ?? -1, ordering: .relaxed)
        counts.store(start, ordering: .relaxed)
    }

    func keep(_ keeps: Bool) { isKept(keeps) }

    func add(_ count: Int) { counts.add(count, ordering: .relaxed) }
}
