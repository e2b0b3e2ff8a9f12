import Base
import TLSProbe

/// The threads and connections that all checks of a process share, so that the host program keeps most descriptors.
actor SharedConnections {
    static let process = SharedConnections(atOnce: max(1, DescriptorLimit.current / 2))
    private let count: Int
    /// The turns that are left; below zero, the number of checks that wait for one.
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var probers: Probers?

    init(atOnce count: Int) { (self.count, free) = (count, count) }

    /// Makes a check when its turn comes, in the order of arrival; throws if the task is cancelled, or if no
    /// descriptors are left for threads.
    func check(_ check: Check, in environment: Environment) async throws -> CheckedTarget {
        // The threads are made once: an event loop that cannot be made would end the process.
        probers = probers ?? Probers(sharedWithin: count)
        guard let probers else {
            throw Problem.software(
                "no descriptors are left to connect with: close some, or raise the limit with ulimit -n")
        }
        free -= 1
        if free < 0 { await withCheckedContinuation { waiting.append($0) } }
        let target = await Checker(in: environment, sharing: probers).check(check)
        free += 1
        if free <= 0 { waiting.removeFirst().resume() }
        // A cancelled connection looks like an unreachable server.
        try Task.checkCancellation()
        return target
    }
}
