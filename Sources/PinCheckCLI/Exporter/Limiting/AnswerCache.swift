internal import Synchronization

/// Answers that are given again for a while.
package final class AnswerCache<Key: Hashable & Sendable, Answer: Sendable>: Sendable {
    private struct Entry {
        let answer: Answer
        let end: ContinuousClock.Instant
    }

    /// More than an exporter is asked for; what hostile requests could fill is limited by the targets that are allowed.
    private static var mostEntries: Int { 4_096 }

    private let time: Duration
    private let entries = Mutex<[Key: Entry]>([:])

    package init(keeping time: Duration) { self.time = time }

    package var isOn: Bool { time > .zero }

    package var count: Int { entries.withLock { $0.count } }

    /// The answer for `key` that is not too old.
    package func answer(for key: Key, at now: ContinuousClock.Instant = .now) -> Answer? {
        guard time > .zero else { return nil }
        return entries.withLock { entries in
            guard let entry = entries[key] else { return nil }
            guard entry.end > now else {
                entries[key] = nil
                return nil
            }
            return entry.answer
        }
    }

    package func keep(_ answer: Answer, for key: Key, at now: ContinuousClock.Instant = .now) {
        guard time > .zero else { return }
        entries.withLock { entries in
            if entries.count >= Self.mostEntries {
                entries = entries.filter { $0.value.end > now }
                if entries.count >= Self.mostEntries { entries = [:] }
            }
            entries[key] = Entry(answer: answer, end: now + time)
        }
    }
}
