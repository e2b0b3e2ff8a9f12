import Base
import Synchronization
import TLSProbe

/// The threads and connections that all checks of a process share, so that the host program keeps most descriptors.
final class SharedConnections: Sendable {
    static let process = SharedConnections(atOnce: max(1, DescriptorLimit.current / 2))
    private let turns: Turns
    private let probers = Mutex<Probers?>(nil)

    init(atOnce count: Int) { turns = Turns(count) }

    /// Makes a check when its turn comes; throws if the task is cancelled, or if no descriptors are left for threads.
    func check(_ check: Check, in environment: Environment) async throws -> CheckedTarget {
        let checker = Checker(in: environment, sharing: try sharedProbers())
        await turns.take()
        defer { turns.giveBack() }
        try Task.checkCancellation()
        let target = await checker.check(check)
        // A cancelled connection looks like an unreachable server.
        try Task.checkCancellation()
        return target
    }

    /// Makes the threads once: an event loop that cannot be made would end the process.
    private func sharedProbers() throws(Problem) -> Probers {
        try probers.withLock { (probers) throws(Problem) in
            probers = probers ?? Probers(sharedWithin: turns.count)
            if let probers { return probers }
            throw .software("no descriptors are left to connect with: close some, or raise the limit with ulimit -n")
        }
    }
}

/// A number of turns that tasks take in the order of their arrival; a cancelled task waits for its turn, too.
final class Turns: Sendable {
    let count: Int
    private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) {
        self.count = count
        state = Mutex((count, []))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = state.withLock { state in
            if state.waiting.isEmpty { state.free += 1 }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.resume()
    }
}
