internal import Synchronization
import TLSProbe

/// The jobs of one call: those at hand, and the others as they are needed.
package struct JobSupply<Failure: Error>: Sendable {
    package let first: [CheckJob]
    /// Makes more of them, none after the last; `nil` where all are at hand.
    ///
    /// It is called on a thread of its own, for it may have to wait.
    package let more: (@Sendable () throws(Failure) -> [CheckJob])?

    /// Jobs that are at hand, and perhaps what makes others.
    package init(_ first: [CheckJob], more: (@Sendable () throws(Failure) -> [CheckJob])? = nil) {
        self.first = first
        self.more = more
    }

    /// Waits for the next jobs; none when the task is cancelled, even where nothing comes of what makes them.
    func next() async -> Result<[CheckJob], Failure> {
        guard let more else { return .success([]) }
        let promise = Promise()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                promise.wait(continuation)
                let thread = SystemThread { promise.keep(Result { () throws(Failure) in try more() }) }
                guard let thread else { return promise.keep(Result { () throws(Failure) in try more() }) }
                thread.detach()
            }
        } onCancel: {
            promise.keep(.success([]))
        }
    }

    /// What is waited for: the first of two results.
    private final class Promise: Sendable {
        private enum State {
            case nobodyWaits
            case waiting(CheckedContinuation<Result<[CheckJob], Failure>, Never>)
            case kept(Result<[CheckJob], Failure>)
        }

        private let state = Mutex(State.nobodyWaits)

        func wait(_ continuation: CheckedContinuation<Result<[CheckJob], Failure>, Never>) {
            let early = state.withLock { state -> Result<[CheckJob], Failure>? in
                if case .kept(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }

        func keep(_ result: Result<[CheckJob], Failure>) {
            let waiting = state.withLock { state -> CheckedContinuation<Result<[CheckJob], Failure>, Never>? in
                defer { if case .kept = state {} else { state = .kept(result) } }
                if case .waiting(let continuation) = state { return continuation }
                return nil
            }
            waiting?.resume(returning: result)
        }
    }
}
