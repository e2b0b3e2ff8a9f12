internal import Synchronization

/// Work that one does, while others who need the same wait for it.
package final class SharedWork<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var waiters: [Key: [Waiter]] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Begins the work for `key` unless somebody is at it.
    ///
    /// - Returns: whether it is the caller who does it; then ``end(_:)`` has to follow.
    package func begin(_ key: Key) -> Bool {
        state.withLock { state in
            guard state.waiters[key] == nil else { return false }
            state.waiters[key] = []
            return true
        }
    }

    /// Lets those go on who wait for the work for `key`.
    package func end(_ key: Key) {
        for waiter in state.withLock({ $0.waiters.removeValue(forKey: key) ?? [] }) { waiter.continuation.resume() }
    }

    /// Waits until nobody is at the work for `key`, until `deadline`, or until the task is cancelled.
    package func wait(for key: Key, until deadline: ContinuousClock.Instant) async {
        let id = state.withLock { state -> Int in
            state.lastID += 1
            return state.lastID
        }
        let alarm = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            self.give(up: id, key)
        }
        defer { alarm.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state -> Bool in
                    guard !Task.isCancelled, ContinuousClock.now < deadline, state.waiters[key] != nil else {
                        return true
                    }
                    state.waiters[key, default: []].append(Waiter(id: id, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            self.give(up: id, key)
        }
    }

    package var waitingCount: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

    private func give(up id: Int, _ key: Key) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters[key]?.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters[key]?.remove(at: index)
        }
        waiter?.continuation.resume()
    }
}
