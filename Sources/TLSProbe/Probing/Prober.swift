internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Connects to servers and returns the certificates they present, many at a time on one thread.
///
/// Nothing is verified but that the server holds the key of its leaf, and nothing is sent but the handshake and close_notify.
/// Call ``shutdown()`` when no more probes are wanted; a process about to exit need not.
package final class Prober: Sendable {
    /// `nil` on a thread of somebody else's.
    private let group: MultiThreadedEventLoopGroup?
    let workshop: ProbeWorkshop
    /// `false` once the event loop takes no more work.
    private let isOpen = Mutex(true)

    /// A prober on `thread`, or on one of its own.
    ///
    /// OpenSSL is set up by the first probe, while its packets travel.
    package init(on thread: ProbeThread? = nil) {
        let loop: any EventLoop
        if let thread {
            group = nil
            loop = thread.loop
        } else {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            self.group = group
            loop = group.next()
        }
        workshop = ProbeWorkshop(loop: loop, lookups: LookupThreads(), preparation: thread?.preparation)
    }

    /// Makes one connection, within the request's deadline whatever the server does.
    ///
    /// Cancelling the task closes the connection and ends in ``ProbeError/Reason/cancelled``.
    ///
    /// - Returns: what the server presented.
    /// - Throws: ``ProbeError`` when there is no chain whose key the server proved to hold.
    package func probe(_ request: ProbeRequest) async throws(ProbeError) -> ProbeResult {
        let attempt = ProbeAttempt(request, in: workshop)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<ProbeResult, ProbeError>, Never>) in
                if !onLoop({ attempt.start { continuation.resume(returning: $0) } }) {
                    continuation.resume(returning: .failure(ProbeError(.connect, .cancelled, target: request.target)))
                }
            }
        } onCancel: {
            _ = onLoop { attempt.cancel() }
        }
        return try result.get()
    }

    /// Cancels the probes under way and ends the thread unless it is somebody else's; a resolver that does not answer is not waited for.
    package func shutdown() async {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        let workshop = workshop
        try? await workshop.loop.submit { for attempt in workshop.attempts { attempt.cancel() } }.get()
        try? await group?.shutdownGracefully()
    }

    /// Runs `work` on the event loop; returns false when that has ended.
    private func onLoop(_ work: @escaping @Sendable () -> Void) -> Bool {
        // Under the lock, so that nothing is handed to a loop that is about to end.
        isOpen.withLock { isOpen in
            if isOpen { workshop.loop.execute(work) }
            return isOpen
        }
    }
}
