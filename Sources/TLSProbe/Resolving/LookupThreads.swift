import Base
internal import NIOCore
internal import Synchronization

/// Runs blocking lookups on threads of its own, so that neither an event loop nor Swift's thread pool ever waits for DNS.
///
/// Threads are started when there is work and end when there is none. Nothing waits for them: a lookup that is no longer
/// wanted is passed over, and one that is under way may end after everything else.
final class LookupThreads: Sendable {
    private struct State {
        var waiting = CircularBuffer<Lookup>()
        var threads = 0
    }

    /// More queries at a time than this make resolvers lose packets.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 64) { self.limit = limit }

    func submit(_ lookup: Lookup) {
        let needsThread = state.withLock { state in
            state.waiting.append(lookup)
            guard state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        if let thread = SystemThread({ while let lookup = self.next() { lookup.run() } }) {
            thread.detach()
        } else {
            // The threads that run will come to the lookup; without any, it has to fail.
            let stranded = state.withLock { state -> CircularBuffer<Lookup> in
                state.threads -= 1
                guard state.threads == 0 else { return [] }
                defer { state.waiting.removeAll() }
                return state.waiting
            }
            for lookup in stranded { lookup.complete(.failure(LookupFailure(code: EAI_MEMORY))) }
        }
    }

    private func next() -> Lookup? {
        state.withLock { state in
            if let lookup = state.waiting.popFirst() { return lookup }
            state.threads -= 1
            return nil
        }
    }
}
