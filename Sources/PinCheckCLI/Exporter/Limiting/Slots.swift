internal import Synchronization

/// How much may be under way at once; who comes when there is no room waits in line.
package final class Slots: Sendable {
    private struct Waiter {
        let id: Int
        let size: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var jobs = 0
        var size = 0
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let mostJobs: Int
    private let mostSize: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - jobs: how many jobs may be under way.
    ///   - size: how large they may be together; one that is larger runs alone.
    package init(jobs: Int, size: Int) {
        mostJobs = max(1, jobs)
        mostSize = max(1, size)
    }

    package var counts: (underWay: Int, waiting: Int) { state.withLock { ($0.jobs, $0.waiters.count) } }

    /// Waits for room, until `deadline` or until the task is cancelled.
    package func enter(size: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        let id = state.withLock { state -> Int in
            state.lastID += 1
            return state.lastID
        }
        if takeAtOnce(size) { return true }
        let alarm = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            self.give(up: id)
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    // Room that came, or a time that passed, between the two looks.
                    if state.waiters.isEmpty, isRoom(size, state) {
                        Self.begin(size, &state)
                        return true
                    }
                    guard !Task.isCancelled, ContinuousClock.now < deadline else { return false }
                    state.waiters.append(Waiter(id: id, size: size, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            self.give(up: id)
        }
    }

    /// Makes room for who waits first.
    package func leave(size: Int) {
        let next = state.withLock { state -> [Waiter] in
            state.jobs -= 1
            state.size -= size
            return admitted(&state)
        }
        for waiter in next { waiter.continuation.resume(returning: true) }
    }

    private func takeAtOnce(_ size: Int) -> Bool {
        state.withLock { state in
            guard state.waiters.isEmpty, isRoom(size, state) else { return false }
            Self.begin(size, &state)
            return true
        }
    }

    private func isRoom(_ size: Int, _ state: State) -> Bool {
        state.jobs == 0 || state.jobs < mostJobs && state.size + size <= mostSize
    }

    private static func begin(_ size: Int, _ state: inout State) {
        state.jobs += 1
        state.size += size
    }

    private func admitted(_ state: inout State) -> [Waiter] {
        var admitted: [Waiter] = []
        while let first = state.waiters.first, isRoom(first.size, state) {
            state.waiters.removeFirst()
            Self.begin(first.size, &state)
            admitted.append(first)
        }
        return admitted
    }

    /// Lets one who waits go, and those behind who had no room only beside it.
    private func give(up id: Int) {
        let (gone, next) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return (nil, []) }
            return (state.waiters.remove(at: index), admitted(&state))
        }
        gone?.continuation.resume(returning: false)
        for waiter in next { waiter.continuation.resume(returning: true) }
    }
}
