import Base
import Synchronization
import TLSProbe

/// The threads and connections that all checks of a process share: the host program keeps most of its descriptors.
final class SharedConnections: Sendable {
    static let process = SharedConnections(atOnce: max(1, DescriptorLimit.current / 2))

    private let turns: Turns
    private let probers = Mutex<Probers?>(nil)

    init(atOnce count: Int) { turns = Turns(count) }

    /// Makes a check in its turn; throws if the task is cancelled, or if no descriptors are left for the threads.
    func check(_ check: Check, in environment: Environment) async throws -> CheckedTarget {
        let checker = Checker(in: environment, sharing: try sharedProbers())
        try await turns.take()
        defer { turns.giveBack() }
        let target = await checker.check(check)
        // A cancelled connection looks like a server that cannot be reached.
        try Task.checkCancellation()
        return target
    }

    /// The threads are made once: an event loop that cannot be made would end the process.
    private func sharedProbers() throws(Problem) -> Probers {
        try probers.withLock { (probers) throws(Problem) in
            probers = probers ?? Probers(sharedWithin: turns.count)
            if let probers { return probers }
            throw .software("no descriptors are left to connect with: close some, or raise the limit with ulimit -n")
        }
    }
}

/// A number of turns that tasks take in the order of their arrival.
final class Turns: Sendable {
    private struct State {
        var free: Int
        var isCancelled: Set<Int> = []
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var next = 0
    }

    let count: Int
    private let state: Mutex<State>

    init(_ count: Int) {
        self.count = count
        state = Mutex(State(free: count))
    }

    /// Waits for a turn; a cancelled task throws `CancellationError`.
    func take() async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.isCancelled.remove(number) != nil { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.isCancelled.insert(number)
                    return nil as CheckedContinuation<Bool, Never>?
                }
                return state.waiting.remove(at: index).continuation
            }
            waiting?.resume(returning: false)
        }
        state.withLock { _ = $0.isCancelled.remove(number) }
        guard hasTurn else { throw CancellationError() }
    }

    func giveBack() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil as CheckedContinuation<Bool, Never>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
